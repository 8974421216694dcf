/// @file
/// Tensor copies of every rank, swizzle, interleave and fill, and what blocks of a cluster do to each other's shared memory;
/// the same on a real GPU and on the simulated one:
///
///     tensors loads|stores|im2col|clusters [--all|--few] [--from N]
///
/// One line a case: its name, whether the copy's bytes completed the mbarrier, the first words of the result, a hash over all.
#include <cuda.h>
#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "check.cuh"

static bool print_all = false;
static int case_number = 0, first_case = 0;  ///< cases before the first are left out
static char** arguments;

/// Waits for the kernel. A case that the GPU refuses ends the process for good: the program starts itself again behind it.
static bool refused(const std::string& name) {
  const cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) return false;
  std::printf("%s : refused: %s\n", name.c_str(), cudaGetErrorString(error));
  std::fflush(stdout);
  const std::string from = std::to_string(case_number);
  char option[] = "--from", yes[] = "--all", no[] = "--few";
  char* again[] = {arguments[0], arguments[1], print_all ? yes : no, option, const_cast<char*>(from.c_str()),
                   nullptr};
  execv("/proc/self/exe", again);
  std::exit(2);
}
constexpr unsigned kShared = 64 * 1024, kOut = 1 << 20;

// ---------------------------------------------------------------------------------------------------------------- kernels

struct Arguments {
  int rank, at[5];
  unsigned bytes;             ///< expected at the mbarrier
  unsigned short offsets[3];  ///< im2col
};

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ bool completes(unsigned bar, unsigned parity) {
  for (int i = 0; i < 50000; ++i) {
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar), "r"(parity)
                 : "memory");
    if (done) return true;
  }
  return false;
}

#define LOAD(rank, mode, coordinates, more)                                                              \
  asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global." mode                              \
               ".mbarrier::complete_tx::bytes [%0], [%1, " coordinates "], [%2]" more ";" ::"r"(to),     \
               "l"(map), "r"(bar), "r"(a.at[0]), "r"(a.at[1]), "r"(a.at[2]), "r"(a.at[3]), "r"(a.at[4]), \
               "h"(a.offsets[0]), "h"(a.offsets[1]), "h"(a.offsets[2])                                   \
               : "memory")
#define STORE(rank, opcode, mode, coordinates)                                                         \
  asm volatile("cp." opcode ".tensor." rank ".global.shared::cta" mode ".bulk_group [%0, " coordinates \
               "], [%1];" ::"l"(map),                                                                  \
               "r"(to), "r"(a.at[0]), "r"(a.at[1]), "r"(a.at[2]), "r"(a.at[3]), "r"(a.at[4])           \
               : "memory")

__global__ void load(const __grid_constant__ CUtensorMap tensor, Arguments a, bool im2col, unsigned* out) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ __align__(8) unsigned long long object;
  for (unsigned i = threadIdx.x; i < kShared / 4; i += blockDim.x)
    reinterpret_cast<unsigned*>(shared)[i] = 0xABABABAB;
  const unsigned bar = shared_address(&object), to = shared_address(shared);
  const CUtensorMap* map = &tensor;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(a.bytes) : "memory");
    if (im2col) {
      if (a.rank == 3) LOAD("3d", "im2col", "{%3, %4, %5}", ", {%8}");
      if (a.rank == 4) LOAD("4d", "im2col", "{%3, %4, %5, %6}", ", {%8, %9}");
      if (a.rank == 5) LOAD("5d", "im2col", "{%3, %4, %5, %6, %7}", ", {%8, %9, %10}");
    } else {
      if (a.rank == 1) LOAD("1d", "tile", "{%3}", "");
      if (a.rank == 2) LOAD("2d", "tile", "{%3, %4}", "");
      if (a.rank == 3) LOAD("3d", "tile", "{%3, %4, %5}", "");
      if (a.rank == 4) LOAD("4d", "tile", "{%3, %4, %5, %6}", "");
      if (a.rank == 5) LOAD("5d", "tile", "{%3, %4, %5, %6, %7}", "");
    }
    out[0] = completes(bar, 0);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kShared / 4; i += blockDim.x)
    out[1 + i] = reinterpret_cast<unsigned*>(shared)[i];
}

__global__ void store(const __grid_constant__ CUtensorMap tensor, Arguments a, int operation) {
  extern __shared__ __align__(1024) unsigned char shared[];
  for (unsigned i = threadIdx.x; i < kShared / 4; i += blockDim.x)
    reinterpret_cast<unsigned*>(shared)[i] = i * 0x9E3779B1u >> (operation >= 2 ? 12 : 0);
  const unsigned to = shared_address(shared);
  const CUtensorMap* map = &tensor;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    if (operation == 0) {
      if (a.rank == 1) STORE("1d", "async.bulk", "", "{%2}");
      if (a.rank == 2) STORE("2d", "async.bulk", ".tile", "{%2, %3}");
      if (a.rank == 3) STORE("3d", "async.bulk", "", "{%2, %3, %4}");
      if (a.rank == 4) STORE("4d", "async.bulk", "", "{%2, %3, %4, %5}");
      if (a.rank == 5) STORE("5d", "async.bulk", "", "{%2, %3, %4, %5, %6}");
    }
    if (operation == 1) STORE("2d", "reduce.async.bulk", ".add.tile", "{%2, %3}");
    if (operation == 2) STORE("2d", "reduce.async.bulk", ".min.tile", "{%2, %3}");
    if (operation == 3) STORE("2d", "reduce.async.bulk", ".max", "{%2, %3}");
    if (operation == 4) STORE("2d", "reduce.async.bulk", ".and", "{%2, %3}");
    if (operation == 5) STORE("2d", "reduce.async.bulk", ".or", "{%2, %3}");
    if (operation == 6) STORE("2d", "reduce.async.bulk", ".xor", "{%2, %3}");
    if (operation == 7) STORE("2d", "reduce.async.bulk", ".inc", "{%2, %3}");
    if (operation == 8) STORE("2d", "reduce.async.bulk", ".dec", "{%2, %3}");
    if (operation == 9) STORE("4d", "async.bulk", ".im2col_no_offs", "{%2, %3, %4, %5}");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

/// Bytes of one copy to several blocks of a cluster, and what else reaches over.
__global__ void cluster_kernel(const __grid_constant__ CUtensorMap tensor, const unsigned* data,
                               unsigned mask, unsigned* out) {
  __shared__ __align__(128) unsigned box[256], words[64];
  __shared__ __align__(8) unsigned long long object[2];
  unsigned rank, size;
  asm volatile("mov.u32 %0, %%cluster_ctarank; mov.u32 %1, %%cluster_nctarank;" : "=r"(rank), "=r"(size));
  const unsigned bar = shared_address(&object[0]), other_bar = shared_address(&object[1]),
                 to = shared_address(box);
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < 256; i += blockDim.x) box[i] = 0xABABABAB;
  if (t < 64) words[t] = rank * 1000 + t;
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1; mbarrier.init.shared.b64 [%1], %2;" ::"r"(bar),
                 "r"(other_bar), "r"(size)
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;" ::: "memory");
    const unsigned bytes = __popc(mask & 1u << rank ? mask : 0) ? 1024u : 0u;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar),
                 "r"(bytes + (rank == 1 ? 256u : 0u))
                 : "memory");
  }
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if (rank == 0 && t == 0) {
    const CUtensorMap* map = &tensor;
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%2, %3}], "
        "[%4], %5;" ::"r"(to),
        "l"(map), "r"(0), "r"(1), "r"(bar), "h"(static_cast<unsigned short>(mask))
        : "memory");
  }
  if (rank == 2 && t == 0)  // a plain bulk copy to the block of rank 1
    asm volatile(
        "{ .reg .b32 a, b; mapa.shared::cluster.u32 a, %0, 1; mapa.shared::cluster.u32 b, %1, 1;\n"
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [a], [%2], 256, [b]; }" ::"r"(
            shared_address(words)),
        "r"(bar), "r"(shared_address(words))
        : "memory");
  if (t == 0) out[rank * 1024] = completes(bar, 0);
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  // Ordinary access by address of another block: the next one's words, by generic and by shared::cluster address.
  unsigned remote, got = 0, next = (rank + 1) % size;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(remote)
               : "r"(shared_address(&words[t & 63])), "r"(next));
  if (rank != 0) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(got) : "r"(remote) : "memory");
  unsigned long long generic;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(&box[t]), "r"(next));
  unsigned through, owner, own_rank, is_cluster, is_cta;
  asm volatile("ld.u32 %0, [%1];" : "=r"(through) : "l"(generic) : "memory");
  asm volatile("getctarank.u64 %0, %1;" : "=r"(owner) : "l"(generic));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(own_rank) : "r"(shared_address(words)));
  asm volatile("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }"
               : "=r"(is_cluster)
               : "l"(generic));
  asm volatile("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }"
               : "=r"(is_cta)
               : "l"(generic));
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  if (t < 32) {  // everybody adds to block 0's words, and stores asynchronously to the last one's
    asm volatile(
        "{ .reg .b32 a; mapa.shared::cluster.u32 a, %0, 0; red.shared::cluster.add.u32 [a], %1; }" ::"r"(
            shared_address(&words[t])),
        "r"(rank + 1)
        : "memory");
    unsigned old;
    asm volatile(
        "{ .reg .b32 a; mapa.shared::cluster.u32 a, %1, 0; atom.shared::cluster.max.u32 %0, [a], %2; }"
        : "=r"(old)
        : "r"(shared_address(&words[32 + t])), "r"(rank * 1000 + 500)
        : "memory");
  }
  if (t == 0)  // arrive at block 0's second mbarrier
    asm volatile(
        "{ .reg .b32 a; mapa.shared::cluster.u32 a, %0, 0; "
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a]; }" ::"r"(other_bar)
        : "memory");
  if (rank == 0) out[1] = completes(other_bar, 0);
  asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
  unsigned* mine = out + rank * 1024 + 2;
  for (unsigned i = t; i < 256; i += blockDim.x) mine[i] = box[i];
  if (t < 64) mine[256 + t] = words[t];
  if (t < 256) mine[320 + t] = through;
  if (t == 0)
    mine[700] = owner, mine[701] = own_rank, mine[702] = is_cluster, mine[703] = is_cta, mine[704] = got;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  (void)data;
}

// ------------------------------------------------------------------------------------------------------------------- host

using EncodeTiled = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                 const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                 CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill);
using EncodeIm2col = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                  const cuuint64_t*, const int*, const int*, cuuint32_t, cuuint32_t,
                                  const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                  CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

template <class F>
F driver_function(const char* name) {
  void* f = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion(name, &f, 12000, cudaEnableDefault, &found));
  return reinterpret_cast<F>(f);
}

constexpr const char* kTypes[] = {"u8",  "u16", "u32",  "s32",     "u64",  "s64",     "f16",
                                  "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"};
constexpr unsigned kTypeBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

struct Tensor {
  const char* name;
  int type, rank;
  cuuint64_t size[5];
  cuuint32_t box[5], step[5];
  int at[5];
  int swizzle, interleave, fill;
};

std::uint64_t random_word(std::uint64_t n) {  // splitmix64
  std::uint64_t z = (n + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}
std::uint64_t hash_of(const void* data, std::size_t bytes) {
  std::uint64_t h = 0xCBF29CE484222325ull;
  for (std::size_t i = 0; i < bytes; ++i)
    h = (h ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001B3ull;
  return h;
}
void print(const std::string& name, const std::vector<unsigned>& words, std::size_t shown = 48) {
  std::printf("%s :", name.c_str());
  for (std::size_t i = 0; i < (print_all ? words.size() : shown) && i < words.size(); ++i)
    std::printf(" %x", words[i]);
  std::printf(" #%016llx\n", static_cast<unsigned long long>(hash_of(words.data(), words.size() * 4)));
}

unsigned char* memory;  // 1 MiB of which the tensors lie in the middle
unsigned* results;
EncodeTiled encode_tiled;
EncodeIm2col encode_im2col;

void fill_memory(bool small) {
  std::vector<std::uint64_t> data(kOut / 8);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = small ? random_word(i) & 0x3F0F3F1F3F2F3F3Full : random_word(i);
  CHECK(cudaMemcpy(memory, data.data(), kOut, cudaMemcpyHostToDevice));
}

bool make(const Tensor& t, CUtensorMap& map) {
  cuuint64_t strides[5] = {};
  cuuint64_t bytes = t.size[0] * kTypeBytes[t.type];
  if (t.interleave) bytes = t.interleave == 1 ? 16 : 32;
  bytes = (bytes + 31) / 32 * 32;
  if (t.interleave) bytes = t.interleave == 1 ? 16 : 32;
  for (int d = 1; d < t.rank; ++d) {
    strides[d - 1] = bytes;
    bytes = (bytes * t.size[d] + 31) / 32 * 32 + (t.interleave ? 0 : 32);
  }
  const CUresult r = encode_tiled(
      &map, static_cast<CUtensorMapDataType>(t.type), t.rank, memory + kOut / 4, t.size, strides, t.box,
      t.step, static_cast<CUtensorMapInterleave>(t.interleave), static_cast<CUtensorMapSwizzle>(t.swizzle),
      CU_TENSOR_MAP_L2_PROMOTION_NONE, static_cast<CUtensorMapFloatOOBfill>(t.fill));
  if (r != CUDA_SUCCESS) std::printf("%s : refused by the encoder (%d)\n", t.name, static_cast<int>(r));
  return r == CUDA_SUCCESS;
}

unsigned box_bytes(const Tensor& t) {
  unsigned n = t.interleave ? t.interleave == 1 ? 16 : 32 : kTypeBytes[t.type];
  for (int d = t.interleave ? 1 : 0; d < t.rank; ++d)
    n *= d == 0 && !t.interleave ? t.box[d] : (t.box[d] + t.step[d] - 1) / t.step[d];
  return n;
}

void run_load(const Tensor& t) {
  if (case_number++ < first_case) return;
  CUtensorMap map;
  if (!make(t, map)) return;
  Arguments a = {};
  a.rank = t.rank;
  a.bytes = box_bytes(t);
  std::memcpy(a.at, t.at, sizeof a.at);
  CHECK(cudaMemset(results, 0, kShared + 4));
  load<<<1, 128, kShared>>>(map, a, false, results);
  CHECK(cudaGetLastError());
  if (refused(std::string("load ") + t.name + " " + kTypes[t.type])) return;
  std::vector<unsigned> out(1 + (a.bytes + 256) / 4);
  CHECK(cudaMemcpy(out.data(), results, out.size() * 4, cudaMemcpyDeviceToHost));
  print(std::string("load ") + t.name + " " + kTypes[t.type], out);
}

void run_store(const Tensor& t, int operation, const char* what) {
  if (case_number++ < first_case) return;
  CUtensorMap map;
  if (!make(t, map)) return;
  fill_memory(operation != 0);
  Arguments a = {};
  a.rank = t.rank;
  std::memcpy(a.at, t.at, sizeof a.at);
  store<<<1, 128, kShared>>>(map, a, operation);
  CHECK(cudaGetLastError());
  if (refused(std::string(what) + " " + t.name + " " + kTypes[t.type])) return;
  std::vector<unsigned> out(kOut / 16);
  CHECK(cudaMemcpy(out.data(), memory + kOut / 4 - 1024, out.size() * 4, cudaMemcpyDeviceToHost));
  print(std::string(what) + " " + t.name + " " + kTypes[t.type], out, 0);
}

void im2col(const char* name, int rank, int type, int channels, int pixels, int swizzle, const int* lower,
            const int* upper, const int* at, const unsigned short* offsets, const cuuint32_t* step) {
  if (case_number++ < first_case) return;
  const cuuint64_t size[5] = {32, 9, 7, 5, 3};
  cuuint64_t strides[4], bytes = size[0] * kTypeBytes[type];
  for (int d = 1; d < rank; ++d) strides[d - 1] = bytes, bytes *= size[d];
  CUtensorMap map;
  const CUresult r = encode_im2col(&map, static_cast<CUtensorMapDataType>(type), rank, memory + kOut / 4,
                                   size, strides, lower, upper, channels, pixels, step,
                                   CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(swizzle),
                                   CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (r != CUDA_SUCCESS) {
    std::printf("im2col %s : refused by the encoder (%d)\n", name, static_cast<int>(r));
    return;
  }
  Arguments a = {};
  a.rank = rank;
  a.bytes = channels * pixels * kTypeBytes[type];
  std::memcpy(a.at, at, sizeof(int) * rank);
  std::memcpy(a.offsets, offsets, sizeof a.offsets);
  CHECK(cudaMemset(results, 0, kShared + 4));
  load<<<1, 128, kShared>>>(map, a, true, results);
  CHECK(cudaGetLastError());
  if (refused(std::string("im2col ") + name)) return;
  std::vector<unsigned> out(1 + (a.bytes + 256) / 4);
  CHECK(cudaMemcpy(out.data(), results, out.size() * 4, cudaMemcpyDeviceToHost));
  print(std::string("im2col ") + name, out);
}

const Tensor kRanks[] = {
    {"1d inside", 2, 1, {100}, {64}, {1}, {20}, 0, 0, 0},
    {"1d over the end", 2, 1, {100}, {64}, {1}, {60}, 0, 0, 0},
    {"1d before the start", 2, 1, {100}, {64}, {1}, {-10}, 0, 0, 0},
    {"1d 32 bytes before the start", 2, 1, {100}, {64}, {1}, {-8}, 0, 0, 0},
    {"1d 16 bytes before the start", 2, 1, {100}, {64}, {1}, {-4}, 0, 0, 0},
    {"1d at an odd element", 2, 1, {100}, {64}, {1}, {21}, 0, 0, 0},
    {"2d at an odd element", 2, 2, {40, 30}, {16, 8}, {1, 1}, {5, 5}, 0, 0, 0},
    {"2d 16 bytes before the start", 2, 2, {40, 30}, {16, 8}, {1, 1}, {-4, -2}, 0, 0, 0},
    {"1d outside", 2, 1, {100}, {64}, {1}, {200}, 0, 0, 0},
    {"1d far outside", 2, 1, {100}, {64}, {1}, {-2000000000}, 0, 0, 0},
    {"2d inside", 2, 2, {40, 30}, {16, 8}, {1, 1}, {4, 5}, 0, 0, 0},
    {"2d over both ends", 2, 2, {40, 30}, {16, 8}, {1, 1}, {32, 26}, 0, 0, 0},
    {"2d negative", 2, 2, {40, 30}, {16, 8}, {1, 1}, {-8, -2}, 0, 0, 0},
    {"2d outside", 2, 2, {40, 30}, {16, 8}, {1, 1}, {4, -20}, 0, 0, 0},
    {"3d", 2, 3, {24, 10, 6}, {8, 4, 3}, {1, 1, 1}, {20, 8, -1}, 0, 0, 0},
    {"4d", 1, 4, {24, 10, 6, 5}, {8, 4, 3, 2}, {1, 1, 1, 1}, {16, 8, -1, 4}, 0, 0, 0},
    {"5d", 0, 5, {48, 10, 6, 5, 4}, {16, 4, 3, 2, 3}, {1, 1, 1, 1, 1}, {32, -2, 4, 3, 2}, 0, 0, 0},
    {"steps of the first dimension", 2, 2, {40, 30}, {16, 8}, {2, 1}, {4, 5}, 0, 0, 0},
    {"steps of the second dimension", 2, 2, {40, 30}, {16, 8}, {1, 2}, {4, 5}, 0, 0, 0},
    {"steps of 3 over the end", 2, 2, {40, 30}, {16, 8}, {1, 3}, {4, 23}, 0, 0, 0},
    {"steps in three dimensions", 2, 3, {24, 10, 6}, {8, 5, 4}, {1, 2, 3}, {-4, -3, 1}, 0, 0, 0}};

void loads() {
  for (const Tensor& t : kRanks) run_load(t);
  for (int type = 0; type < 13; ++type)
    for (int fill = 0; fill < 2; ++fill) {
      Tensor t = {fill ? "nan fill" : "zero fill", type, 2, {40, 30}, {32, 8}, {1, 1}, {-16, 27}, 0, 0, fill};
      if (fill && type < 6) continue;
      run_load(t);
    }
  for (int swizzle = 1; swizzle < 4; ++swizzle)
    for (int bytes = 16; bytes <= 16 << swizzle; bytes += 16) {
      const std::string name =
          "swizzle " + std::to_string(16 << swizzle) + " rows of " + std::to_string(bytes);
      Tensor t = {name.c_str(), 2,      2,       {40, 60}, {static_cast<cuuint32_t>(bytes / 4), 40},
                  {1, 1},       {4, 5}, swizzle, 0,        0};
      run_load(t);
      if (bytes % 32 == 16) continue;
      t.type = 6;
      t.box[0] = bytes / 2;
      t.at[1] = -3;
      t.fill = 1;
      run_load(t);
    }
  const Tensor interleaved[] = {
      {"interleave 16", 1, 3, {8, 20, 12}, {8, 5, 3}, {1, 1, 1}, {0, 2, 1}, 0, 1, 0},
      {"interleave 16 over the end",
       1,
       4,
       {8, 20, 12, 3},
       {8, 5, 3, 2},
       {1, 1, 1, 1},
       {0, 18, -1, 2},
       0,
       1,
       0},
      {"interleave 16 bytes", 0, 3, {16, 20, 12}, {16, 5, 3}, {1, 1, 1}, {0, 2, 1}, 0, 1, 0},
      {"interleave 32", 1, 3, {16, 20, 12}, {16, 5, 3}, {1, 1, 1}, {0, 2, 1}, 1, 2, 0}};
  for (const Tensor& t : interleaved) run_load(t);
}

void stores() {
  // Stores, with the part outside left alone, and reductions.
  for (const Tensor& t : kRanks) run_store(t, 0, "store");
  for (int swizzle = 1; swizzle < 4; ++swizzle) {
    Tensor t = {"swizzled", 2,        2,       {40, 60}, {static_cast<cuuint32_t>(4 << swizzle), 40},
                {1, 1},     {30, 35}, swizzle, 0,        0};
    run_store(t, 0, swizzle == 1 ? "store 32" : swizzle == 2 ? "store 64" : "store 128");
  }
  Tensor sums = {"2d", 2, 2, {40, 30}, {16, 8}, {1, 1}, {28, 25}, 0, 0, 0};
  const char* names[] = {"", "add", "min", "max", "and", "or", "xor", "inc", "dec"};
  for (const int type : {2, 3, 4, 5, 6, 7, 9, 10, 8})
    for (int operation = 1; operation < 9; ++operation) {
      const bool wide = type == 4 || type == 5, floating = type >= 6;
      if (operation >= 7 && type != 2) continue;
      if (operation >= 4 && (floating || type == 3 || type == 5)) continue;
      if (operation >= 2 && operation <= 3 && (type == 7 || type == 10 || type == 8)) continue;
      if (operation == 1 && type == 5) continue;
      if (type == 8 && operation != 1) continue;
      (void)wide;
      sums.type = type;
      run_store(sums, operation, names[operation]);
    }
}

void im2col_loads() {
  // im2col: boxes of pixels around a filter's taps.
  fill_memory(false);
  const cuuint32_t ones[5] = {1, 1, 1, 1, 1}, twos[5] = {1, 2, 2, 1, 1};
  const unsigned short none[3] = {0, 0, 0}, some[3] = {1, 2, 1};
  const int l3[1] = {-1}, u3[1] = {-1}, at3[3] = {0, -1, 1};
  im2col("3d", 3, 2, 8, 24, 0, l3, u3, at3, none, ones);
  im2col("3d offset", 3, 2, 8, 24, 0, l3, u3, at3, some, ones);
  const int l4[2] = {-1, -1}, u4[2] = {-1, -1}, at4[4] = {0, -1, -1, 1}, in4[4] = {4, 2, 1, 0};
  im2col("4d", 4, 2, 8, 64, 0, l4, u4, at4, none, ones);
  im2col("4d offset", 4, 2, 8, 64, 0, l4, u4, at4, some, ones);
  im2col("4d inside", 4, 6, 16, 40, 0, l4, u4, in4, some, ones);
  const int in8[4] = {8, 2, 1, 0};
  im2col("4d inside, by 16 bytes", 4, 6, 16, 40, 0, l4, u4, in8, some, ones);
  im2col("4d swizzled", 4, 2, 32, 64, 3, l4, u4, at4, some, ones);
  im2col("4d steps", 4, 2, 8, 40, 0, l4, u4, at4, some, twos);
  const int l5[3] = {-1, -1, -1}, u5[3] = {-1, 0, -1}, at5[5] = {0, 1, -1, 0, 1};
  im2col("5d", 5, 1, 16, 100, 0, l5, u5, at5, some, ones);
}

void clusters() {
  // Clusters.
  for (const unsigned mask : {0xFu, 0x6u, 0x9u}) {
    fill_memory(false);
    CHECK(cudaMemset(results, 0, 4 * 1024 * 4));
    Tensor t = {"cluster", 2, 2, {40, 30}, {16, 16}, {1, 1}, {0, 0}, 0, 0, 0};
    CUtensorMap map;
    if (!make(t, map)) continue;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(256);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {4, 1, 1};
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, cluster_kernel, map, static_cast<const unsigned*>(nullptr), mask,
                             results));
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> out(4 * 1024);
    CHECK(cudaMemcpy(out.data(), results, out.size() * 4, cudaMemcpyDeviceToHost));
    print("cluster " + std::to_string(mask), out);
  }
}

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  arguments = argv;
  print_all = argc > 2 && !std::strcmp(argv[2], "--all");
  if (argc > 4 && !std::strcmp(argv[3], "--from")) first_case = std::atoi(argv[4]);
  CHECK(cudaMalloc(&memory, kOut));
  CHECK(cudaMalloc(&results, kOut));
  CHECK(cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  CHECK(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  encode_tiled = driver_function<EncodeTiled>("cuTensorMapEncodeTiled");
  encode_im2col = driver_function<EncodeIm2col>("cuTensorMapEncodeIm2col");
  fill_memory(false);
  if (part == "loads") loads();
  if (part == "stores") stores();
  if (part == "im2col" && encode_im2col) im2col_loads();
  if (part == "clusters") clusters();
  return 0;
}
