/// @file
/// Small programs: four steps of conjugate gradients, a graph of twelve layers, as many threads as a kernel
/// counted.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

__device__ __forceinline__ void add_up(double v, double* to) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  __shared__ double part[8];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned w = 1; w < 8; ++w) v += part[w];
  atomicAdd(to, v);
}
/// Of x, the way so far; r, what is left; p, where to go; each @p m long. Squares of r by step, then products
/// of p and q.
struct Search {
  float *x, *r, *p, *q;
  double *squares, *products;
  std::size_t m;
};
__global__ void __launch_bounds__(256) begin_search(Search s, const float* right) {
  double sum = 0;
  for (std::size_t i = global_index(); i < s.m; i += stride()) {
    const float v = right[i];
    s.x[i] = 0, s.r[i] = v, s.p[i] = v;
    sum += double{v} * v;
  }
  add_up(sum, s.squares);
}
/// The matrix has 4 on its diagonal and -1 to either side.
__global__ void __launch_bounds__(256) multiply(Search s, int step) {
  double sum = 0;
  for (std::size_t i = global_index(); i < s.m; i += stride()) {
    const float v = s.p[i], q = 4 * v - (i > 0 ? s.p[i - 1] : 0.0f) - (i + 1 < s.m ? s.p[i + 1] : 0.0f);
    s.q[i] = q;
    sum += double{v} * q;
  }
  add_up(sum, &s.products[step]);
}
__global__ void __launch_bounds__(256) go(Search s, int step) {
  const float a = static_cast<float>(s.squares[step] / s.products[step]);
  double sum = 0;
  for (std::size_t i = global_index(); i < s.m; i += stride()) {
    s.x[i] += a * s.p[i];
    const float left = s.r[i] - a * s.q[i];
    s.r[i] = left;
    sum += double{left} * left;
  }
  add_up(sum, &s.squares[step + 1]);
}
__global__ void __launch_bounds__(256) turn(Search s, int step) {
  const float b = static_cast<float>(s.squares[step + 1] / s.squares[step]);
  for (std::size_t i = global_index(); i < s.m; i += stride()) s.p[i] = s.r[i] + b * s.p[i];
}
__host__ __device__ __forceinline__ float layer_of(float a, float b, float c) {
  const float v = 0.5f * a + 0.4f * b - 0.3f * c;
  return (v > 0 ? v : 0) + 0.25f;
}
__global__ void layer(const float* in, float* out, unsigned far, unsigned m) {
  const unsigned i = static_cast<unsigned>(global_index());
  if (i < m) out[i] = layer_of(in[i], in[(i + far) % m], in[(i + 2 * far) % m]);
}
/// Places of words below a limit; a block of 1024 asks for room once.
__global__ void __launch_bounds__(1024) choose(const unsigned* in, unsigned* chosen, unsigned* count) {
  __shared__ unsigned of_block, first;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  const unsigned i = static_cast<unsigned>(global_index());
  const bool mine = in[i] < 1u << 29;
  const unsigned at = mine ? atomicAdd(&of_block, 1u) : 0;
  __syncthreads();
  if (threadIdx.x == 0) first = atomicAdd(count, of_block);
  __syncthreads();
  if (mine) chosen[first + at] = i;
}
__host__ __device__ __forceinline__ unsigned worked_out(unsigned v) {
  for (unsigned k = 0; k < 40; ++k) v = scrambled(v + k);
  return v | 1;
}
__global__ void work_out(const unsigned* in, const unsigned* chosen, unsigned* out, unsigned count) {
  const unsigned k = static_cast<unsigned>(global_index());
  if (k < count) out[chosen[k]] = worked_out(in[chosen[k]]);
}

}  // namespace

void programs(Set& s) {
  const std::size_t n = s.n, m = n / 128;
  constexpr int kSteps = 4;
  auto* sums = reinterpret_cast<double*>(s.out + n / 2);
  const Search search = {s.out, s.out + n / 8, s.out + n / 4, s.out + n / 8 * 3, sums, sums + 16, m};
  s.run(
      "four steps of conjugate gradients", (16 + kSteps * 44.0) * real(m),
      [&] {
        const unsigned grid = s.sms * 4;
        cudaMemsetAsync(sums, 0, 32 * sizeof(double));
        begin_search<<<grid, 256>>>(search, s.in);
        for (int step = 0; step < kSteps; ++step) {
          multiply<<<grid, 256>>>(search, step);
          go<<<grid, 256>>>(search, step);
          turn<<<grid, 256>>>(search, step);
        }
      },
      [&] {
        std::vector<double> x(m), r(m), p(m), q(m);
        double squares = 0;
        for (std::size_t i = 0; i < m; ++i) r[i] = p[i] = float_of(i), squares += r[i] * r[i];
        for (int step = 0; step < kSteps; ++step) {
          double product = 0, left = 0;
          for (std::size_t i = 0; i < m; ++i) {
            q[i] = 4 * p[i] - (i > 0 ? p[i - 1] : 0) - (i + 1 < m ? p[i + 1] : 0);
            product += p[i] * q[i];
          }
          for (std::size_t i = 0; i < m; ++i) {
            x[i] += squares / product * p[i], r[i] -= squares / product * q[i];
            left += r[i] * r[i];
          }
          for (std::size_t i = 0; i < m; ++i) p[i] = r[i] + left / squares * p[i];
          squares = left;
        }
        return floats(s, m, [&](std::size_t i) { return x[i]; });
      });
  const unsigned wide = as_number(n / 256);
  constexpr unsigned kLayers = 12;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t whole;
  ladder::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  ladder::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
  for (unsigned k = 0; k < kLayers; ++k)
    layer<<<Set::blocks(wide), 256, 0, stream>>>(k == 0 ? s.in : s.out + (k - 1) % 2 * (n / 2),
                                                 s.out + k % 2 * (n / 2), (k + 1) * 1021, wide);
  ladder::check(cudaStreamEndCapture(stream, &graph), "capture");
  ladder::check(cudaGraphInstantiate(&whole, graph, 0), "graph");
  s.run(
      "graph of twelve layers", kLayers * 8.0 * wide, [&] { cudaGraphLaunch(whole, nullptr); },
      [&] {
        std::vector<float> now(wide), next(wide);
        for (std::size_t i = 0; i < wide; ++i) now[i] = float_of(i);
        for (std::size_t k = 0; k < kLayers; ++k, now.swap(next))
          for (std::size_t i = 0; i < wide; ++i)
            next[i] =
                layer_of(now[i], now[(i + (k + 1) * 1021) % wide], now[(i + 2 * (k + 1) * 1021) % wide]);
        return Set::each(wide, [&](std::size_t i) { return Set::near(s.value(n / 2 + i), now[i]); });
      });
  cudaGraphExecDestroy(whole), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
  const unsigned asked = as_number(n / 32);
  unsigned *chosen = s.numbers() + n / 4, *count = s.numbers() + n - 1;
  s.run(
      "as many threads as a kernel counted", 5.0 * asked,
      [&] {
        unsigned counted = 0;
        cudaMemsetAsync(count, 0, 4);
        choose<<<asked / 1024, 1024>>>(s.words, chosen, count);
        cudaMemcpy(&counted, count, 4, cudaMemcpyDeviceToHost);
        work_out<<<Set::blocks(counted), 256>>>(s.words, chosen, s.numbers(), counted);
      },
      [&] {
        // 64 around each place: some are chosen.
        return Set::each(asked - 64, [&](std::size_t first) {
          const std::vector<unsigned> got = taken(s.numbers() + first, 64);
          bool some = false;
          for (std::size_t k = 0; k < 64; ++k) {
            const unsigned w = word_of(first + k);
            if (got[k] != (w < 1u << 29 ? worked_out(w) : 0)) return false;
            some = some || got[k] != 0;
          }
          return some;
        });
      });
}

}  // namespace held_out_4
