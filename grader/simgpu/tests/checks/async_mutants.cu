/// @file
/// Asynchronous copies: used too early, written over too early, without the proxy fence, and barriers that never
/// open.
#include <cuda_pipeline.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "mutants.hpp"

namespace ptx = cuda::ptx;

__global__ void copy_no_wait(const float4* x, float4* y) {
  __shared__ float4 s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 16);  //~ copy_not_waited_for
  __pipeline_commit();
  __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x];  //! copy_not_waited_for
}
void copy_not_waited_for() {
  copy_no_wait<<<1, 64>>>(filled<float4>(64), filled<float4>(64));
}

__global__ void copy_stages(const float4* x, float4* y, int n) {
  __shared__ float4 s[2][32];
  for (int k = 0; k < 2; ++k) {
    __pipeline_memcpy_async(&s[k][threadIdx.x], &x[k * 32 + threadIdx.x], 16);
    __pipeline_commit();
  }
  for (int k = 0; k < n; ++k) {
    __pipeline_wait_prior(2);  // should be 1
    __syncthreads();
    y[k * 32 + threadIdx.x] = s[k & 1][31 - threadIdx.x];  //! one_stage_too_few
    __syncthreads();
    if (k + 2 < n) __pipeline_memcpy_async(&s[k & 1][threadIdx.x], &x[(k + 2) * 32 + threadIdx.x], 16);
    __pipeline_commit();
  }
}
void one_stage_too_few() {
  copy_stages<<<1, 32>>>(filled<float4>(128), filled<float4>(128), 4);
}

__global__ void copy_no_barrier(const float4* x, float4* y) {
  __shared__ float4 s[64];
  __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 16);  //~ copies_of_others
  __pipeline_commit();
  __pipeline_wait_prior(0);              // for one's own copies only
  y[threadIdx.x] = s[63 - threadIdx.x];  //! copies_of_others
}
void copies_of_others() {
  copy_no_barrier<<<1, 64>>>(filled<float4>(64), filled<float4>(64));
}

using Barrier = cuda::barrier<cuda::thread_scope_block>;

enum class Bulk { sound, no_wait, wrong_bytes, wrong_count, wrong_parity };

template <Bulk how>
__global__ void bulk_in(const int* x, int* y) {
  __shared__ alignas(128) int s[256];
  __shared__ std::uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, how == Bulk::wrong_count ? 2 : 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, x, 1024, &bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                   how == Bulk::wrong_bytes ? 2048 : 1024);
  }
  if (how != Bulk::no_wait)
    while (!ptx::mbarrier_try_wait_parity(&bar, how == Bulk::wrong_parity ? 1 : 0)) {  //! bulk_wait
    }
  y[threadIdx.x] = s[255 - threadIdx.x];  //! bulk_use
}
void bulk_not_waited_for() {
  bulk_in<Bulk::no_wait><<<1, 256>>>(filled<int>(256), filled<int>(256));
}
void bulk_too_many_bytes_expected() {
  bulk_in<Bulk::wrong_bytes><<<1, 256>>>(filled<int>(256), filled<int>(256));
}
void mbarrier_count() {
  bulk_in<Bulk::wrong_count><<<1, 256>>>(filled<int>(256), filled<int>(256));
}
void mbarrier_parity() {
  bulk_in<Bulk::wrong_parity><<<1, 256>>>(filled<int>(256), filled<int>(256));
}
void sound_bulk() {
  bulk_in<Bulk::sound><<<1, 256>>>(filled<int>(256), filled<int>(256));
}

template <bool fenced, bool waited>
__global__ void bulk_out(int* y) {
  __shared__ alignas(128) int s[256];
  for (int k = 0; k < 2; ++k) {
    s[threadIdx.x] = threadIdx.x + k;  //! tile_reused_too_early
    if (fenced) ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y + k * 256, s, 1024);  //! no_proxy_fence
      ptx::cp_async_bulk_commit_group();
      if (waited) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
void no_proxy_fence() {
  bulk_out<false, true><<<1, 256>>>(filled<int>(512));
}
void tile_reused_too_early() {
  bulk_out<true, false><<<1, 256>>>(filled<int>(512));
}
void sound_bulk_out() {
  bulk_out<true, true><<<1, 256>>>(filled<int>(512));
}

__global__ void bulk_misaligned(const int* x, int* y) {
  __shared__ alignas(128) int s[64];
  __shared__ std::uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, x + 1, 128, &bar);  //! bulk_misaligned
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 128);
  }
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  y[threadIdx.x] = s[threadIdx.x];
}
void bulk_source_misaligned() {
  bulk_misaligned<<<1, 32>>>(filled<int>(64), filled<int>(64));
}

__global__ void bulk_far(const int* x, int* y) {
  __shared__ alignas(128) int s[64];
  __shared__ std::uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, x + 32, 256, &bar);  //! bulk_beyond
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 256);
  }
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
  }
  y[threadIdx.x] = s[threadIdx.x];
}
void bulk_beyond() {
  bulk_far<<<1, 32>>>(filled<int>(64), filled<int>(64));
}

__global__ void not_initialised(int* y) {
  __shared__ std::uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_arrive(&bar);  //! mbarrier_not_initialised
  y[threadIdx.x] = 1;
}
void mbarrier_not_initialised() {
  not_initialised<<<1, 32>>>(filled<int>(32));
}

__global__ void arrive_short(int* y) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x < 32) bar.arrive_and_wait();  //! barrier_waits_for_half
  y[threadIdx.x] = 1;
}
void barrier_waits_for_half() {
  arrive_short<<<1, 64>>>(filled<int>(64));
}

#define CASE(name) \
  { #name, name }
const Case cases[] = {
    CASE(copy_not_waited_for),
    CASE(one_stage_too_few),
    CASE(copies_of_others),
    CASE(bulk_not_waited_for),
    CASE(bulk_too_many_bytes_expected),
    CASE(mbarrier_count),
    CASE(mbarrier_parity),
    CASE(no_proxy_fence),
    CASE(tile_reused_too_early),
    CASE(bulk_source_misaligned),
    CASE(bulk_beyond),
    CASE(mbarrier_not_initialised),
    CASE(barrier_waits_for_half),
    CASE(sound_bulk),
    CASE(sound_bulk_out),
};

int main(int argc, char** argv) {
  return run_case(cases, argc, argv);
}
