// expect: pass
/// @file
/// Sound: a kernel for each range of widths, cooperative groups, __expf.
#include "row_softmax.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
template <int V>
__global__ void __launch_bounds__(128)
    k(const float* __restrict__ in, float* __restrict__ out, std::size_t rows, unsigned cols) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const std::size_t row = std::size_t{blockIdx.x} * 4 + warp.meta_group_rank();
  if (row >= rows) return;
  const float* from = in + row * cols;
  float v[V], m = __int_as_float(0xff800000);
#pragma unroll
  for (int k = 0; k < V; ++k) {
    const unsigned c = warp.thread_rank() + 32 * k;
    v[k] = c < cols ? __ldg(from + c) : -INFINITY;
    m = fmaxf(m, v[k]);
  }
  m = cg::reduce(warp, m, cg::greater<float>());
  float s = 0;
#pragma unroll
  for (int k = 0; k < V; ++k) s += v[k] = __expf(v[k] - m);
  s = cg::reduce(warp, s, cg::plus<float>());
  const float r = __frcp_rn(s);
  float* to = out + row * cols;
#pragma unroll
  for (int k = 0; k < V; ++k) {
    const unsigned c = warp.thread_rank() + 32 * k;
    if (c < cols) to[c] = v[k] * r;
  }
}
template <int V>
void go(const float* in, float* out, std::size_t rows, std::size_t cols, cudaStream_t s) {
  k<V><<<unsigned((rows + 3) / 4), 128, 0, s>>>(in, out, rows, unsigned(cols));
}
extern "C" void row_softmax_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                cudaStream_t s) {
  if (!rows || !cols) return;
  constexpr std::size_t w = 32;
  if (cols <= w)
    go<1>(in, out, rows, cols, s);
  else if (cols <= 4 * w)
    go<4>(in, out, rows, cols, s);
  else if (cols <= 16 * w)
    go<16>(in, out, rows, cols, s);
  else
    go<32>(in, out, rows, cols, s);
}
