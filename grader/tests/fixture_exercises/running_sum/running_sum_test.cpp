/// @file
/// An oracle of the exercise's own: every output depends on all inputs before it, so the judge keeps the sums and mends them when an
/// input changes. docs/pages/judging.md shows it.
#include "running_sum.cuh"

#include <numeric>

#include "judge/exercise.hpp"

namespace {

// [oracle]
/// out[i] = in[0] + ... + in[i]. Computing one output anew would cost i additions, so the sums are kept.
class running_sum final : public course::oracle {
 public:
  running_sum(course::input_handle<std::uint32_t> in, std::size_t n) : in_(in), n_(n) {}

  struct sums final : state {
    std::vector<std::uint32_t> values;
  };
  /// Once, from all inputs.
  std::unique_ptr<state> prepare(const course::host_inputs& inputs) const override {
    auto kept = std::make_unique<sums>();
    kept->values.resize(n_);
    std::partial_sum(inputs[in_], inputs[in_] + n_, kept->values.begin());
    return kept;
  }
  /// The judge changes single inputs before each timed run.
  void changed(state* kept, std::size_t, std::size_t index, const void* before,
               const void* after) const override {
    const std::uint32_t more =
        *static_cast<const std::uint32_t*>(after) - *static_cast<const std::uint32_t*>(before);
    auto& values = static_cast<sums*>(kept)->values;
    for (std::size_t i = index; i < n_; ++i) values[i] += more;
  }
  /// Compared bit for bit, so in the output's own type.
  const course::element_type& gives() const override { return course::element_of<std::uint32_t>::value; }
  void expected(const course::host_inputs&, const state* kept, std::size_t first, std::size_t count,
                void* out) const override {
    const auto& values = static_cast<const sums*>(kept)->values;
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), count, static_cast<std::uint32_t*>(out));
  }
  /// All outputs from there on; what lies past the end is cut off.
  std::vector<course::index_range> affected(std::size_t, std::size_t index) const override {
    return {{index, n_ - index}};
  }

 private:
  course::input_handle<std::uint32_t> in_;
  std::size_t n_;
};
// [oracle]

// [problem]
course::problem summed(const course::shape& sizes) {
  const std::size_t n = sizes[0];
  course::problem p;
  const auto out = p.output<std::uint32_t>("out", n);
  const auto in = p.input<std::uint32_t>("in", n, {.filled_with = course::uniform});
  p.timed(COURSE_FUNCTION(running_sum_run), out, in, n, course::stream);
  p.expects(out, std::make_shared<running_sum>(in, n), course::exact());
  return p;
}
// [problem]

}  // namespace

COURSE_EXERCISE(running_sum) {
  return {.asks = summed,
          .size_names = {"n"},
          .cases = course::join(course::around(256), {{1009}}),
          .benchmarks = {{.on_sim = {100'003}}}};
}
