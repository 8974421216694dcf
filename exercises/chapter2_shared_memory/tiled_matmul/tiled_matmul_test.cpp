/// @file
/// How tiled_matmul is graded: matrix products of any shape, checked at random places where the whole would cost
/// too much, their cases, their gates.
#include "tiled_matmul.cuh"

#include <cstddef>
#include <memory>
#include <vector>

#include "judge/exercise.hpp"
#include "judge/side_by_side.hpp"

namespace {

using course::shape;

// Share of the sum of magnitudes. All magnitudes that are drawn lie in [1, 2], so a sum of k products has at least k.
constexpr double kOfMagnitudes = 1e-5;
constexpr double kAffordable =
    1 << 22;  // multiply-adds: above, a changed input is looked for in a part of its row or column

/// C = A B. Elements are computed one by one, from a transposed copy of B: down a column of a large matrix each step
/// would miss the host's caches.
class product final : public course::oracle {
 public:
  product(course::input_handle<float> a, course::input_handle<float> b, std::size_t m, std::size_t n,
          std::size_t k)
      : a_(a), b_(b), m_(m), n_(n), k_(k) {}

  struct transposed final : state {
    std::vector<float> b;
  };
  std::unique_ptr<state> prepare(const course::host_inputs& inputs) const override {
    auto kept = std::make_unique<transposed>();
    kept->b.resize(k_ * n_);
    const float* const from = inputs[b_];
    constexpr std::size_t block = 64;  // a square of 64 x 64 floats stays in the caches
    for (std::size_t first = 0; first < n_; first += block) {
      for (std::size_t l = 0; l < k_; ++l) {
        for (std::size_t j = first; j < std::min(n_, first + block); ++j)
          kept->b[j * k_ + l] = from[l * n_ + j];
      }
    }
    return kept;
  }
  void changed(state* kept, std::size_t buffer, std::size_t index, const void*,
               const void* after) const override {
    if (buffer == b_.index)
      static_cast<transposed*>(kept)->b[index % n_ * k_ + index / n_] = *static_cast<const float*>(after);
  }
  void expected(const course::host_inputs& inputs, const state* kept, std::size_t first, std::size_t count,
                void* out) const override {
    const float* const b = static_cast<const transposed*>(kept)->b.data();
    for (std::size_t index = first; index < first + count; ++index) {
      const float* const row = inputs[a_] + index / n_ * k_;
      const float* const column = b + index % n_ * k_;
      static_cast<double*>(out)[index - first] = course::dot_side_by_side(row, column, k_);
    }
  }
  /// A float of A shows in a row of C, one of B in a column. Of large ones a part is looked at, drawn from the index.
  std::vector<course::index_range> affected(std::size_t buffer, std::size_t index) const override {
    const bool all = static_cast<double>(m_ + n_) * static_cast<double>(k_) <= kAffordable;
    std::vector<course::index_range> found;
    if (buffer == a_.index) {
      const std::size_t row = index / k_ * n_;
      if (all || n_ <= 8) return {{row, n_}};
      for (std::size_t part = 0; part < 4; ++part)
        found.push_back({row + course::mix(4 * index + part) % (n_ - 8), 8});
    } else {
      const std::size_t column = index % n_;
      for (std::size_t i = 0; i < (all ? m_ : 16); ++i)
        found.push_back({(all ? i : course::mix(16 * index + i) % m_) * n_ + column, 1});
    }
    return found;
  }
  double operations_per_element() const override { return static_cast<double>(k_); }

 private:
  course::input_handle<float> a_, b_;
  std::size_t m_, n_, k_;
};

course::problem product_of(const shape& sizes, const course::values& left) {
  const std::size_t m = sizes[0], n = sizes[1], k = sizes[2];
  course::problem p;
  const auto a = p.input<float>("a", m * k, {.filled_with = left, .row_length = k, .alignment = 128});
  const auto b = p.input<float>("b", k * n,
                                {.filled_with = course::signed_one_sided, .row_length = n, .alignment = 128});
  const auto c = p.output<float>("c", m * n, {.row_length = n, .alignment = 128});
  p.timed(COURSE_FUNCTION(tiled_matmul_run), a, b, c, m, n, k, course::stream);
  p.expects(c, std::make_shared<product>(a, b, m, n, k),
            course::absolute(kOfMagnitudes * static_cast<double>(k)));
  const double fmas = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  // Of an empty sum there is nothing to read, and whoever clears C may leave that to the runtime.
  const bool empty = fmas == 0;
  p.work({.read = empty ? 0.0 : 4.0 * static_cast<double>(m * k + k * n),
          .written = empty ? 0.0 : 4.0 * static_cast<double>(m * n),
          // With one sum a thread, a warp loads from shared memory at least once for each 32 multiply-adds.
          .shared_requests = fmas / 32});
  p.amount(2 * fmas, "FLOP");
  return p;
}

// One factor is positive: with signs in both, what short formats lose would cancel in long sums.
course::problem of_positive(const shape& sizes) {
  return product_of(sizes, course::one_sided);
}
course::problem of_signed(const shape& sizes) {
  return product_of(sizes, course::signed_one_sided);
}

}  // namespace

// On an H200 (stand-alone kernels, N = 4096), in shares of the tile of 32 x 32: no tile 0.69, tile of 16 0.935. Load
// sectors an FMA: no tile 0.156, tile of 16 0.0156, tile of 32 0.0078. Four by four elements a thread straight from
// global memory reached 1.9 times the tile: it brings nothing through shared memory, and loads 2 bytes an FMA where a
// tile of 16 loads 0.5. No thread has the registers to come below 0.6 alone.
COURSE_EXERCISE(tiled_matmul) {
  using namespace course;
  return {
      .asks = of_positive,
      .size_names = {"m", "n", "k"},
      // First a shape of several tiles with ragged edges: a forgotten barrier is then told as one between warps.
      .cases = {{70, 65, 67}, {0, 5, 7},    {5, 0, 7},       {5, 7, 0},       {1, 1, 1},       {1, 1, 1000},
                {1, 100, 1},  {100, 1, 1},  {2, 3, 5},       {31, 33, 32},    {33, 31, 32},    {32, 32, 31},
                {32, 32, 33}, {15, 17, 16}, {17, 16, 15},    {32, 32, 32},    {64, 64, 64},    {63, 65, 64},
                {64, 63, 65}, {65, 64, 63}, {128, 128, 128}, {127, 129, 128}, {129, 127, 130}, {1, 1031, 3},
                {1031, 1, 3}, {7, 5, 1021}, {200, 136, 72},  {24, 1000, 40},  {257, 33, 101},  {130, 260, 4}},
      .also = {{.name = "signs in both factors",
                .asks = of_signed,
                .cases = {{33, 34, 35}, {40, 72, 56}, {129, 66, 131}}}},
      .drawn =
          [](random_source& draw) {
            return shape{draw.between(2, 150), draw.between(2, 150), draw.between(2, 150)};
          },
      .hidden =
          [](random_source& draw) {
            return shape{draw.between(260, 340), draw.between(260, 340), draw.between(150, 250)};
          },
      .benchmarks = {{.on_sim = {504, 632, 408},
                      .on_gpu =
                          [](std::size_t, const facts&) {
                            return shape{4088, 4072, 4104};
                          },
                      .baseline = baseline_kind::plain,
                      .roof = roof_kind::none}},
      .gates =
          {pass(at_least(0.80)), limit(at_least(2.2)),
           idea(metrics::load_sectors_per_fma, at_most(0.02),
                "all threads in a row of the block want the same floats of A, all in a column the same of B: "
                "let the block fetch each of them once"),
           idea(
               metrics::shared_of_loads, at_least(0.4),
               "this exercise is about the block's tile: bring what you load through shared memory, and keep "
               "sums in registers on top of it"),
           idea(metrics::load_bytes_per_fma, at_most(0.6),
                "each thread still loads most of what it multiplies for itself alone: let the block load it "
                "once, for all"),
           idea(metrics::excess_wavefronts, at_most(0.25),
                "the lanes of a warp must find their floats of a tile in different banks, or want the same "
                "one")},
  };
}
