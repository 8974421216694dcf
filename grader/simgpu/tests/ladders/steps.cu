/// @file
/// What steps of arithmetic take as C++ has them and as nvcc compiles them: a loop of eight of them, each on what the one before it left, by few
/// warps, where a step lasts as long as its chain, and by as many as an SM holds, where it lasts as long as the units that it needs. [cycles of a
/// scheduler for one warp's step]
///
///     steps [FILTER] [--csv FILE]
#include <cuda_fp16.h>

#include <cstdint>

#include "timed_turns.hpp"

namespace {

/// What a thread goes on with.
struct Values {
  unsigned v, w;
  int i, j;
  unsigned long long l, m;
  long long q;
  float f, g, h;
  double d, e;
  __half2 two;
};

/// The same for all threads, and known only when the kernel runs.
struct Given {
  unsigned a, b;
  int i, k;
  unsigned long long l;
  float f, g;
  double d;
  __half2 two;
};

constexpr int kSteps = 8, kThreads = 256;

template <class Of>
__global__ void __launch_bounds__(kThreads) take(const unsigned* in, unsigned* out, int turns, Given given) {
  Values x;
  x.v = in[threadIdx.x];
  x.w = x.v + given.b;
  x.i = static_cast<int>(x.v);
  x.j = x.i + given.i;
  x.l = x.v * (given.l | 1);
  x.m = x.l + given.a;
  x.q = static_cast<long long>(x.l) + given.k;
  x.f = static_cast<float>(x.v & 1023) * 0.001f + given.f;
  x.g = x.f + given.g;
  x.h = x.g * given.f;
  x.d = x.f + given.d;
  x.e = x.d + x.g;
  x.two = __floats2half2_rn(x.f, x.g);
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int k = 0; k < kSteps; ++k) Of::step(x, given);
  }
  const float halves = __low2float(x.two) + __high2float(x.two);
  if (const float sum = x.f + x.g + x.h + static_cast<float>(x.d + x.e) + halves; sum == 0.12345f) x.v ^= 1u;
  const unsigned long long words = x.l ^ x.m ^ static_cast<unsigned long long>(x.q);
  out[blockIdx.x * kThreads + threadIdx.x] = x.v ^ x.w ^ static_cast<unsigned>(x.i) ^
                                             static_cast<unsigned>(x.j) ^ static_cast<unsigned>(words) ^
                                             static_cast<unsigned>(words >> 32);
}

class Steps {
 public:
  Steps(int argc, char** argv) : timed_(argc, argv, "step,few,many") {
    in_ = timed_.bench.array<unsigned>(kThreads * sizeof(unsigned));
    out_ =
        timed_.bench.array<unsigned>(std::size_t{kThreads} * kBlocks * timed_.bench.sms * sizeof(unsigned));
    std::vector<unsigned> words(kThreads);
    unsigned word = 1;
    for (unsigned& w : words) {
      word = word * 1664525u + 1013904223u;
      w = word ^ word >> 13;
    }
    ladder::check(cudaMemcpy(in_, words.data(), kThreads * sizeof(unsigned), cudaMemcpyHostToDevice),
                  "cudaMemcpy");
  }

  template <class Of>
  void row(const char* name) {
    if (!timed_.bench.wants(name)) return;
    const double few = cycles<Of>(1), many = cycles<Of>(kBlocks);
    std::printf("%-44s %9.2f %9.2f\n", name, few, many);
    if (timed_.csv != nullptr) std::fprintf(timed_.csv, "\"%s\",%.4f,%.4f\n", name, few, many);
  }

 private:
  static constexpr int kBlocks = 8, kSchedulers = 4;

  template <class Of>
  double cycles(int blocks) {
    const Given given{
        77777u, 12345u, 4711, 99, 0x123456789abcdull, 1.0009f, 0.4f, 1.0000001, __floats2half2_rn(1.f, 0.5f)};
    const int turns = timed_.bench.simulated ? 32 : blocks == 1 ? 1600 : 400;
    return timed_.cycles(turns, [&](int count) {
      take<Of><<<blocks * timed_.bench.sms, kThreads>>>(in_, out_, count, given);
    }) / (kSteps * blocks * (kThreads / 32 / kSchedulers));
  }

  ladder::TimedTurns timed_;
  unsigned *in_ = nullptr, *out_ = nullptr;
};

#define OF_LINE_JOINED(line) Of_##line
#define OF_LINE(line) OF_LINE_JOINED(line)
#define STEP(name, ...)                                                      \
  struct OF_LINE(__LINE__) {                                                 \
    static __device__ __forceinline__ void step(Values& x, const Given& c) { \
      (void)c;                                                               \
      __VA_ARGS__;                                                           \
    }                                                                        \
  };
#include "steps.def"
#undef STEP

}  // namespace

int main(int argc, char** argv) {
  Steps steps(argc, argv);
#define STEP(name, ...) steps.row<OF_LINE(__LINE__)>(name);
#include "steps.def"
#undef STEP
}
