/// @file
/// How constant_convolution is graded: an image filtered by 5 x 5 weights, which set-up brings to constant memory.
#include "constant_convolution.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr std::int64_t kTaps = 5, kReach = 2;

// Shares of the reference's speed on an H200: weights through a pointer 0.263 (the starter), in constant memory 0.270
// (plain), through a pointer with four outputs a thread 0.304. The clock hardly tells them apart, so it is here for
// the hopelessly slow only, 11 % below plain, and the idea gates decide.
constexpr double kPass = 0.24, kLimit = 0.80;
// For each 32 outputs: 25 to the image, and 25 more to the weights where these are in global memory.
constexpr double kMostRequests = 30;
// A warp needs each of the 25 weights. Some warps at the edges of a tiled image only bring pixels.
constexpr double kLeastWords = 20;

/// The sum of the 25 products, and of their magnitudes.
struct products {
  double sum = 0, magnitude = 0;
};

products around_pixel(const float* in, const float* filter, const shape& s, std::size_t index) {
  const auto width = static_cast<std::int64_t>(s[0]), height = static_cast<std::int64_t>(s[1]);
  const auto x = static_cast<std::int64_t>(index) % width, y = static_cast<std::int64_t>(index) / width;
  products all;
  for (std::int64_t r = 0; r < kTaps; ++r) {
    for (std::int64_t c = 0; c < kTaps; ++c) {
      const std::int64_t row = y + r - kReach, column = x + c - kReach;
      if (row < 0 || row >= height || column < 0 || column >= width) continue;
      const double product = double{filter[r * kTaps + c]} * in[row * width + column];
      all.sum += product;
      all.magnitude += std::abs(product);
    }
  }
  return all;
}

/// The filtered image. An oracle of its own, because a pixel shows in five rows.
class filtered final : public course::oracle {
 public:
  filtered(course::input_handle<float> filter, course::input_handle<float> in, shape s)
      : filter_(filter), in_(in), s_(std::move(s)) {}

  void expected(const course::host_inputs& inputs, const state*, std::size_t first, std::size_t count,
                void* out) const override {
    for (std::size_t k = 0; k < count; ++k)
      static_cast<double*>(out)[k] = around_pixel(inputs[in_], inputs[filter_], s_, first + k).sum;
  }
  std::vector<course::index_range> affected(std::size_t buffer, std::size_t index) const override {
    const std::size_t width = s_[0], height = s_[1], reach = kReach;
    if (buffer == filter_.index) return {{width * height / 2, 1000}};  // a part: each weight is everywhere
    const std::size_t x = index % width, y = index / width;
    const std::size_t left = std::max(x, reach) - reach, right = std::min(x + reach + 1, width);
    std::vector<course::index_range> all;
    for (std::size_t row = std::max(y, reach) - reach; row < std::min(y + reach + 1, height); ++row)
      all.push_back({row * width + left, right - left});
    return all;
  }
  double operations_per_element() const override { return 100; }

 private:
  course::input_handle<float> filter_, in_;
  shape s_;
};

course::problem convolve(const shape& s) {
  const std::size_t width = s[0], height = s[1];
  course::problem p;
  // One for all sets, since `__constant__` memory is the whole program's.
  const auto filter = p.input<float>("filter", kTaps * kTaps, {.row_length = kTaps, .common = true});
  const auto in =
      p.input<float>("in", width * height, {.filled_with = course::extremes, .row_length = width});
  const auto out = p.output<float>("out", width * height, {.row_length = width});
  p.before(COURSE_FUNCTION(constant_convolution_setup), filter, course::stream);
  p.timed(COURSE_FUNCTION(constant_convolution_run), in, out, width, height, course::stream);
  p.before_launches_no_kernel();
  p.work({.read = 4.0 * static_cast<double>(width * height)});
  const auto allowed = [filter, in, s](const course::host_inputs& inputs, std::size_t index) {
    return std::exp2(-19) * around_pixel(inputs[in], inputs[filter], s, index).magnitude + std::exp2(-140);
  };
  p.expects(out, std::make_shared<filtered>(filter, in, s), course::within(allowed));
  return p;
}

// 8 bytes a pixel. Rows of whole 16-byte vectors, so that these can be used; sides that are no multiples of a block's.
shape timed(std::size_t bytes, const course::facts&) {
  const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes) / 8)) / 128 * 128;
  return {side + 12, side - 11};
}

}  // namespace

COURSE_EXERCISE(constant_convolution) {
  return {
      .asks = convolve,
      .size_names = {"width", "height"},
      .cases = {{0, 0},   {0, 5},    {5, 0},    {1, 1},     {1, 2},    {2, 1},    {3, 3},
                {4, 4},   {5, 5},    {8, 3},    {1, 33},    {33, 1},   {31, 8},   {32, 8},
                {33, 9},  {64, 16},  {63, 17},  {127, 31},  {128, 32}, {129, 33}, {132, 5},
                {6, 131}, {3, 1009}, {1009, 3}, {256, 130}, {1000, 37}},
      .drawn =
          [](course::random_source& draw) {
            return shape{draw.between(1, 300), draw.between(1, 200)};
          },
      .hidden =
          [](course::random_source& draw) {
            return shape{draw.between(900, 1100), draw.between(900, 1000)};
          },
      .benchmarks = {{.on_sim = {2060, 1301}, .on_gpu = timed}},
      .gates = {course::pass(course::at_least(kPass)), course::limit(course::at_least(kLimit)),
                course::idea(course::metrics::load_requests_per_warp_of_outputs,
                             course::at_most(kMostRequests),
                             "a load through a pointer is a request, even where all lanes ask for one word"),
                course::idea(course::metrics::loads_elsewhere, course::at_most(0),
                             "kernels load the image from global memory, and nothing else"),
                course::idea(
                    course::metrics::constant_words_per_warp, course::at_least(kLeastWords),
                    "a filter has 25 weights, and every warp needs each of them from constant memory: "
                    "it hands one word to all lanes")},
  };
}
