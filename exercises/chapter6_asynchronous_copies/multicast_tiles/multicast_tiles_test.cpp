/// @file
/// How multicast_tiles is graded: exact counts by blocks that each see every value, of which a cluster asks for each byte once.
#include "multicast_tiles.cuh"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "judge/device_report.hpp"
#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr std::size_t kTile = multicast_tiles_floats, kGrain = multicast_tiles_grain;
constexpr std::size_t kCluster = multicast_tiles_cluster;
constexpr std::size_t kCountedBlocks = 44;  // where idea gates are counted: eleven clusters

// Share of the reference's speed. On an H200, four blocks that each load all were as fast as multicast (delivered bytes, multicast over
// that: 0.91 with a table of 4 MB, 1.00 with 256 MB), so speed tells nothing of the idea here. Not yet measured with this kernel on a card.
constexpr double kPass = 0.85;

// Four blocks get what one asks for: 0.25, and a little for levels and ends.
constexpr double kAskedOfDelivered = 0.3;
// Over the bytes that a cluster must ask for, of which each block gets all: 4.
constexpr double kDelivered = 3.8;

const course::gate kGivenGrid = course::idea(course::metrics::blocks, course::exactly(kCountedBlocks),
                                             "launch one block for each level, all of them at once");
const course::gate kAllDelivered =
    course::idea(course::metrics::delivered_to_shared, course::at_least(kDelivered),
                 "let every block get every tile into shared memory, and count for its own level: here four "
                 "neighbours that want the same tile are the point");
// A tile that comes to all four, and of which one block makes the counts of all: nobody but that block wanted it. Nor is it wanted where
// each block makes four counts of its own quarter: then it loads the same bytes four times, and they are counted once. Who counts a part of
// its values from registers, or from its own stores, takes three quarters that others brought.
constexpr double kTaken = 0.7;
const course::metric kTakenByEach{
    "taken_by_each",
    "share",
    course::origin::counters,
    course::scope::total,
    course::when_nothing::missed,
    "different bytes that the block which loads the fewest takes from shared memory, brought there by copies "
    "or by neighbours, or from a neighbour's, over those of all values",
    [](const course::evidence& seen) -> course::reading {
      double least = 0;
      for (const auto& launch : seen.report.launches()) {
        // Blocks that touch no data take nothing, and are not among those that are looked at.
        const bool all = launch.counter("simgpu__blocks_touching_global.sum") >= kCountedBlocks;
        least += all ? launch.counter("simgpu__shared_bytes_brought_and_taken_per_block.min") : 0;
      }
      const double values = seen.asked.bytes_read() * kCluster / static_cast<double>(kCountedBlocks);
      course::reading found{.value = least / values, .cause = course::cause::off_the_idea};
      found.sentence = fmt::format(
          "one of the blocks takes {:.2g} of the values' bytes from what copies and neighbours bring: it "
          "counts "
          "little or nothing, or the rest comes for nobody",
          found.value);
      return found;
    }};
const course::gate kAllCount =
    course::idea(kTakenByEach, course::at_least(kTaken),
                 "let each block compare all values with its own level: the tile is there for all four");
// Once for each cluster: 1, and a little for levels and ends.
constexpr double kAskedOfRequired = 1.1;
const course::gate kNoByteTwice =
    course::idea(course::metrics::load_bytes, course::at_most(kAskedOfRequired),
                 "ask for each value once in a cluster: what a copy has brought is there for all four");
const course::gate kAskedForOnce =
    course::idea(course::metrics::loads_of_delivered, course::at_most(kAskedOfDelivered),
                 "let a cluster ask for each byte once: bulk_load_multicast() brings it to all four blocks");

/// counts[b] = number of values above levels[b]. An oracle of its own, because each count depends on all values.
class counts_above final : public course::oracle {
 public:
  counts_above(course::input_handle<float> values, course::input_handle<float> levels, std::size_t n,
               std::size_t blocks)
      : values_(values), levels_(levels), n_(n), blocks_(blocks) {}

  struct counts final : state {
    std::vector<float> levels;
    std::vector<std::uint32_t> above;
  };
  std::unique_ptr<state> prepare(const course::host_inputs& inputs) const override {
    auto kept = std::make_unique<counts>();
    kept->levels.assign(inputs[levels_], inputs[levels_] + blocks_);
    std::vector<float> sorted(inputs[values_], inputs[values_] + n_);
    std::sort(sorted.begin(), sorted.end());
    for (const float level : kept->levels)
      kept->above.push_back(
          static_cast<std::uint32_t>(sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), level)));
    return kept;
  }
  /// Levels are fixed, so it is a value.
  void changed(state* kept, std::size_t, std::size_t, const void* before, const void* after) const override {
    auto& all = *static_cast<counts*>(kept);
    const float was = *static_cast<const float*>(before), is = *static_cast<const float*>(after);
    for (std::size_t b = 0; b < blocks_; ++b) {
      all.above[b] -= was > all.levels[b] ? 1 : 0;
      all.above[b] += is > all.levels[b] ? 1 : 0;
    }
  }
  const course::element_type& gives() const override { return course::element_of<std::uint32_t>::value; }
  void expected(const course::host_inputs&, const state* kept, std::size_t first, std::size_t count,
                void* out) const override {
    std::copy_n(static_cast<const counts*>(kept)->above.begin() + static_cast<std::ptrdiff_t>(first), count,
                static_cast<std::uint32_t*>(out));
  }
  std::vector<course::index_range> affected(std::size_t, std::size_t) const override {
    return {{0, blocks_}};
  }

 private:
  course::input_handle<float> values_, levels_;
  std::size_t n_, blocks_;
};

course::problem counts_of(const shape& s, const course::values& filled_with) {
  const std::size_t n = s[0], blocks = s[1];
  course::problem p;
  const auto counts = p.output<std::uint32_t>("counts", blocks, {.alignment = 4});
  const auto values = p.input<float>("values", n, {.filled_with = filled_with, .alignment = 128});
  const auto levels =
      p.input<float>("levels", blocks, {.filled_with = filled_with, .alignment = 4, .fixed = true});
  p.timed(COURSE_FUNCTION(multicast_tiles_run), counts, values, levels, n, static_cast<unsigned int>(blocks),
          course::stream);
  p.expects(counts, std::make_shared<counts_above>(values, levels, n, blocks), course::exact());
  const double delivered = 4.0 * static_cast<double>(n) * static_cast<double>(blocks);
  p.work({.read = delivered / kCluster, .written = 4.0 * static_cast<double>(blocks)});
  if (n > 0) p.amount(delivered, "B");
  return p;
}

course::problem ordinary_counts(const shape& s) {
  return counts_of(s, course::uniform);
}
course::problem extreme_counts(const shape& s) {
  return counts_of(s, course::extremes);
}

}  // namespace

COURSE_EXERCISE(multicast_tiles) {
  return {
      .asks = ordinary_counts,
      .size_names = {"n", "blocks"},
      // First several tiles and clusters. Then around one tile; then many tiles, which use a barrier in many phases.
      .cases = {{5 * kTile + 48, 8},
                {0, 4},
                {0, 8},
                {kGrain, 4},
                {2 * kGrain, 12},
                {7 * kGrain, 4},
                {kTile - kGrain, 4},
                {kTile, 4},
                {kTile + kGrain, 4},
                {2 * kTile - kGrain, 8},
                {2 * kTile, 4},
                {3 * kTile + kGrain, 20},
                {1009 * kGrain, 16},
                {70'000, 12},
                {9 * kTile + 512, 44},
                {300'016, 8}},
      .also = {{.name = "zeros, huge and tiny values",
                .asks = extreme_counts,
                .cases = {{3 * kTile + 80, 12}}}},
      .drawn =
          [](course::random_source& draw) {
            const std::size_t n = kGrain * draw.between(1, 4000);
            return shape{n, kCluster * draw.between(1, 6)};
          },
      .hidden =
          [](course::random_source& draw) {
            const std::size_t n = kGrain * draw.between(18'000, 25'000);
            return shape{n, kCluster * draw.between(8, 16)};
          },
      .benchmarks = {{.on_sim = {300'016, kCountedBlocks},
                      .on_gpu =
                          [](std::size_t bytes, const course::facts& device) {
                            const auto blocks = kCluster * static_cast<std::size_t>(device.sm_count);
                            return shape{(bytes / (sizeof(float) * blocks) / kGrain + 1) * kGrain, blocks};
                          },
                      .roof = course::roof_kind::none,
                      .modelled_time_decides = false}},
      .gates = {course::pass(course::at_least(kPass)), kGivenGrid, kAllDelivered, kAllCount, kAskedForOnce,
                kNoByteTwice},
  };
}
