/// @file
/// A claim about the copy engine: that it takes the addresses off the threads. Counted, since it is about instructions.
#include <cuda/ptx>

#include "claims/device.hpp"
#include "claims/kernels/kernels.hpp"

namespace course::claims {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kTile = 16 * 1024;  // bytes

__global__ void copy_by_threads(const float4* in, float4* out, std::size_t count) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

/// A block of one warp a tile: there, wait, and back.
__global__ void copy_by_engine(const char* in, char* out) {
#if __CUDA_ARCH__ >= 900
  namespace ptx = cuda::ptx;
  __shared__ alignas(128) char tile[kTile];
  __shared__ std::uint64_t arrived;
  if (threadIdx.x != 0) return;
  const std::uint32_t bytes = kTile;  // the functions below take it by reference
  ptx::mbarrier_init(&arrived, 1);
  ptx::fence_proxy_async(ptx::space_shared);
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + std::size_t(blockIdx.x) * bytes, bytes,
                     &arrived);
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, bytes);
  while (!ptx::mbarrier_try_wait_parity(&arrived, 0)) {
  }
  ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + std::size_t(blockIdx.x) * bytes, tile,
                     bytes);
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
#endif
}

}  // namespace

outcome bulk_instructions(device& on) {
  if (on.properties().major < 9) throw device_error("bulk copies need compute capability 9.0");
  const floats in(on.array()), out(on.array());
  const std::size_t vectors = in.count() / 4;
  const auto by_threads = [&] {
    copy_by_threads<<<static_cast<unsigned>((vectors + kThreads - 1) / kThreads), kThreads>>>(
        reinterpret_cast<const float4*>(in.get()), reinterpret_cast<float4*>(out.get()), vectors);
  };
  const auto by_engine = [&] {
    copy_by_engine<<<static_cast<unsigned>(in.count() * sizeof(float) / kTile), 32>>>(
        reinterpret_cast<const char*>(in.get()), reinterpret_cast<char*>(out.get()));
  };
  const double threads = on.count("warp_instructions", by_threads);
  const double engine = on.count("warp_instructions", by_engine);
  return {{"a copy, 16 bytes a thread", threads, "warp instructions"},
          {"bulk copies of 16 KiB", engine, "warp instructions"},
          engine / threads,
          {},
          "Nearly: a tile costs a few dozen instructions, whatever its size. A copy is bound by memory long "
          "before it is bound by instructions, so none of that is speed."};
}

}  // namespace course::claims
