/// @file
/// One-warp kernels whose requests, sectors and wavefronts are known by rule: run once under Nsight Compute
/// on a real GPU (the readings are kept as a fixture) and on every machine on the simulated one, launch by
/// launch, so that the simulator's counters are compared with hardware for ever.
///
/// usage: micro            runs every probe in order and prints one CSV row a launch:
/// index,kernel,bytes,pattern The order and number of launches are the same in every run; that is what joins
/// the two sets of readings.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

/// What each lane of the warp asks for. Travels by value, so that fetching it costs no global or shared
/// request.
struct Pattern {
  std::uint32_t offset[32];  ///< bytes from the start of the buffer or of shared memory
  std::uint32_t mask;        ///< lanes that take part
};

constexpr int kSharedBytes =
    20480;  ///< the widest pattern (32 lanes, stride 33 accesses of 16 bytes) and room

__device__ void keep(float* sink, float value) {
  if (threadIdx.x == 1000) *sink = value;  // never true: keeps the load alive without a store request
}

// Inline PTX fixes the width that is executed.
template <int Bytes>
__device__ void ld_global(const char* at, float& x);
template <>
__device__ void ld_global<4>(const char* at, float& x) {
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(__cvta_generic_to_global(at)));
}
template <>
__device__ void ld_global<8>(const char* at, float& x) {
  float y;
  asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(__cvta_generic_to_global(at)));
  x += y;
}
template <>
__device__ void ld_global<16>(const char* at, float& x) {
  float y, z, w;
  asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "l"(__cvta_generic_to_global(at)));
  x += y + z + w;
}
template <int Bytes>
__device__ void st_global(char* at, float x);
template <>
__device__ void st_global<4>(char* at, float x) {
  asm volatile("st.global.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(at)), "f"(x) : "memory");
}
template <>
__device__ void st_global<8>(char* at, float x) {
  asm volatile("st.global.v2.f32 [%0], {%1, %1};" ::"l"(__cvta_generic_to_global(at)), "f"(x) : "memory");
}
template <>
__device__ void st_global<16>(char* at, float x) {
  asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(__cvta_generic_to_global(at)), "f"(x)
               : "memory");
}
__device__ unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}
template <int Bytes>
__device__ void ld_shared(const char* at, float& x);
template <>
__device__ void ld_shared<4>(const char* at, float& x) {
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(shared_address(at)));
}
template <>
__device__ void ld_shared<8>(const char* at, float& x) {
  float y;
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "r"(shared_address(at)));
  x += y;
}
template <>
__device__ void ld_shared<16>(const char* at, float& x) {
  float y, z, w;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "r"(shared_address(at)));
  x += y + z + w;
}
template <int Bytes>
__device__ void st_shared(char* at, float x);
template <>
__device__ void st_shared<4>(char* at, float x) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(shared_address(at)), "f"(x) : "memory");
}
template <>
__device__ void st_shared<8>(char* at, float x) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %1};" ::"r"(shared_address(at)), "f"(x) : "memory");
}
template <>
__device__ void st_shared<16>(char* at, float x) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %1, %1, %1};" ::"r"(shared_address(at)), "f"(x) : "memory");
}

template <int Bytes>
__global__ void probe_load_global(const __grid_constant__ Pattern p, const char* in, float* sink) {
  float x = 0;
  if (p.mask >> threadIdx.x & 1) ld_global<Bytes>(in + p.offset[threadIdx.x], x);
  keep(sink, x);
}
template <int Bytes>
__global__ void probe_store_global(const __grid_constant__ Pattern p, char* out) {
  if (p.mask >> threadIdx.x & 1) st_global<Bytes>(out + p.offset[threadIdx.x], 1.0f + threadIdx.x);
}
template <int Bytes>
__global__ void probe_load_shared(const __grid_constant__ Pattern p, float* sink) {
  __shared__ alignas(16) char tile[kSharedBytes];
  float x = 0;
  if (p.mask >> threadIdx.x & 1) ld_shared<Bytes>(tile + p.offset[threadIdx.x], x);
  keep(sink, x);
}
template <int Bytes>
__global__ void probe_store_shared(const __grid_constant__ Pattern p) {
  __shared__ alignas(16) char tile[kSharedBytes];
  if (p.mask >> threadIdx.x & 1) st_shared<Bytes>(tile + p.offset[threadIdx.x], 1.0f + threadIdx.x);
}

/// Shared atomics: add 1 unused, add a lane's value unused, add used, float add, compare-and-swap.
__global__ void probe_atomic_shared_add_one(const __grid_constant__ Pattern p) {
  __shared__ alignas(16) char tile[kSharedBytes];
  if (p.mask >> threadIdx.x & 1) atomicAdd(reinterpret_cast<unsigned*>(tile + p.offset[threadIdx.x]), 1u);
}
__global__ void probe_atomic_shared_add_lane(const __grid_constant__ Pattern p) {
  __shared__ alignas(16) char tile[kSharedBytes];
  if (p.mask >> threadIdx.x & 1)
    atomicAdd(reinterpret_cast<unsigned*>(tile + p.offset[threadIdx.x]), threadIdx.x);
}
__global__ void probe_atomic_shared_used(const __grid_constant__ Pattern p, float* sink) {
  __shared__ alignas(16) char tile[kSharedBytes];
  unsigned old = 0;
  if (p.mask >> threadIdx.x & 1)
    old = atomicAdd(reinterpret_cast<unsigned*>(tile + p.offset[threadIdx.x]), threadIdx.x);
  keep(sink, static_cast<float>(old));
}
__global__ void probe_atomic_global_unused(const __grid_constant__ Pattern p, char* out) {
  if (p.mask >> threadIdx.x & 1)
    atomicAdd(reinterpret_cast<unsigned*>(out + p.offset[threadIdx.x]), threadIdx.x);
}
__global__ void probe_atomic_global_used(const __grid_constant__ Pattern p, char* out, float* sink) {
  unsigned old = 0;
  if (p.mask >> threadIdx.x & 1)
    old = atomicAdd(reinterpret_cast<unsigned*>(out + p.offset[threadIdx.x]), threadIdx.x);
  keep(sink, static_cast<float>(old));
}
__global__ void probe_atomic_global_float(const __grid_constant__ Pattern p, char* out) {
  if (p.mask >> threadIdx.x & 1) atomicAdd(reinterpret_cast<float*>(out + p.offset[threadIdx.x]), 1.5f);
}
/// A local array that a run-time index keeps in local memory.
__global__ void probe_local(int steps, float* sink) {
  float values[64];
  for (int i = 0; i < 64; ++i) values[(i * 7 + steps) & 63] = i;
  float sum = 0;
  for (int i = 0; i < steps; ++i) sum += values[(i * 5 + steps) & 63];
  keep(sink, sum);
}
template <int Bytes>
__global__ void probe_cp_async(const __grid_constant__ Pattern p, const char* in) {
  __shared__ alignas(16) char tile[kSharedBytes];
  if (p.mask >> threadIdx.x & 1) {
    unsigned to = shared_address(tile + threadIdx.x * Bytes);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to),
                 "l"(__cvta_generic_to_global(in + p.offset[threadIdx.x])), "n"(Bytes)
                 : "memory");
  }
  asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
}

struct Named {
  std::string name;
  Pattern pattern;
};

/// The patterns for accesses of @p bytes. [bytes]
std::vector<Named> patterns(std::uint32_t bytes) {
  std::vector<Named> all;
  auto add = [&](std::string name, std::function<std::uint32_t(std::uint32_t)> element,
                 std::uint32_t mask = ~0u) {
    Pattern p{};
    p.mask = mask;
    for (std::uint32_t lane = 0; lane < 32; ++lane) p.offset[lane] = element(lane) * bytes;
    all.push_back({std::move(name), p});
  };
  for (std::uint32_t stride : {1u, 2u, 3u, 4u, 8u, 16u, 32u, 33u})
    add("stride" + std::to_string(stride), [=](std::uint32_t t) { return t * stride; });
  add("broadcast", [](std::uint32_t) { return 5u; });
  add("pairs_xor1", [](std::uint32_t t) { return t & ~1u; });
  add("pairs_xor2", [](std::uint32_t t) { return t & ~2u; });
  add("pairs_xor3", [](std::uint32_t t) { return (t & 1) == (t >> 1 & 1) ? (t & ~3u) : (t & ~3u) | 1u; });
  add("blocks_of_2", [](std::uint32_t t) { return t / 2; });
  add("blocks_of_4", [](std::uint32_t t) { return t / 4; });
  add("blocks_of_8", [](std::uint32_t t) { return t / 8; });
  add("quarters_equal", [](std::uint32_t t) { return t % 8; });
  add("halves_equal", [](std::uint32_t t) { return t % 16; });
  add("two_rows", [](std::uint32_t t) { return t / 16 * 32 + t % 16; });
  add("four_rows", [](std::uint32_t t) { return t / 8 * 32 + t % 8; });
  add("reversed", [](std::uint32_t t) { return 31 - t; });
  add("scrambled", [](std::uint32_t t) { return t * 13 % 32; });
  add("scattered", [](std::uint32_t t) { return (t * 29 + t * t * 7) % 512; });
  add("shifted_one", [](std::uint32_t t) { return t + 1; });
  add(
      "even_lanes", [](std::uint32_t t) { return t; }, 0x55555555u);
  add(
      "first_half", [](std::uint32_t t) { return t; }, 0x0000ffffu);
  add(
      "one_lane", [](std::uint32_t t) { return t; }, 0x00000010u);
  add(
      "stride2_first_half", [](std::uint32_t t) { return 2 * t; }, 0x0000ffffu);
  return all;
}

int launches = 0;

void check(const char* kernel, int bytes, const std::string& pattern) {
  cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::fprintf(stderr, "micro: %s (%s) failed: %s\n", kernel, pattern.c_str(), cudaGetErrorString(error));
    std::exit(2);
  }
  std::printf("%d,%s,%d,%s\n", launches++, kernel, bytes, pattern.c_str());
}

template <int Bytes>
void run_width(char* buffer, float* sink) {
  for (const Named& n : patterns(Bytes)) {
    probe_load_global<Bytes><<<1, 32>>>(n.pattern, buffer, sink);
    check("load_global", Bytes, n.name);
    probe_store_global<Bytes><<<1, 32>>>(n.pattern, buffer);
    check("store_global", Bytes, n.name);
    probe_load_shared<Bytes><<<1, 32>>>(n.pattern, sink);
    check("load_shared", Bytes, n.name);
    probe_store_shared<Bytes><<<1, 32>>>(n.pattern);
    check("store_shared", Bytes, n.name);
  }
  for (const Named& n : patterns(Bytes))
    if (n.name == "stride1" || n.name == "stride2" || n.name == "broadcast" || n.name == "scattered" ||
        n.name == "even_lanes") {
      probe_cp_async<Bytes><<<1, 32>>>(n.pattern, buffer);
      check("cp_async_ca", Bytes, n.name);
    }
}

}  // namespace

int main() {
  char* buffer = nullptr;
  float* sink = nullptr;
  if (cudaMalloc(&buffer, 1 << 20) != cudaSuccess || cudaMalloc(&sink, 4096) != cudaSuccess ||
      cudaMemset(buffer, 0, 1 << 20) != cudaSuccess) {
    std::fprintf(stderr, "micro: no device memory; is there a GPU?\n");
    return 2;
  }
  std::printf("launch,kernel,bytes,pattern\n");
  run_width<4>(buffer, sink);
  run_width<8>(buffer, sink);
  run_width<16>(buffer, sink);
  for (const Named& n : patterns(4)) {
    probe_atomic_shared_add_one<<<1, 32>>>(n.pattern);
    check("atomic_shared_add_one", 4, n.name);
    probe_atomic_shared_add_lane<<<1, 32>>>(n.pattern);
    check("atomic_shared_add_lane", 4, n.name);
    probe_atomic_shared_used<<<1, 32>>>(n.pattern, sink);
    check("atomic_shared_used", 4, n.name);
    probe_atomic_global_unused<<<1, 32>>>(n.pattern, buffer);
    check("atomic_global_unused", 4, n.name);
    probe_atomic_global_used<<<1, 32>>>(n.pattern, buffer, sink);
    check("atomic_global_used", 4, n.name);
    probe_atomic_global_float<<<1, 32>>>(n.pattern, buffer);
    check("atomic_global_float", 4, n.name);
  }
  for (int steps : {1, 8, 32}) {
    probe_local<<<1, 32>>>(steps, sink);
    check("local", 4, "steps" + std::to_string(steps));
  }
  return 0;
}
