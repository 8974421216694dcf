/// @file
/// Whom a scheduler serves: loops of few kinds of instructions by 4 to 64 warps an SM, as one block or as several. Blocks that came first go first,
/// so the last ones of a launch are by themselves at its end. [cycles of an SM for one turn of all its warps]
///
///     served [FILTER] [--csv FILE]
#include <string>

#include "timed_turns.hpp"

namespace {

constexpr int kMostThreads = 1024;

/// What a thread goes on with, and what it does that with.
struct Values {
  float a[4];
  unsigned x[4];
  float by;
  unsigned mask;
};

__device__ __forceinline__ void multiply(float& a, float by) {
  asm volatile("fma.rn.f32 %0, %0, 0f3F000000, %1;" : "+f"(a) : "f"(by));
}
__device__ __forceinline__ void combine(unsigned& x, unsigned mask) {
  asm volatile("lop3.b32 %0, %0, %1, 77, 0x6a;" : "+r"(x) : "r"(mask));
}
/// Of a line that the L1 has.
__device__ __forceinline__ float load(const float* in, unsigned line) {
  float value;
  asm volatile("ld.global.ca.f32 %0, [%1];"
               : "=f"(value)
               : "l"(in + (line & 1) * 32 + (threadIdx.x & 31))
               : "memory");
  return value;
}

struct Multiply {  ///< in @p chains
  template <int chains, int count>
  static __device__ __forceinline__ void in(Values& v) {
#pragma unroll
    for (int k = 0; k < count; ++k) multiply(v.a[k % chains], v.by);
  }
};

template <int count>
struct FourChains {
  static __device__ __forceinline__ void turn(Values& v, const float*) { Multiply::in<4, count>(v); }
};
struct OneChain {
  static __device__ __forceinline__ void turn(Values& v, const float*) { Multiply::in<1, 64>(v); }
};
struct ChainOfEach {
  static __device__ __forceinline__ void turn(Values& v, const float*) {
#pragma unroll
    for (int k = 0; k < 32; ++k) multiply(v.a[0], v.by), combine(v.x[0], v.mask);
  }
};
struct TwoChainsOfEach {
  static __device__ __forceinline__ void turn(Values& v, const float*) {
#pragma unroll
    for (int k = 0; k < 32; ++k) multiply(v.a[k % 2], v.by), combine(v.x[k % 2], v.mask);
  }
};
struct Runs {
  static __device__ __forceinline__ void turn(Values& v, const float*) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
#pragma unroll
      for (int n = 0; n < 4; ++n) multiply(v.a[n], v.by);
#pragma unroll
      for (int n = 0; n < 4; ++n) combine(v.x[n], v.mask);
    }
  }
};
struct Integers {
  static __device__ __forceinline__ void turn(Values& v, const float*) {
#pragma unroll
    for (int k = 0; k < 64; ++k) combine(v.x[k % 4], v.mask);
  }
};
template <int more>
struct HalfOfLanes {
  static __device__ __forceinline__ void turn(Values& v, const float*) {
    multiply(v.a[1], v.by);
    if (threadIdx.x & 1) Multiply::in<1, more>(v);
    __syncwarp();
  }
};
struct LoadAndFourChains {
  static __device__ __forceinline__ void turn(Values& v, const float* in) {
    const float value = load(in, v.x[0]);
#pragma unroll
    for (float& a : v.a) a += value;
    Multiply::in<4, 64>(v);
    v.x[0] = __float_as_uint(v.a[0] + v.a[1] + v.a[2] + v.a[3]);
  }
};
struct LoadAndOneChain {
  static __device__ __forceinline__ void turn(Values& v, const float* in) {
    v.a[0] += load(in, v.x[0]);
    Multiply::in<1, 32>(v);
    v.x[0] = __float_as_uint(v.a[0]);
  }
};
struct Barrier {
  static __device__ __forceinline__ void turn(Values& v, const float*) {
    Multiply::in<4, 32>(v);
    __syncthreads();
  }
};

template <class Of>
__global__ void __launch_bounds__(kMostThreads)
    serve(const float* in, float* out, int turns, float by, unsigned mask) {
  Values v{{1.0f * threadIdx.x, 2, 3, 4}, {threadIdx.x, threadIdx.x + 1, threadIdx.x + 2, 3}, by, mask};
#pragma unroll 1
  for (int t = 0; t < turns; ++t) Of::turn(v, in);
  const unsigned all = v.x[0] ^ v.x[1] ^ v.x[2] ^ v.x[3];
  if (const float sum = v.a[0] + v.a[1] + v.a[2] + v.a[3]; sum == 0.12345f && all == 77)
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

class Served {
 public:
  Served(int argc, char** argv) : timed_(argc, argv, "row,cycles") {
    in_ = timed_.bench.array<float>(64 * sizeof(float));
    out_ = timed_.bench.array<float>(std::size_t{2 * kMostThreads} * timed_.bench.sms * sizeof(float));
  }

  template <class Of>
  void rows(const char* what) {
    struct Shape {
      int blocks, warps;
    };
    for (const Shape s :
         {Shape{1, 4}, {1, 8}, {1, 16}, {1, 32}, {2, 4}, {2, 8}, {4, 4}, {2, 32}, {4, 16}, {8, 8}}) {
      const std::string name =
          std::string(what) + ", " + std::to_string(s.blocks) + " x " + std::to_string(s.warps) + " warps";
      if (!timed_.bench.wants(name)) continue;
      const double cycles = timed_.cycles(timed_.bench.simulated ? 24 : 1600, [&](int turns) {
        serve<Of><<<s.blocks * timed_.bench.sms, 32 * s.warps>>>(in_, out_, turns, 0.25f, 0x5555u);
      });
      std::printf("%-52s %9.2f\n", name.c_str(), cycles);
      if (timed_.csv != nullptr) std::fprintf(timed_.csv, "\"%s\",%.4f\n", name.c_str(), cycles);
    }
  }

 private:
  ladder::TimedTurns timed_;
  float *in_ = nullptr, *out_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  Served served(argc, argv);
  served.rows<FourChains<64>>("multiply-adds in four chains");
  served.rows<OneChain>("multiply-adds in a chain");
  served.rows<Integers>("logic in four chains");
  served.rows<ChainOfEach>("a chain of multiply-adds and one of logic");
  served.rows<TwoChainsOfEach>("two chains of multiply-adds and two of logic");
  served.rows<Runs>("four multiply-adds, four of logic");
  served.rows<HalfOfLanes<24>>("24 multiply-adds by half of the lanes");
  served.rows<HalfOfLanes<12>>("12 multiply-adds by half of the lanes");
  served.rows<LoadAndFourChains>("load and 64 multiply-adds in four chains");
  served.rows<LoadAndOneChain>("load and 32 multiply-adds in a chain");
  served.rows<Barrier>("32 multiply-adds and a barrier");
  // What a loop's branch costs beside its own slot, by how long a turn is.
  served.rows<FourChains<1>>("turn of 1 multiply-add");
  served.rows<FourChains<2>>("turn of 2 multiply-adds");
  served.rows<FourChains<4>>("turn of 4 multiply-adds");
  served.rows<FourChains<8>>("turn of 8 multiply-adds");
  served.rows<FourChains<12>>("turn of 12 multiply-adds");
  served.rows<FourChains<16>>("turn of 16 multiply-adds");
  served.rows<FourChains<24>>("turn of 24 multiply-adds");
  served.rows<FourChains<32>>("turn of 32 multiply-adds");
}
