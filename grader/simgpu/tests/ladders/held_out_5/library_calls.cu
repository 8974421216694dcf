/// @file
/// Calls of a library of templates, which waits for its answers and asks for its room itself: sums of squares
/// and a map.
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

struct Square {
  __host__ __device__ float operator()(float v) const { return v * v; }
};
struct Blend {
  __host__ __device__ float operator()(float x, float y) const { return 3.0f * x - y; }
};

}  // namespace

void library_calls(Set& s) {
  const std::size_t m = s.n / 8;
  float answer = 0;
  s.run(
      "squares added up by thrust", 4.0 * real(m),
      [&] {
        answer =
            thrust::transform_reduce(thrust::device, s.in, s.in + m, Square(), 0.0f, thrust::plus<float>());
      },
      [&] {
        double sum = 0;
        for (std::size_t i = 0; i < m; ++i) sum += double{float_of(i)} * float_of(i);
        return Set::near(answer, sum);
      });
  s.run(
      "two arrays blended by thrust", 12.0 * real(m),
      [&] { thrust::transform(thrust::device, s.in, s.in + m, s.other, s.out, Blend()); },
      [&] { return within(s, m, 1e-4, [](std::size_t i) { return 3.0 * float_of(i) - other_of(i); }); });
}

}  // namespace held_out_5
