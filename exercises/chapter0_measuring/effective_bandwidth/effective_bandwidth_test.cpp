/// @file
/// How effective_bandwidth is graded: three kernels are launched and timed by the contract's own function; the figures that are
/// made of these times are compared with the judge's. Clock and width of the memory are drawn, so that no constant will do.
#include "effective_bandwidth.cuh"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr double kNear = 0.03;  // GB for GiB is 7.4 % off, a copy counted once 50 %
constexpr double kAlike =
    5e-3;  // a known mistake is off by its factor and nothing else: another one near it has another reason
constexpr std::array kNames = {"copy", "sum", "strided copy"};

// A mistake, by the factor that it puts into a figure.
struct known_mistake {
  double factor;
  const char* advice;
};
constexpr std::array kOfBytes = {
    known_mistake{0.5, "count what it reads and what it writes"},
    known_mistake{0.25, "count bytes, four for each float, of what it reads and of what it writes"},
    known_mistake{8.0 / 9, "count what it writes as well"},
    known_mistake{4.5, "the strided copy's bytes are those that it asks for, not those of whole sectors"},
    known_mistake{16, "the strided copy leaves out most elements: count those that it asks for"}};
constexpr std::array kOfRates = {known_mistake{1e9 / (1 << 30), "GB is 10^9 bytes here, not 2^30"},
                                 known_mistake{1e-3, "the time is in milliseconds"},
                                 known_mistake{1e-6, "the time is in milliseconds, and GB is 10^9 bytes"},
                                 known_mistake{1e3, "10^3 too much: look at your units once more"},
                                 known_mistake{1e9, "that is bytes a second: GB is 10^9 of them"}};
constexpr std::array kOfShares = {known_mistake{100, "1 is all of the peak, not 100"},
                                  known_mistake{2, "memory makes two transfers a clock"},
                                  known_mistake{0.125, "the bus width is in bits, and bandwidth in bytes"},
                                  known_mistake{1e3, "the clock is in kHz"},
                                  known_mistake{1e-3, "10^3 too little: look at your units once more"},
                                  known_mistake{1e-9, "take bytes a second over bytes a second"}};

bool is_near(double value, double expected, double within = kNear) {
  return std::abs(value - expected) <= within * std::abs(expected);  // false for NaN
}

// @return an empty text, or what is wrong with a figure.
template <class Mistakes>
std::string complaint(const char* kernel, const char* figure, double value, double expected,
                      const Mistakes& mistakes) {
  if (is_near(value, expected)) return {};
  if (std::isnan(value)) return fmt::format("{} of the {} was not written.", figure, kernel);
  std::string sentence =
      fmt::format("{} of the {} is {:.4g}, and should be {:.4g}", figure, kernel, value, expected);
  for (const auto& known : mistakes) {
    if (is_near(value, known.factor * expected, kAlike)) return sentence + ": " + known.advice + ".";
  }
  return sentence + ".";
}

// The memory's numbers, as cudaDeviceGetAttribute would give them.
struct memory {
  int clock_khz, bus_bits;
  double peak() const { return 2 * (clock_khz * 1e3) * bus_bits / 8; }
};

// @param sizes n, the memory's clock in MHz and its width; n = 0: four times what L2 holds, as far as the simulated GPU can do it.
course::problem judged(const shape& sizes, const course::facts& device) {
  constexpr std::size_t on_sim = 200'003;
  const std::size_t beyond_l2 = device.simulated ? on_sim : 4 * device.l2_bytes / sizeof(float) + 5;
  const std::size_t n = sizes[0] > 0 ? sizes[0] : beyond_l2;
  const memory of{static_cast<int>(1'000 * sizes[1]), static_cast<int>(sizes[2])};
  course::problem p;
  const auto in = p.input<float>("in", n, {.alignment = 128});
  const auto out = p.output<float>("out", n, {.alignment = 128});
  const auto bytes = p.figures<double>("bytes", kernels);
  const auto rates = p.figures<double>("gigabytes_per_second", kernels);
  const auto shares = p.figures<double>("share_of_peak", kernels);
  const auto times = p.figures<double>("milliseconds", kernels);
  p.timed(COURSE_FUNCTION(effective_bandwidth_run), in, out, n, of.clock_khz, of.bus_bits, bytes, rates,
          shares, course::stream);
  p.after(COURSE_FUNCTION(effective_bandwidth_times), times);

  const std::size_t columns = n / sum_rows, picked = n / copy_stride;
  const std::array floats = {2 * n, sum_rows * columns + columns, 2 * picked};
  p.expects([=](const course::observed& seen) -> std::string {
    for (std::size_t k = 0; k < floats.size(); ++k) {
      const double milliseconds = seen[times][k];
      if (!(milliseconds > 0 && milliseconds < 1e6))
        return fmt::format("no time was taken of the {}: let time_kernel() launch it.", kNames[k]);
      const double asked = static_cast<double>(floats[k]) * sizeof(float);
      const double rate = asked / (milliseconds * 1e-3);
      for (const auto& sentence :
           {complaint(kNames[k], "bytes", seen[bytes][k], asked, kOfBytes),
            complaint(kNames[k], "gigabytes_per_second", seen[rates][k], rate * 1e-9, kOfRates),
            complaint(kNames[k], "share_of_peak", seen[shares][k], rate / of.peak(), kOfShares)}) {
        if (!sentence.empty()) return sentence;
      }
    }
    return {};
  });
  return p;
}

// Memories between a small card's and one that is yet to come.
shape drawn_memory(course::random_source& draw, std::size_t n) {
  return {n, draw.between(1'000, 12'000), 32 * draw.between(4, 256)};
}

}  // namespace

COURSE_EXERCISE(effective_bandwidth) {
  using namespace course;
  return {
      .asks = judged,
      .size_names = {"n", "clock_mhz", "bus_bits"},
      .cases = {{1009, 3201, 6016},
                {32, 1215, 5120},
                {33, 5001, 256},
                {63, 2619, 5120},
                {64, 10'501, 384},
                {255, 1593, 4096},
                {256, 3996, 8192},
                {257, 7001, 128},
                {4099, 9501, 192},
                {70'001, 1313, 6144},
                {0, 2800, 1024}},
      .drawn = [](random_source& draw) { return drawn_memory(draw, draw.between(32, 50'000)); },
      .hidden = [](random_source& draw) { return drawn_memory(draw, draw.between(800'000, 1'200'000)); },
      .benchmarks = {{.on_sim = {200'003, 3201, 6016},
                      .on_gpu =
                          [](std::size_t, const facts&) {
                            return shape{0, 3201, 6016};
                          },
                      .roof = roof_kind::none,
                      .modelled_time_decides = false}},
      .gates = {idea(metrics::kernel_launches, at_least(kernels),
                     "let time_kernel() launch each of the three kernels")},
  };
}
