/// @file
/// How aligned_rows is graded: rows of odd width, laid out by the student's answer.
#include "aligned_rows.cuh"

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's speed on an H200: pitched rows with one load in flight 0.58 (plain), dense ones 0.61 (the starter), dense
// with four loads 0.96. The clock cannot tell a pitch, so it is here for the hopelessly slow only, 9 % below plain.
constexpr double kPass = 0.53, kLimit = 0.93;
// Bytes asked for over bytes of the sectors touched: dense rows, or lanes with different numbers of turns, 0.8; pitched 0.99.
constexpr double kLeastSectorUse = 0.95;
constexpr std::size_t kMostPadding = 512;  // bytes to whose multiple a row may be rounded up
constexpr std::size_t kTimedWidth = 4097;

course::problem scaled(const shape& s) {
  const std::size_t rows = s[0], width = s[1];
  constexpr float kFactors[] = {0.75f, -1.5f, 1.1f, -0.3f, 3.7f};
  const float factor = kFactors[(rows + 3 * width) % std::size(kFactors)];
  course::problem p;
  const auto pitch = p.before(COURSE_FUNCTION(aligned_rows_choose_pitch), width);
  p.answers_between(
      pitch, sizeof(float) * width, (sizeof(float) * width + kMostPadding - 1) / kMostPadding * kMostPadding,
      sizeof(float),
      "a pitch is in bytes, holds a row, is a multiple of 4, and is at most the row rounded up to a "
      "multiple of 512");
  const auto in = p.input<float>("in", rows * width, {.filled_with = course::distinct, .row_length = width});
  const auto out = p.output<float>("out", rows * width, {.row_length = width});
  p.laid_out_by(in, pitch);
  p.laid_out_by(out, pitch);
  p.timed(COURSE_FUNCTION(aligned_rows_run), in, out, rows, width, pitch, factor, course::stream);
  p.expects(out,
            course::each_element([in, factor](const course::host_inputs& inputs,
                                              std::size_t i) { return factor * inputs[in][i]; },
                                 [](std::size_t i) {
                                   return course::index_range{i, 1};
                                 }),
            course::exact());
  return p;
}

}  // namespace

COURSE_EXERCISE(aligned_rows) {
  using namespace course;
  return {
      .asks = scaled,
      .size_names = {"rows", "width"},
      .cases = {{65, 1025}, {1, 1},    {0, 33},   {1, 31},    {1, 32},   {1, 33},   {3, 2},    {5, 3},
                {7, 5},     {9, 7},    {33, 8},   {31, 127},  {32, 128}, {33, 129}, {17, 255}, {16, 256},
                {15, 257},  {4, 1023}, {4, 1024}, {1009, 13}, {3, 4099}, {2, 9973}, {500, 401}},
      .drawn =
          [](random_source& draw) {
            return shape{draw.between(1, 400), draw.between(1, 1500)};
          },
      // More rows than the second dimension of a grid can count.
      .hidden =
          [](random_source& draw) {
            return shape{draw.between(66'000, 70'000), draw.between(9, 31)};
          },
      .benchmarks =
          {{.on_sim = {1003, kTimedWidth},
            .on_gpu =
                [](std::size_t bytes, const facts&) {
                  return shape{bytes / (2 * sizeof(float) * kTimedWidth) / 256 * 256 + 77, kTimedWidth};
                }}},
      .gates = {pass(at_least(kPass)), limit(at_least(kLimit)),
                idea(metrics::sector_use, at_least(kLeastSectorUse),
                     "let every row begin at a sector's start, and every request of a row too"),
                idea(metrics::rows_at_sectors, at_least(1.0),
                     "choose a pitch that is a multiple of a sector's 32 bytes")},
  };
}
