/// @file
/// How dynamic_tile is graded: moving sums with radii up to what a block can hold, the status beyond, their gates.
#include "dynamic_tile.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "judge/exercise.hpp"
#include "judge/side_by_side.hpp"

namespace {

using course::shape;

constexpr double kOfMagnitudes = 1e-5;  // share of the sum of a window's magnitudes
constexpr double kFewMagnitudes = 16;   // small windows: room for the rounding of a tile's prefix sums
constexpr int kInvalidValue = 1;        // cudaErrorInvalidValue
constexpr std::size_t kAllShown = 256;  // radius: above, a changed input is looked for at a few of its places

constexpr double tile_bytes(std::size_t radius) {
  return 4.0 * static_cast<double>(dynamic_tile_outputs + 2 * radius);
}

// Bytes that blocks load for their tiles, each tile once, over those of the input: what lies outside of it is not loaded.
constexpr double tiles_over_input(std::size_t n, std::size_t radius) {
  double loaded = 0;
  for (std::size_t first = 0; first < n; first += dynamic_tile_outputs) {
    const std::size_t begin = first > radius ? first - radius : 0;
    loaded += static_cast<double>(std::min(n, first + dynamic_tile_outputs + radius) - begin);
  }
  return loaded / static_cast<double>(n);
}

// The largest radius whose tile a block of this device can have.
std::size_t largest_radius(const course::facts& device) {
  return (device.shared_bytes_per_block_optin / sizeof(float) - dynamic_tile_outputs) / 2;
}

// Adds up @p value of the inputs around output @p i.
template <class Value>
double around_output(const float* in, std::size_t n, std::size_t radius, std::size_t i, Value value) {
  const std::size_t begin = i > radius ? i - radius : 0, end = std::min(n, i + radius + 1);
  return course::sum_side_by_side(in + begin, end - begin, value);
}

course::problem moving_sums(std::size_t n, std::size_t radius, const course::facts& device) {
  course::problem p;
  const auto in = p.input<float>("in", n, {.filled_with = course::signed_one_sided, .alignment = 128});
  const auto out = p.output<float>("out", n, {.alignment = 128});
  const auto status = p.timed(COURSE_FUNCTION(dynamic_tile_run), in, out, n, radius, course::stream);
  if (radius > largest_radius(device)) {
    p.returns(status, kInvalidValue);
    return p;
  }
  const auto expected = [=](const course::host_inputs& inputs, std::size_t i) {
    return around_output(inputs[in], n, radius, i, [](double value) { return value; });
  };
  const auto allowed = [=](const course::host_inputs& inputs, std::size_t i) {
    const double magnitudes =
        around_output(inputs[in], n, radius, i, [](double value) { return std::abs(value); });
    return kOfMagnitudes * std::max(kFewMagnitudes, magnitudes);
  };
  const auto affected = [=](std::size_t i) -> course::index_range {
    const std::size_t first = i < radius ? 0 : i - radius;
    const std::size_t all = std::min(n, i + radius + 1) - first;
    if (radius <= kAllShown) return {first, all};
    return {first + course::mix(i) % (all - std::min<std::size_t>(all, 8) + 1),
            std::min<std::size_t>(all, 8)};
  };
  const auto window = static_cast<double>(2 * std::min(radius, n) + 1);
  p.expects(out, course::each_element(expected, affected, {.operations = 2 * window}),
            course::within(allowed));
  return p;
}

course::problem of_shape(const shape& sizes, const course::facts& device) {
  return moving_sums(sizes[0], sizes[1], device);
}
course::problem at_the_largest(const shape& sizes, const course::facts& device) {
  return moving_sums(sizes[0], largest_radius(device), device);
}
course::problem one_too_large(const shape& sizes, const course::facts& device) {
  return moving_sums(sizes[0], largest_radius(device) + 1, device);
}

// The timed radius, and one whose tile has more than 48 KB and still fits the 64 KB of the smallest card.
constexpr std::size_t kRadius = 8, kLargeRadius = 6000;
constexpr std::size_t kLargeN = 20'003;
constexpr std::string_view kSmall = "radius 8", kLarge = "radius 6000";

}  // namespace

// On an H200 (stand-alone kernels, radius 8), in shares of the copy ceiling: seventeen loads 0.39, a tile read float by
// float with a run-time radius 0.52 (plain), with the radius known 0.59 to 0.64, read as float4 0.94.
COURSE_EXERCISE(dynamic_tile) {
  using namespace course;
  return {
      .asks = of_shape,
      .size_names = {"n", "radius"},
      // First a size of several blocks: a forgotten barrier is then told as one between warps.
      .cases = {{5000, 8},    {0, 8},       {1, 0},       {1, 1},        {1, 8},       {31, 2},
                {32, 3},      {33, 8},      {31, 40},     {1023, 8},     {1024, 8},    {1025, 8},
                {2047, 1},    {2048, 0},    {2049, 2},    {2050, 5},     {4099, 16},   {5003, 63},
                {5003, 64},   {1000, 999},  {1000, 1000}, {1000, 5000},  {300'007, 8}, {2500, 5632},
                {2500, 5633}, {2100, 6001}, {40, 7000},   {33, 100'000}, {33, 1 << 29}},
      .also = {{.name = "the largest radius that fits", .asks = at_the_largest, .cases = {{1}, {33}, {300}}},
               {.name = "a radius too large by one", .asks = one_too_large, .cases = {{1}, {1025}}}},
      .drawn =
          [](random_source& draw) {
            return shape{draw.between(2, 20'000), draw.between(0, 100)};
          },
      .hidden =
          [](random_source& draw) {
            return shape{draw.between(500'000, 700'000), draw.between(5, 12)};
          },
      .benchmarks = {{.name = std::string(kSmall),
                      .on_sim = {3'000'005, kRadius},
                      .on_gpu =
                          [](std::size_t bytes, const facts&) {
                            return shape{bytes / (2 * sizeof(float)) + 5, kRadius};
                          }},
                     {.name = std::string(kLarge),
                      .on_sim = {kLargeN, kLargeRadius},
                      .on_gpu =
                          [](std::size_t, const facts&) {
                            return shape{8'000'003, kLargeRadius};
                          }}},
      .gates =
          {pass(at_least(0.48)).of(kSmall), limit(at_least(0.95)).of(kSmall),
           idea(metrics::load_sectors, at_most(1.6),
                "neighbouring outputs share most of their inputs: let the block bring each of them once")
               .of(kSmall),
           idea(metrics::launched_shared_bytes, between(tile_bytes(kRadius), tile_bytes(kRadius) + 1024),
                "a block asks for the bytes of its tile, for this radius, and no more: what it takes, other "
                "blocks of the SM do not get")
               .of(kSmall),
           idea(metrics::launched_shared_bytes,
                between(tile_bytes(kLargeRadius), tile_bytes(kLargeRadius) + 1024),
                "above 48 KB the tile is the same tile: ask for its bytes, and tell the kernel before the "
                "launch")
               .of(kLarge),
           idea(metrics::load_bytes, at_most(1.1 * tiles_over_input(kLargeN, kLargeRadius)),
                "each block loads its tile once, at a large radius too")
               .of(kLarge),
           // Bytes that are asked for and left alone meet the gates above: shuffles at a small radius, prefix sums in global memory at a
           // large one. From a tile a window takes 4 bytes an output of others and more, by prefix sums too.
           idea(metrics::shared_exchanged, at_least(0.5),
                "a tile that is asked for has to be used: let the block bring its inputs there, and the sums "
                "take "
                "them from there")},
  };
}
