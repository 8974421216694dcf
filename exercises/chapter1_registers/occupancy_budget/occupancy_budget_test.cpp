/// @file
/// How occupancy_budget is graded: an echo for many channels, of ordinary and of extreme values.
#include "occupancy_budget.cuh"

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr double kOfMagnitudes = 1e-6;  // single precision is off by 6e-8 an addition, half precision by 2e-4

/// Adds up what output @p i is made of, the oldest first. @param value (float) -> what is added up of a sample.
template <class Value>
double echoes(const float* data, std::size_t channels, std::size_t i, Value value) {
  const std::size_t period = echo_delay * channels;
  double sum = 0;
  for (std::size_t from = i % period; from <= i; from += period)
    sum = 0.5 * sum + value(static_cast<double>(data[from]));
  return sum;
}

class echo_of_channels final : public course::oracle {
 public:
  echo_of_channels(course::in_out_handle<float> data, std::size_t samples, std::size_t channels)
      : data_(data), samples_(samples), channels_(channels) {}

  void expected(const course::host_inputs& inputs, const state*, std::size_t first, std::size_t count,
                void* out) const override {
    for (std::size_t k = 0; k < count; ++k)
      static_cast<double*>(out)[k] =
          echoes(inputs[data_], channels_, first + k, [](double value) { return value; });
  }
  std::vector<course::index_range> affected(std::size_t, std::size_t index) const override {
    std::vector<course::index_range> later;
    for (; index < samples_ * channels_; index += echo_delay * channels_) later.push_back({index, 1});
    return later;
  }
  double operations_per_element() const override {
    return 1.0 + static_cast<double>(samples_) / static_cast<double>(echo_delay);
  }

 private:
  course::in_out_handle<float> data_;
  std::size_t samples_, channels_;
};

course::problem echo(const shape& sizes, const course::values& filled_with) {
  const std::size_t samples = sizes[0], channels = sizes[1];
  course::problem p;
  const auto data = p.in_out<float>("data", samples * channels,
                                    {.filled_with = filled_with, .row_length = channels, .alignment = 128});
  p.timed(COURSE_FUNCTION(occupancy_budget_run), data, samples, channels, course::stream);
  const auto allowed = [data, channels](const course::host_inputs& inputs, std::size_t i) {
    return kOfMagnitudes * echoes(inputs[data], channels, i, [](double value) { return std::abs(value); });
  };
  p.expects(data, std::make_shared<echo_of_channels>(data, samples, channels), course::within(allowed));
  return p;
}

course::problem of_ordinary(const shape& sizes) {
  return echo(sizes, course::signed_one_sided);
}
course::problem of_extremes(const shape& sizes) {
  return echo(sizes, course::extremes);
}

shape drawn(course::random_source& draw) {
  return {draw.between(1, 700), draw.between(1, 200)};
}

// Four times as many channels as a block of 256 threads on each multiprocessor has, less some: the starter then
// does not end with a wave that is nearly empty.
shape timed_on_gpu(std::size_t bytes, const course::facts& device) {
  const std::size_t channels = static_cast<std::size_t>(device.sm_count) * 4 * 256 - 160;
  return {bytes / (2 * sizeof(float) * channels) | 1, channels};
}

// On an H200 a copy whose occupancy is held down reaches, with 4 bytes a thread on their way, 0.105 of a copy's
// speed at 12.5 % (the starter), 0.349 at 50 %, 0.634 at 100 % (one cure); with 64 bytes 0.781 at 12.5 % (the other
// cure). Stand-alone kernels. The exercise's own, of the reference: plain 0.66, two blocks an SM 0.52: the gate stands
// between them.
constexpr double kPass = 0.60;
constexpr double kLimit = 0.90;

// Two blocks a multiprocessor less some threads, and six times the delay; 21 MB, in place.
const shape kTimedOnSim = {967, 2 * 11 * 256 - 160};

}  // namespace

COURSE_EXERCISE(occupancy_budget) {
  using course::at_least, course::at_most, course::idea;
  namespace metrics = course::metrics;
  return {
      .asks = of_ordinary,
      .size_names = {"samples", "channels"},
      .cases = {{500, 33},  {0, 5},    {3, 0},    {1, 1},     {2, 31},    {15, 32},    {16, 33},   {17, 7},
                {100, 255}, {159, 33}, {160, 32}, {161, 31},  {175, 256}, {176, 257},  {319, 100}, {320, 65},
                {321, 129}, {500, 1},  {641, 3},  {1009, 67}, {3, 4'099}, {331, 1'025}},
      .also = {{.name = "zeros, huge and tiny values",
                .asks = of_extremes,
                .cases = {{33, 5}, {330, 33}, {1'000, 100}},
                .drawn = drawn}},
      .drawn = drawn,
      .hidden = [](course::random_source& draw) -> shape {
        return {draw.between(500, 700), draw.between(4'000, 5'000)};
      },
      .benchmarks = {{.on_sim = kTimedOnSim, .on_gpu = timed_on_gpu}},
      .gates =
          {course::pass(at_least(kPass)), course::limit(at_least(kLimit)),
           idea(metrics::spills, at_most(0),
                "the compiler was given fewer registers than there are values to keep: keep fewer of them "
                "in a thread, or give it more"),
           idea(metrics::stack_frame, at_most(0),
                "every index into the kept outputs must be a constant after unrolling"),
           idea(metrics::load_bytes, at_most(1.05),
                "keep an output until its echo is due, and do not read it back")},
  };
}
