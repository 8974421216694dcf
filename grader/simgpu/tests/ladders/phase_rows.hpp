/// @file
/// What a block's turn takes whose phases lie between barriers, by what the phases do and by how many warps and blocks share the SM. [cycles of the SM]
#pragma once

#include <string>

#include "ladder.hpp"

namespace phases {

enum class Body {
  sums,
  chain,
  exchange,
  two_buffers,
  tree,
  counted_tree,
  scan,
  sort,
  stencil,
  warps_first,
  tile,
  rows
};

/// @tparam T threads of a block. @param in 16,384 floats. @param out one for each thread.
template <Body body, int T>
__global__ void __launch_bounds__(T) turn(const float* in, float* out, int turns, float a) {
  constexpr bool two = body == Body::two_buffers || body == Body::stencil;
  __shared__ float s[two ? 2 : 1][T + 2];
  __shared__ float tile[16][16];
  const int t = static_cast<int>(threadIdx.x);
  float v = static_cast<float>(t);
  s[0][t] = s[two ? 1 : 0][t] = v;
  if (t < 2) s[0][T + t] = s[two ? 1 : 0][T + t] = 0;
  __syncthreads();
#pragma unroll 1
  for (int r = 0; r < turns; ++r) {
    if (body == Body::sums) {
      v = fmaf(v, a, 1.0f);
      __syncthreads();
    }
    if (body == Body::chain) {
      for (int k = 0; k < 8; ++k) v = fmaf(v, a, 1.0f);
      __syncthreads();
    }
    if (body == Body::exchange) {
      s[0][t] = v;
      __syncthreads();
      v = fmaf(s[0][t ^ 1], a, v);
      __syncthreads();
    }
    if (body == Body::two_buffers) {
      s[r & 1][t] = v;
      __syncthreads();
      v = fmaf(s[r & 1][(t + 33) % T], a, v);
    }
    if (body == Body::tree || body == Body::counted_tree) {
      s[0][t] = v;
      __syncthreads();
      for (int d = body == Body::tree ? T / 2 : static_cast<int>(blockDim.x) / 2; d > 0; d >>= 1) {
        if (t < d) s[0][t] += s[0][t + d];
        __syncthreads();
      }
      v = fmaf(s[0][0], a, v);
      __syncthreads();
    }
    if (body == Body::scan) {
      s[0][t] = v;
      __syncthreads();
      for (int d = 1; d < T; d *= 2) {
        const float x = t >= d ? s[0][t - d] : 0.0f;
        __syncthreads();
        s[0][t] += x;
        __syncthreads();
      }
      v = s[0][t] * a;
    }
    if (body == Body::sort) {
      s[0][t] = static_cast<float>((t * 37 + r) % 97) * a;
      __syncthreads();
      for (int k = 2; k <= T; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
          if (const int p = t ^ j; p > t) {
            const float x = s[0][t], y = s[0][p];
            if ((x > y) == ((t & k) == 0)) s[0][t] = y, s[0][p] = x;
          }
          __syncthreads();
        }
    }
    if (body == Body::stencil) {
      const float* const from = s[r & 1];
      s[(r & 1) ^ 1][t + 1] = a * (from[t] + from[t + 1] + from[t + 2]);
      __syncthreads();
    }
    if (body == Body::warps_first) {
      float x = v;
      for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
      if (t % 32 == 0) s[0][t / 32] = x;
      __syncthreads();
      float y = t < T / 32 ? s[0][t] : 0.0f;
      if (t < 32)
        for (int d = 16; d > 0; d /= 2) y += __shfl_down_sync(~0u, y, d);
      if (t == 0) s[0][0] = y;
      __syncthreads();
      v = fmaf(s[0][0], a, v);
      __syncthreads();
    }
    if (body == Body::tile) {
      s[0][t] = in[(t / 16 * 128 + r * 16 + t % 16) & 16383];
      if (t < 256) tile[t / 16][t % 16] = in[((r * 16 + t / 16) * 128 + t % 16) & 16383];
      __syncthreads();
      for (int k = 0; k < 16; ++k) v = fmaf(s[0][t / 16 * 16 + k], tile[k][t % 16], v);
      __syncthreads();
    }
    if (body == Body::rows) {
      s[0][t] = in[t + (r & 7) * T];
      __syncthreads();
      v += s[0][T - 1 - t] * a;
      __syncthreads();
    }
  }
  out[blockIdx.x * T + threadIdx.x] = v + s[0][t];
}

/// Calls time(name, turns, launch) for each row.
template <typename Rows>
class PhaseRows {
 public:
  explicit PhaseRows(Rows& rows) : rows_(rows) {}

  void all() {
    each<256>(1);
    each<256>(8);
    each<1024>(1);
    one<Body::exchange, 32>("exchange with a neighbour", 8, 200);
    one<Body::tree, 32>("sum by halves", 8, 50);
    one<Body::chain, 32>("chain of eight", 1, 200);
  }

 private:
  template <int T>
  void each(unsigned an_sm) {
    one<Body::sums, T>("one multiply-add", an_sm, 400);
    one<Body::chain, T>("chain of eight", an_sm, 200);
    one<Body::exchange, T>("exchange with a neighbour", an_sm, 200);
    one<Body::two_buffers, T>("exchange by two buffers", an_sm, 200);
    one<Body::tree, T>("sum by halves", an_sm, 50);
    one<Body::counted_tree, T>("sum by halves of blockDim", an_sm, 50);
    one<Body::scan, T>("running sum", an_sm, 30);
    one<Body::sort, T>("sort", an_sm, 10);
    one<Body::stencil, T>("stencil", an_sm, 200);
    one<Body::warps_first, T>("sum by warps", an_sm, 100);
    one<Body::tile, T>("product of tiles", an_sm, 100);
    one<Body::rows, T>("rows turned round", an_sm, 100);
  }
  template <Body body, int T>
  void one(const char* what, unsigned an_sm, int turns) {
    rows_.time(std::string("phases: ") + what + ", " + std::to_string(an_sm) + " x " +
                   std::to_string(T / 32) + (T == 32 ? " warp" : " warps"),
               turns, [&] {
                 turn<body, T><<<rows_.blocks(an_sm), T>>>(reinterpret_cast<const float*>(rows_.in()),
                                                           reinterpret_cast<float*>(rows_.out()), turns,
                                                           0.001f);
               });
  }
  Rows& rows_;
};

}  // namespace phases
