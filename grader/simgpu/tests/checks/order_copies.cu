/// @file
/// Copies by the copy engine, and textures: their side in global memory takes part in races like a thread's.
#include <cuda/atomic>
#include <cuda/ptx>

#include "order.hpp"

namespace ptx = cuda::ptx;

constexpr int kCount = 256;  // ints of a copy: 1 KiB

__device__ void wait_for(std::uint64_t* bar, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(bar, parity)) {
  }
}
__device__ void prepare(std::uint64_t* bar) {
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
}
// Ordinary accesses of global memory come before the copy engine's.
__device__ void fence_proxy() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

// The copy engine reads what the block's threads have written.
enum class In { sound, no_barrier, source_overwritten, fence_of_the_copier, no_fence, fence_for_shared };

template <In in>
__global__ void copied_in(int* x, int* y) {
  __shared__ alignas(128) int s[kCount];
  __shared__ std::uint64_t bar;
  prepare(&bar);
  x[threadIdx.x] = 2 * threadIdx.x;  //~ copied_in
  if (in == In::fence_for_shared)
    ptx::fence_proxy_async(ptx::space_shared);
  else if (in != In::no_fence && in != In::fence_of_the_copier)
    fence_proxy();
  if (in != In::no_barrier) __syncthreads();
  if (threadIdx.x == 0) {
    if (in == In::fence_of_the_copier) fence_proxy();
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, x, sizeof s, &bar);  //! copied_in
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof s);
  }
  if (in == In::source_overwritten && threadIdx.x == 5) x[5] = 0;  //~ copied_in
  wait_for(&bar, 0);
  if (in == In::sound && threadIdx.x == 5) x[5] = 0;
  y[threadIdx.x] = s[kCount - 1 - threadIdx.x];
}
template <In in>
bool copies_in() {
  Array<int> x(kCount), y(kCount);
  copied_in<in><<<1, kCount>>>(x, y);
  return y.is([](int i) { return 2 * (kCount - 1 - i); }) &&
         x.is([](int i) { return i == 5 && (in == In::sound || in == In::source_overwritten) ? 0 : 2 * i; });
}
bool sound_bulk_load_of_written() {
  return copies_in<In::sound>();
}
bool sound_fence_of_the_copier() {
  return copies_in<In::fence_of_the_copier>();
}
bool written_without_proxy_fence() {
  return copies_in<In::no_fence>();
}
bool proxy_fence_for_shared_memory() {
  return copies_in<In::fence_for_shared>();
}
bool bulk_load_before_the_barrier() {
  return copies_in<In::no_barrier>();
}
bool source_overwritten_too_early() {
  return copies_in<In::source_overwritten>();
}

// The copy engine writes what other threads read: they, or another block.
enum class Out { sound, not_waited_for, read_waited_for };

template <Out out>
__global__ void copied_out(int* x, int* flag, int* y) {
  __shared__ alignas(128) int s[kCount];
  const int t = threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    s[t] = 3 * t;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, x, s, sizeof s);  //~ copied_out
      ptx::cp_async_bulk_commit_group();
      if (out == Out::read_waited_for) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
      if (out == Out::sound) {
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
        fence_proxy();
      }
      f.store(1, cuda::memory_order_release);
      ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
  } else {
    if (t == 0)
      while (f.load(cuda::memory_order_acquire) == 0) {
      }
    __syncthreads();
    y[t] = x[kCount - 1 - t];  //! copied_out
  }
}
template <Out out>
bool copies_out() {
  Array<int> x(kCount), flag(1), y(kCount);
  copied_out<out><<<2, kCount>>>(x, flag, y);
  return y.is([](int i) { return 3 * (kCount - 1 - i); });
}
bool sound_bulk_store_passed_on() {
  return copies_out<Out::sound>();
}
bool bulk_store_not_waited_for() {
  return copies_out<Out::not_waited_for>();
}
bool bulk_store_only_read() {
  return copies_out<Out::read_waited_for>();
}

template <bool waited>
__global__ void read_back(int* x, int* y) {
  __shared__ alignas(128) int s[kCount];
  const int t = threadIdx.x;
  s[t] = 4 * t;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (t == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, x, s, sizeof s);  //~ read_back
    ptx::cp_async_bulk_commit_group();
    if (waited) {
      ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
      fence_proxy();
    }
  }
  __syncthreads();
  y[t] = x[kCount - 1 - t];  //! read_back
  if (t == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
bool sound_bulk_store_read_back() {
  Array<int> x(kCount), y(kCount);
  read_back<true><<<1, kCount>>>(x, y);
  return y.is([](int i) { return 4 * (kCount - 1 - i); });
}
bool bulk_store_read_too_early() {
  Array<int> x(kCount), y(kCount);
  read_back<false><<<1, kCount>>>(x, y);
  return true;
}

// All blocks store to one place; to one of their own; add to one place.
enum class Place { own, same, added };

template <Place place>
__global__ void stored(int* x) {
  __shared__ alignas(128) int s[kCount];
  const int t = threadIdx.x;
  s[t] = t + (place == Place::same ? blockIdx.x : 0);
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (t == 0) {
    if (place == Place::added)
      ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, x, s, sizeof s);
    else
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,  //! stored
                         x + (place == Place::own ? blockIdx.x * kCount : 0), s, sizeof s);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}
bool sound_bulk_stores_apart() {
  Array<int> x(4 * kCount);
  stored<Place::own><<<4, kCount>>>(x);
  return x.is([](int i) { return i % kCount; });
}
bool sound_bulk_additions() {
  Array<int> x(kCount);
  stored<Place::added><<<4, kCount>>>(x);
  return x.is([](int i) { return 4 * i; });
}
bool bulk_stores_to_one_place() {
  Array<int> x(kCount);
  stored<Place::same><<<4, kCount>>>(x);
  return true;
}

// Two stages, filled by the copy engine while the block works on the other one.
__global__ void stages(const int* x, int* y, int rounds) {
  __shared__ alignas(128) int s[2][kCount];
  __shared__ std::uint64_t bars[2];
  const int t = threadIdx.x;
  prepare(&bars[0]);
  prepare(&bars[1]);
  const auto fill = [&](int k) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s[k % 2], x + k * kCount, sizeof s[0],
                       &bars[k % 2]);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bars[k % 2],
                                   sizeof s[0]);
  };
  if (t == 0) fill(0);
  for (int k = 0; k < rounds; ++k) {
    if (t == 0 && k + 1 < rounds) fill(k + 1);
    wait_for(&bars[k % 2], k / 2 % 2);
    y[k * kCount + t] = s[k % 2][kCount - 1 - t] + k;
    __syncthreads();
  }
}
bool sound_bulk_stages() {
  Array<int> x(5 * kCount), y(5 * kCount);
  stages<<<1, kCount>>>(x, y, 5);
  return y.is([](int i) { return i / kCount; });
}

// Through a texture one reads what earlier kernels wrote.
cudaTextureObject_t texture_of(int* data, int count) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = count * sizeof(int);
  cudaTextureDesc how{};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  return texture;
}
__global__ void write_all(int* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;  //~ fetch
}
__global__ void fetch_all(cudaTextureObject_t texture, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = tex1Dfetch<int>(texture, n - 1 - i);
}
__global__ void write_and_fetch(int* x, cudaTextureObject_t texture, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = i;                                    //~ fetch
  y[i] = tex1Dfetch<int>(texture, n - 1 - i);  //! fetch
}
bool sound_texture_of_an_earlier_kernel() {
  Array<int> x(128), y(128);
  const cudaTextureObject_t texture = texture_of(x, 128);
  write_all<<<2, 64>>>(x);
  fetch_all<<<2, 64>>>(texture, y, 128);
  const bool right = y.is([](int i) { return 127 - i; });
  cudaDestroyTextureObject(texture);
  return right;
}
bool texture_of_the_same_kernel() {
  Array<int> x(128), y(128);
  const cudaTextureObject_t texture = texture_of(x, 128);
  write_and_fetch<<<2, 64>>>(x, texture, y, 128);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(texture);
  return true;
}

template <bool apart>
__global__ void write_surface(cudaSurfaceObject_t surface) {
  const int x = apart ? blockIdx.x * blockDim.x + threadIdx.x : threadIdx.x;
  surf2Dwrite(static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), surface, x * 4, 0);  //! write_surface
}
template <bool apart>
bool writes_surface() {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaMallocArray(&array, &format, 64, 4, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);
  write_surface<apart><<<2, 32>>>(surface);
  std::vector<int> y(64);
  cudaMemcpy2DFromArray(y.data(), 256, array, 0, 0, 256, 1, cudaMemcpyDeviceToHost);
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
  for (int i = 0; i < 64; ++i)
    if (y[i] != i) return false;
  return true;
}
bool sound_surface_writes_apart() {
  return writes_surface<true>();
}
bool surface_writes_to_one_place() {
  return writes_surface<false>();
}

// Loads for data that the kernel only reads do not see what it writes, though a barrier lies between.
enum class Way { ordinary, read_only, read_only_before, read_only_own };

template <Way way>
__global__ void mirror_in_place(int* x) {
  const int t = threadIdx.x, from = way == Way::read_only_own ? t : 63 - t;
  const int before = way == Way::read_only_before ? __ldg(&x[from]) : 0;
  __syncthreads();
  x[t] = 100 + t + before;  //~ mirror_in_place
  __syncthreads();
  int v = 0;
  if (way == Way::ordinary) v = x[from];
  if (way == Way::read_only || way == Way::read_only_own) v = __ldg(&x[from]);  //! mirror_in_place
  __syncthreads();
  if (way != Way::read_only_before) x[t] = v;
}
template <Way way>
bool mirrors() {
  Array<int> x(64);
  mirror_in_place<way><<<1, 64>>>(x);
  return x.is([](int i) { return way == Way::ordinary ? 163 - i : 100 + i; });
}
bool sound_mirror_in_place() {
  return mirrors<Way::ordinary>();
}
bool sound_read_only_before() {
  return mirrors<Way::read_only_before>();
}
bool read_only_load_of_what_was_written() {
  mirrors<Way::read_only>();
  return true;
}
bool read_only_load_of_the_own_element() {
  mirrors<Way::read_only_own>();
  return true;
}

// The copy engine takes from shared memory what all threads have put there, in rounds.
template <bool barrier, int issuer>
__global__ void staged(int* y) {
  __shared__ alignas(128) int s[kCount];
  for (int round = 0; round < 3; ++round) {
    s[threadIdx.x] = round * kCount + threadIdx.x;  //~ staged
    ptx::fence_proxy_async(ptx::space_shared);
    if (barrier) __syncthreads();
    if (threadIdx.x == issuer) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, y + round * kCount, s, sizeof s);  //! staged
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
    __syncthreads();
  }
}
template <bool barrier, int issuer>
bool stages() {
  Array<int> y(3 * kCount);
  staged<barrier, issuer><<<1, kCount>>>(y);
  return y.is([](int i) { return i; });
}
bool sound_staged() {
  return stages<true, 0>() && stages<true, kCount - 1>();
}
bool bulk_store_by_the_first_before_the_barrier() {
  return stages<false, 0>();
}
bool bulk_store_by_the_last_before_the_barrier() {
  return stages<false, kCount - 1>();
}

const Case cases[] = {
    CASE(sound_staged),
    CASE(bulk_store_by_the_first_before_the_barrier),
    CASE(bulk_store_by_the_last_before_the_barrier),
    CASE(sound_mirror_in_place),
    CASE(sound_read_only_before),
    CASE(read_only_load_of_what_was_written),
    CASE(read_only_load_of_the_own_element),
    CASE(sound_bulk_load_of_written),
    CASE(sound_bulk_store_passed_on),
    CASE(sound_bulk_store_read_back),
    CASE(sound_bulk_stores_apart),
    CASE(sound_bulk_additions),
    CASE(sound_bulk_stages),
    CASE(sound_texture_of_an_earlier_kernel),
    CASE(sound_surface_writes_apart),
    CASE(sound_fence_of_the_copier),
    CASE(written_without_proxy_fence),
    CASE(proxy_fence_for_shared_memory),
    CASE(bulk_load_before_the_barrier),
    CASE(source_overwritten_too_early),
    CASE(bulk_store_not_waited_for),
    CASE(bulk_store_only_read),
    CASE(bulk_store_read_too_early),
    CASE(bulk_stores_to_one_place),
    CASE(texture_of_the_same_kernel),
    CASE(surface_writes_to_one_place),
};

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}
