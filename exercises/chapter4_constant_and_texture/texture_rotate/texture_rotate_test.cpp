/// @file
/// How texture_rotate is graded: an image turned about its centre, filtered bilinearly, within what a texture unit can do.
#include "texture_rotate.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's speed on an H200 at the gated angle: plain 0.99, one fetch a thread 0.75, every pixel fetched twice 0.70, four
// point fetches mixed by hand 0.50, rows of loads 0.33. The gate stood at 0.80 until one fetch a thread was measured: it has the
// idea, and what it lacks is another chapter's.
constexpr double kPass = 0.70, kLimit = 0.95;

// Angles of the timed runs, in tenths of a degree. Near a right angle a warp's pixels lie below one another in the image, and nearly
// all points fall inside. At the others they do not, so a program that fetches inside only has fewer fetches: nothing is gated there.
constexpr std::size_t kSteep = 897;
constexpr std::string_view kGated = "89.7 degrees";

// Who mixes the texels by hand, and fetches filtered ones for show, reads the image another time: half of it is far from both.
const course::gate kNothingBesides =
    course::idea(course::metrics::texels_by_hand, course::at_most(0.5),
                 "use what the filtered fetch brings: nothing else of the image needs to be read");

/// One tenth of a degree a step; above half a turn it goes the other way, and 3600 is no turn at all. [radians]
float angle_of(const shape& s) {
  const auto tenths = static_cast<double>(s[2]);
  return static_cast<float>((tenths > 1800 ? tenths - 3600 : tenths) * std::numbers::pi / 1800);
}

/// A place in the image, in texels.
struct place {
  double u, v;
};

/// The way from pixels to the image and back.
class turn {
 public:
  explicit turn(const shape& s)
      : width_(s[0]),
        centre_x_(static_cast<double>(s[0]) / 2),
        centre_y_(static_cast<double>(s[1]) / 2),
        cosine_(std::cos(static_cast<double>(angle_of(s)))),
        sine_(std::sin(static_cast<double>(angle_of(s)))) {}

  place of_pixel(std::size_t index) const {
    const double dx = static_cast<double>(index % width_) + 0.5 - centre_x_;
    const double dy = static_cast<double>(index / width_) + 0.5 - centre_y_;
    return {centre_x_ + cosine_ * dx + sine_ * dy, centre_y_ - sine_ * dx + cosine_ * dy};
  }
  /// Where in the turned image a texel's centre comes to lie.
  place of_texel(std::size_t index) const {
    const double du = static_cast<double>(index % width_) + 0.5 - centre_x_;
    const double dv = static_cast<double>(index / width_) + 0.5 - centre_y_;
    return {centre_x_ + cosine_ * du - sine_ * dv, centre_y_ + sine_ * du + cosine_ * dv};
  }
  /// Pixels whose point falls inside the image: how much of each row does, added up.
  double pixels_inside() const {
    double inside = 0;
    for (double dy = 0.5 - centre_y_; dy < centre_y_; ++dy) {
      double first = -centre_x_, last = centre_x_;
      // |offset + slope dx| < limit
      const auto keep = [&](double offset, double slope, double limit) {
        if (std::abs(slope) < 1e-12) {
          if (std::abs(offset) > limit) last = first;
          return;
        }
        const double a = (-limit - offset) / slope, b = (limit - offset) / slope;
        first = std::max(first, std::min(a, b));
        last = std::min(last, std::max(a, b));
      };
      keep(sine_ * dy, cosine_, centre_x_);
      keep(cosine_ * dy, -sine_, centre_y_);
      inside += std::max(0.0, last - first);
    }
    return inside;
  }

 private:
  std::size_t width_;
  double centre_x_, centre_y_, cosine_, sine_;
};

/// An image that is 0 outside.
struct bordered {
  const float* texels;
  std::int64_t width, height;
  bordered(const float* image, const shape& s)
      : texels(image), width(static_cast<std::int64_t>(s[0])), height(static_cast<std::int64_t>(s[1])) {}
  double at(double column, double row) const {
    if (column < 0 || row < 0 || column >= static_cast<double>(width) || row >= static_cast<double>(height))
      return 0;
    return texels[static_cast<std::int64_t>(row) * width + static_cast<std::int64_t>(column)];
  }
};

/// The turned image. An oracle of its own, because a texel shows in several rows.
class turned final : public course::oracle {
 public:
  turned(course::input_handle<float> in, shape s) : in_(in), s_(std::move(s)), turn_(s_) {}

  void expected(const course::host_inputs& inputs, const state*, std::size_t first, std::size_t count,
                void* out) const override {
    const bordered image(inputs[in_], s_);
    for (std::size_t k = 0; k < count; ++k) {
      const auto [u, v] = turn_.of_pixel(first + k);
      const double left = std::floor(u - 0.5), top = std::floor(v - 0.5);
      const double a = u - 0.5 - left, b = v - 0.5 - top;
      const double upper = (1 - a) * image.at(left, top) + a * image.at(left + 1, top);
      const double lower = (1 - a) * image.at(left, top + 1) + a * image.at(left + 1, top + 1);
      static_cast<double*>(out)[k] = (1 - b) * upper + b * lower;
    }
  }
  std::vector<course::index_range> affected(std::size_t buffer, std::size_t index) const override {
    if (buffer != in_.index) return {};  // of another image
    // Its square of 2 x 2 texels, turned, reaches less than 1.5 pixels to each side.
    const auto [x, y] = turn_.of_texel(index);
    const auto clamped = [](double value, std::size_t size) {
      return static_cast<std::size_t>(std::clamp(value, 0.0, static_cast<double>(size)));
    };
    const std::size_t left = clamped(std::floor(x - 2.5), s_[0]), right = clamped(std::ceil(x + 2.5), s_[0]);
    const std::size_t top = clamped(std::floor(y - 2.5), s_[1]), bottom = clamped(std::ceil(y + 2.5), s_[1]);
    std::vector<course::index_range> all;
    for (std::size_t row = top; row < bottom && left < right; ++row)
      all.push_back({row * s_[0] + left, right - left});
    return all;
  }
  double operations_per_element() const override { return 60; }

 private:
  course::input_handle<float> in_;
  shape s_;
  turn turn_;
};

/// What the contract allows: a weight of 8 bits on each axis, cut off and not rounded (an H200 is off by 2^-7 where both are), and
/// single-precision coordinates, of the spread of the texels; and the rounding of the mean. A coordinate's error, in N 2^-24 texels:
/// 2.9 from sine and cosine (2 units in the last place), 0.8 each from products and their sum, 1 each from adding the centre and
/// taking off half a texel. A point that lies so close to a centre may mix the texels on its other side.
auto as_exact_as_a_texture_unit(course::input_handle<float> in, const shape& s) {
  return [in, s, way = turn(s)](const course::host_inputs& inputs, std::size_t index) {
    const bordered image(inputs[in], s);
    const double off = 7 * static_cast<double>(std::max(s[0], s[1])) * std::exp2(-24);
    const auto [u, v] = way.of_pixel(index);
    double least = image.at(std::floor(u - 0.5), std::floor(v - 0.5)), most = least;
    for (double row = std::floor(v - 0.5 - off); row <= std::floor(v - 0.5 + off) + 1; ++row) {
      for (double column = std::floor(u - 0.5 - off); column <= std::floor(u - 0.5 + off) + 1; ++column) {
        const double texel = image.at(column, row);
        least = std::min(least, texel), most = std::max(most, texel);
      }
    }
    return (std::exp2(-7) + 2 * off) * (most - least) +
           std::exp2(-22) * std::max(std::abs(least), std::abs(most)) + course::flushed_by_filter;
  };
}

course::problem rotate(const shape& s) {
  const std::size_t width = s[0], height = s[1];
  course::problem p;
  const auto in =
      p.input<float>("in", width * height, {.filled_with = course::extremes, .row_length = width});
  const auto out = p.output<float>("out", width * height, {.row_length = width});
  const auto state = p.before(COURSE_FUNCTION(texture_rotate_setup), in, width, height);
  p.timed(COURSE_FUNCTION(texture_rotate_run), state, out, width, height, angle_of(s), course::stream);
  p.after(COURSE_FUNCTION(texture_rotate_teardown), state);
  p.before_launches_no_kernel();
  p.before_is_done();
  p.teardown_frees_all();
  p.work({.read = 4.0 * turn(s).pixels_inside()});
  p.expects(out, std::make_shared<turned>(in, s), course::within(as_exact_as_a_texture_unit(in, s)));
  return p;
}

// Two images at once, turned by different angles: set-up of the second comes before the run of the first.
course::problem rotate_two(const shape& s) {
  const std::size_t width = s[0], height = s[1];
  const shape other{height, width, 3600 - s[2]};
  course::problem p;
  const auto image = [&](const char* name) {
    return p.input<float>(name, width * height, {.filled_with = course::extremes});
  };
  const auto in1 = image("first image"), in2 = image("second image");
  const auto out1 = p.output<float>("out of the first", width * height, {.row_length = width});
  const auto out2 = p.output<float>("out of the second", width * height, {.row_length = height});
  const auto one = p.before(COURSE_FUNCTION(texture_rotate_setup), in1, width, height);
  const auto two = p.before(COURSE_FUNCTION(texture_rotate_setup), in2, height, width);
  p.timed(COURSE_FUNCTION(texture_rotate_run), one, out1, width, height, angle_of(s), course::stream);
  p.timed(COURSE_FUNCTION(texture_rotate_run), two, out2, height, width, angle_of(other), course::stream);
  p.after(COURSE_FUNCTION(texture_rotate_teardown), one);
  p.after(COURSE_FUNCTION(texture_rotate_teardown), two);
  p.before_launches_no_kernel();
  p.before_is_done();
  p.teardown_frees_all();
  p.work({.read = 4.0 * (turn(s).pixels_inside() + turn(other).pixels_inside())});
  p.expects(out1, std::make_shared<turned>(in1, s), course::within(as_exact_as_a_texture_unit(in1, s)));
  p.expects(out2, std::make_shared<turned>(in2, other),
            course::within(as_exact_as_a_texture_unit(in2, other)));
  return p;
}

// A square, 8 bytes a pixel. Rows of whole 16-byte vectors, so that these can be used; no multiple of a block's side.
auto timed_at(std::size_t tenths) {
  return [tenths](std::size_t bytes, const course::facts&) {
    const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes) / 8)) / 128 * 128 + 12;
    return shape{side, side, tenths};
  };
}

course::benchmark at_angle(std::string_view name, std::size_t tenths) {
  constexpr std::size_t kSide = 1636;
  return {.name = std::string(name),
          .on_sim = {kSide, kSide, tenths},
          .on_gpu = timed_at(tenths),
          .modelled_time_decides = false,
          .modelled_time_refuses = 0.5};
}

}  // namespace

COURSE_EXERCISE(texture_rotate) {
  using namespace course;
  return {
      .asks = rotate,
      .size_names = {"width", "height", "tenths_of_a_degree"},
      .cases = {{40, 30, 300},   {1, 1, 3600},     {1, 1, 450},     {1, 2, 900},    {2, 1, 3550},
                {2, 3, 100},     {3, 2, 1800},     {1, 33, 897},    {33, 1, 897},   {15, 4, 2703},
                {16, 4, 50},     {17, 5, 1},       {31, 33, 900},   {32, 32, 3600}, {32, 32, 897},
                {33, 31, 3300},  {64, 64, 2250},   {127, 65, 1234}, {255, 17, 897}, {3, 1009, 3},
                {1009, 3, 3597}, {260, 129, 1797}, {132, 260, 450}},
      .also = {{.name = "two images at once", .asks = rotate_two, .cases = {{20, 30, 300}, {65, 33, 897}}}},
      .drawn =
          [](random_source& draw) {
            return shape{draw.between(1, 300), draw.between(1, 300), draw.between(1, 3600)};
          },
      .hidden =
          [](random_source& draw) {
            return shape{draw.between(700, 900), draw.between(700, 900), draw.between(1, 3600)};
          },
      .benchmarks = {at_angle(kGated, kSteep), at_angle("30 degrees", 300), at_angle("5 degrees", 50)},
      .gates =
          {pass(at_least(kPass)).of(kGated), limit(at_least(kLimit)).of(kGated),
           idea(
               metrics::filtered_fetches_per_output, between(0.95, 1.05),
               "one fetch with linear filtering brings a pixel's four texels already mixed, at any angle; by "
               "hand is sound, but another exercise")
               .of(kGated),
           kNothingBesides.of(kGated)},
  };
}
