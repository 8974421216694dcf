/// @file
/// How latency_ladder is graded: where the walk ends is known beforehand; how long a hop takes is compared with the reference's
/// figure on the same GPU; that each rung was asked, and one load at a time, is counted.
#include "latency_ladder.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "judge/device_report.hpp"
#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr double kSector = 32;       // bytes that one hop asks L2 for
constexpr double kDramGranule = 64;  // bytes that DRAM reads for it
constexpr double kElement = 4;       // bytes of the smallest element that can name a line

/// Place k of a shuffled order of 0 to count - 1: a permutation of the next larger power of four (a Feistel
/// network), walked again until the number lies below count.
std::uint32_t shuffled(std::uint64_t place, std::uint64_t count, std::uint64_t seed) {
  unsigned half = 1;  // bits
  while ((std::uint64_t{1} << (2 * half)) < count) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = place >> half, right = place & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t mixed = left ^ (course::mix(seed + (round << 32) + right) & mask);
      left = right;
      right = mixed;
    }
    place = left << half | right;
  } while (place >= count);
  return static_cast<std::uint32_t>(place);
}

course::values shuffled_order(std::size_t lines) {
  return {[lines](void* data, course::scalar, std::uint64_t first, std::size_t count, std::uint64_t seed) {
    for (std::size_t k = 0; k < count; ++k)
      static_cast<std::uint32_t*>(data)[k] = shuffled(first + k, lines, seed);
  }};
}

// No hop is answered in less than a cycle or more than this; a figure outside was not divided by the hops, or
// not written.
constexpr double kMostCycles = 5000;
// Of the reference's figure, same run. In shared memory and L1 the address of the next element is computed between two loads, and that
// counts: 28.6 cycles with a line's number in the chain, 23.0 with a byte offset (H200), both sound ways to write it.
constexpr double kNearReference = 0.10, kNearReferenceInTheSm = 0.30;
constexpr std::size_t kSteadyHops = 16'000;
constexpr double kClockSlack = 1.05;  // the walk cannot last longer than the call
// A walk that warms up makes more loads than hops, and then the clock has not run all the time. On the simulated GPU a figure shows that by
// the instructions: those of the counted hops were 0.66 of all where half as many hops had gone before.
constexpr double kLoadsWithWarmUp = 1.2, kAllOfTheCall = 0.97;

double loads_of(const course::device_report& report) {
  return report.counter("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") +
         report.counter("smsp__inst_executed_op_shared_ld.sum");
}

/// Whoever takes the addresses from elsewhere loads them from there: a second load for each hop, or many at a time.
const course::metric kLoadsAHop{"loads_per_hop",
                                "loads per hop",
                                course::origin::counters,
                                course::scope::total,
                                course::when_nothing::missed,
                                "load requests to global and shared memory, over the hops that are asked for",
                                [](const course::evidence& seen) -> course::reading {
                                  const double loads = loads_of(seen.report);
                                  course::reading found{.value = loads / seen.asked.amount(),
                                                        .counted = loads > 0,
                                                        .cause = course::cause::off_the_idea};
                                  found.sentence = "each hop takes " + std::to_string(found.value) + " loads";
                                  return found;
                                }};

// Hops enough that going once around before the clock starts does not show in a mean over all of them.
constexpr std::size_t kSharedLines = 128, kL1Lines = 256, kL2Lines = 8'192;  // 16 KB, 32 KB, 1 MB
constexpr std::size_t kHops = 65'536, kL2Hops = 131'072, kDramHops = 16'384;

// A megabyte, or a quarter of an L2 that is small; and eight times what L2 holds.
std::size_t lines_in_l2(const course::facts& device) {
  return std::min(kL2Lines, device.l2_bytes / 4 / line_bytes);
}
std::size_t lines_beyond_l2(const course::facts& device) {
  return 8 * device.l2_bytes / line_bytes + 5;
}

course::problem walk(const shape& sizes, const course::facts& device) {
  // No lines stand for as many as the level asks for on this device.
  // Where that is few lines, since L2 is small, the walk begins at one of them.
  const std::size_t lines = sizes[0] > 0           ? sizes[0]
                            : sizes[2] == level_l2 ? lines_in_l2(device)
                                                   : lines_beyond_l2(device),
                    hops = sizes[1], first = std::min(sizes[3], lines - 1);
  const auto level = static_cast<int>(sizes[2]);
  course::problem p;
  const auto order = p.input<std::uint32_t>("order", lines,
                                            {.filled_with = shuffled_order(lines),
                                             .alignment = alignof(std::uint32_t),
                                             .place = course::place::pageable,
                                             .fixed = true});
  const auto cycles = p.figures<double>("cycles", 1);
  const auto end = p.figures<std::uint32_t>("end", 1);
  const auto state = p.before(COURSE_FUNCTION(latency_ladder_setup), order, lines, level);
  p.timed(COURSE_FUNCTION(latency_ladder_run), state, first, hops, cycles, end, course::stream);
  p.after(COURSE_FUNCTION(latency_ladder_teardown), state);
  p.before_is_done();
  p.teardown_frees_all();

  const auto ends_at = [=](const course::host_inputs& inputs, std::size_t) {
    return inputs[order][(first + hops) % lines];
  };
  const auto affected = [](std::size_t) -> course::index_range { return {0, 1}; };
  p.expects(end, course::each_element(ends_at, affected), course::exact());
  // A walk of a few hops is over before its figure settles (372 and 450 cycles, seen on an H200 for 5 hops).
  if (hops >= kSteadyHops)
    p.expects(cycles, course::reference_answer(),
              course::relative(level == level_shared || level == level_l1 ? kNearReferenceInTheSm
                                                                          : kNearReference));
  p.expects([=](const course::observed& seen) -> std::string {
    const double figure = seen[cycles][0];
    if (!(figure > 0 && figure < kMostCycles))
      return "cycles is " + std::to_string(figure) +
             ", which is no time of one hop: divide what the clock says by the hops.";
    // Nothing lasts longer than the whole call.
    const double whole_call = seen.seconds * device.clock_hz;
    if (whole_call > 0 && figure * static_cast<double>(hops) > kClockSlack * whole_call)
      return "the hops take longer than the whole call, by your figure: let the kernel read clock64() right "
             "before the walk and right after it, and nothing else.";
    if (device.simulated && seen.report != nullptr && hops >= kSteadyHops &&
        loads_of(*seen.report) > kLoadsWithWarmUp * static_cast<double>(hops) &&
        figure * static_cast<double>(hops) > kAllOfTheCall * whole_call)
      return "the walk makes " + std::to_string(static_cast<long long>(loads_of(*seen.report))) +
             " loads, and the figure holds the time of all of them: let the clock start after the warm-up, "
             "and "
             "divide what it says by the hops that it saw.";
    return {};
  });
  const bool in_global_memory = level != level_shared;
  p.work({.read = in_global_memory ? kSector * static_cast<double>(hops) : 0,
          .written = 0,
          .at_least = kElement / kSector * 0.95});
  p.amount(static_cast<double>(hops), "hops");
  return p;
}

shape on_shared(std::size_t, const course::facts&) {
  return {kSharedLines, kHops, level_shared, 5};
}
shape on_l1(std::size_t, const course::facts&) {
  return {kL1Lines, kHops, level_l1, 7};
}
shape on_l2(std::size_t, const course::facts& device) {
  return {lines_in_l2(device), kL2Hops, level_l2, 11};
}
shape on_dram(std::size_t, const course::facts& device) {
  return {lines_beyond_l2(device), kDramHops, level_dram, 70'001};
}

constexpr std::string_view kOneAtATime =
    "the address of a hop must be what the hop before has brought, and nothing else";
// A walk waits with one element on its way, of 8 bytes at most; the ninth is for what is loaded once, before it begins.
constexpr double kMostOnTheWay = 9;
// One, and some laps to warm up.
constexpr double kMostLoadsAHop = 1.5;

course::benchmark rung(std::string name, shape on_sim, shape (*on_gpu)(std::size_t, const course::facts&)) {
  return {.name = std::move(name),
          .on_sim = std::move(on_sim),
          .on_gpu = on_gpu,
          .roof = course::roof_kind::none,
          .modelled_time_decides = false};
}

}  // namespace

COURSE_EXERCISE(latency_ladder) {
  using course::at_least, course::at_most, course::exactly, course::idea;
  namespace metrics = course::metrics;
  const auto waits_at_once = idea(metrics::loads_in_flight, at_most(kMostOnTheWay), kOneAtATime);
  return {
      .asks = walk,
      .size_names = {"lines", "hops", "level", "first"},
      .cases = {{1, 1, level_shared, 0},
                {1, 5, level_dram, 0},
                {2, 1, level_l1, 1},
                {31, 100, level_l1, 30},
                {32, 31, level_l2, 0},
                {33, 1000, level_shared, 32},
                {256, 1001, level_shared, 255},
                {255, 512, level_l1, 17},
                {1009, 4096, level_l2, 1008},
                {5003, 777, level_dram, 4999},
                {65'536, 3001, level_dram, 65'000},
                // The four rungs, at the lengths at which figures settle.
                {kSharedLines, 16'384, level_shared, 5},
                {kL1Lines, 16'384, level_l1, 7},
                {kL2Lines, 16'384, level_l2, 11},
                {0, 16'384, level_dram, 70'001}},
      .drawn =
          [](course::random_source& draw) {
            const auto level = draw.between(level_shared, level_dram);
            const auto lines = draw.between(1, level == level_shared ? 256 : 5'000);
            return shape{lines, draw.between(1, 3'000), level, draw.between(0, lines - 1)};
          },
      .hidden =
          [](course::random_source& draw) {
            const auto lines = draw.between(150'000, 250'000);
            return shape{lines, draw.between(5'000, 20'000), level_dram, draw.between(100'000, lines - 1)};
          },
      .benchmarks = {rung("shared", {kSharedLines, kHops, level_shared, 5}, on_shared),
                     rung("L1", {kL1Lines, kHops, level_l1, 7}, on_l1),
                     rung("L2", {0, kL2Hops, level_l2, 11}, on_l2),
                     rung("DRAM", {327'685, kDramHops, level_dram, 70'001}, on_dram)},
      .gates = {idea(metrics::lanes_per_load, exactly(1),
                     "let one thread walk: 32 lanes wait together, and hide each other's wait"),
                idea(metrics::shared_bytes, at_least(kElement * kHops),
                     "bring the chain to shared memory, and walk there")
                    .of("shared"),
                idea(kLoadsAHop, at_most(kMostLoadsAHop), kOneAtATime), waits_at_once.of("L1"),
                waits_at_once.of("L2"), waits_at_once.of("DRAM"),
                idea(metrics::l2_read_sectors, at_most(0.02),
                     "a chain that fits the L1 is answered there, once it has been walked")
                    .of("L1"),
                idea(metrics::l2_read_sectors, at_least(0.98), "every hop must get past the L1").of("L2"),
                idea(metrics::dram_read_bytes, at_most(0.2),
                     "a chain that fits the L2 is answered there, once it has been walked")
                    .of("L2"),
                idea(metrics::dram_read_bytes, at_least(0.95 * kDramGranule / kSector),
                     "every hop must miss L2: one element a line, and nothing of the chain left there before")
                    .of("DRAM"),
                idea(metrics::left_allocated, exactly(0),
                     "a walk frees what it allocates; what is to live longer belongs to the state, once")},
  };
}
