/// @file
/// Whose fault it is when one of the two processes that run a program on the simulated GPU is no more, or does not answer; and what the judge
/// makes of a worker's part of a report.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "judge/device_report.hpp"
#include "judge/diagnose.hpp"
#include "judge/simulated_runs.hpp"
#include "protocol/names.hpp"

namespace {

using namespace std::chrono_literals;
using course::reply_status;
using course::verdict;
using nlohmann::json;

class simulated_runs : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(device_.start(SIM_DEVICE), "");
    ASSERT_EQ(worker_.start(WORKER_SIM, {device_.door(), 1, device_.id()}), "");
    device_.close_door();
    ASSERT_TRUE(device_.begin(worker_.id(), "", 1));
    const auto hello = worker_.ask({{"op", course::protocol::op::kHello}, {"limits", json::object()}}, 20s);
    ASSERT_TRUE(hello.ok()) << hello.error;
    ASSERT_TRUE(runs_.begin(20s));
  }
  course::reply load(std::chrono::duration<double> patience) {
    return runs_.load(
        {{"op", course::protocol::op::kLoad}, {"plugin", "/nowhere.so"}, {"functions", json::array()}},
        patience);
  }
  verdict blamed(const course::reply& found) {
    return diagnose_silence(found, worker_, "in a test", 1).outcome;
  }

  course::device_process device_;
  course::worker_process worker_;
  course::simulated_runs runs_{worker_, device_, 1};
};

TEST_F(simulated_runs, two_that_live_answer) {
  EXPECT_EQ(load(20s).status, reply_status::refused);  // there is no such plugin
}

TEST_F(simulated_runs, a_killed_device_is_the_courses_fault) {
  ::kill(device_.id(), SIGKILL);
  const auto found = load(20s);
  EXPECT_EQ(found.status, reply_status::no_device);
  EXPECT_EQ(blamed(found), verdict::harness_error);
  EXPECT_NE(found.error.find("signal 9"), std::string::npos) << found.error;
}

TEST_F(simulated_runs, a_killed_worker_is_the_programs_fault) {
  ::kill(worker_.id(), SIGKILL);
  const auto found = load(20s);
  EXPECT_EQ(found.status, reply_status::exited);
  EXPECT_EQ(blamed(found), verdict::crashed);
}

TEST_F(simulated_runs, a_device_that_does_not_answer_is_ended) {
  ::kill(device_.id(), SIGSTOP);
  const auto found = load(300ms);
  EXPECT_EQ(found.status, reply_status::timed_out);
  EXPECT_EQ(blamed(found), verdict::timeout);
}

// What closes a device's doors is tried in simgpu/process/tests/cage_test.cpp; here, that a judge's device is behind them.
TEST_F(simulated_runs, a_judges_device_is_in_its_cage) {
  ASSERT_EQ(load(20s).status, reply_status::refused);
  EXPECT_EQ(device_.cage().size(), 4u);
  std::ifstream told(fmt::format("/proc/{}/status", device_.id()));
  const std::string status{std::istreambuf_iterator<char>(told), {}};
  EXPECT_NE(status.find("NoNewPrivs:\t1"), std::string::npos) << status;
  const auto& cage = device_.cage();
  if (std::find(cage.begin(), cage.end(), "seccomp") != cage.end()) {
    EXPECT_NE(status.find("Seccomp:\t2"), std::string::npos) << status;
  }
  rlimit most{};
  ASSERT_EQ(::prlimit(device_.id(), RLIMIT_DATA, nullptr, &most), 0);
  EXPECT_NE(most.rlim_max, RLIM_INFINITY);
  ASSERT_EQ(::prlimit(device_.id(), RLIMIT_CPU, nullptr, &most), 0);
  EXPECT_NE(most.rlim_max, RLIM_INFINITY);
}

// As it ends when what a program has it keep is more than it may have: the same limit, and less of it.
TEST_F(simulated_runs, a_device_that_is_full_is_the_programs_fault) {
  const auto most = rlimit{std::uint64_t{1} << 20, std::uint64_t{1} << 20};
  ASSERT_EQ(::prlimit(device_.id(), RLIMIT_DATA, &most, nullptr), 0);
  const auto found = runs_.load({{"op", course::protocol::op::kLoad},
                                 {"plugin", std::string(64u << 20, 'x')},
                                 {"functions", json::array()}},
                                20s);
  EXPECT_EQ(found.status, reply_status::device_full) << found.error;
  EXPECT_EQ(blamed(found), verdict::wrong_result);
}

// Its processor time is used up by what a program has it compute.
TEST_F(simulated_runs, a_device_without_processor_time_is_the_programs_fault) {
  ::kill(device_.id(), SIGXCPU);
  const auto found = load(20s);
  EXPECT_EQ(found.status, reply_status::timed_out);
  EXPECT_EQ(blamed(found), verdict::timeout);
}

TEST_F(simulated_runs, a_workers_part_is_no_more_than_that) {
  const auto until = course::protocol::clock::now() + 20s;
  const auto forged = device_.take_report(
      R"({"api": [["cudaMalloc", 3], 7, [1]], "errors": "none", "streams": -1, "launches": [{"kernel": "k"}], "elapsed_seconds": 0})",
      until);
  ASSERT_TRUE(forged);
  const course::device_report report(*forged);
  EXPECT_TRUE(report.present());
  EXPECT_EQ(report.calls_of("cudaMalloc"), 3);
  EXPECT_TRUE(report.launches().empty());
  const auto nonsense = device_.take_report("]", until);
  ASSERT_TRUE(nonsense);
  EXPECT_TRUE(course::device_report(*nonsense).present());
}

}  // namespace
