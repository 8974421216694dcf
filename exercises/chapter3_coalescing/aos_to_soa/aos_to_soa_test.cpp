/// @file
/// How aos_to_soa is graded: two directions, each with its own cases, its own clock and its own sectors.
#include "aos_to_soa.cuh"

#include <array>
#include <cstddef>

#include "judge/exercise.hpp"

COURSE_RECORD(particle, COURSE_FIELD(particle, x), COURSE_FIELD(particle, y), COURSE_FIELD(particle, z),
              COURSE_FIELD(particle, vx), COURSE_FIELD(particle, vy), COURSE_FIELD(particle, vz));

namespace {

using course::shape;

constexpr std::size_t kAlignment = 128;  // bytes, of all seven arrays
constexpr std::array<float particle::*, 6> kFields = {&particle::x,  &particle::y,  &particle::z,
                                                      &particle::vx, &particle::vy, &particle::vz};
constexpr std::array kNames = {"x", "y", "z", "vx", "vy", "vz"};

// Each element of an output depends on the elements with the same number.
course::index_range same(std::size_t index) {
  return {index, 1};
}

course::problem to_soa_problem(const shape& sizes) {
  const std::size_t n = sizes[0];
  course::problem p;
  const auto records =
      p.input<particle>("records", n, {.filled_with = course::distinct, .alignment = kAlignment});
  std::array<course::output_handle<float>, 6> out;
  for (std::size_t f = 0; f < out.size(); ++f) {
    out[f] = p.output<float>(kNames[f], n, {.alignment = kAlignment});
    const auto expected = [records, field = kFields[f]](const course::host_inputs& inputs, std::size_t i) {
      return inputs[records][i].*field;
    };
    p.expects(out[f], course::each_element(expected, same), course::exact());
  }
  p.timed(COURSE_FUNCTION(aos_to_soa_to_soa), records, out[0], out[1], out[2], out[3], out[4], out[5], n,
          course::stream);
  return p;
}

course::problem to_aos_problem(const shape& sizes) {
  const std::size_t n = sizes[0];
  course::problem p;
  std::array<course::input_handle<float>, 6> in;
  for (std::size_t f = 0; f < in.size(); ++f)
    in[f] = p.input<float>(kNames[f], n, {.filled_with = course::distinct, .alignment = kAlignment});
  const auto records = p.output<particle>("records", n, {.alignment = kAlignment});
  const auto expected = [in](const course::host_inputs& inputs, std::size_t i) {
    particle made;
    for (std::size_t f = 0; f < in.size(); ++f) made.*kFields[f] = inputs[in[f]][i];
    return made;
  };
  p.expects(records, course::each_element(expected, same), course::exact());
  p.timed(COURSE_FUNCTION(aos_to_soa_to_aos), in[0], in[1], in[2], in[3], in[4], in[5], records, n,
          course::stream);
  return p;
}

std::vector<shape> sizes_around_a_tile() {
  return course::join(course::around(256), {{1009}, {5000}, {65'537}, {200'003}});
}

shape drawn(course::random_source& draw) {
  return {draw.between(2, 20'000)};
}

shape hidden(course::random_source& draw) {
  return {draw.between(600'000, 800'000)};  // records of six floats
}

// 24 n bytes of records and as many of fields; never a multiple of a tile.
shape timed_on_gpu(std::size_t bytes, const course::facts&) {
  return {bytes / (2 * sizeof(particle)) / 256 * 256 + 77};
}

// Shares of the reference, same run, on an H200 (stand-alone kernels): to_aos with a struct store 0.46, with a
// shared tile 1.00; to_soa with a struct load 0.99, so there only sectors tell, with six strided copies of the
// runtime 0.02.
constexpr double kPass = 0.80;
constexpr double kLimit = 0.95;
// Bytes asked for over bytes of the sectors touched: struct accesses 0.167, one thread a float 0.5, a tile 1.0.
constexpr double kLeastSectorUse = 0.9;

}  // namespace

COURSE_EXERCISE(aos_to_soa) {
  return {
      .asks = to_soa_problem,
      .size_names = {"n"},
      .cases = sizes_around_a_tile(),
      .also = {{.name = "to_aos",
                .asks = to_aos_problem,
                .cases = sizes_around_a_tile(),
                .drawn = drawn,
                .hidden = hidden}},
      .drawn = drawn,
      .hidden = hidden,
      .benchmarks = {{.name = "to_soa", .on_sim = {500'045}, .on_gpu = timed_on_gpu},
                     {.name = "to_aos", .asks = to_aos_problem, .on_sim = {500'045}, .on_gpu = timed_on_gpu}},
      .gates = {course::pass(course::at_least(kPass)), course::limit(course::at_least(kLimit)),
                course::idea(course::metrics::sector_use, course::at_least(kLeastSectorUse),
                             "let a warp ask for neighbouring words on both sides, and turn records into "
                             "fields in between")},
  };
}
