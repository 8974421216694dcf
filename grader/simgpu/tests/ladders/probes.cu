/// @file
/// What single mechanisms cost: those that timing/calibration.md says nothing of, because nobody had probed them. Kernels read
/// the SM's clock around a loop; the table of figures says cycles for each round of it. Rates of the whole card are read with
/// events. `probes [FILTER] [--csv FILE]` runs on a card within a minute; on the simulated GPU it runs, and says what it models.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cstdint>

#include "bulk.hpp"
#include "checked.hpp"
#include "data.hpp"
#include "fill.hpp"

namespace {

using ladder::scrambled;

extern __shared__ uint4 scratch[];

/// Runs @p body between two looks at the clock, all warps of the block together. What it returns is kept, so that it is done.
template <typename Body>
__global__ void timed(const Body body, long long* cycles, unsigned* kept) {
  unsigned* shared = reinterpret_cast<unsigned*>(scratch);
  for (unsigned k = threadIdx.x; k < body.shared_words(); k += blockDim.x) shared[k] = body.filling(k);
  __syncthreads();
  const long long begin = clock64();
  const unsigned result = body();
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
  if (result == 0x12345678u) kept[threadIdx.x] = result;
}
struct Plain {
  int rounds;
  __device__ unsigned shared_words() const { return 0; }
  __device__ unsigned filling(unsigned) const { return 0; }
};

// --- arithmetic: KINDS of operation, one after the other in Chains independent chains ---

template <typename T, typename Op, int Chains>
struct Arithmetic : Plain {
  T by;
  __device__ unsigned operator()() const {
    T x[Chains];
#pragma unroll
    for (int c = 0; c < Chains; ++c) x[c] = static_cast<T>(threadIdx.x * 3 + c * 5 + 1000003);
#pragma unroll 4
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int c = 0; c < Chains; ++c) x[c] = Op::apply(x[c], by);
    }
    T all = x[0];
#pragma unroll
    for (int c = 1; c < Chains; ++c) all = all + x[c];
    return static_cast<unsigned>(all);
  }
};
#define OPERATION(Name, T, expression)                                         \
  struct Name {                                                                \
    static __device__ __forceinline__ T apply(T x, T y) { return expression; } \
  };
using U32 = unsigned;
using S32 = int;
using U64 = unsigned long long;
using S64 = long long;
OPERATION(DivideU32, U32, x / y + 0x7fffff35u)
OPERATION(ModuloU32, U32, x % y + 0x7fffff35u)
OPERATION(DivideS32, S32, x / y + 0x3fffff35)
OPERATION(ModuloS32, S32, x % y + 0x3fffff35)
OPERATION(DivideU64, U64, x / y + 0x7fffff3500000035ull)
OPERATION(ModuloU64, U64, x % y + 0x7fffff3500000035ull)
OPERATION(DivideSmallU64, U64, x / y + 0x7fffff35ull)
OPERATION(ModuloSmallU64, U64, x % y + 0x7fffff35ull)
OPERATION(DivideS64, S64, x / y + 0x3fffff3500000035ll)
// What the loop above divides by never changes, so that ptxas may take the reciprocal out of the loop: here it does.
OPERATION(DivideByU32, U32, 0xfffffff3u / (x | 1u) + y)
OPERATION(DivideByU64, U64, 0xfffffffffffffff3ull / (x | 1ull) + y)
OPERATION(DivideBySmallU64, U64, 0xfffffff3ull / ((x & 0xffffull) | 1ull) + y)
OPERATION(AddU32, U32, x ^ (x + y))
OPERATION(MultiplyAddU32, U32, x* y + 12345u)
OPERATION(HighU32, U32, __umulhi(x, y) + 0x80000001u)
OPERATION(MultiplyU64, U64, x* y + 12345u)
OPERATION(ShiftU32, U32, (x << (y & 31)) ^ x)
OPERATION(FunnelU32, U32, __funnelshift_l(x, x, y))
OPERATION(CountBits, U32, static_cast<U32>(__popc(x)) + y)
OPERATION(ReverseBits, U32, __brev(x) + y)
OPERATION(LeadingZeros, U32, static_cast<U32>(__clz(static_cast<int>(x))) + y)
OPERATION(BytePermute, U32, __byte_perm(x, y, 0x2103))
OPERATION(Shuffle, U32, __shfl_xor_sync(~0u, x, 1) + y)
OPERATION(LeastU32, U32, min(x + y, x ^ y))
OPERATION(ToFloatAndBack, S32, static_cast<S32>(static_cast<float>(x)) + y)
OPERATION(UnsignedToFloatAndBack, U32, static_cast<U32>(static_cast<float>(x)) + y)
OPERATION(ByteToFloatAndBack, U32, static_cast<U32>(static_cast<float>(x & 255)) + y)
OPERATION(ToDoubleAndBack, S32, static_cast<S32>(static_cast<double>(x)) + y)
OPERATION(LongToFloatAndBack, S64, static_cast<S64>(static_cast<float>(x)) + y)
OPERATION(LongToDoubleAndBack, S64, static_cast<S64>(static_cast<double>(x)) + y)
OPERATION(FloatToHalfAndBack, float, __half2float(__float2half(x)) + y)
OPERATION(FloatToDoubleAndBack, float, static_cast<float>(static_cast<double>(x) * 1.25) + y)
OPERATION(Fma, float, fmaf(x, 0.5f, y))
OPERATION(FmaAndLeast, float, fminf(fmaf(x, 0.5f, y), 1e30f * y))
OPERATION(DivideF32, float, y / x + y)
OPERATION(FastDivideF32, float, __fdividef(y, x) + y)
OPERATION(RootF32, float, sqrtf(x) + y)
OPERATION(ReciprocalRootF32, float, rsqrtf(x) + y)
OPERATION(ExponentialF32, float, __expf(-x) + y)
OPERATION(LogarithmF32, float, __logf(x) + y)
OPERATION(SineF32, float, __sinf(x) + y)
OPERATION(FmaF64, double, fma(x, 0.5, y))
OPERATION(DivideF64, double, y / x + y)
OPERATION(RootF64, double, sqrt(x) + y)

// --- gathers of lone sectors in L2 ---

struct Gather : Plain {
  const unsigned* table;
  unsigned mask, lanes;
  bool dependent;
  __device__ unsigned operator()() const {
    if (threadIdx.x % 32 >= lanes) return 0;
    unsigned at = scrambled(blockIdx.x * blockDim.x + threadIdx.x + 4321), sum = 0;  // 0 leads to 0
    if (dependent) {
#pragma unroll 1
      for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int k = 0; k < 8; ++k) at = table[at & mask];
      return at;
    }
#pragma unroll 1
    for (int r = 0; r < rounds; ++r)
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        at = at * 1664525u + 1013904223u;
        sum += table[at >> 6 & mask];
      }
    return sum;
  }
};

// --- asynchronous copies ---

template <int Bytes, int Stages>
struct AsyncCopies : Plain {
  const char* in;
  std::size_t step, wrap;  ///< between rounds; where a block begins anew
  bool common;             ///< all blocks read the same bytes, each from a place of its own on
  __device__ unsigned operator()() const {
    char* const ring = reinterpret_cast<char*>(scratch) + threadIdx.x * Bytes;
    const std::size_t slot = blockDim.x * std::size_t{Bytes};
    const char* const from = in + (common ? 0 : blockIdx.x * wrap) + threadIdx.x * Bytes;
    std::size_t at = common ? blockIdx.x * (wrap / gridDim.x / 256 * 256) : 0;
    const auto ask = [&](int stage) {
      __pipeline_memcpy_async(ring + stage * slot, from + at, Bytes);
      __pipeline_commit();
      at = at + 2 * step > wrap ? 0 : at + step;
    };
#pragma unroll
    for (int s = 0; s < Stages - 1; ++s) ask(s);
    unsigned sum = 0;
    int next = Stages - 1, now = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      ask(next);
      __pipeline_wait_prior(Stages - 1);
      sum += *reinterpret_cast<const volatile unsigned*>(ring + now * slot);
      next = next + 1 == Stages ? 0 : next + 1, now = now + 1 == Stages ? 0 : now + 1;
    }
    __pipeline_wait_prior(0);
    return sum;
  }
};
struct BulkCopies : Plain {
  const char* in;
  unsigned bytes, stages;
  std::size_t wrap;
  __device__ unsigned operator()() const {
    __shared__ std::uint64_t full[4];
    char* const ring = reinterpret_cast<char*>(scratch);
    if (threadIdx.x != 0) return 0;
    for (unsigned s = 0; s < stages; ++s) ladder::init_barrier(&full[s], 1);
    ladder::publish_barriers();
    const char* const from = in + blockIdx.x * wrap;
    std::size_t at = 0;
    const auto ask = [&](unsigned stage) {
      ladder::bulk_load(ring + stage * bytes, from + at, bytes, &full[stage]);
      at = at + 2 * bytes > wrap ? 0 : at + bytes;
    };
    for (unsigned s = 0; s < stages; ++s) ask(s);
    unsigned stage = 0, phase = 0, sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      ladder::wait_for(&full[stage], phase);
      sum += *reinterpret_cast<const volatile unsigned*>(ring + stage * bytes);
      ask(stage);
      if (++stage == stages) stage = 0, phase ^= 1;
    }
    for (unsigned s = 0; s < stages; ++s) {
      ladder::wait_for(&full[stage], phase);
      if (++stage == stages) stage = 0, phase ^= 1;
    }
    return sum;
  }
};
struct BulkStores : Plain {
  char* out;
  unsigned bytes;
  std::size_t wrap;
  bool until_stored;
  __device__ unsigned operator()() const {
    if (threadIdx.x != 0) return 0;
    std::size_t at = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      ladder::bulk_store(out + blockIdx.x * wrap + at, scratch, bytes);
      if (until_stored)
        ladder::wait_until_stored();
      else
        ladder::wait_until_read();
      at = at + 2 * bytes > wrap ? 0 : at + bytes;
    }
    ladder::wait_until_stored();
    return 0;
  }
};

// --- local memory at a run-time index ---

template <int Words>
struct Local : Plain {
  unsigned step, by_lane;  ///< how far an index goes each round; between lanes
  bool stores;
  __device__ unsigned operator()() const {
    unsigned mine[Words];
#pragma unroll 1
    for (int k = 0; k < Words; ++k) mine[k] = k * step;
    unsigned at = threadIdx.x * by_lane, sum = 0;
    if (stores) {
#pragma unroll 1
      for (int r = 0; r < rounds; ++r) {
        mine[at % Words] += sum;
        at += step, sum += r;
      }
      for (int k = 0; k < Words; ++k) sum += mine[k];
      return sum;
    }
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) at = mine[at % Words] + at + step;
    return at;
  }
};

/// Loads whose indices stay apart: the chain's meet after a few rounds.
template <int Words>
struct LocalLoads : Plain {
  unsigned step, by_lane;
  __device__ unsigned operator()() const {
    unsigned mine[Words];
#pragma unroll 1
    for (int k = 0; k < Words; ++k) mine[k] = k * step;
    unsigned at = threadIdx.x * by_lane, sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      sum += mine[at % Words];
      at += step;
    }
    return sum;
  }
};

// --- shared memory of other blocks of a cluster ---

enum class Remote { load, chain, store, add, add_used, add_float, barrier };

/// Each warp works on the next block's memory; a round is one request of it.
template <Remote What>
struct RemoteShared : Plain {
  unsigned lanes, apart;  ///< of a warp; words between lanes' addresses: 0 is one for all
  __device__ unsigned shared_words() const { return 4096; }
  __device__ unsigned filling(unsigned k) const { return (k * 33 + 32) & 4095; }
  __device__ unsigned operator()() const {
    const auto cluster = cooperative_groups::this_cluster();
    unsigned* const there = cluster.map_shared_rank(reinterpret_cast<unsigned*>(scratch),
                                                    (cluster.block_rank() + 1) % cluster.num_blocks());
    cluster.sync();
    unsigned sum = 0, at = threadIdx.x * apart & 4095;
    if (What == Remote::barrier) {
#pragma unroll 1
      for (int r = 0; r < rounds; ++r) cluster.sync();
    } else if (threadIdx.x % 32 < lanes) {
#pragma unroll 1
      for (int r = 0; r < rounds; ++r) {
        if (What == Remote::load) sum += *const_cast<volatile unsigned*>(&there[at]);
        if (What == Remote::chain) sum = at = there[at];
        if (What == Remote::store) *const_cast<volatile unsigned*>(&there[at]) = r;
        if (What == Remote::add) atomicAdd(&there[at], 1u);
        if (What == Remote::add_used) sum += atomicAdd(&there[at], 1u);
        if (What == Remote::add_float) atomicAdd(reinterpret_cast<float*>(&there[at]), 1.0f);
        if (What != Remote::chain) at = at + 64 * apart & 4095;
      }
    }
    cluster.sync();
    return sum;
  }
};

// --- texels of linear memory ---

struct Fetches : Plain {
  cudaTextureObject_t table;
  unsigned mask, by_lane, step;  ///< words
  __device__ unsigned operator()() const {
    unsigned at = blockIdx.x * 7919u * 32 + threadIdx.x * by_lane, sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r)
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        sum += tex1Dfetch<unsigned>(table, static_cast<int>(at & mask));
        at += step;
      }
    return sum;
  }
};

// --- operands in constant memory ---

__constant__ float factors[64];
template <int Chains>
struct ConstantFactors : Plain {
  __device__ unsigned operator()() const {
    float v[Chains];
#pragma unroll
    for (int c = 0; c < Chains; ++c) v[c] = threadIdx.x + c;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r)
#pragma unroll
      for (int k = 0; k < 64; ++k)
#pragma unroll
        for (int c = 0; c < Chains; ++c) v[c] = fmaf(v[c], factors[k], 0.5f);
    float all = 0;
#pragma unroll
    for (int c = 0; c < Chains; ++c) all += v[c];
    return __float_as_uint(all);
  }
};

// --- floating point with operands in shared memory ---

struct SharedWords : Plain {
  __device__ unsigned shared_words() const { return 8192; }
  __device__ unsigned filling(unsigned k) const { return __float_as_uint(1.0f + k * 1e-5f); }
};
/// One chain; each step's operand is loaded, all lanes of one word or each of its own.
template <bool Broadcast>
struct ChainOfLoads : SharedWords {
  __device__ unsigned operator()() const {
    const float* values = reinterpret_cast<const float*>(scratch) + (Broadcast ? 0 : threadIdx.x % 32);
    float v = 1;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      const float* row = values + (r & 31) * 64;
#pragma unroll
      for (int k = 0; k < 16; ++k) v = fmaf(v, row[k * 32], 0.5f);
    }
    return __float_as_uint(v);
  }
};
/// Where each load's address comes from the last one.
struct ChaseShared : SharedWords {
  __device__ unsigned filling(unsigned k) const { return (k * 33 + 32) & 8191; }
  __device__ unsigned operator()() const {
    const unsigned* values = reinterpret_cast<const unsigned*>(scratch);
    unsigned at = threadIdx.x;
    float v = 1;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      at = values[at];
      v = fmaf(v, __uint_as_float(at), 0.5f);
    }
    return at + __float_as_uint(v);
  }
};
/// An inner product's step: Rows x Columns sums a thread, Rows + Columns words loaded.
template <int Rows, int Columns>
struct Outer : SharedWords {
  __device__ unsigned operator()() const {
    const float* values = reinterpret_cast<const float*>(scratch);
    const float *a = values + threadIdx.x / 16 % 16 * Rows, *b = values + 4096 + threadIdx.x % 16 * Columns;
    float sum[Rows][Columns] = {};
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        float p[Rows], q[Columns];
#pragma unroll
        for (int i = 0; i < Rows; ++i) p[i] = a[k * 256 + i];
#pragma unroll
        for (int j = 0; j < Columns; ++j) q[j] = b[k * 256 + j];
#pragma unroll
        for (int i = 0; i < Rows; ++i)
#pragma unroll
          for (int j = 0; j < Columns; ++j) sum[i][j] += p[i] * q[j];
      }
      __syncthreads();
    }
    float all = 0;
#pragma unroll
    for (int i = 0; i < Rows; ++i)
#pragma unroll
      for (int j = 0; j < Columns; ++j) all += sum[i][j];
    return __float_as_uint(all);
  }
};
/// A body of another: 20 flops, one reciprocal root, four words of shared memory for all lanes.
struct Interaction : SharedWords {
  __device__ unsigned operator()() const {
    const float4* bodies = reinterpret_cast<const float4*>(scratch);
    const float x = threadIdx.x * 0.01f, y = x + 1, z = x + 2;
    float ax = 0, ay = 0, az = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll 16
      for (int k = 0; k < 64; ++k) {
        const float dx = bodies[k].x - x, dy = bodies[k].y - y, dz = bodies[k].z - z;
        const float q = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = bodies[k].w * q * q * q;
        ax += f * dx, ay += f * dy, az += f * dz;
      }
    }
    return __float_as_uint(ax + ay + az);
  }
};
__constant__ float4 planes[32];
/// The least of 32 planes' distances: operands are constants.
struct Planes : Plain {
  __device__ unsigned operator()() const {
    float x = threadIdx.x * 0.01f, least = 1e30f;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int k = 0; k < 32; ++k)
        least = fminf(least, x * planes[k].x + (x + 1) * planes[k].y + (x + 2) * planes[k].z + planes[k].w);
      x += least;
    }
    return __float_as_uint(x);
  }
};

// --- barriers, rows ---

/// Warp w works w times @p each steps, then all meet.
struct UnevenBarrier : Plain {
  int each;
  __device__ unsigned operator()() const {
    float v = threadIdx.x;
    const int mine = static_cast<int>(threadIdx.x / 32) * each;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll 1
      for (int k = 0; k < mine; ++k) v = fmaf(v, 0.5f, 1.0f);
      __syncthreads();
    }
    return __float_as_uint(v);
  }
};
/// One warp alone comes late.
struct LateBarrier : Plain {
  int late;
  __device__ unsigned operator()() const {
    float v = threadIdx.x;
    const int mine = threadIdx.x < 32 ? late : 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll 1
      for (int k = 0; k < mine; ++k) v = fmaf(v, 0.5f, 1.0f);
      __syncthreads();
    }
    return __float_as_uint(v);
  }
};
struct BlockSum : Plain {
  __device__ unsigned operator()() const {
    __shared__ float parts[32];
    float v = threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
      if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
      __syncthreads();
      float sum = 0;
      for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += parts[w];
      v = sum * 0.001f + threadIdx.x;
      __syncthreads();
    }
    return __float_as_uint(v);
  }
};

/// Both passes over a row, each with its clock: what the L1 answers of the second.
__global__ void row_passes(const float* in, int width, int rows_each, long long* cycles, float* kept) {
  long long first = 0, second = 0;
  float sum = 0;
  for (int r = 0; r < rows_each; ++r) {
    const float* row = in + (blockIdx.x + r * std::size_t{gridDim.x}) * width;
    __syncthreads();
    const long long a = clock64();
    for (int c = threadIdx.x; c < width; c += blockDim.x) sum += row[c];
    sum = __shfl_xor_sync(~0u, sum, 1);
    __syncthreads();
    const long long b = clock64();
    for (int c = threadIdx.x; c < width; c += blockDim.x) sum += row[c] * sum;
    sum = __shfl_xor_sync(~0u, sum, 1);
    __syncthreads();
    const long long c = clock64();
    first += b - a, second += c - b;
  }
  if (threadIdx.x == 0) cycles[2 * blockIdx.x] = first, cycles[2 * blockIdx.x + 1] = second;
  if (sum == 1.2345f) kept[threadIdx.x] = sum;
}

// --- atomics on few words ---

enum class Kind { add, add_float, greatest };

template <Kind What, bool Used>
__global__ void atomics(unsigned* words, unsigned* kept, unsigned mask, bool random, int rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  unsigned sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const unsigned k = i + r * step, at = (random ? scrambled(k) : k) & mask;
    if constexpr (What == Kind::add_float) {
      const float old = atomicAdd(reinterpret_cast<float*>(words) + at, 1.0f);
      if constexpr (Used) sum += __float_as_uint(old);
    } else {
      const unsigned old =
          What == Kind::add ? atomicAdd(&words[at], 1u) : atomicMax(&words[at], scrambled(k));
      if constexpr (Used) sum += old;
    }
  }
  if (Used && sum == 0x12345678u) kept[threadIdx.x] = sum;
}

class Probes {
 public:
  Probes(int argc, char** argv)
      : checked_(argc, argv, "name,blocks,threads,value,unit"),
        sms(static_cast<unsigned>(checked_.bench().sms)),
        simulated(checked_.bench().simulated) {
    cudaMalloc(&cycles_, sizeof(long long) * 2 * 4096);
    cudaMalloc(&kept_, 4096);
    cudaMalloc(&other_, other_bytes());
  }

  /// Prints the cycles that one of @p of rounds takes: the median of the blocks, the least of five launches.
  /// @param cold puts what the L2 holds out of it before each
  template <typename Body>
  void cycles(const std::string& name, const Body& body, unsigned blocks, unsigned threads, double of,
              unsigned shared_bytes = 0, bool cold = false) {
    checked_.attempt(label(name, blocks, threads), [&] {
      if (shared_bytes > 48 << 10)
        cudaFuncSetAttribute(timed<Body>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes));
      double best = 1e300;
      for (int run = 0; run < (simulated ? 2 : 5); ++run) {
        if (cold) flush();
        timed<Body><<<blocks, threads, shared_bytes>>>(body, cycles_, kept_);
        if (const cudaError_t error = cudaDeviceSynchronize()) return error;
        best = std::min(best, median(blocks, 1, 0));
      }
      say(name, blocks, threads, best / of, "cycles");
      return cudaGetLastError();
    });
  }
  /// The same by clusters of @p of_cluster blocks.
  template <typename Body>
  void cluster_cycles(const std::string& name, const Body& body, unsigned blocks, unsigned threads,
                      unsigned of_cluster, double of, unsigned shared_bytes) {
    checked_.attempt(label(name, blocks, threads), [&] {
      cudaLaunchAttribute attribute{};
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim = {of_cluster, 1, 1};
      cudaLaunchConfig_t config{};
      config.gridDim = blocks, config.blockDim = threads, config.dynamicSmemBytes = shared_bytes;
      config.attrs = &attribute, config.numAttrs = 1;
      double best = 1e300;
      for (int run = 0; run < (simulated ? 2 : 5); ++run) {
        if (const cudaError_t error = cudaLaunchKernelEx(&config, timed<Body>, body, cycles_, kept_))
          return error;
        if (const cudaError_t error = cudaDeviceSynchronize()) return error;
        best = std::min(best, median(blocks, 1, 0));
      }
      say(name, blocks, threads, best / of, "cycles");
      return cudaGetLastError();
    });
  }
  void rows(int width, const float* in, std::size_t n, unsigned an_sm) {
    const unsigned blocks = sms * an_sm;
    const std::string name =
        "row of " + std::to_string(width) + ", " + std::to_string(an_sm) + " blocks an SM";
    checked_.attempt(label(name, blocks, 256), [&] {
      const int each = static_cast<int>(std::min<std::size_t>(16, n / width / blocks));
      if (each == 0) return cudaSuccess;
      double first = 1e300, second = 1e300;
      for (int run = 0; run < (simulated ? 2 : 5); ++run) {
        flush();
        row_passes<<<blocks, 256>>>(in, width, each, cycles_, reinterpret_cast<float*>(kept_));
        if (const cudaError_t error = cudaDeviceSynchronize()) return error;
        first = std::min(first, median(blocks, 2, 0)), second = std::min(second, median(blocks, 2, 1));
      }
      say(name + ", first pass", blocks, 256, first / each, "cycles");
      say(name + ", second pass", blocks, 256, second / each, "cycles");
      return cudaGetLastError();
    });
  }
  template <typename Launch>
  void lanes(const std::string& name, unsigned blocks, unsigned threads, double of, const Launch& launch) {
    checked_.attempt(label(name, blocks, threads), [&] {
      cudaEvent_t begin, end;
      cudaEventCreate(&begin), cudaEventCreate(&end);
      float best = 1e30f;
      for (int run = 0; run < (simulated ? 2 : 6); ++run) {
        cudaEventRecord(begin);
        launch();
        cudaEventRecord(end);
        if (const cudaError_t error = cudaEventSynchronize(end)) return error;
        float ms = 0;
        cudaEventElapsedTime(&ms, begin, end);
        if (run > 0) best = std::min(best, ms);
      }
      cudaEventDestroy(begin), cudaEventDestroy(end);
      say(name, blocks, threads, of / (best * 1e-3) * 1e-9, "glanes_per_s");
      return cudaGetLastError();
    });
  }

 private:
  std::size_t other_bytes() const { return checked_.bench().array_bytes / 4; }
  void flush() const { cudaMemset(other_, 0, other_bytes()); }
  static std::string label(const std::string& name, unsigned blocks, unsigned threads) {
    return name + " (" + std::to_string(blocks) + " x " + std::to_string(threads) + ")";
  }
  double median(unsigned blocks, unsigned each, unsigned which) const {
    std::vector<long long> all(blocks * each), picked;
    cudaMemcpy(all.data(), cycles_, all.size() * sizeof(long long), cudaMemcpyDeviceToHost);
    for (std::size_t i = which; i < all.size(); i += each) picked.push_back(all[i]);
    std::sort(picked.begin(), picked.end());
    return static_cast<double>(picked[picked.size() / 2]);
  }
  void say(const std::string& name, unsigned blocks, unsigned threads, double value, const char* unit) const {
    std::printf("%-56s %5u x %4u %12.3f %s\n", name.c_str(), blocks, threads, value, unit);
    std::fflush(stdout);
    char cells[96];
    std::snprintf(cells, sizeof cells, ",%u,%u,%.4f,%s", blocks, threads, value, unit);
    checked_.line('"' + name + '"' + cells);
  }

  ladder::Checked checked_;
  long long* cycles_ = nullptr;
  unsigned* kept_ = nullptr;
  void* other_ = nullptr;

 public:
  const unsigned sms;
  const bool simulated;
  const ladder::Checked& checked() const { return checked_; }
};

/// Latency by one warp's single chain, rate by sixteen warps of two chains (by each warp's operation, an SM).
template <typename T, typename Op>
void probe_operation(Probes& probes, const char* name, T by) {
  const int rounds = 256;
  probes.cycles(std::string(name) + ", latency", Arithmetic<T, Op, 1>{{rounds}, by}, 1, 32, rounds);
  probes.cycles(std::string(name) + ", rate", Arithmetic<T, Op, 2>{{rounds}, by}, 1, 512, rounds * 2.0 * 16);
}

template <Remote What>
void probe_remote(Probes& probes, const char* what) {
  const int rounds = 256;
  for (const unsigned of : {2u, 4u, 8u})
    for (const bool all : {false, true}) {
      const unsigned blocks = all ? probes.sms / of * of : of;
      for (const unsigned threads : {32u, 256u})
        for (const unsigned lanes : {1u, 8u, 32u})
          for (const unsigned apart : {0u, 1u, 33u}) {
            if ((What == Remote::barrier || lanes == 1) && apart != 1) continue;
            if (What == Remote::barrier && lanes != 32) continue;
            probes.cluster_cycles(
                "cluster of " + std::to_string(of) + ", " + what + ", " + std::to_string(lanes) + " lanes, " +
                    std::to_string(apart) + " words apart",
                RemoteShared<What>{{rounds}, lanes, apart}, blocks, threads, of, rounds, 4096 * 4);
          }
    }
}

template <int Bytes, int Stages>
void probe_async(Probes& probes, const char* in, std::size_t bytes) {
  const std::string name =
      "cp.async of " + std::to_string(Bytes) + " bytes, " + std::to_string(Stages) + " stages, ";
  const int rounds = 512;
  for (const unsigned threads : {32u, 128u, 256u}) {
    const unsigned ring = threads * Bytes * Stages;
    const std::size_t step = threads * std::size_t{Bytes},
                      few = std::size_t{probes.simulated ? 2u : 16u} << 20,
                      many = bytes / probes.sms / 256 * 256;
    probes.cycles(name + "L2", AsyncCopies<Bytes, Stages>{{rounds}, in, step, few, true}, probes.sms, threads,
                  rounds, ring);
    probes.cycles(name + "DRAM", AsyncCopies<Bytes, Stages>{{rounds}, in, step, many, false}, probes.sms,
                  threads, rounds, ring, true);
  }
}
template <int Bytes>
void probe_async_of(Probes& probes, const char* in, std::size_t bytes) {
  probe_async<Bytes, 1>(probes, in, bytes);
  probe_async<Bytes, 2>(probes, in, bytes);
  probe_async<Bytes, 4>(probes, in, bytes);
  probe_async<Bytes, 8>(probes, in, bytes);
}

template <Kind What>
void probe_atomics(Probes& probes, const char* name, unsigned* words, unsigned* kept) {
  const unsigned blocks = probes.sms * 8;
  const int rounds = 8;
  for (const unsigned size : {16u, 32u, 64u, 128u, 256u, 512u})
    for (const bool random : {false, true}) {
      const std::string all = std::string(name) + " on " + std::to_string(size) + " words" +
                              (random ? " at random" : " in order");
      const double of = 256.0 * blocks * rounds;
      probes.lanes(all, blocks, 256, of,
                   [&] { atomics<What, false><<<blocks, 256>>>(words, kept, size - 1, random, rounds); });
      probes.lanes(all + ", result used", blocks, 256, of,
                   [&] { atomics<What, true><<<blocks, 256>>>(words, kept, size - 1, random, rounds); });
    }
}

}  // namespace

int main(int argc, char** argv) {
  Probes probes(argc, argv);
  const std::size_t bytes = probes.checked().bench().array_bytes;
  auto* words = probes.checked().bench().array<unsigned>(bytes);
  auto* out = probes.checked().bench().array<unsigned>(bytes);
  ladder::fill_words<<<probes.sms * 8, 256>>>(words, bytes / 4);
  ladder::check(cudaDeviceSynchronize(), "fill");
  const auto* text = reinterpret_cast<const char*>(words);
  const unsigned sms = probes.sms;

  // 16 MB of a card's L2, 1 MB of a slice's: both are far larger than an L1's share of them.
  const unsigned mask = (probes.simulated ? 1u << 19 : 1u << 22) - 1;
  for (const unsigned blocks : {1u, sms})
    for (const unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u})
      for (const unsigned lanes : {1u, 2u, 4u, 8u, 16u, 32u})
        probes.cycles("gather in L2, " + std::to_string(lanes) + " lanes, a warp's request",
                      Gather{{64}, words, mask, lanes, false}, blocks, warps * 32, 64.0 * 8 * warps);
  for (const unsigned lanes : {1u, 2u, 4u, 8u, 16u, 32u})
    probes.cycles("chain in L2, " + std::to_string(lanes) + " lanes", Gather{{32}, words, mask, lanes, true},
                  1, 32, 32.0 * 8);

  probe_async_of<4>(probes, text, bytes);
  probe_async_of<8>(probes, text, bytes);
  probe_async_of<16>(probes, text, bytes);
  for (const unsigned size : {64u, 256u, 1024u, 4096u, 16384u, 32768u})
    for (const unsigned stages : {1u, 2u, 4u})
      for (const bool far : {false, true}) {
        const std::size_t wrap = far ? bytes / sms / 32768 * 32768 : std::size_t{64} << 10;
        for (const unsigned blocks : {1u, sms})
          probes.cycles("bulk copy of " + std::to_string(size) + " bytes, " + std::to_string(stages) +
                            " stages, " + (far ? "DRAM" : "L2"),
                        BulkCopies{{128}, text, size, stages, wrap}, blocks, 32, 128, size * stages, far);
      }
  for (const unsigned size : {64u, 1024u, 16384u})
    for (const bool stored : {false, true})
      for (const unsigned blocks : {1u, sms})
        probes.cycles(
            "bulk store of " + std::to_string(size) + " bytes, until " + (stored ? "stored" : "read"),
            BulkStores{{64}, reinterpret_cast<char*>(out), size, std::size_t{64} << 10, stored}, blocks, 32,
            64, size);

  probe_operation<U32, DivideU32>(probes, "u32 division", 7u);
  probe_operation<U32, ModuloU32>(probes, "u32 modulo", 1000003u);
  probe_operation<S32, DivideS32>(probes, "s32 division", 7);
  probe_operation<S32, ModuloS32>(probes, "s32 modulo", 1000003);
  probe_operation<U64, DivideU64>(probes, "u64 division", 0x123456789ull);
  probe_operation<U64, ModuloU64>(probes, "u64 modulo", 0x123456789ull);
  probe_operation<U64, DivideSmallU64>(probes, "u64 division of 32 bits", 7ull);
  probe_operation<U64, ModuloSmallU64>(probes, "u64 modulo of 32 bits", 1000003ull);
  probe_operation<S64, DivideS64>(probes, "s64 division", 0x123456789ll);
  probe_operation<U32, DivideByU32>(probes, "u32 division by what changes", 7u);
  probe_operation<U64, DivideByU64>(probes, "u64 division by what changes", 7ull);
  probe_operation<U64, DivideBySmallU64>(probes, "u64 division of 32 bits by what changes", 7ull);
  probe_operation<U32, AddU32>(probes, "u32 add and xor", 7u);
  probe_operation<U32, MultiplyAddU32>(probes, "u32 multiply and add", 7u);
  probe_operation<U32, HighU32>(probes, "u32 high product and add", 0xd2511f53u);
  probe_operation<U64, MultiplyU64>(probes, "u64 product and add", 0xd2511f53d2511f53ull);
  probe_operation<U32, ShiftU32>(probes, "u32 shift and xor", 3u);
  probe_operation<U32, FunnelU32>(probes, "u32 funnel shift", 7u);
  probe_operation<U32, CountBits>(probes, "popc and add", 7u);
  probe_operation<U32, ReverseBits>(probes, "brev and add", 7u);
  probe_operation<U32, LeadingZeros>(probes, "clz and add", 7u);
  probe_operation<U32, BytePermute>(probes, "byte permute", 0x01020304u);
  probe_operation<U32, Shuffle>(probes, "shuffle and add", 7u);
  probe_operation<U32, LeastU32>(probes, "u32 minimum of sum and xor", 7u);
  probe_operation<S32, ToFloatAndBack>(probes, "s32 to f32 and back", 7);
  probe_operation<U32, UnsignedToFloatAndBack>(probes, "u32 to f32 and back", 7u);
  probe_operation<U32, ByteToFloatAndBack>(probes, "byte to f32 and back", 7u);
  probe_operation<S32, ToDoubleAndBack>(probes, "s32 to f64 and back", 7);
  probe_operation<S64, LongToFloatAndBack>(probes, "s64 to f32 and back", 7ll);
  probe_operation<S64, LongToDoubleAndBack>(probes, "s64 to f64 and back", 7ll);
  probe_operation<float, FloatToHalfAndBack>(probes, "f32 to f16 and back", 0.25f);
  probe_operation<float, FloatToDoubleAndBack>(probes, "f32 to f64 and back", 0.25f);
  probe_operation<float, Fma>(probes, "f32 fma", 0.25f);
  probe_operation<float, FmaAndLeast>(probes, "f32 fma and minimum", 0.25f);
  probe_operation<float, DivideF32>(probes, "f32 division and add", 2.0f);
  probe_operation<float, FastDivideF32>(probes, "f32 fast division and add", 2.0f);
  probe_operation<float, RootF32>(probes, "f32 root and add", 2.0f);
  probe_operation<float, ReciprocalRootF32>(probes, "f32 reciprocal root and add", 2.0f);
  probe_operation<float, ExponentialF32>(probes, "f32 fast exponential and add", 0.25f);
  probe_operation<float, LogarithmF32>(probes, "f32 fast logarithm and add", 2.0f);
  probe_operation<float, SineF32>(probes, "f32 fast sine and add", 0.25f);
  probe_operation<double, FmaF64>(probes, "f64 fma", 0.25);
  probe_operation<double, DivideF64>(probes, "f64 division and add", 2.0);
  probe_operation<double, RootF64>(probes, "f64 root and add", 2.0);

  for (const unsigned threads : {32u, 128u, 256u, 1024u}) {
    probes.cycles("local array of 16, one index, chain", Local<16>{{512}, 5, 0, false}, 1, threads, 512);
    probes.cycles("local array of 16, index by lane, chain", Local<16>{{512}, 5, 3, false}, 1, threads, 512);
    probes.cycles("local array of 64, index by lane, chain", Local<64>{{512}, 5, 3, false}, 1, threads, 512);
    probes.cycles("local array of 256, index by lane, chain", Local<256>{{512}, 5, 3, false}, 1, threads,
                  512);
    probes.cycles("local array of 16, one index, updates", Local<16>{{512}, 5, 0, true}, 1, threads, 512);
    probes.cycles("local array of 16, index by lane, updates", Local<16>{{512}, 5, 3, true}, 1, threads, 512);
    probes.cycles("local array of 256, index by lane, updates", Local<256>{{512}, 5, 3, true}, 1, threads,
                  512);
  }

  for (const unsigned threads : {32u, 256u, 1024u}) {
    probes.cycles("local array of 16, index by lane, loads", LocalLoads<16>{{512}, 5, 3}, 1, threads, 512);
    probes.cycles("local array of 256, index by lane, loads", LocalLoads<256>{{512}, 5, 3}, 1, threads, 512);
    probes.cycles("fma with a constant, one chain, a warp's", ConstantFactors<1>{{16}}, 1, threads,
                  16 * 64 * threads / 32.0);
    probes.cycles("fma with a constant, four chains, a warp's", ConstantFactors<4>{{16}}, 1, threads,
                  16 * 64 * 4 * threads / 32.0);
  }

  probe_remote<Remote::load>(probes, "loads");
  probe_remote<Remote::chain>(probes, "chain");
  probe_remote<Remote::store>(probes, "stores");
  probe_remote<Remote::add>(probes, "sums");
  probe_remote<Remote::add_used>(probes, "sums, result used");
  probe_remote<Remote::add_float>(probes, "float sums");
  probe_remote<Remote::barrier>(probes, "barrier");

  {
    cudaResourceDesc what{};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = words;
    what.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    what.res.linear.sizeInBytes = bytes;
    cudaTextureDesc how{};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texels = 0;
    ladder::check(cudaCreateTextureObject(&texels, &what, &how, nullptr), "cudaCreateTextureObject");
    for (const unsigned blocks : {1u, sms})
      for (const unsigned threads : {32u, 256u, 1024u})
        for (const unsigned apart : {1u, 2u, 8u, 32u, 33u})
          for (const bool near : {true, false})
            probes.cycles("texels of words, " + std::to_string(apart) + " apart, a warp's request, " +
                              (near ? "L1" : "L2"),
                          Fetches{{64}, texels, near ? 4095u : mask, apart, near ? 1u : 32768u * 7 + 32 * 5},
                          blocks, threads, 64.0 * 4 * threads / 32);
    cudaDestroyTextureObject(texels);
  }
  for (const unsigned width : {1000u, 4000u, 16000u, 16384u, 65536u})
    for (const unsigned more : {0u, 96u, 384u}) {
      const std::size_t pitch = width + more, height = bytes / 65536 / 2;
      probes.lanes(
          "copy of rows of " + std::to_string(width) + " bytes, " + std::to_string(pitch) + " apart, bytes",
          1, 1, 2.0 * width * static_cast<double>(height) * (probes.simulated ? 12 : 1),
          [&] { cudaMemcpy2DAsync(out, pitch, words, pitch, width, height, cudaMemcpyDeviceToDevice); });
    }

  const unsigned kilobytes = 8192 * 4;
  for (const unsigned threads : {32u, 128u, 256u, 512u, 1024u}) {
    const double warps = threads / 32.0;
    probes.cycles("fma chain, words of lanes from shared memory, a warp's step", ChainOfLoads<false>{{{128}}},
                  1, threads, 128 * 16 * warps, kilobytes);
    probes.cycles("fma chain, one word from shared memory, a warp's step", ChainOfLoads<true>{{{128}}}, 1,
                  threads, 128 * 16 * warps, kilobytes);
    probes.cycles("chase in shared memory", ChaseShared{{{512}}}, 1, threads, 512, kilobytes);
    probes.cycles("outer product 1 x 1, a warp's step", Outer<1, 1>{{{64}}}, 1, threads, 64 * 8 * warps,
                  kilobytes);
    probes.cycles("outer product 2 x 2, a warp's step", Outer<2, 2>{{{64}}}, 1, threads, 64 * 8 * warps,
                  kilobytes);
    probes.cycles("outer product 4 x 1, a warp's step", Outer<4, 1>{{{64}}}, 1, threads, 64 * 8 * warps,
                  kilobytes);
    probes.cycles("outer product 4 x 4, a warp's step", Outer<4, 4>{{{64}}}, 1, threads, 64 * 8 * warps,
                  kilobytes);
    if (threads <= 512)
      probes.cycles("outer product 8 x 8, a warp's step", Outer<8, 8>{{{64}}}, 1, threads, 64 * 8 * warps,
                    kilobytes);
    probes.cycles("interaction of bodies, a warp's", Interaction{{{16}}}, 1, threads, 16 * 64 * warps,
                  kilobytes);
    probes.cycles("plane of constants, a warp's", Planes{{32}}, 1, threads, 32 * 32 * warps);
  }
  for (const unsigned threads : {64u, 256u, 1024u}) {
    for (const int each : {0, 4, 16})
      probes.cycles("barrier, warp w late by w x " + std::to_string(each) + " fma", UnevenBarrier{{64}, each},
                    1, threads, 64);
    for (const int late : {16, 64, 256})
      probes.cycles("barrier, one warp late by " + std::to_string(late) + " fma", LateBarrier{{64}, late}, 1,
                    threads, 64);
    probes.cycles("sum of a block by shuffles", BlockSum{{64}}, 1, threads, 64);
    probes.cycles("sum of a block by shuffles, two blocks an SM", BlockSum{{64}}, 2 * sms, threads, 64);
  }
  for (const unsigned an_sm : {4u, 8u})
    probes.cycles("sum of a block by shuffles, " + std::to_string(an_sm) + " blocks an SM", BlockSum{{64}},
                  an_sm * sms, 256, 64);
  for (const int width : {256, 768, 2048, 8192})
    for (const unsigned an_sm : {1u, 4u, 8u})
      probes.rows(width, reinterpret_cast<const float*>(words), bytes / 4, an_sm);

  probe_atomics<Kind::add>(probes, "atomic sums", out, out + 4096);
  probe_atomics<Kind::add_float>(probes, "atomic float sums", out + 8192, out + 4096);
  probe_atomics<Kind::greatest>(probes, "atomic maxima", out, out + 4096);
  return 0;
}
