/// @file
/// What kernels read off their own clock (ticks/ticks.cu), against what an H200 showed where that was recorded, and against a plain sum where
/// it was not. Beside each figure stands the wrong model that it is there to catch; all of them are also what no clock that counts
/// instructions says (`counted`, from the simulator before its kernels had clocks).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <ostream>
#include <string>

namespace {

std::map<std::string, double> run() {
  const std::string out =
      std::string(SCRATCH) + "/ticks." + std::to_string(getpid()) + ".txt";  // tests run side by side
  const std::string command = "LD_LIBRARY_PATH='" DROPIN_FOLDER "' '" TICKS "' > '" + out + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::map<std::string, double> figures;
  std::ifstream in(out);
  for (std::string name; in >> name && name != "ok";) in >> figures[name];
  std::remove(out.c_str());
  return figures;
}
const std::map<std::string, double>& figures() {
  static const auto all = run();
  return all;
}

struct Figure {
  const char* name;
  double expected, per_cent, counted;
  const char* from;     ///< where the expected figure comes from
  const char* catches;  ///< the wrong model
};
void PrintTo(const Figure& f, std::ostream* out) {
  *out << f.name;
}

class Ticks : public testing::TestWithParam<Figure> {};

TEST_P(Ticks, IsWhatTheCardShows) {
  const Figure& f = GetParam();
  const auto found = figures().find(f.name);
  ASSERT_NE(found, figures().end()) << f.name;
  const double bound = f.expected * f.per_cent / 100;
  EXPECT_NEAR(found->second, f.expected, bound) << "from: " << f.from << "; catches: " << f.catches;
  EXPECT_GT(std::abs(f.counted - f.expected), bound) << "a count of instructions would pass";
}

INSTANTIATE_TEST_SUITE_P(
    Recorded, Ticks,
    testing::Values(
        // Chains of loads, one thread. The bound is 5 per cent.
        Figure{"chase_shared", 23.09, 5, 1.10, "claims.json",
               "the scoreboard's 29, an address computed in between"},
        Figure{"chase_l1", 36.01, 5, 1.19, "claims.json, 35.66 and 36.36", "every load takes the L2's time"},
        Figure{"chase_l2", 284, 5, 1.10, "280 and 288: claims.json, standalone_kernels.json",
               "L2 answered in 262"},
        Figure{"chase_dram", 690, 5, 1.10, "684 to 701: claims.json, standalone_kernels.json",
               "loaded latency, 790"},
        // A turn of 16 multiply-adds, and the jump.
        Figure{"chain_fma", 4.4597, 5, 1.19, "claims.json",
               "a jump for nothing, or turns side by side in spite of the pragma"},
        Figure{"barrier_32", 29.17, 5, 1.19, "h200_probes.json", "no latency of an arrival"},
        Figure{"barrier_256", 39.18, 5, 9.61, "h200_probes.json", "warps do not queue for a barrier"},
        Figure{"barrier_1024", 87.3, 5, 38.5, "h200_probes.json", "warps do not queue for a barrier"},
        Figure{"shared_atomic_one_word", 32.22, 5, 1.02, "h200_probes.json",
               "lanes on one word combine; or no queue holds the warp up"},
        Figure{"shared_atomic_float_one_word", 438.5, 5, 1.02, "h200_probes.json",
               "sums of floats are not a loop"},
        Figure{"shared_atomic_float_32_words", 9.14, 5, 1.02, "h200_probes.json, 1024 words",
               "each lane takes a turn of its own"},
        // Rounds of products by tensor cores.
        Figure{"mma_k16_chain", 34.19, 5, 1.19, "h200_mma.txt", "a product's sum is there at once"},
        Figure{"mma_k8_chain", 27.12, 5, 1.19, "h200_mma.txt", "half the depth takes as long"},
        Figure{"mma_k16_of_16_warps", 117.4, 5, 16, "h200_mma.txt", "four warps' tensor cores know no queue"},
        Figure{"mma_k8_of_16_warps", 79.3, 6, 16, "h200_mma.txt", "half the depth takes half the time"}),
    [](const auto& info) { return std::string(info.param.name); });

// Nothing was recorded of these: what the rules make of them, with room for what the rules do not know.
INSTANTIATE_TEST_SUITE_P(
    Computed, Ticks,
    testing::Values(
        Figure{"chain_add", 4.44, 10, 1.19, "4 cycles a step, 10 a jump",
               "the loop's count waits behind the chain"},
        Figure{"chain_mad", 4.44, 10, 1.19, "4 cycles a step, 10 a jump", "two issues an instruction"},
        Figure{"chain_shuffle", 23, 10, 1.38, "the table of operations", "a shuffle is a move"},
        Figure{"fma_1024_threads", 8 * 19.0 / 16, 15, 38,
               "32 warps, four schedulers, 19 instructions a turn of 16",
               "warps do not share their SM: 1 to 4"},
        Figure{"fma_32_threads", 2, 25, 1.19, "four chains, one warp: one issue a cycle, and the jump",
               "chains wait for each other: 4.4"},
        Figure{"banks_32", 23, 5, 1.03, "chase_shared", "a wavefront for each lane"},
        Figure{"banks_1", 23 + 31, 5, 1.03, "32 wavefronts, one a cycle", "no conflicts: 23"},
        Figure{"banks_1_in_a_row", 32, 5, 2.06, "32 wavefronts, one a cycle",
               "conflicts cost latency and no throughput: 4"},
        Figure{"load_4_sectors", 690, 10, 10, "chase_dram", "the warm L2: 284"},
        Figure{"load_32_lines", 690 + 31 + 0.86 * 127 * 32 / 128, 10, 10, "32 lines one after the other",
               "the warm L2: 392"},
        Figure{"global_atomic", 284 + 60, 10, 2.03, "the L2 and back", "a store that nobody waits for"},
        Figure{"worker_worked", 4096 * 4.44, 5, 4882, "chain_fma", "a step a cycle"},
        Figure{"other_waited", 4096 * 4.44, 5, 4648, "worker_worked",
               "barriers do not bring clocks together: 70"},
        Figure{"sleep_1000_ns", 1980, 1, 2, "1.98 GHz", "sleep is no time"},
        Figure{"sleep_1000_ns_in_ns", 1000, 3, 5, "itself", "the timer counts cycles: 1980"},
        Figure{"spin_10000000_by_events_in_ms", 1e7 / 1.98e6, 2, 36.5, "1.98 GHz",
               "a kernel lasts as its instructions would, whatever its clock says"},
        Figure{"timer_over_clock", 1, 1, 0, "one clock, two units", "the timer is another clock"},
        Figure{"first_wave_spread", 80.5e-9 * 1.98e9, 5, 2937, "ModelConstants::block_start_interval",
               "blocks begin all at once: 0"},
        Figure{"second_wave_after_first", 20e-6 * 1.98e9 + 1.98e9 * (175e-9 + 32 * 7.4e-9), 5, 5874,
               "20 us of sleep and a turnover", "a block begins with the launch: 0"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(TicksOfOneWarp, RegistersShowOneClock) {
  EXPECT_LE(figures().at("clock_pair_minus_clock64"), 8);
  EXPECT_GE(figures().at("clock_pair_minus_clock64"), 0);
  EXPECT_LE(figures().at("timer_pair_minus_timer_in_ns"), 8);
  EXPECT_GE(figures().at("timer_pair_minus_timer_in_ns"), 0);
}

TEST(TicksOfOneWarp, WhoSpinsUntilATimeEndsThen) {
  EXPECT_GE(figures().at("spin_1000000"), 1e6);
  EXPECT_LE(figures().at("spin_1000000"), 1e6 * 1.005);
  EXPECT_GE(figures().at("spin_100000000_everywhere"), 1e8);
  EXPECT_LE(figures().at("spin_100000000_everywhere"), 1e8 * 1.005);
}

TEST(TicksOfOneWarp, WhoDoesNotWorkIsNotLate) {
  EXPECT_LE(figures().at("other_worked"), 100);
  EXPECT_NEAR(figures().at("worker_waited"), figures().at("other_waited"), 1);
}

// 31 lines more go through the load-store unit one after the other, 1.4 cycles each, and on to the L2, 32 bytes in 0.86 cycles. Catches
// lines that stand side by side (58), and wavefronts that cost nothing.
TEST(TicksOfOneWarp, LinesOfALoadComeOneAfterTheOther) {
  const double more = figures().at("load_32_lines") - figures().at("load_4_sectors");
  EXPECT_NEAR(more, 31 * (1.4 + 32 / 37.0), 10);
}

TEST(TicksOfLaunches, ALaterOneBeginsLater) {
  EXPECT_GE(figures().at("second_launch_minus_first_in_ns"), 2200);  // what an empty launch lasts
  EXPECT_LE(figures().at("second_launch_minus_first_in_ns"), 100'000);
}

TEST(TicksOfLaunches, AreTheSameInEveryRun) {
  EXPECT_EQ(run(), figures());
}

}  // namespace
