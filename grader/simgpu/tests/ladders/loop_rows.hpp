/// @file
/// What a turn of a plain loop takes, by how many chains of arithmetic or loads it has side by side and by how many warps the SM holds: where the
/// loop's own counter and branch hide behind the body, and where they do not. [cycles of the SM]
#pragma once

#include <string>

#include "ladder.hpp"

namespace loops {

enum class Body { constants, registers, integers, shared };

/// @param in 1024 floats. @param out one for each thread.
template <Body body, int chains>
__global__ void turn(const float* in, float* out, int turns) {
  __shared__ float s[1024];
  for (unsigned k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = in[k];
  __syncthreads();
  float x[chains];
  int n[chains];
#pragma unroll
  for (int k = 0; k < chains; ++k) {
    x[k] = in[k];
    n[k] = k + turns;
  }
  const float by = in[40];
  const unsigned at = threadIdx.x & 31;
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int k = 0; k < chains; ++k) {
      if (body == Body::constants) x[k] = fmaf(x[k], by, 0.0015f);
      if (body == Body::registers) x[k] = fmaf(x[k], by, x[k]);
      if (body == Body::integers) n[k] = (n[k] ^ t) + (n[k] >> 3);
      if (body == Body::shared) x[k] = fmaf(x[k], by, s[(at + static_cast<unsigned>(k * 32 + t)) & 1023]);
    }
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < chains; ++k) sum += x[k] + static_cast<float>(n[k]);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Calls time(name, turns, launch) for each row.
template <typename Rows>
class LoopRows {
 public:
  explicit LoopRows(Rows& rows) : rows_(rows) {}

  void all() {
    each<1>();
    each<4>();
    each<8>();
  }

 private:
  template <int chains>
  void each() {
    one<Body::constants, chains>("multiply-adds of constants");
    one<Body::registers, chains>("multiply-adds");
    one<Body::integers, chains>("integers");
    one<Body::shared, chains>("loads of shared memory");
  }
  template <Body body, int chains>
  void one(const char* what) {
    constexpr int kTurns = 1000;
    for (const int warps : {1, 4, 8, 32}) {
      if (warps == 32 && chains != 4) continue;
      rows_.time("loops: " + std::to_string(chains) + " " + what + ", " + std::to_string(warps) +
                     (warps == 1 ? " warp" : " warps"),
                 kTurns, [&] {
                   turn<body, chains>
                       <<<rows_.blocks(1), 32 * warps>>>(reinterpret_cast<const float*>(rows_.in()),
                                                         reinterpret_cast<float*>(rows_.out()), kTurns);
                 });
    }
  }
  Rows& rows_;
};

}  // namespace loops
