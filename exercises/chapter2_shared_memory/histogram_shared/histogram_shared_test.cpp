/// @file
/// How histogram_shared is graded: counts of bytes, on data that are even, lopsided and sorted.
#include "histogram_shared.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr std::size_t kBins = 256;
constexpr std::size_t kBytesATurn =
    4096;  // bytes that a block of the plain solution takes in a turn; the starter's takes 256

/// counts[b] = how many inputs are b. Kept, since one count anew would cost the whole input.
class counts_of final : public course::oracle {
 public:
  counts_of(course::input_handle<std::uint8_t> in, std::size_t n) : in_(in), n_(n) {}

  struct counts final : state {
    std::vector<std::uint32_t> of = std::vector<std::uint32_t>(kBins);
  };
  std::unique_ptr<state> prepare(const course::host_inputs& inputs) const override {
    auto kept = std::make_unique<counts>();
    const std::uint8_t* const in = inputs[in_];
    for (std::size_t i = 0; i < n_; ++i) ++kept->of[in[i]];
    return kept;
  }
  void changed(state* kept, std::size_t, std::size_t, const void* before, const void* after) const override {
    auto& of = static_cast<counts*>(kept)->of;
    --of[*static_cast<const std::uint8_t*>(before)];
    ++of[*static_cast<const std::uint8_t*>(after)];
  }
  const course::element_type& gives() const override { return course::element_of<std::uint32_t>::value; }
  void expected(const course::host_inputs&, const state* kept, std::size_t first, std::size_t count,
                void* out) const override {
    const auto& of = static_cast<const counts*>(kept)->of;
    std::copy_n(of.begin() + static_cast<std::ptrdiff_t>(first), count, static_cast<std::uint32_t*>(out));
  }
  std::vector<course::index_range> affected(std::size_t, std::size_t) const override { return {{0, kBins}}; }

 private:
  course::input_handle<std::uint8_t> in_;
  std::size_t n_;
};

course::problem counts(std::size_t n, const course::values& filled_with) {
  course::problem p;
  const auto in = p.input<std::uint8_t>(
      "in", n, {.filled_with = filled_with, .poked_with = course::uniform, .alignment = 16});
  const auto out = p.output<std::uint32_t>("counts", kBins, {.alignment = 16});
  p.timed(COURSE_FUNCTION(histogram_shared_run), in, out, n, course::stream);
  p.expects(out, std::make_shared<counts_of>(in, n), course::exact());
  p.work({.written = 0});  // 1 KB, to which blocks may add in any way
  return p;
}

course::problem of_uniform(const shape& sizes) {
  return counts(sizes[0], course::uniform);
}
// Nine of ten bytes are alike.
course::problem of_skewed(const shape& sizes) {
  return counts(sizes[0], course::values_of([](std::uint64_t, std::uint64_t random) {
                  return random % 10 != 0 ? 201.0 : static_cast<double>(random >> 8 & 0xff);
                }));
}
// From 0 to 255, as many of each.
course::problem of_sorted(const shape& sizes) {
  const double n = static_cast<double>(std::max<std::size_t>(1, sizes[0]));
  return counts(sizes[0], course::values_of([n](std::uint64_t position, std::uint64_t) {
                  return static_cast<double>(
                      static_cast<int>(static_cast<double>(position) * static_cast<double>(kBins) / n));
                }));
}
// The two ends only, 0 and 255, in no order.
course::problem of_ends(const shape& sizes) {
  return counts(sizes[0], course::values_of([](std::uint64_t, std::uint64_t random) {
                  return random % 3 == 0 ? 0.0 : 255.0;
                }));
}

// A quarter of a gibibyte at most: global atomics, the starter, need 0.2 s for that.
shape timed_on_gpu(std::size_t bytes, const course::facts&) {
  constexpr std::size_t kMost = std::size_t{256} << 20;
  return {std::min(bytes, kMost) + 13};
}

const shape kTimedOnSim = {21'000'013};

}  // namespace

// Shares of the reference's speed on an H200 (stand-alone kernels, 1 GiB), uniform / skewed / sorted: global atomics
// 0.001 / 0.0003 / 0.0003, a table a block with byte loads 0.16 on each, with 4-byte loads 0.45 (uniform), with 16-byte
// loads 0.51 / 0.93 / 0.99 (plain). Global atomics a byte: 1 without a table, 256 a block of a megabyte with one.
COURSE_EXERCISE(histogram_shared) {
  using namespace course;
  return {
      .asks = of_uniform,
      .size_names = {"n"},
      .cases =
          join({{1009}},
               join(around(kBytesATurn),
                    join(around(256),
                         {{2}, {15}, {16}, {17}, {47}, {1025}, {16'383}, {16'385}, {65'537}, {300'007}}))),
      .also = {{.name = "nine of ten alike",
                .asks = of_skewed,
                .cases = {{33}, {5003}, {131'072}},
                .hidden = [](random_source& draw) { return shape{draw.between(1'500'000, 2'000'000)}; }},
               {.name = "sorted", .asks = of_sorted, .cases = {{257}, {100'003}}},
               {.name = "0 and 255 only", .asks = of_ends, .cases = {{31}, {4099}}}},
      .drawn = [](random_source& draw) { return shape{draw.between(2, 200'000)}; },
      .hidden = [](random_source& draw) { return shape{draw.between(2'000'000, 3'000'000)}; },
      .benchmarks = {{.name = "uniform", .on_sim = kTimedOnSim, .on_gpu = timed_on_gpu},
                     {.name = "skewed", .asks = of_skewed, .on_sim = kTimedOnSim, .on_gpu = timed_on_gpu},
                     {.name = "sorted", .asks = of_sorted, .on_sim = kTimedOnSim, .on_gpu = timed_on_gpu}},
      .gates = {pass(at_least(0.35)), limit(at_least(0.85)),
                idea(metrics::global_atomics_per_byte, at_most(0.01),
                     "let each block count in a table of its own, and give that table to the result once"),
                idea(metrics::shared_updates, at_least(0.5),
                     "the counters belong in shared memory, where each byte finds its own at once")
                    .of("uniform")},
  };
}
