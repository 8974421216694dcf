/// @file
/// What the judge says of programs that misbehave in a worker - and that it lives to say it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "judge/bandwidth.hpp"
#include "judge/contestant.hpp"
#include "judge/correctness.hpp"
#include "judge/grader.hpp"
#include "protocol/names.hpp"
#include "records/plugin_record.hpp"

extern "C" void fake_sum_run(const float* in, float* out, std::size_t n, CUstream_st* stream);

namespace {

namespace fs = std::filesystem;
using course::shape;
using course::verdict;

course::problem sum(const shape& sizes) {
  course::problem p;
  const auto in = p.input<float>("in", sizes[0], {.filled_with = course::one_sided});
  const auto out = p.output<float>("out", 1);
  p.runs(COURSE_FUNCTION(fake_sum_run), in, out, sizes[0], course::stream);
  p.expects(out, course::sum_of(in, sizes[0]), course::relative(1e-5));
  return p;
}

course::exercise sums() {
  return {.asks = sum,
          .size_names = {"n"},
          .cases = {{0}, {1}, {33}, {1009}},
          .timed_on_sim = {100'003},
          .timed_on_gpu = [](std::size_t bytes) { return shape{bytes / 4 + 3}; },
          .gates = {.pass = {{0.01}}, .limit = {{0.9}}, .ideas = {}}};
}

// A build folder of its own with a record of one plugin.
class misbehaviour : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("course-judge-test-" + std::to_string(::getpid()));
    here_.plugins = folder_ / "plugins";
    here_.results = folder_ / "results";
    here_.tree_folder = folder_ / "exercises";
    here_.tree_id = "exercises";
    here_.worker_gpu = FAKE_WORKER_GPU;
    here_.worker_sim = FAKE_WORKER_SIM;
    here_.device = course::device_choice::sim;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void record(const std::string& tree, const std::string& behaviour) {
    course::plugin_record plugin;
    plugin.status = "ok";
    plugin.tree_id = tree;
    plugin.plugin = std::string(BEHAVIOURS) + "/" + behaviour + ".so";
    course::write_record(here_.plugins, {.chapter = "chapter0", .label = {}, .name = "fake"}, plugin);
  }
  course::result grade(const std::string& behaviour) {
    record("exercises", behaviour);
    const auto what = sums();
    return course::grade_correctness({what, "chapter0", "fake"}, here_);
  }
  void expect(const std::string& behaviour, verdict outcome, std::string_view cause) {
    const auto found = grade(behaviour);
    EXPECT_EQ(course::name_of(found.outcome), course::name_of(outcome)) << found.headline;
    EXPECT_EQ(found.cause, cause) << found.headline;
    EXPECT_FALSE(found.headline.empty());
  }

  course::environment here_;
  fs::path folder_;
};

TEST_F(misbehaviour, none_passes) {
  expect("good", verdict::pass, "");
}
TEST_F(misbehaviour, exit_in_a_constructor) {
  expect("exits_in_constructor", verdict::crashed, "early_exit");
}
TEST_F(misbehaviour, exit_in_the_call) {
  expect("exits_in_call", verdict::crashed, "early_exit");
}
TEST_F(misbehaviour, segmentation_fault) {
  expect("segfaults", verdict::crashed, "segmentation_fault");
}
TEST_F(misbehaviour, abort) {
  expect("aborts", verdict::crashed, "abort");
}
TEST_F(misbehaviour, forged_answer) {
  expect("forges_answer", verdict::crashed, "protocol_violation");
}
TEST_F(misbehaviour, thread_left_behind) {
  expect("leaves_thread", verdict::wrong_result, "background_thread");
}
TEST_F(misbehaviour, function_missing) {
  expect("missing_function", verdict::compile_error, "missing_function");
}
TEST_F(misbehaviour, undefined_symbol_is_named) {
  const auto found = grade("undefined_symbol");
  EXPECT_EQ(found.outcome, verdict::compile_error);
  EXPECT_NE(found.headline.find("nobody_has_this"), std::string::npos) << found.headline;
}
TEST_F(misbehaviour, answer_cached_by_pointer) {
  expect("caches_by_pointer", verdict::wrong_result, "wrong_on_second_call");
}
TEST_F(misbehaviour, input_overwritten) {
  expect("writes_input", verdict::wrong_result, "inputs_modified");
}
TEST_F(misbehaviour, nothing_written) {
  expect("writes_nothing", verdict::wrong_result, "output_unwritten");
}
TEST_F(misbehaviour, not_a_number) {
  expect("gives_nan", verdict::wrong_result, "non_finite");
}
TEST_F(misbehaviour, arena_cannot_be_shrunk) {
  expect("shrinks_arena", verdict::pass, "");
}

TEST_F(misbehaviour, judge_that_is_killed_leaves_a_result) {
  const pid_t judge = ::fork();
  if (judge == 0) {
    grade("loops");
    ::_exit(0);
  }
  const auto file = here_.results / "exercises" / "chapter0" / "fake.correctness.json";
  for (int i = 0; i < 500 && !fs::exists(file); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(judge, SIGKILL);
  int status = 0;
  ::waitpid(judge, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  std::ifstream in(file);
  const auto found = nlohmann::json::parse(in);
  EXPECT_EQ(found.at("verdict"), "harness_error");
  EXPECT_EQ(found.at("cause"), "no_result");
}

TEST_F(misbehaviour, guard_zone_overwritten) {
  // Where no simulator watches, guard zones do.
  const auto what = sums();
  const auto start = [](course::contestant& one) {
    const auto trouble = one.start(FAKE_WORKER_GPU);
    return trouble ? trouble : one.load(std::string(BEHAVIOURS) + "/writes_beside.so", {"fake_sum_run"});
  };
  course::contestant who;
  ASSERT_FALSE(start(who));
  course::result into;
  const auto found = course::run_cases(what, who, 1, into, start);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, verdict::out_of_bounds);
  EXPECT_EQ(found->cause, "guard_zone");
}

TEST_F(misbehaviour, the_judge_cannot_be_killed) {
  // The filter refuses signals to others: the program carries on and is right.
  expect("kills_parent", verdict::pass, "");
}

TEST_F(misbehaviour, children_are_refused_or_killed) {
  const auto found = grade("forks_child");
  EXPECT_NE(found.outcome, verdict::harness_error);
}

TEST_F(misbehaviour, output_is_limited_and_shown) {
  const auto found = grade("talks");
  EXPECT_EQ(found.outcome, verdict::crashed);
  ASSERT_GE(found.details.size(), 2u);
  EXPECT_LE(found.details.size(), 12u);
  EXPECT_NE(found.details.back().find("line 99999"), std::string::npos) << found.details.back();
}

TEST_F(misbehaviour, endless_loop_is_killed_in_time) {
  course::contestant who;
  ASSERT_FALSE(who.start(FAKE_WORKER_SIM));
  ASSERT_FALSE(who.load(std::string(BEHAVIOURS) + "/loops.so", {"fake_sum_run"}));
  const auto asked = sum({33});
  const course::case_data data(asked, {0}, 1);
  const auto begin = std::chrono::steady_clock::now();
  const auto answer = who.run_case(data, nullptr, 0.3);
  EXPECT_EQ(answer.status, course::reply_status::timed_out);
  EXPECT_FALSE(who.worker().running());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(course::diagnose_silence(answer, who.worker(), "in case n=33", 0.3).outcome, verdict::timeout);
}

TEST_F(misbehaviour, files_of_others_stay_whole_where_the_kernel_has_landlock) {
  const fs::path precious = fs::path(BEHAVIOURS) / "precious.txt";
  std::ofstream(precious) << "results";
  const auto found = grade("overwrites_file");
  EXPECT_EQ(found.outcome, verdict::pass) << found.headline;
  course::worker_process probe;
  ASSERT_EQ(probe.start(FAKE_WORKER_SIM), "");
  const auto hello =
      probe.ask({{"op", "hello"}, {"limits", nlohmann::json::object()}}, std::chrono::seconds(20));
  ASSERT_TRUE(hello.ok());
  const auto measures = hello.body.at("hardening").get<std::vector<std::string>>();
  if (std::find(measures.begin(), measures.end(), "landlock") == measures.end())
    GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_EQ(fs::file_size(precious), 7u);
}

TEST_F(misbehaviour, missing_record_tells_what_to_do) {
  const auto what = sums();
  const auto found = course::grade_correctness({what, "chapter0", "fake"}, here_);
  EXPECT_EQ(found.outcome, verdict::harness_error);
  EXPECT_NE(found.headline.find("./course grade"), std::string::npos);
}

// The whole measuring procedure, on a device of host memory: how fast that is says nothing, what it notices
// does.
class measuring : public misbehaviour {
 protected:
  std::optional<course::judgement> measure(const std::string& behaviour, course::result& into) {
    const auto what = sums();
    course::contestant student, reference;
    EXPECT_FALSE(student.start(FAKE_WORKER_GPU));
    EXPECT_FALSE(student.load(std::string(BEHAVIOURS) + "/" + behaviour + ".so", {"fake_sum_run"}));
    EXPECT_FALSE(reference.start(FAKE_WORKER_GPU));
    EXPECT_FALSE(reference.load(std::string(BEHAVIOURS) + "/good.so", {"fake_sum_run"}));
    return course::measure_on_gpu(what, {student, reference}, 3, fs::temp_directory_path(), into);
  }
};

TEST_F(measuring, the_same_program_twice_is_about_as_fast) {
  course::result into;
  const auto found = measure("good", into);
  // A busy machine may be too noisy for a verdict, never for a wrong one.
  if (found) {
    EXPECT_EQ(found->outcome, verdict::inconclusive) << found->headline;
  }
  EXPECT_GE(into.measured.ratio.pairs, 93);
  EXPECT_GT(into.measured.ratio.ratio, 0.5);
  EXPECT_LT(into.measured.ratio.ratio, 2);
}

TEST_F(measuring, an_answer_kept_from_the_last_sample_is_noticed) {
  course::result into;
  const auto found = measure("caches_by_pointer", into);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, verdict::wrong_result);
  EXPECT_EQ(found->cause, "wrong_at_timed_size");
}

TEST_F(measuring, an_output_left_from_the_last_sample_is_noticed) {
  course::result into;
  const auto found = measure("writes_once", into);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, verdict::wrong_result);
}

}  // namespace
