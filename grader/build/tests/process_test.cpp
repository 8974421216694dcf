/// @file
/// Programs that do not end, talk too much, or leave others behind.
#include "build/process.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace course {
namespace {

process_result shell(const std::string& script, double timeout_seconds, std::size_t limit = 1 << 20) {
  process_request request;
  request.command = {"sh", "-c", script};
  request.timeout_seconds = timeout_seconds;
  request.output_limit_bytes = limit;
  return run_process(request);
}

TEST(process, reports_exit_codes_and_signals) {
  EXPECT_EQ(shell("echo out; echo err >&2; exit 3", 10).exit_code, 3);
  EXPECT_EQ(shell("echo out; echo err >&2", 10).output, "out\nerr\n");
  EXPECT_EQ(shell("kill -SEGV $$", 10).signal, 11);
  process_request nothing;
  nothing.command = {"no-such-program-anywhere"};
  EXPECT_FALSE(run_process(nothing).started);
}

TEST(process, is_killed_at_its_deadline_with_its_group) {
  const process_result loops = shell("sleep 60 & while :; do :; done", 0.3);
  EXPECT_TRUE(loops.timed_out);
  EXPECT_LT(loops.seconds, 5);
  const process_result silent = shell("exec >/dev/null 2>&1; sleep 60", 0.3);
  EXPECT_TRUE(silent.timed_out);
  EXPECT_LT(silent.seconds, 5);
}

TEST(process, ends_when_its_processor_time_is_used_up) {
  process_request request;
  request.command = {"sh", "-c", "while :; do :; done"};
  request.cpu_seconds = 1;
  request.timeout_seconds = 100;
  const process_result loops = run_process(request);
  EXPECT_FALSE(loops.timed_out);
  EXPECT_EQ(loops.signal, SIGXCPU);
}

TEST(process, does_not_wait_for_what_it_left_behind) {
  const process_result result = shell("sleep 60 & echo done", 20);
  EXPECT_TRUE(result.ok());
  EXPECT_LT(result.seconds, 5);
}

TEST(process, drops_output_beyond_the_limit) {
  const process_result result = shell("yes | head -c 1000000", 20, 1000);
  EXPECT_EQ(result.output.size(), 1000u);
  EXPECT_TRUE(result.output_cut);
  EXPECT_TRUE(result.ok());
}

}  // namespace
}  // namespace course
