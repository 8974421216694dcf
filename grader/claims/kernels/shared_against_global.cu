/// @file
/// Claims about shared memory against global memory: four texts state four factors. Latency and bandwidth are two questions, and "global"
/// has three levels.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "claims/device.hpp"
#include "claims/kernels/kernels.hpp"

namespace course::claims {
namespace {

constexpr std::size_t kLineBytes = 128;
constexpr int kHopsATurn = 8;
constexpr int kSharedLines = 128;
constexpr int kMultiplyAdds = 4096;

struct alignas(kLineBytes) line {
  const line* next;
};

/// Links the lines in the order given: a random cycle, so that no prefetcher and no second element of a line helps.
__global__ void link(line* lines, const std::uint32_t* order, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) lines[order[i]].next = lines + order[i + 1 == count ? 0 : i + 1];
}

template <bool ThroughL1>
__device__ unsigned long long hop(unsigned long long at) {
  unsigned long long next;
  if (ThroughL1)
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at));
  else
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at));
  return next;
}

/// One thread walks `warm_up` hops, then as many as `hops` with an eye on the clock.
template <bool ThroughL1>
__global__ void walk(const line* lines, int warm_up, int hops, double* cycles) {
  auto at = reinterpret_cast<unsigned long long>(lines);
  for (int k = 0; k < warm_up; ++k) at = hop<ThroughL1>(at);
  const long long begun = clock64();
  for (int k = 0; k < hops; k += kHopsATurn) {
#pragma unroll
    for (int u = 0; u < kHopsATurn; ++u) at = hop<ThroughL1>(at);
  }
  const long long taken = clock64() - begun;
  *cycles = static_cast<double>(taken) / hops + (at == 1 ? 1.0 : 0.0);
}

__global__ void walk_shared(int hops, double* cycles) {
  alignas(16) __shared__ unsigned chain[kSharedLines * 32];
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(chain));
  // 37 and 128 have no common factor: one cycle through all lines.
  for (unsigned l = 0; l < kSharedLines; ++l)
    chain[l * 32] = base + (l + 37) % kSharedLines * unsigned(kLineBytes);
  unsigned at = base;
  const long long begun = clock64();
  for (int k = 0; k < hops; k += kHopsATurn) {
#pragma unroll
    for (int u = 0; u < kHopsATurn; ++u)
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(at) : "memory");
  }
  const long long taken = clock64() - begun;
  *cycles = static_cast<double>(taken) / hops + (at == 1 ? 1.0 : 0.0);
}

/// A chain of multiply-adds, each waiting for the one before.
__global__ void multiply_adds(float x, float a, float b, double* cycles, float* sink) {
  const long long begun = clock64();
#pragma unroll 16
  for (int k = 0; k < kMultiplyAdds; ++k)
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
  const long long taken = clock64() - begun;
  *cycles = static_cast<double>(taken) / kMultiplyAdds;
  *sink = x;
}

/// Memory for what a kernel found.
struct figure {
  figure() { check(cudaMalloc(reinterpret_cast<void**>(&data), sizeof(double)), "cudaMalloc"); }
  figure(const figure&) = delete;
  figure& operator=(const figure&) = delete;
  ~figure() { cudaFree(data); }
  double read() const {
    double value = 0;
    check(cudaGetLastError(), "the launch");
    check(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost), "the kernel");
    return value;
  }
  double* data = nullptr;
};

double shared_hop(const device& on) {
  const figure cycles;
  walk_shared<<<1, 1>>>(on.simulated() ? 64 : 4096, cycles.data);
  return cycles.read();
}

/// Cycles a hop in a chain of @p bytes.
/// @param warm true: the whole chain is walked once before, so that a cache that can hold it does.
template <bool ThroughL1>
double global_hop(const device& on, std::size_t bytes, bool warm) {
  const auto count = static_cast<std::uint32_t>(bytes / kLineBytes);
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 random(1);
  std::shuffle(order.begin() + 1, order.end(), random);  // the walk begins at line 0
  const floats lines(bytes / sizeof(float)), places(count);
  check(cudaMemcpy(places.get(), order.data(), count * sizeof(std::uint32_t), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  auto* const first = reinterpret_cast<line*>(lines.get());
  link<<<(count + 255) / 256, 256>>>(first, reinterpret_cast<const std::uint32_t*>(places.get()), count);
  const figure cycles;
  const int hops =
      static_cast<int>(std::min<std::size_t>(count / kHopsATurn * kHopsATurn, on.simulated() ? 64 : 8192));
  walk<ThroughL1><<<1, 1>>>(first, warm ? static_cast<int>(count) : 0, hops, cycles.data);
  return cycles.read();
}

double dram_hop(const device& on) {
  // Far more than L2 holds, so that what linking left there is a small part.
  const std::size_t l2 = static_cast<std::size_t>(std::max(on.properties().l2CacheSize, 1 << 20));
  return global_hop<false>(on, on.simulated() ? 64 * 1024 : std::min<std::size_t>(8 * l2, on.array() * 4),
                           false);
}

template <int Vectors>
__global__ void read_shared(float* sink, int turns) {
  alignas(16) __shared__ float4 tile[Vectors];
  for (int i = threadIdx.x; i < Vectors; i += blockDim.x) tile[i] = make_float4(i, 1, 2, 3);
  __syncthreads();
  const auto from = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x % 32));
  float sum = 0;
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int k = 0; k < Vectors / 32; ++k) {
      float x, y, z, w;
      // Volatile in PTX as well: ptxas takes a plain load out of the loop, and 129 TB/s came out of an H200.
      asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                   : "r"(from + k * 512));
      sum += (x + y) + (z + w);
    }
  }
  if (sum == 1e30F) *sink = sum;
}

__global__ void read_global(const float4* in, float* sink, std::size_t count) {
  float sum = 0;
  const std::size_t threads = std::size_t(gridDim.x) * blockDim.x;
#pragma unroll 4
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    const float4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 1e30F) *sink = sum;
}

}  // namespace

outcome shared_latency(device& on) {
  const double shared = shared_hop(on), dram = dram_hop(on);
  return {{"a load from DRAM, waited for", dram, "cycles"},
          {"a load from shared memory, waited for", shared, "cycles"},
          dram / shared,
          {{"a load that hits in L1", global_hop<true>(on, 16 * 1024, true), "cycles"},
           {"a load that hits in L2", global_hop<false>(on, on.simulated() ? 64 * 1024 : 4 << 20, true),
            "cycles"}},
          "Chains of dependent loads. \"Global\" is no single latency: what a cache holds comes sooner."};
}

outcome shared_bandwidth(device& on) {
  constexpr int kVectors = 512, kThreads = 1024;
  const int blocks = on.simulated() ? 2 : 2 * on.properties().multiProcessorCount,
            turns = on.simulated() ? 1 : 400;
  const floats in(2 * on.array()), sink(1);
  const double shared = 16.0 * (kVectors / 32) * kThreads * blocks * turns /
                        on.seconds([&] { read_shared<kVectors><<<blocks, kThreads>>>(sink.get(), turns); });
  const int readers = on.simulated() ? 16 : 16 * on.properties().multiProcessorCount;
  const double global = 4.0 * static_cast<double>(in.count()) / on.seconds([&] {
    read_global<<<readers, 256>>>(reinterpret_cast<const float4*>(in.get()), sink.get(), in.count() / 4);
  });
  return {
      {"reading DRAM", global, "B/s"},
      {"reading shared memory, all SMs together", shared, "B/s"},
      shared / global,
      {},
      "All SMs together against one DRAM. The factor belongs to this card: SMs, clock and memory set it."};
}

outcome arithmetic_latency(device& on) {
  const figure cycles;
  const floats sink(1);
  multiply_adds<<<1, 1>>>(1.0F, 0.999F, 0.5F, cycles.data, sink.get());
  const double arithmetic = cycles.read(), dram = dram_hop(on);
  return {
      {"a load from DRAM, waited for", dram, "cycles"},
      {"a multiply-add, waited for", arithmetic, "cycles"},
      dram / arithmetic,
      {},
      "Latency against latency. With enough loads in flight the latency is hidden, and bandwidth decides."};
}

}  // namespace course::claims
