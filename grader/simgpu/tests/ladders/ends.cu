/// @file
/// Where each of an SM's blocks ends, of several that begin together and do the same: whom the schedulers serve first. Loops of multiply-adds, logic and
/// loads of shared memory, some with a load of global memory and two barriers in each eighth turn. [of the time until the last one ends, by age; and
/// cycles of the SM for a turn of all its warps]
///
///     ends [FILTER] [--csv FILE]
///
/// For a card: of simulated blocks each reads the clock as if it stood in nobody's way. What blocks share an SM is in timing/replay.cpp, and
/// calibration.md ("who has instructions at hand") says how far it is from these rows.
#include <algorithm>
#include <string>

#include "ladder.hpp"

namespace {

constexpr int kThreads = 256, kTurns = 400, kTurnsOfPhase = 8, kMostBlocks = 8, kMostSms = 256;
constexpr int kChains = 8, kWords = 4;

struct Span {
  long long began, ended;
  unsigned sm;
};
__device__ Span spans[kMostBlocks * kMostSms];

__device__ __forceinline__ unsigned this_sm() {
  unsigned sm;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  return sm;
}
/// Where a load of shared memory stands, it stays.
template <int words>
__device__ __forceinline__ float shared_sum(unsigned at) {
  if constexpr (words == 4) {
    float4 v;
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(at));
    return v.x + v.y + v.z + v.w;
  } else {
    float v;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(at));
    return v;
  }
}

enum class Between { nothing, barriers, load_and_barriers };  ///< each eighth turn

/// @tparam loads of so many words each, before the multiply-adds, which need them
template <int loads, int words, int multiplies, int chains, int logic, Between between>
__global__ void __launch_bounds__(kThreads) work(const float* in, float* out, unsigned mask, float by) {
  __shared__ float4 tile[4 * kThreads];
  const unsigned thread = threadIdx.x;
  for (unsigned k = thread; k < 4 * kThreads; k += kThreads)
    tile[k] = make_float4(in[k], in[k + 1], in[k + 2], in[k + 3]);
  __syncthreads();
  if (thread == 0) spans[blockIdx.x].began = clock64(), spans[blockIdx.x].sm = this_sm();
  float a[kChains];
  unsigned x[kWords];
  for (int k = 0; k < kChains; ++k) a[k] = in[thread + k];
  for (int k = 0; k < kWords; ++k) x[k] = __float_as_uint(in[thread + k]);
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + thread * words * 4;
  constexpr int kTurnsInOne = between == Between::nothing ? 1 : kTurnsOfPhase;
#pragma unroll 1
  for (int n = 0; n < kTurns / kTurnsInOne; ++n) {
    if constexpr (between == Between::load_and_barriers) {
      float far;
      asm volatile("ld.global.cg.f32 %0, [%1];"
                   : "=f"(far)
                   : "l"(in + (blockIdx.x * 64 + n) % 4096 * kThreads + thread)
                   : "memory");
      a[0] += far;
      asm volatile("st.shared.f32 [%0], %1;" : : "r"(at), "f"(a[0]) : "memory");
    }
    if constexpr (between != Between::nothing) __syncthreads();
#pragma unroll 1
    for (int turn = 0; turn < kTurnsInOne; ++turn) {
      float sum = 0;
#pragma unroll
      for (int k = 0; k < loads; ++k) sum += shared_sum<words>(at + k * 1024);
#pragma unroll
      for (int k = 0; k < multiplies; ++k)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a[k % chains]) : "f"(by), "f"(loads > 0 ? sum : by));
#pragma unroll
      for (int k = 0; k < logic; ++k)
        asm volatile("lop3.b32 %0, %0, %1, 77, 0x6a;" : "+r"(x[k % kWords]) : "r"(mask));
    }
    if constexpr (between != Between::nothing) __syncthreads();
  }
  float all = 0;
  for (const float v : a) all += v;
  for (const unsigned v : x) all += static_cast<float>(v);
  out[blockIdx.x * kThreads + thread] = all;
  __syncthreads();
  if (thread == 0) spans[blockIdx.x].ended = clock64();
}

class Ends {
 public:
  Ends(int argc, char** argv) : bench_(argc, argv) {
    csv_ = bench_.open_csv(argc, argv, "row,cycles,ends");
    in_ = bench_.array<float>(std::size_t{4} * 4200 * kThreads);
    out_ = bench_.array<float>(std::size_t{4} * kMostBlocks * kThreads * bench_.sms);
  }
  ~Ends() {
    if (csv_ != nullptr) std::fclose(csv_);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  template <int loads, int words, int multiplies, int chains, int logic, Between between = Between::nothing>
  void row(std::initializer_list<int> counts) {
    for (const int blocks : counts) {
      const std::string name = std::to_string(loads) + (loads == 1 ? " load of " : " loads of ") +
                               std::to_string(words) + ", " + std::to_string(multiplies) +
                               " multiply-adds in " + std::to_string(chains) + " chains, " +
                               std::to_string(logic) + " of logic" +
                               (between == Between::nothing    ? ""
                                : between == Between::barriers ? ", barriers"
                                                               : ", a global load and barriers") +
                               ", " + std::to_string(blocks) + (blocks == 1 ? " block" : " blocks");
      if (!bench_.wants(name)) continue;
      for (int run = 0; run < 2; ++run)  // the first may find nothing in the caches
        work<loads, words, multiplies, chains, logic, between>
            <<<bench_.sms * blocks, kThreads>>>(in_, out_, 0x12345, 0.5f);
      ladder::check(cudaDeviceSynchronize(), name.c_str());
      write(name, blocks);
    }
  }

 private:
  /// The means of all SMs that have so many blocks.
  void write(const std::string& name, int blocks) {
    std::vector<Span> all(static_cast<std::size_t>(bench_.sms) * blocks);
    ladder::check(cudaMemcpyFromSymbol(all.data(), spans, all.size() * sizeof(Span)), "spans");
    std::vector<double> ends(blocks);
    double cycles = 0;
    int counted = 0;
    for (unsigned sm = 0; sm < static_cast<unsigned>(bench_.sms); ++sm) {
      std::vector<Span> here;
      std::copy_if(all.begin(), all.end(), std::back_inserter(here),
                   [&](const Span& s) { return s.sm == sm; });
      if (here.size() != ends.size()) continue;
      long long first = here[0].began, last = here[0].ended;
      for (const Span& s : here) first = std::min(first, s.began), last = std::max(last, s.ended);
      for (std::size_t b = 0; b < ends.size(); ++b)
        ends[b] += static_cast<double>(here[b].ended - first) / static_cast<double>(last - first);
      cycles += static_cast<double>(last - first);
      ++counted;
    }
    if (counted == 0) return;
    char text[200];
    int length = std::snprintf(text, sizeof text, "\"%s\",%.1f,", name.c_str(), cycles / counted / kTurns);
    for (const double end : ends)
      length += std::snprintf(text + length, sizeof text - length, "%.2f ", end / counted);
    text[length - 1] = '\0';
    std::printf("%s\n", text);
    if (csv_ != nullptr) std::fprintf(csv_, "%s\n", text);
  }

  ladder::Bench bench_;
  std::FILE* csv_ = nullptr;  ///< or nobody asked for one
  float* in_ = nullptr;
  float* out_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  Ends e(argc, argv);
  e.row<0, 4, 32, 8, 0>({1, 2, 3, 4, 6, 8});
  e.row<0, 4, 64, 8, 0>({3, 6});
  e.row<0, 4, 16, 8, 0>({3, 6});
  e.row<0, 4, 8, 8, 0>({3, 6});
  e.row<0, 4, 32, 4, 0>({3});
  e.row<0, 4, 32, 2, 0>({3, 6});
  e.row<0, 4, 0, 8, 32>({3});
  e.row<0, 4, 16, 8, 16>({3, 6});
  e.row<0, 4, 24, 8, 8>({3, 6});
  e.row<1, 4, 32, 8, 0>({1, 2, 3, 4, 6});
  e.row<2, 4, 32, 8, 0>({1, 2, 3, 4, 6});
  e.row<3, 4, 32, 8, 0>({1, 2, 3, 4, 6});
  e.row<4, 4, 32, 8, 0>({2, 3, 4});
  e.row<4, 4, 8, 8, 0>({2, 3, 4});
  e.row<2, 4, 64, 8, 0>({2, 3, 4});
  e.row<2, 4, 16, 8, 0>({2, 3, 4});
  e.row<2, 1, 32, 8, 0>({2, 3, 4});
  e.row<4, 1, 32, 8, 0>({2, 3, 4});
  e.row<8, 1, 32, 8, 0>({2, 3, 4});
  e.row<2, 4, 16, 8, 16>({3});
  e.row<0, 4, 32, 8, 0, Between::barriers>({2, 3, 4});
  e.row<2, 4, 32, 8, 0, Between::barriers>({2, 3, 4});
  e.row<0, 4, 32, 8, 0, Between::load_and_barriers>({2, 3, 4});
  e.row<1, 4, 32, 8, 0, Between::load_and_barriers>({2, 3, 4});
  e.row<2, 4, 32, 8, 0, Between::load_and_barriers>({1, 2, 3, 4});
  e.row<3, 4, 32, 8, 0, Between::load_and_barriers>({2, 3, 4});
  e.row<4, 4, 32, 8, 0, Between::load_and_barriers>({2, 3, 4});
  e.row<2, 1, 32, 8, 0, Between::load_and_barriers>({2, 3, 4});
  e.row<0, 4, 0, 8, 32, Between::load_and_barriers>({2, 3, 4});
  e.row<0, 4, 16, 8, 16, Between::load_and_barriers>({3});
}
