/// @file
/// How resize_half_texel is graded: images at larger, smaller and equal sizes, filtered bilinearly, within what a texture unit can
/// do, and nothing left when all is over. No pass gate: the program is to be repaired, not sped up.
#include "resize_half_texel.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// One fetch a pixel is the technique; a ragged edge, or a pixel made twice, stays inside. Filtering by hand has none.
const course::gate kTextureUnitFilters = course::idea(
    course::metrics::filtered_fetches_per_output, course::between(0.95, 1.05),
    "one filtered fetch a pixel mixes its four texels; a repair that mixes them by hand does not say "
    "where the texture unit has their centres");

// Who mixes the texels by hand, and fetches filtered ones for show, reads the image another time: half of it is far from both.
const course::gate kNothingBesides =
    course::idea(course::metrics::texels_by_hand, course::at_most(0.5),
                 "use what the filtered fetch brings: nothing else of the image needs to be read");

// How far aside the contract lets a point lie when it says which texels are around it. One step of the weights, on both axes.
constexpr double kAside = 1.0 / 128;  // texels

/// One axis: an image of @p from texels at a length of @p to pixels.
struct axis {
  std::size_t from, to;

  /// The centre of pixel @p x, in texels from the centre of texel 0.
  double point(std::size_t x) const {
    return (static_cast<double>(x) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
  }
  std::size_t clamped(double texel) const {
    return static_cast<std::size_t>(std::clamp(texel, 0.0, static_cast<double>(from - 1)));
  }
  /// The pixels that may see @p texel: points nearer to it than a texel and a bit.
  course::index_range seen_by(std::size_t texel) const {
    const double scale = static_cast<double>(to) / static_cast<double>(from);
    const double first = (static_cast<double>(texel) - 0.5 - 2 * kAside) * scale - 1.5;
    const double last = (static_cast<double>(texel) + 1.5 + 2 * kAside) * scale + 0.5;
    const auto end = static_cast<double>(to);
    const auto begin = texel == 0 ? 0 : static_cast<std::size_t>(std::clamp(first, 0.0, end));
    const auto past = texel + 1 == from ? to : static_cast<std::size_t>(std::clamp(last + 1, 0.0, end));
    return {begin, past - begin};
  }
};

struct axes {
  axis x, y;
  explicit axes(const shape& s) : x{s[0], s[2]}, y{s[1], s[3]} {}
};

/// The resized image. An oracle of its own, because a texel shows in a rectangle of pixels.
class resized final : public course::oracle {
 public:
  resized(course::input_handle<float> in, const shape& s) : in_(in), of_(s) {}

  void expected(const course::host_inputs& inputs, const state*, std::size_t first, std::size_t count,
                void* out) const override {
    const float* const image = inputs[in_];
    for (std::size_t k = 0; k < count; ++k) {
      const double x = of_.x.point((first + k) % of_.x.to), y = of_.y.point((first + k) / of_.x.to);
      const double left = std::floor(x), top = std::floor(y);
      const auto row = [&](double of) {
        const float* const texels = image + of_.y.clamped(of) * of_.x.from;
        const double a = texels[of_.x.clamped(left)], b = texels[of_.x.clamped(left + 1)];
        return a + (x - left) * (b - a);
      };
      const double upper = row(top);
      static_cast<double*>(out)[k] = upper + (y - top) * (row(top + 1) - upper);
    }
  }
  std::vector<course::index_range> affected(std::size_t, std::size_t index) const override {
    const auto columns = of_.x.seen_by(index % of_.x.from), rows = of_.y.seen_by(index / of_.x.from);
    std::vector<course::index_range> all;
    for (std::size_t row = rows.first; row < rows.first + rows.count; ++row)
      all.push_back({row * of_.x.to + columns.first, columns.count});
    return all;
  }
  double operations_per_element() const override { return 40; }

 private:
  course::input_handle<float> in_;
  axes of_;
};

/// What the contract allows. A weight of 8 bits on each axis is cut off and not rounded, and a coordinate may fall on the other
/// side of a texel's centre: then other texels are mixed, with next to no weight but whatever values.
auto as_exact_as_a_texture_unit(course::input_handle<float> in, const shape& s) {
  const double longest = static_cast<double>(std::max({s[0], s[1], s[2], s[3]}));
  return [in, of = axes(s), longest](const course::host_inputs& inputs, std::size_t index) {
    const double x = of.x.point(index % of.x.to), y = of.y.point(index / of.x.to);
    double least = std::numeric_limits<double>::max(), most = std::numeric_limits<double>::lowest();
    const double left = std::floor(x - kAside), top = std::floor(y - kAside);
    const int columns =
        static_cast<int>(std::floor(x + kAside) + 2 - left);  // 2, or 3 where a centre is near
    const int rows = static_cast<int>(std::floor(y + kAside) + 2 - top);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const double texel = inputs[in][of.y.clamped(top + row) * of.x.from + of.x.clamped(left + column)];
        least = std::min(least, texel), most = std::max(most, texel);
      }
    }
    const double of_range = std::exp2(-7) + 2 * longest * std::exp2(-24);
    return of_range * (most - least) + std::exp2(-22) * std::max(std::abs(least), std::abs(most)) +
           course::flushed_by_filter;
  };
}

// Small enough for one block, where half a texel is all that is wrong. Its texels are 10, 20, 30, ...: a verdict that can be checked by
// hand.
const shape kByHand = {4, 4, 4, 4};
const course::values kTens =
    course::values_of([](std::uint64_t position, std::uint64_t) { return 10.0 * (position + 1); });

/// Describes one image, from set-up to what must come out. The caller lets it run and frees it.
class one_image {
 public:
  one_image(course::problem& p, const std::string& suffix, const shape& s)
      : s_(s),
        in_(p.input<float>("in" + suffix, s[0] * s[1],
                           {.filled_with = s == kByHand ? kTens : course::extremes})),
        out_(p.output<float>("out" + suffix, s[2] * s[3], {.row_length = s[2]})),
        state_(p.before(COURSE_FUNCTION(resize_half_texel_setup), in_, s[0], s[1])) {
    p.expects(out_, std::make_shared<resized>(in_, s), course::within(as_exact_as_a_texture_unit(in_, s)));
  }
  void runs(course::problem& p) const {
    p.timed(COURSE_FUNCTION(resize_half_texel_run), state_, out_, s_[2], s_[3], course::stream);
  }
  void is_overwritten(course::problem& p) const { p.spoils(in_); }
  void is_freed(course::problem& p) const { p.after(COURSE_FUNCTION(resize_half_texel_teardown), state_); }

 private:
  shape s_;
  course::input_handle<float> in_;
  course::output_handle<float> out_;
  course::answer<resize_half_texel_state*> state_;
};

course::problem images(const shape& s, const std::vector<std::string>& suffixes, bool overwritten = false) {
  course::problem p;
  std::vector<one_image> all;
  for (const std::string& suffix : suffixes) all.emplace_back(p, suffix, s);
  for (const one_image& one : all)
    if (overwritten) one.is_overwritten(p);
  for (const one_image& one : all) one.runs(p);
  for (const one_image& one : all) one.is_freed(p);
  p.before_launches_no_kernel();
  if (!overwritten) p.before_is_done();
  p.teardown_frees_all();
  // An image that shrinks need not be read whole.
  const std::size_t texels = std::min(s[0], s[2]) * std::min(s[1], s[3]) * suffixes.size();
  p.work({.read = static_cast<double>(texels * sizeof(float))});
  return p;
}

course::problem resize(const shape& s) {
  return images(s, {""});
}
course::problem two_at_once(const shape& s) {
  return images(s, {"_of_first", "_of_second"});
}
// The image's memory gets other contents once set-up has returned, as the contract allows.
course::problem overwritten(const shape& s) {
  return images(s, {""}, true);
}

}  // namespace

COURSE_EXERCISE(resize_half_texel) {
  return {
      .asks = resize,
      .size_names = {"width", "height", "out_width", "out_height"},
      .cases = {kByHand,
                {1, 1, 1, 1},
                {1, 1, 7, 5},
                {5, 3, 1, 1},
                {2, 1, 8, 1},
                {1, 2, 1, 8},
                {8, 8, 16, 8},
                {9, 7, 6, 5},
                {31, 9, 32, 8},
                {32, 8, 33, 9},
                {33, 17, 33, 17},
                {3, 200, 200, 3},
                {200, 3, 3, 200},
                {127, 65, 254, 130},
                {254, 130, 127, 65},
                {255, 129, 100, 301},
                {1009, 3, 1013, 2},
                {2, 1009, 5, 997},
                {260, 129, 260, 129}},
      .also = {{.name = "two images at the same time",
                .asks = two_at_once,
                .cases = {{5, 4, 7, 6}, {70, 33, 41, 66}}},
               {.name = "the image overwritten after set-up",
                .asks = overwritten,
                .cases = {{64, 33, 41, 66}, {61, 40, 61, 40}}}},
      .drawn =
          [](course::random_source& draw) {
            const std::size_t width = draw.between(20, 300), height = draw.between(20, 300);
            const std::size_t out_width = draw.between(20, 300);
            return shape{width, height, out_width, draw.between(20, 300)};
          },
      .hidden =
          [](course::random_source& draw) {
            const std::size_t width = draw.between(600, 1100), height = draw.between(500, 900);
            const std::size_t out_width = draw.between(1100, 1500);
            return shape{width, height, out_width, draw.between(900, 1300)};
          },
      .benchmarks = {{.on_sim = {1201, 903, 1417, 1301},
                      .on_gpu =
                          [](std::size_t bytes, const course::facts&) {
                            // 4 bytes a texel and 4 a pixel: as many of the one as of the other
                            const auto side =
                                static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes) / 8)) / 32 * 32;
                            return shape{side - 15, side + 9, side + 13, side - 11};
                          }}},
      .gates = {kTextureUnitFilters, kNothingBesides},
  };
}
