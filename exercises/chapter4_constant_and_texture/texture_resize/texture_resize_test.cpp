/// @file
/// How texture_resize is graded: an image at twice its size, filtered bilinearly, within what a texture unit can do.
#include "texture_resize.cuh"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's speed on an H200: one fetch a thread (plain) 0.66, a fetch for show beside four loads 0.60, four loads by
// hand 0.44. The gate stood at 0.62 when plain was thought to have 0.69; those that load by hand miss an idea gate as well.
constexpr double kPass = 0.60, kLimit = 0.90;

const course::gate kTextureUnitFilters =
    course::idea(course::metrics::filtered_fetches_per_output, course::between(0.95, 1.05),
                 "one fetch with linear filtering brings a pixel's four texels already mixed; by hand is "
                 "sound, but another exercise");

// Who mixes the texels by hand, and fetches filtered ones for show, reads the image another time: half of it is far from both.
const course::gate kNothingBesides =
    course::idea(course::metrics::texels_by_hand, course::at_most(0.5),
                 "use what the filtered fetch brings: nothing else of the image needs to be read");

/// The four texels around a pixel's centre, and how far right and down of the first it lies.
struct neighbourhood {
  std::array<double, 4> texels;  ///< upper left, upper right, lower left, lower right
  double right, down;            ///< 0 to 1
};

/// One axis: pixel @p x of twice @p size lies between texels `first` and `second`, `part` of the way.
struct between_texels {
  std::size_t first, second;
  double part;
  between_texels(std::size_t x, std::size_t size) {
    const double at = (static_cast<double>(x) + 0.5) / 2 - 0.5;  // in texels, from centre to centre
    const double below = std::floor(at);
    part = at - below;
    const auto clamped = [size](double texel) {
      return static_cast<std::size_t>(std::clamp(texel, 0.0, static_cast<double>(size - 1)));
    };
    first = clamped(below), second = clamped(below + 1);
  }
};

neighbourhood around_pixel(const float* image, const shape& s, std::size_t index) {
  const std::size_t width = s[0];
  const between_texels x(index % (2 * width), width), y(index / (2 * width), s[1]);
  const auto at = [&](std::size_t row, std::size_t column) { return double{image[row * width + column]}; };
  return {{at(y.first, x.first), at(y.first, x.second), at(y.second, x.first), at(y.second, x.second)},
          x.part,
          y.part};
}

/// The enlarged image. An oracle of its own, because a texel shows in four rows of four pixels.
class enlarged final : public course::oracle {
 public:
  enlarged(course::input_handle<float> in, shape s) : in_(in), s_(std::move(s)) {}

  void expected(const course::host_inputs& inputs, const state*, std::size_t first, std::size_t count,
                void* out) const override {
    for (std::size_t k = 0; k < count; ++k) {
      const auto [t, right, down] = around_pixel(inputs[in_], s_, first + k);
      const double upper = t[0] + right * (t[1] - t[0]);
      const double lower = t[2] + right * (t[3] - t[2]);
      static_cast<double*>(out)[k] = upper + down * (lower - upper);
    }
  }
  std::vector<course::index_range> affected(std::size_t, std::size_t index) const override {
    const std::size_t row_length = 2 * s_[0], rows = 2 * s_[1];
    const std::size_t x = 2 * (index % s_[0]),
                      y = 2 * (index / s_[0]);  // pixels x - 1 to x + 2 see the texel
    const std::size_t left = std::max<std::size_t>(x, 1) - 1, right = std::min(x + 3, row_length);
    std::vector<course::index_range> all;
    for (std::size_t row = std::max<std::size_t>(y, 1) - 1; row < std::min(y + 3, rows); ++row)
      all.push_back({row * row_length + left, right - left});
    return all;
  }
  double operations_per_element() const override { return 30; }

 private:
  course::input_handle<float> in_;
  shape s_;
};

/// What the contract allows: a weight of 8 bits on each axis, cut off and not rounded (an H200 is off by 2^-7 where both are), and a
/// single-precision coordinate, both of the spread of the four texels; and the rounding of the mean.
auto as_exact_as_a_texture_unit(course::input_handle<float> in, const shape& s) {
  return [in, s](const course::host_inputs& inputs, std::size_t index) {
    const auto texels = around_pixel(inputs[in], s, index).texels;
    const auto [least, most] = std::minmax_element(texels.begin(), texels.end());
    const auto longer_side = static_cast<double>(std::max(s[0], s[1]));
    const double of_range = std::exp2(-7) + 2 * longer_side * std::exp2(-24);
    return of_range * (*most - *least) + std::exp2(-22) * std::max(std::abs(*least), std::abs(*most)) +
           course::flushed_by_filter;
  };
}

/// Describes one image, from set-up to what must come out. The caller lets it run and frees it.
class one_image {
 public:
  one_image(course::problem& p, const std::string& suffix, shape s)
      : s_(std::move(s)),
        in_(p.input<float>("in" + suffix, s_[0] * s_[1], {.filled_with = course::extremes})),
        out_(p.output<float>("out" + suffix, 4 * s_[0] * s_[1], {.row_length = 2 * s_[0]})),
        state_(p.before(COURSE_FUNCTION(texture_resize_setup), in_, s_[0], s_[1])) {
    p.expects(out_, std::make_shared<enlarged>(in_, s_), course::within(as_exact_as_a_texture_unit(in_, s_)));
  }
  void runs(course::problem& p) const {
    p.timed(COURSE_FUNCTION(texture_resize_run), state_, out_, s_[0], s_[1], course::stream);
  }
  void is_overwritten(course::problem& p) const { p.spoils(in_); }
  void is_freed(course::problem& p) const { p.after(COURSE_FUNCTION(texture_resize_teardown), state_); }

 private:
  shape s_;
  course::input_handle<float> in_;
  course::output_handle<float> out_;
  course::answer<texture_resize_state*> state_;
};

course::problem enlarge(const shape& s) {
  course::problem p;
  const one_image only(p, "", s);
  only.runs(p);
  only.is_freed(p);
  p.before_launches_no_kernel();
  p.before_is_done();
  p.teardown_frees_all();
  return p;
}

// The image's memory gets other contents once set-up has returned, as the contract allows.
course::problem enlarge_what_was(const shape& s) {
  course::problem p;
  const one_image only(p, "", s);
  only.is_overwritten(p);
  only.runs(p);
  only.is_freed(p);
  p.before_launches_no_kernel();
  p.teardown_frees_all();
  return p;
}

// Two images at once, the second one turned on its side: its set-up comes before the run of the first.
course::problem enlarge_two(const shape& s) {
  course::problem p;
  const one_image first(p, "_of_first", s), second(p, "_of_second", {s[1], s[0]});
  first.runs(p);
  second.runs(p);
  first.is_freed(p);
  second.is_freed(p);
  p.before_launches_no_kernel();
  p.before_is_done();
  p.teardown_frees_all();
  return p;
}

// 20 bytes a texel. An even width, so that rows of the enlarged image can be written 16 bytes at a time, and sides that
// are no multiples of a block's.
shape timed(std::size_t bytes, const course::facts&) {
  const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes) / 20)) / 32 * 32;
  return {side + 10, side - 6};
}

}  // namespace

COURSE_EXERCISE(texture_resize) {
  return {
      .asks = enlarge,
      .size_names = {"width", "height"},
      .cases = {{1, 1},
                {1, 2},
                {2, 1},
                {1, 33},
                {33, 1},
                {2, 3},
                {15, 4},
                {16, 4},
                {17, 5},
                {31, 33},
                {32, 32},
                {33, 31},
                {64, 64},
                {127, 65},
                {255, 17},
                {3, 1009},
                {1009, 3},
                {260, 129}},
      .also = {{.name = "two images at the same time", .asks = enlarge_two, .cases = {{20, 30}, {65, 33}}},
               {.name = "the image overwritten after set-up",
                .asks = enlarge_what_was,
                .cases = {{64, 33}, {61, 40}}}},
      .drawn =
          [](course::random_source& draw) {
            return shape{draw.between(1, 300), draw.between(1, 300)};
          },
      .hidden =
          [](course::random_source& draw) {
            return shape{draw.between(700, 900), draw.between(700, 900)};
          },
      .benchmarks = {{.on_sim = {1034, 1026},
                      .on_gpu = timed,
                      .modelled_time_decides = false,
                      .modelled_time_refuses = 0.5}},
      .gates = {course::pass(course::at_least(kPass)), course::limit(course::at_least(kLimit)),
                kTextureUnitFilters, kNothingBesides},
  };
}
