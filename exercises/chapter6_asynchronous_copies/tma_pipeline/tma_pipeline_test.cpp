/// @file
/// How tma_pipeline is graded: a five-point stencil by one block an SM, whose boxes come by tensor copies while it computes.
#include "tma_pipeline.cuh"

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr std::size_t kWide = tma_pipeline_tile_width, kHigh = tma_pipeline_tile_height;
constexpr double kOfMagnitudes = 1e-5;  // of what is added up
// Where idea gates are counted: the simulated GPU's multiprocessors.
constexpr std::size_t kCountedBlocks = 11;

// Shares of the reference's speed on an H200: plain 0.99, the same with eight workers 0.91; one stage 0.46, boxes all at once 0.64.
constexpr double kPass = 0.85, kLimit = 0.95;

// The idea is two boxes beside the one that is used, a ring of three. At a block's end the ring runs empty, and a quick worker leaves the
// producer behind: rings of three were counted as 1.85 to 1.97 boxes (30,259 bytes and more), rings of two as 1 at most. The gate stands
// between them.
constexpr double kBoxesAhead = 1.5;
constexpr double kBytesAhead = 24 * 1024;

const course::gate kFewBlocks =
    course::idea(course::metrics::blocks, course::at_most(kCountedBlocks),
                 "many blocks overlap by themselves: launch at most as many as the call says");
const course::gate kLoadedByTensorCopies =
    course::idea(course::metrics::tensor_loads, course::at_least(0.95),
                 "let tensor_load() bring the boxes: one thread asks, and nobody computes an address");
// 128 x 32 for 120 x 30 is 1.14; on the counted image, whose last boxes stick out, 1.20.
const course::gate kEachBoxOnce =
    course::idea(course::metrics::load_bytes, course::at_most(1.3),
                 "ask for each box once: what is brought and not used does not count as a pipeline");
const course::gate kBoxesOnTheirWay =
    course::idea(course::metrics::async_tiles_in_flight, course::at_least(kBoxesAhead),
                 "have at least two more boxes on their way while one is used: three stages or more");
const course::gate kBytesOnTheirWay =
    course::idea(course::metrics::async_bytes_in_flight, course::at_least(kBytesAhead),
                 "have at least two more boxes of 16 KB on their way while one is used; smaller ones are too "
                 "few bytes");

/// out = c + rate * (above + left + right + below - 4 c). An oracle of its own, because an input shows in three rows.
class one_step final : public course::oracle {
 public:
  one_step(course::input_handle<float> in, const shape& s, float rate)
      : in_(in), width_(s[0]), height_(s[1]), rate_(rate) {}

  void expected(const course::host_inputs& inputs, const state*, std::size_t first, std::size_t count,
                void* out) const override {
    for (std::size_t k = 0; k < count; ++k) {
      const double c = inputs[in_][first + k];
      const double around = around_of(inputs, first + k, [](double value) { return value; });
      static_cast<double*>(out)[k] = c + rate_ * (around - 4 * c);
    }
  }
  std::vector<course::index_range> affected(std::size_t, std::size_t index) const override {
    const std::size_t left = index > 0 ? index - 1 : 0;
    std::vector<course::index_range> all = {{left, index + 2 - left}, {index + width_, 1}};
    if (index >= width_) all.push_back({index - width_, 1});
    return all;
  }
  double operations_per_element() const override { return 8; }

  double allowed(const course::host_inputs& inputs, std::size_t index) const {
    const double c = std::abs(double{inputs[in_][index]});
    const double around = around_of(inputs, index, [](double value) { return std::abs(value); });
    return kOfMagnitudes * (c + std::abs(rate_) * (around + 4 * c));
  }

 private:
  template <class Value>
  double around_of(const course::host_inputs& inputs, std::size_t i, Value value) const {
    const float* const in = inputs[in_];
    const std::size_t x = i % width_, y = i / width_;
    double sum = 0;
    if (y > 0) sum += value(in[i - width_]);
    if (x > 0) sum += value(in[i - 1]);
    if (x + 1 < width_) sum += value(in[i + 1]);
    if (y + 1 < height_) sum += value(in[i + width_]);
    return sum;
  }

  course::input_handle<float> in_;
  std::size_t width_, height_;
  double rate_;
};

/// Another one for nearly every size, of both signs, never 0.
float rate_for(const shape& s) {
  const auto part = static_cast<float>((s[0] / 4 + 3 * s[1]) % 13) / 16.0f;
  return s[1] % 2 == 0 ? part + 0.11f : -part - 0.17f;
}

course::problem step_of(const shape& s, const course::values& filled_with) {
  const std::size_t width = s[0], height = s[1];
  const auto blocks = static_cast<unsigned int>(s[2]);
  const float rate = rate_for(s);
  course::problem p;
  const auto out =
      p.output<float>("out", width * height, {.row_length = width > 0 ? width : 1, .alignment = 128});
  const auto in = p.input<float>("in", width * height, {.filled_with = filled_with, .alignment = 128});
  p.timed(COURSE_FUNCTION(tma_pipeline_run), out, in, width, height, rate, blocks, course::stream);
  const auto oracle = std::make_shared<one_step>(in, s, rate);
  p.expects(out, oracle, course::within([oracle](const course::host_inputs& inputs, std::size_t i) {
              return oracle->allowed(inputs, i);
            }));
  return p;
}

course::problem ordinary_step(const shape& s) {
  return step_of(s, course::signed_one_sided);
}
course::problem extreme_step(const shape& s) {
  return step_of(s, course::extremes);
}

}  // namespace

COURSE_EXERCISE(tma_pipeline) {
  return {
      .asks = ordinary_step,
      .size_names = {"width", "height", "blocks"},
      // First several tiles for a block. Then images about as large as a tile, narrow ones and flat ones; then ever more turns of a ring,
      // with blocks of both parities.
      .cases = {{1000, 95, 3},
                {0, 0, 1},
                {0, 7, 2},
                {8, 0, 2},
                {4, 1, 1},
                {4, 2, 1},
                {8, 3, 5},
                {kWide - 4, kHigh - 1, 3},
                {kWide, kHigh, 3},
                {kWide + 4, kHigh + 1, 3},
                {2 * kWide, 2 * kHigh, 3},
                {2 * kWide + 8, 2 * kHigh + 1, 2},
                {124, 32, 1},
                {4, 1009, 2},
                {4004, 1, 2},
                {kWide, 8 * kHigh, 1},
                {5 * kWide, kHigh, 1},
                {9 * kWide + 4, 3 * kHigh + 7, 1},
                {640, 300, 4},
                {884, 301, 7},
                {844, 481, 11}},
      .also = {{.name = "zeros, huge and tiny values", .asks = extreme_step, .cases = {{364, 127, 3}}}},
      .drawn =
          [](course::random_source& draw) {
            const std::size_t width = 4 * draw.between(1, 200);
            const std::size_t height = draw.between(1, 150);
            return shape{width, height, draw.between(1, 9)};
          },
      .hidden =
          [](course::random_source& draw) {
            const std::size_t width = 4 * draw.between(200, 300);
            const std::size_t height = draw.between(700, 900);
            return shape{width, height, draw.between(5, 30)};
          },
      .benchmarks = {{.on_sim = {1500, 1003, kCountedBlocks},
                      .on_gpu =
                          [](std::size_t bytes, const course::facts& device) {
                            constexpr std::size_t width = 12'300;
                            return shape{width, bytes / (2 * sizeof(float)) / width + 5,
                                         static_cast<std::size_t>(device.sm_count)};
                          },
                      .modelled_time_decides = false}},
      .gates = {course::pass(course::at_least(kPass)), course::limit(course::at_least(kLimit)), kFewBlocks,
                kLoadedByTensorCopies, kEachBoxOnce, kBoxesOnTheirWay, kBytesOnTheirWay},
  };
}
