/// @file
/// What a kernel reads off its own clock. Each line is a name and a figure, in cycles unless the name says otherwise; ticks_test.cpp holds
/// them against what an H200 showed. The chains are those of grader/claims: what the card's figures in results/ were read with.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "../programs/program.hpp"

namespace {

constexpr std::size_t kLineBytes = 128;
constexpr int kHopsATurn = 8, kSharedLines = 128;

struct alignas(kLineBytes) Line {
  const Line* next;
};

/// What kernels find, for the host.
struct Figures {
  double* data = nullptr;
  explicit Figures(std::size_t count = 1) { CHECK(cudaMalloc(&data, count * sizeof(double))); }
  Figures(const Figures&) = delete;
  Figures& operator=(const Figures&) = delete;
  ~Figures() { cudaFree(data); }
  std::vector<double> all(std::size_t count) const {
    CHECK(cudaGetLastError());
    return to_host(data, count);
  }
  double one() const { return all(1)[0]; }
};

void say(const char* name, double figure) {
  std::printf("%s %.4f\n", name, figure);
}

// ------------------------------------------------------------------------------------------------- chains of loads

template <bool ThroughL1>
__device__ unsigned long long hop(unsigned long long at) {
  unsigned long long next;
  if (ThroughL1)
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at));
  else
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at));
  return next;
}

template <bool ThroughL1>
__global__ void walk(const Line* lines, int warm_up, int hops, double* cycles) {
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

__global__ void link(Line* lines, const std::uint32_t* order, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) lines[order[i]].next = lines + order[i + 1 == count ? 0 : i + 1];
}

template <bool ThroughL1>
double global_hop(std::size_t bytes, bool warm, int hops) {
  const std::size_t count = bytes / kLineBytes;
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 random(1);
  std::shuffle(order.begin() + 1, order.end(), random);
  Line* lines = nullptr;
  CHECK(cudaMalloc(&lines, bytes));
  std::uint32_t* const places = to_device(order);
  link<<<(count + 255) / 256, 256>>>(lines, places, count);
  const Figures cycles;
  walk<ThroughL1><<<1, 1>>>(lines, warm ? static_cast<int>(count) : 0, hops, cycles.data);
  const double figure = cycles.one();
  CHECK(cudaFree(lines));
  CHECK(cudaFree(places));
  return figure;
}

void chains_of_loads() {
  const Figures cycles;
  walk_shared<<<1, 1>>>(4096, cycles.data);
  say("chase_shared", cycles.one());
  say("chase_l1", global_hop<true>(16 * 1024, true, 128));
  cudaDeviceProp card;
  CHECK(cudaGetDeviceProperties(&card, 0));
  say("chase_l2", global_hop<false>(1 << 20, true, 8192));
  say("chase_dram", global_hop<false>(8 * static_cast<std::size_t>(card.l2CacheSize), false, 8192));
}

// --------------------------------------------------------------------------------------------- chains of arithmetic

#define CHAIN(name, type, statement)                                         \
  __global__ void name(type x, type a, type b, double* cycles, type* sink) { \
    const long long begun = clock64();                                       \
    _Pragma("unroll 16") for (int k = 0; k < 4096; ++k) statement;           \
    const long long taken = clock64() - begun;                               \
    *cycles = static_cast<double>(taken) / 4096;                             \
    *sink = x;                                                               \
  }
CHAIN(chain_fma, float, asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b)))
CHAIN(chain_add, int, asm volatile("add.s32 %0, %0, %1;" : "+r"(x) : "r"(a), "r"(b)))
CHAIN(chain_mad, int, asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b)))
CHAIN(chain_fma64, double, asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b)))
CHAIN(chain_rsqrt, float, asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x) : "f"(a), "f"(b)))
CHAIN(chain_shuffle, int, x = __shfl_xor_sync(~0u, x, 1) + 0 * (a + b))
#undef CHAIN

template <class T>
double chain(void (*kernel)(T, T, T, double*, T*), int threads = 1) {
  const Figures cycles;
  T* sink = nullptr;
  CHECK(cudaMalloc(&sink, sizeof(T)));
  kernel<<<1, threads>>>(T(1), T(1), T(0), cycles.data, sink);
  const double figure = cycles.one();
  CHECK(cudaFree(sink));
  return figure;
}

/// All of an SM's warps multiply and add at once, four chains each: 128 lanes do one a cycle.
__global__ void multiply_add_everywhere(float a, float b, double* cycles, float* sink) {
  float x[4] = {1, 2, 3, 4};
  __syncthreads();
  const long long begun = clock64();
#pragma unroll 4
  for (int k = 0; k < 1024; ++k)
#pragma unroll
    for (float& v : x) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(a), "f"(b));
  __syncthreads();
  const long long taken = clock64() - begun;
  if (threadIdx.x == 0) *cycles = static_cast<double>(taken) / 4096;
  sink[threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

void arithmetic() {
  say("chain_fma", chain<float>(chain_fma));
  say("chain_add", chain<int>(chain_add));
  say("chain_mad", chain<int>(chain_mad));
  say("chain_fma64", chain<double>(chain_fma64));
  say("chain_rsqrt", chain<float>(chain_rsqrt));
  say("chain_shuffle", chain<int>(chain_shuffle, 32));
  const Figures cycles;
  float* sink = nullptr;
  CHECK(cudaMalloc(&sink, 1024 * sizeof(float)));
  multiply_add_everywhere<<<1, 1024>>>(0.5F, 0.5F, cycles.data, sink);
  say("fma_1024_threads", cycles.one());
  multiply_add_everywhere<<<1, 32>>>(0.5F, 0.5F, cycles.data, sink);
  say("fma_32_threads", cycles.one());
  CHECK(cudaFree(sink));
}

// ----------------------------------------------------------------------------------------------------- memory, wider

/// A chain through shared memory for each lane. @param stride between lanes: 1 for 32 banks, 32 for one.
__global__ void banks(int stride, double* cycles) {
  alignas(16) __shared__ unsigned chain[32 * 32];
  const auto own = static_cast<unsigned>(__cvta_generic_to_shared(chain + threadIdx.x * stride));
  chain[threadIdx.x * stride] = own;
  __syncwarp();
  unsigned at = own;
  const long long begun = clock64();
  for (int k = 0; k < 512; k += kHopsATurn) {
#pragma unroll
    for (int u = 0; u < kHopsATurn; ++u)
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(at) : "memory");
  }
  const long long taken = clock64() - begun;
  if (threadIdx.x == 0) *cycles = static_cast<double>(taken) / 512 + (at == 1 ? 1.0 : 0.0);
}

/// Loads that nobody waits for, one after the other: how many cycles each takes of the load-store unit.
__global__ void banks_in_a_row(int stride, double* cycles, unsigned* sink) {
  alignas(16) __shared__ unsigned words[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) words[i] = i;
  __syncthreads();
  const auto own = static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x * stride));
  unsigned sum = 0;
  const long long begun = clock64();
  for (int k = 0; k < 512; k += 16) {
    unsigned value[16];
#pragma unroll
    for (unsigned& v : value)
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(own) : "memory");
#pragma unroll
    for (const unsigned v : value) sum += v;
  }
  const long long taken = clock64() - begun;
  sink[threadIdx.x] = sum;
  if (threadIdx.x == 0) *cycles = static_cast<double>(taken) / 512;
}

/// One load of a warp that no cache has. @param stride between lanes, in words
__global__ void load_once(const unsigned* from, int stride, double* cycles, unsigned* sink) {
  const long long begun = clock64();
  unsigned value;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(from + threadIdx.x * stride));
  const unsigned used = value + 1;
  asm volatile("" ::"r"(used) : "memory");
  sink[threadIdx.x] = used;
  const long long taken = clock64() - begun;
  if (threadIdx.x == 0) *cycles = static_cast<double>(taken);
}

__global__ void shared_atomics_int(double* cycles, int lanes_apart, int* sink) {
  __shared__ int counters[32];
  counters[threadIdx.x] = 0;
  __syncwarp();
  const long long begun = clock64();
  for (int k = 0; k < 256; ++k) atomicMax(counters + threadIdx.x * lanes_apart, k);
  const long long taken = clock64() - begun;
  if (threadIdx.x == 0) *cycles = static_cast<double>(taken) / 256;
  sink[threadIdx.x] = counters[threadIdx.x];
}
__global__ void shared_atomics_float(double* cycles, int lanes_apart, float* sink) {
  __shared__ float counters[32];
  counters[threadIdx.x] = 0;
  __syncwarp();
  const long long begun = clock64();
  for (int k = 0; k < 256; ++k) atomicAdd(counters + threadIdx.x * lanes_apart, 1.0F);
  const long long taken = clock64() - begun;
  if (threadIdx.x == 0) *cycles = static_cast<double>(taken) / 256;
  sink[threadIdx.x] = counters[threadIdx.x];
}
/// Each adds what the one before found.
__global__ void global_atomics(int* counter, double* cycles) {
  int found = 1;
  const long long begun = clock64();
  for (int k = 0; k < 64; ++k) found = atomicAdd(counter, found & 1);
  *counter = found;
  const long long taken = clock64() - begun;
  *cycles = static_cast<double>(taken) / 64;
}

void memory() {
  const Figures cycles;
  unsigned *words = nullptr, *sink = nullptr;
  CHECK(cudaMalloc(&words, 1 << 20));
  CHECK(cudaMalloc(&sink, 1024 * sizeof(unsigned)));
  std::vector<unsigned> zeros((1 << 20) / sizeof(unsigned));
  const auto cold = [&] { CHECK(cudaMemcpy(words, zeros.data(), 1 << 20, cudaMemcpyHostToDevice)); };
  banks<<<1, 32>>>(1, cycles.data);
  say("banks_32", cycles.one());
  banks<<<1, 32>>>(32, cycles.data);
  say("banks_1", cycles.one());
  banks_in_a_row<<<1, 32>>>(1, cycles.data, sink);
  say("banks_32_in_a_row", cycles.one());
  banks_in_a_row<<<1, 32>>>(32, cycles.data, sink);
  say("banks_1_in_a_row", cycles.one());
  cold();
  load_once<<<1, 32>>>(words, 1, cycles.data, sink);
  say("load_4_sectors", cycles.one());
  cold();
  load_once<<<1, 32>>>(words, 64, cycles.data, sink);
  say("load_32_lines", cycles.one());
  load_once<<<1, 32>>>(words, 64, cycles.data, sink);
  say("load_32_lines_again", cycles.one());
  shared_atomics_int<<<1, 32>>>(cycles.data, 0, reinterpret_cast<int*>(sink));
  say("shared_atomic_one_word", cycles.one());
  shared_atomics_float<<<1, 32>>>(cycles.data, 0, reinterpret_cast<float*>(sink));
  say("shared_atomic_float_one_word", cycles.one());
  shared_atomics_float<<<1, 32>>>(cycles.data, 1, reinterpret_cast<float*>(sink));
  say("shared_atomic_float_32_words", cycles.one());
  cold();
  global_atomics<<<1, 1>>>(reinterpret_cast<int*>(words), cycles.data);
  say("global_atomic", cycles.one());
  CHECK(cudaFree(words));
  CHECK(cudaFree(sink));
}

// -------------------------------------------------------------------------------------------------- waiting and time

__global__ void barriers(double* cycles) {
  __syncthreads();
  const long long begun = clock64();
#pragma unroll 16
  for (int k = 0; k < 512; ++k) __syncthreads();
  const long long taken = clock64() - begun;
  if (threadIdx.x == 0) *cycles = static_cast<double>(taken) / 512;
}

/// One warp works, the other waits for it.
__global__ void waits_for_another(float a, double* cycles, float* sink) {
  float x = 1;
  const long long begun = clock64();
  if (threadIdx.x < 32)
#pragma unroll 16
    for (int k = 0; k < 4096; ++k) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
  const long long worked = clock64() - begun;
  __syncthreads();
  const long long waited = clock64() - begun;
  if (threadIdx.x % 32 == 0) {
    cycles[2 * (threadIdx.x / 32)] = static_cast<double>(worked);
    cycles[2 * (threadIdx.x / 32) + 1] = static_cast<double>(waited);
  }
  sink[threadIdx.x] = x;
}

__global__ void sleeps(unsigned ns, double* cycles) {
  unsigned long long before, after;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before)::"memory");
  const long long begun = clock64();
  __nanosleep(ns);
  const long long taken = clock64() - begun;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after)::"memory");
  cycles[0] = static_cast<double>(taken);
  cycles[1] = static_cast<double>(after - before);
}

__global__ void spins(long long limit, double* cycles) {
  const long long begun = clock64();
  long long passed = 0;
  while (passed < limit) passed = clock64() - begun;
  if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = static_cast<double>(passed);
}

/// All registers that tell the time, one right after the other.
__global__ void registers(unsigned long long* found) {
  unsigned low, high, low_ns, high_ns;
  unsigned long long whole, whole_ns;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(whole)::"memory");
  asm volatile("mov.u32 %0, %%clock;" : "=r"(low)::"memory");
  asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(high)::"memory");
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(whole_ns)::"memory");
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(low_ns)::"memory");
  asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(high_ns)::"memory");
  found[0] = whole;
  found[1] = static_cast<unsigned long long>(high) << 32 | low;
  found[2] = whole_ns;
  found[3] = static_cast<unsigned long long>(high_ns) << 32 | low_ns;
}

/// When each block began, and where.
__global__ void begins(unsigned long long* began, unsigned* sm) {
  if (threadIdx.x == 0) {
    began[blockIdx.x] = clock64();
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm[blockIdx.x]));
  }
  __nanosleep(20'000);
}

void time_and_waiting() {
  const Figures cycles(4);
  float* sink = nullptr;
  CHECK(cudaMalloc(&sink, 64 * sizeof(float)));
  for (const int threads : {32, 256, 1024}) {
    barriers<<<1, threads>>>(cycles.data);
    say(threads == 32 ? "barrier_32" : threads == 256 ? "barrier_256" : "barrier_1024", cycles.one());
  }
  waits_for_another<<<1, 64>>>(0.5F, cycles.data, sink);
  const auto waited = cycles.all(4);
  say("worker_worked", waited[0]);
  say("worker_waited", waited[1]);
  say("other_worked", waited[2]);
  say("other_waited", waited[3]);
  sleeps<<<1, 1>>>(1000, cycles.data);
  const auto slept = cycles.all(2);
  say("sleep_1000_ns", slept[0]);
  say("sleep_1000_ns_in_ns", slept[1]);
  spins<<<1, 1>>>(1'000'000, cycles.data);
  say("spin_1000000", cycles.one());
  // Too many instructions for a launch, if each turn of the loops were one of the card's.
  spins<<<11, 1024>>>(100'000'000, cycles.data);
  say("spin_100000000_everywhere", cycles.one());
  cudaEvent_t before, after;
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  CHECK(cudaEventRecord(before));
  spins<<<1, 1>>>(10'000'000, cycles.data);
  CHECK(cudaEventRecord(after));
  CHECK(cudaEventSynchronize(after));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, before, after));
  say("spin_10000000_by_events_in_ms", ms);
  CHECK(cudaEventDestroy(before));
  CHECK(cudaEventDestroy(after));

  unsigned long long* found = nullptr;
  CHECK(cudaMalloc(&found, 1024 * sizeof(unsigned long long)));
  registers<<<1, 1>>>(found);
  const auto first = to_host(found, 4);
  registers<<<1, 1>>>(found);
  const auto second = to_host(found, 4);
  say("clock_pair_minus_clock64", static_cast<double>(first[1] - first[0]));
  say("timer_pair_minus_timer_in_ns", static_cast<double>(first[3] - first[2]));
  int khz = 0;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  say("timer_over_clock",
      static_cast<double>(second[2] - first[2]) / static_cast<double>(second[0] - first[0]) * khz / 1e6);
  say("second_launch_minus_first_in_ns", static_cast<double>(second[2] - first[2]));

  unsigned* sm = nullptr;
  CHECK(cudaMalloc(&sm, 1024 * sizeof(unsigned)));
  int sms = 0, blocks_per_sm = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, begins, 1024, 0));
  const int blocks = 2 * sms * blocks_per_sm;  // two waves
  begins<<<blocks, 1024>>>(found, sm);
  const auto began = to_host(found, blocks);
  const auto where = to_host(sm, blocks);
  // Blocks of one SM: the first ones of the second wave wait for the first wave's sleep.
  std::vector<unsigned long long> own;
  for (int b = 0; b < blocks; ++b)
    if (where[b] == where[0]) own.push_back(began[b]);
  std::sort(own.begin(), own.end());
  say("blocks_of_one_sm", static_cast<double>(own.size()));
  say("first_wave_spread", static_cast<double>(own[blocks_per_sm - 1] - own[0]));
  say("second_wave_after_first", static_cast<double>(own[blocks_per_sm] - own[0]));
  CHECK(cudaFree(sm));
  CHECK(cudaFree(found));
  CHECK(cudaFree(sink));
}

// ---------------------------------------------------------------------------------------------------- tensor cores

/// Rounds of products of 16 x 8 x @p depth halves, @p Chains of them side by side in each warp of one block: cycles a round.
template <int Depth, int Chains>
__global__ void products(int rounds, double* cycles, float* kept) {
  float sum[Chains][4] = {};
  const unsigned a = threadIdx.x, b = threadIdx.x + 1;
  __syncthreads();
  const long long begun = clock64();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (auto& c : sum) {
      if (Depth == 16)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
            "{%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a), "r"(b));
      else
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%4},{%5},{%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a), "r"(b));
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = static_cast<double>(clock64() - begun) / rounds;
  float all = 0;
  for (const auto& c : sum) all += c[0] + c[1] + c[2] + c[3];
  kept[threadIdx.x] = all;
}

void tensor_cores() {
  Figures found, kept(512);
  const auto ask = [&](const char* name, auto kernel, int warps) {
    kernel<<<1, 32 * warps>>>(64, found.data, reinterpret_cast<float*>(kept.data));
    say(name, found.one());
  };
  ask("mma_k16_chain", products<16, 1>, 1);
  ask("mma_k8_chain", products<8, 1>, 1);
  ask("mma_k16_of_16_warps", products<16, 4>, 16);
  ask("mma_k8_of_16_warps", products<8, 4>, 16);
}

}  // namespace

int main() {
  chains_of_loads();
  tensor_cores();
  arithmetic();
  memory();
  time_and_waiting();
  return ok();
}
