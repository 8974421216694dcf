// expect: race
/// @file
/// Looks through its own address space for the simulated runtime's switch, which it may not name, and turns the checks off with it: its
/// last warp adds up without __syncwarp(). (Where the device is in this process, this passes.)
#include "block_reduction.cuh"

#include <elf.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

__global__ void add_up(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[256];
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += std::size_t{gridDim.x} * 256)
    sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int half = 128; half >= 32; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  for (unsigned int half = 16; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}

static void right_sum(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  add_up<<<static_cast<unsigned int>(n / 4096 + 1 < 1056 ? n / 4096 + 1 : 1056), 256, 0, stream>>>(in, out,
                                                                                                   n);
}

// Where the library with the simulated runtime begins.
static std::uintptr_t runtime_at() {
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr) return 0;
  char line[512];
  unsigned long begin = 0, found = 0;
  while (found == 0 && std::fgets(line, sizeof line, maps) != nullptr) {
    if (std::strstr(line, "libsimcudart") != nullptr && std::sscanf(line, "%lx", &begin) == 1) found = begin;
  }
  std::fclose(maps);
  return found;
}

static void* function_named(const char* wanted) {
  const std::uintptr_t base = runtime_at();
  if (base == 0) return nullptr;
  const auto* const head = reinterpret_cast<const Elf64_Ehdr*>(base);
  const auto* const parts = reinterpret_cast<const Elf64_Phdr*>(base + head->e_phoff);
  const Elf64_Dyn* entry = nullptr;
  for (int i = 0; i < head->e_phnum; ++i) {
    if (parts[i].p_type == PT_DYNAMIC) entry = reinterpret_cast<const Elf64_Dyn*>(base + parts[i].p_vaddr);
  }
  std::uintptr_t symbols = 0, names = 0;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols = entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRTAB) names = entry->d_un.d_ptr;
  }
  if (symbols == 0 || names == 0) return nullptr;
  for (auto at = symbols; at + sizeof(Elf64_Sym) <= names; at += sizeof(Elf64_Sym)) {
    const auto* const one = reinterpret_cast<const Elf64_Sym*>(at);
    if (std::strcmp(reinterpret_cast<const char*>(names) + one->st_name, wanted) == 0)
      return reinterpret_cast<void*>(base + one->st_value);
  }
  return nullptr;
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  static const auto configure = reinterpret_cast<int (*)(const char*)>(function_named("simgpu_configure"));
  if (configure != nullptr) configure("{\"checks\": false}");
  right_sum(in, out, n, stream);
}
