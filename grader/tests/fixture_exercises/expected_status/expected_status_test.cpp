/// @file
/// Statuses that are wanted: of a bad argument, and of a call that the simulated GPU lets fail.
#include "expected_status.cuh"

#include "judge/exercise.hpp"

namespace {
course::problem set_bytes(const course::shape& sizes) {
  using namespace course;
  const auto value = static_cast<unsigned>(sizes[1]);
  problem p;
  const auto out = p.output<std::uint8_t>("out", sizes[0]);
  const auto status = p.timed(COURSE_FUNCTION(expected_status_run), out, sizes[0], value, stream);
  p.work({.written = 0, .by = road::copies | road::kernels});
  if (value > 255) {
    p.returns(status, 1);
  } else if (value == 200) {  // by convention of this fixture
    p.lets_fail({"cudaMemsetAsync", 1, 2});
    p.returns(status, 2);
  } else {
    p.expects(
        out,
        each_element([value](const host_inputs&, std::size_t) { return static_cast<std::uint8_t>(value); },
                     [](std::size_t) { return index_range{}; }),
        exact());
  }
  return p;
}
}  // namespace

COURSE_EXERCISE(expected_status) {
  return {.asks = set_bytes,
          .size_names = {"n", "value"},
          .cases = {{33, 7}, {1, 255}, {1000, 256}, {1000, 200}}};
}
