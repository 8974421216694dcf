/// @file
/// What the judge says of programs that misbehave in a worker - and that it lives to say it.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "judge/bandwidth.hpp"
#include "judge/contestant.hpp"
#include "judge/correctness.hpp"
#include "judge/grader.hpp"
#include "protocol/names.hpp"
#include "records/plugin_record.hpp"
#include "sandbox/landlock.hpp"

extern "C" void fake_sum_run(const float* in, float* out, std::size_t n, CUstream_st* stream);

namespace {

namespace fs = std::filesystem;
using course::shape;
using course::verdict;

course::problem sum(const shape& sizes) {
  course::problem p;
  const auto in = p.input<float>("in", sizes[0], {.filled_with = course::one_sided});
  const auto out = p.output<float>("out", 1);
  p.timed(COURSE_FUNCTION(fake_sum_run), in, out, sizes[0], course::stream);
  p.expects(out, course::sum_of(in, sizes[0]), course::relative(1e-5));
  return p;
}

course::exercise sums() {
  return {
      .asks = sum,
      .size_names = {"n"},
      .cases = {{0}, {1}, {33}, {1009}},
      .benchmarks = {{.on_sim = {100'003},
                      .on_gpu = [](std::size_t bytes, const course::facts&) { return shape{bytes / 4 + 3}; },
                      .roof = course::roof_kind::none}},
      .gates = {course::pass(course::at_least(0.01)), course::limit(course::at_least(0.9))}};
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
  EXPECT_EQ(found.at("seed"), "");  // the program that is being graded could read it
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
  std::vector<course::case_result> cases;
  course::printed_output printed;
  const auto found = course::run_cases({what, who, 1, start, start}, cases, printed);
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

// A worker with @p behaviour loaded.
std::unique_ptr<course::contestant> loaded(const char* worker, const std::string& behaviour) {
  auto who = std::make_unique<course::contestant>();
  EXPECT_FALSE(who->start(worker));
  EXPECT_FALSE(who->load(std::string(BEHAVIOURS) + "/" + behaviour + ".so", {"fake_sum_run"}));
  return who;
}

TEST_F(misbehaviour, all_doors_are_shut_on_both_devices) {
  for (const char* worker : {FAKE_WORKER_SIM, FAKE_WORKER_GPU}) {
    std::ofstream(fs::path(BEHAVIOURS) / "precious.txt") << "results";
    const auto who = loaded(worker, "tries_doors");
    const auto asked = sum({33});
    const course::case_data data(asked, {0}, 1);
    const auto answer = who->run_case(data, nullptr, 20);
    EXPECT_TRUE(answer.ok()) << who->worker().output();
  }
}

TEST_F(misbehaviour, the_result_says_which_measures_are_in_force) {
  const auto found = grade("good");
  const bool landlock = course::sandbox::file_rules::version() > 0;
  EXPECT_EQ(found.hardening,
            (std::vector<std::string>{"limits", "no_new_privileges",
                                      landlock ? "landlock" : "landlock_unavailable", "seccomp"}));
}

TEST_F(misbehaviour, only_the_own_plugin_can_be_read) {
  if (course::sandbox::file_rules::version() < 1) GTEST_SKIP() << "this kernel has no Landlock";
  fs::create_directories(folder_);
  for (const char* worker : {FAKE_WORKER_SIM, FAKE_WORKER_GPU}) {
    const auto who = loaded(worker, "good");
    // A second plugin would be the reference. The worker itself may no longer read it.
    const fs::path other = folder_ / "other.so";
    fs::copy_file(fs::path(BEHAVIOURS) / "good.so", other, fs::copy_options::overwrite_existing);
    const auto found = who->load(other, {"fake_sum_run"});
    ASSERT_TRUE(found);
    EXPECT_NE(found->headline.find("ermission denied"), std::string::npos) << found->headline;
  }
}

TEST_F(misbehaviour, files_of_others_stay_whole) {
  const fs::path precious = fs::path(BEHAVIOURS) / "precious.txt";
  std::ofstream(precious) << "results";
  const auto found = grade("overwrites_file");
  EXPECT_EQ(found.outcome, verdict::pass) << found.headline;
  EXPECT_EQ(fs::file_size(precious), 7u);
}

TEST_F(misbehaviour, missing_record_tells_what_to_do) {
  const auto what = sums();
  const auto found = course::grade_correctness({what, "chapter0", "fake"}, here_);
  EXPECT_EQ(found.outcome, verdict::harness_error);
  EXPECT_NE(found.headline.find("./course grade"), std::string::npos);
}

TEST_F(misbehaviour, a_device_that_lacks_what_the_exercise_needs_is_told_what) {
  here_.device = course::device_choice::gpu;
  here_.needs.compute_capability = 90;
  auto found = grade("good");
  EXPECT_EQ(found.outcome, verdict::unsupported_device);
  EXPECT_EQ(found.cause, "device_lacks");
  EXPECT_NE(found.headline.find("compute capability 9.0"), std::string::npos) << found.headline;
  here_.needs = {0, 2, {}};
  EXPECT_NE(grade("good").headline.find("2 devices"), std::string::npos);
  here_.needs = {0, 1, {"ConcurrentManagedAccess"}};
  EXPECT_NE(grade("good").headline.find("ConcurrentManagedAccess"), std::string::npos);
}

// The whole measuring procedure, on a device of host memory: how fast that is says nothing, what it notices
// does.
class measuring : public misbehaviour {
 protected:
  std::optional<course::judgement> measure(const std::string& behaviour, course::measurement& into) {
    const auto what = sums();
    course::contestant student, reference;
    EXPECT_FALSE(student.start(FAKE_WORKER_GPU));
    EXPECT_FALSE(student.load(std::string(BEHAVIOURS) + "/" + behaviour + ".so", {"fake_sum_run"}));
    EXPECT_FALSE(reference.start(FAKE_WORKER_GPU));
    EXPECT_FALSE(reference.load(std::string(BEHAVIOURS) + "/good.so", {"fake_sum_run"}));
    course::result notes;
    return course::measure_on_gpu(what, what.benchmarks.front(), {student, reference}, 0.01, 3, into, notes);
  }
};

TEST_F(measuring, the_same_program_twice_is_about_as_fast) {
  course::measurement into;
  const auto found = measure("good", into);
  // A busy machine may be too noisy for a verdict, never for a wrong one.
  if (found) {
    EXPECT_EQ(found->outcome, verdict::inconclusive) << found->headline;
  }
  EXPECT_GE(into.ratio.pairs, 75);
  EXPECT_GT(into.ratio.ratio, 0.5);
  EXPECT_LT(into.ratio.ratio, 2);
}

TEST_F(measuring, a_timed_size_that_does_not_fit_is_told_and_not_tried) {
  auto what = sums();
  what.benchmarks.front().on_gpu = [](std::size_t, const course::facts&) {
    return shape{std::size_t{1} << 24};
  };
  course::contestant student, reference;
  for (auto* one : {&student, &reference}) {
    ASSERT_FALSE(one->start(FAKE_WORKER_GPU));
    ASSERT_FALSE(one->load(std::string(BEHAVIOURS) + "/good.so", {"fake_sum_run"}));
  }
  course::measurement into;
  course::result notes;
  const auto found =
      course::measure_on_gpu(what, what.benchmarks.front(), {student, reference}, 0.01, 3, into, notes);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, verdict::unsupported_device);
  EXPECT_EQ(found->cause, "not_enough_memory");
}

TEST_F(measuring, an_answer_kept_from_the_last_sample_is_noticed) {
  course::measurement into;
  const auto found = measure("caches_by_pointer", into);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, verdict::wrong_result);
  EXPECT_EQ(found->cause, "wrong_at_timed_size");
}

TEST_F(measuring, an_output_left_from_the_last_sample_is_noticed) {
  course::measurement into;
  const auto found = measure("writes_once", into);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, verdict::wrong_result);
}

}  // namespace
