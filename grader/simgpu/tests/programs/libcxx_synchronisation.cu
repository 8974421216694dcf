/// @file
/// libcu++: atomics in all orders, barriers, latches, semaphores, pipelines, bulk copies, and parts of the standard
/// library on the device.
#include <cooperative_groups.h>
#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/functional>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda/semaphore>
#include <cuda/std/__algorithm_>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>
#include "program.hpp"
namespace cs = cuda::std;
template <cs::memory_order O>
__global__ void orders(int* x) {
  cuda::atomic_ref<int, cuda::thread_scope_device> a(x[0]);
  cuda::atomic_ref<int, cuda::thread_scope_block> b(x[1 + blockIdx.x]);
  cuda::atomic_ref<int> s(x[63]);
  a.fetch_add(1, O);
  b.fetch_add(1, O);
  s.fetch_add(1, O);
  s.fetch_max(int(threadIdx.x), O);
  a.fetch_xor(0, O);
  int e = a.load(cs::memory_order_relaxed);
  while (!a.compare_exchange_weak(e, e + 1, O, cs::memory_order_relaxed)) {
  }
}
__global__ void small_atomics(char* c, short* s, unsigned long long* l, float* f, double* d) {
  cuda::atomic_ref<char, cuda::thread_scope_device>(*c).fetch_add(1);
  cuda::atomic_ref<short, cuda::thread_scope_device>(*s).fetch_add(2);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*l).fetch_add(3);
  cuda::atomic_ref<float, cuda::thread_scope_device>(*f).fetch_add(0.5f);
  cuda::atomic_ref<double, cuda::thread_scope_device>(*d).fetch_add(0.25);
}
__device__ cuda::atomic<int, cuda::thread_scope_device> ready{0};
__device__ int payload;
__global__ void message(int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      payload = 42;
      ready.store(1, cs::memory_order_release);
      ready.notify_all();
    }
  } else {
    if (threadIdx.x == 0) {
      ready.wait(0, cs::memory_order_acquire);
      out[blockIdx.x] = payload;
    }
  }
}
__global__ void fences(int* data, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      cuda::atomic_thread_fence(cs::memory_order_release, cuda::thread_scope_device);
      f.store(1, cs::memory_order_relaxed);
    }
  } else {
    if (threadIdx.x == 0) {
      while (!f.load(cs::memory_order_relaxed)) {
      }
      cuda::atomic_thread_fence(cs::memory_order_acquire, cuda::thread_scope_device);
    }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
  }
}
__global__ void seq_cst(int* d, int* f, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> a(*f);
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    d[0] = 7;
    a.store(1);
  } else {
    while (a.load() == 0) {
    }
    out[0] = d[0];
  }
}
__global__ void barriers(const int* in, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int k = 0; k < 3; ++k) {
    s[threadIdx.x] = in[threadIdx.x] + k;
    auto t = bar.arrive();
    int x = k * 2;
    bar.wait(std::move(t));
    out[k * 128 + threadIdx.x] = s[127 - threadIdx.x] + x;
    bar.arrive_and_wait();
  }
}
__global__ void barrier_spec(const int* in, int* out, int tiles) {  // producer/consumer warps, two buffers
  using B = cuda::barrier<cuda::thread_scope_block>;
  __shared__ B full[2], empty[2];
  __shared__ int buf[2][32];
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; ++i) {
      init(&full[i], 64);
      init(&empty[i], 64);
    }
  __syncthreads();
  int l = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int t = 0; t < tiles; ++t) {
      empty[t & 1].arrive_and_wait();
      buf[t & 1][l] = in[t * 32 + l];
      (void)full[t & 1].arrive();
    }
  } else {
    (void)empty[0].arrive();
    (void)empty[1].arrive();
    for (int t = 0; t < tiles; ++t) {
      full[t & 1].arrive_and_wait();
      out[t * 32 + l] = buf[t & 1][31 - l];
      (void)empty[t & 1].arrive();
    }
  }
}
__global__ void latches(int* out) {
  __shared__ cuda::latch<cuda::thread_scope_block>* lp;
  __shared__ alignas(
      cuda::latch<cuda::thread_scope_block>) char room[sizeof(cuda::latch<cuda::thread_scope_block>)];
  __shared__ int s[64];
  if (threadIdx.x == 0) {
    lp = new (room) cuda::latch<cuda::thread_scope_block>(64);
  }
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;
  lp->arrive_and_wait();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 2> sem{2};
__device__ cuda::binary_semaphore<cuda::thread_scope_device> mutex{1};
__device__ int inside, most, plain_sum;
__global__ void semaphores() {
  if (threadIdx.x == 0) {
    sem.acquire();
    int n = atomicAdd(&inside, 1) + 1;
    atomicMax(&most, n);
    atomicSub(&inside, 1);
    sem.release();
    mutex.acquire();
    plain_sum = plain_sum + 1;
    mutex.release();
  }
}
__global__ void pipeline(const int* in, int* out, int tiles) {
  constexpr int S = 3;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, S> st;
  __shared__ alignas(16) int buf[S][64];
  auto b = cooperative_groups::this_thread_block();
  auto p = cuda::make_pipeline(b, &st);
  int f = 0;
  for (int t = 0; t < tiles; ++t) {
    for (; f < tiles && f < t + S; ++f) {
      p.producer_acquire();
      cuda::memcpy_async(b, buf[f % S], in + f * 64, cuda::aligned_size_t<16>(256), p);
      p.producer_commit();
    }
    p.consumer_wait();
    out[t * 64 + threadIdx.x] = buf[t % S][63 - threadIdx.x];
    p.consumer_release();
  }
}
__global__ void pipeline_thread(const int* in, int* out, int tiles) {
  __shared__ int buf[2][64];
  auto p = cuda::make_pipeline();
  p.producer_acquire();
  cuda::memcpy_async(&buf[0][threadIdx.x], in + threadIdx.x, sizeof(int), p);
  p.producer_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      p.producer_acquire();
      cuda::memcpy_async(&buf[(t + 1) & 1][threadIdx.x], in + (t + 1) * 64 + threadIdx.x, sizeof(int), p);
      p.producer_commit();
      cuda::pipeline_consumer_wait_prior<1>(p);
    } else
      cuda::pipeline_consumer_wait_prior<0>(p);
    __syncthreads();
    out[t * 64 + threadIdx.x] = buf[t & 1][63 - threadIdx.x];
    __syncthreads();
    p.consumer_release();
  }
}
__global__ void pipeline_roles(const int* in, int* out, int tiles) {
  constexpr int S = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, S> st;
  __shared__ int buf[S][32];
  auto b = cooperative_groups::this_thread_block();
  auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto p = cuda::make_pipeline(b, &st, role);
  int l = threadIdx.x % 32;
  if (role == cuda::pipeline_role::producer)
    for (int t = 0; t < tiles; ++t) {
      p.producer_acquire();
      cuda::memcpy_async(&buf[t % S][l], in + t * 32 + l, sizeof(int), p);
      p.producer_commit();
    }
  else
    for (int t = 0; t < tiles; ++t) {
      p.consumer_wait();
      out[t * 32 + l] = buf[t % S][31 - l];
      p.consumer_release();
    }
}
__global__ void bulk(const int* in, int* out, int tiles) {  // TMA double buffer through cuda::ptx
  using B = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(128) int buf[2][256];
  __shared__ alignas(128) int res[256];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ B bar[2];
  if (threadIdx.x == 0) {
    init(&bar[0], blockDim.x);
    init(&bar[1], blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  B::arrival_token tok[2];
  auto issue = [&](int t) {
    if (threadIdx.x == 0) {
      cuda::device::experimental::cp_async_bulk_global_to_shared(buf[t & 1], in + t * 256, 1024, bar[t & 1]);
      tok[t & 1] = cuda::device::barrier_arrive_tx(bar[t & 1], 1, 1024);
    } else
      tok[t & 1] = bar[t & 1].arrive();
  };
  issue(0);
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) issue(t + 1);
    bar[t & 1].wait(std::move(tok[t & 1]));
    res[threadIdx.x] = buf[t & 1][255 - threadIdx.x];
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out + t * 256, res, 1024);
      cuda::ptx::cp_async_bulk_commit_group();
      cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    }
    __syncthreads();
  }
}
struct Visit {
  __device__ int operator()(int a) const { return a; }
  __device__ int operator()(float f) const { return int(f * 2); }
};
__global__ void stdlib(const float* in, float* out, int* iout) {
  cs::complex<float> z(in[threadIdx.x], 1.f), w = cs::exp(z) * cs::conj(z) / cs::complex<float>(2.f, 3.f);
  out[threadIdx.x] = cs::abs(w) + cs::arg(z) + cs::sqrt(z).real() + cs::pow(z, 2.f).imag();
  cs::array<int, 8> a;
  for (int i = 0; i < 8; ++i) a[i] = (threadIdx.x * 5 + i * 3) % 11;
  auto mx = *cs::max_element(a.begin(), a.end());
  cs::span<int> sp(a.data(), 4);
  int sum = cs::accumulate(sp.begin(), sp.end(), 0);
  cs::optional<int> o;
  if (threadIdx.x % 2) o = sum;
  auto t = cs::make_tuple(1, 2.5f, o.value_or(-1));
  cs::variant<int, float> v;
  if (threadIdx.x % 3 == 0)
    v = 1.5f;
  else
    v = 4;
  auto tp = cs::chrono::high_resolution_clock::now();
  auto dt = cs::chrono::high_resolution_clock::now() - tp;
  iout[threadIdx.x] = mx + cs::get<2>(t) + cs::popcount(threadIdx.x) + cs::countl_zero(threadIdx.x | 1u) +
                      cs::bit_cast<int>(1.0f) % 7 + cs::visit(Visit(), v) + (dt.count() < 0) +
                      cs::rotl(threadIdx.x, 3) % 5 + int(cs::bit_ceil(threadIdx.x + 1u)) +
                      cs::clamp(int(threadIdx.x), 5, 20) + cs::gcd(int(threadIdx.x) + 6, 12);
}
__global__ void md(const float* a, float* b, int m, int n) {
  cs::mdspan<const float, cs::dextents<int, 2>> A(a, m, n);
  cs::mdspan<float, cs::dextents<int, 2>, cs::layout_left> B(b, n, m);
  int i = threadIdx.y, j = threadIdx.x;
  if (i < m && j < n) B(j, i) = A(i, j);
}
__global__ void annotated(cuda::annotated_ptr<const float, cuda::access_property::streaming> in,
                          cuda::annotated_ptr<float, cuda::access_property::persisting> out) {
  out[threadIdx.x] = in[threadIdx.x] * 2;
  cuda::apply_access_property(&out[0], 128, cuda::access_property::persisting{});
}
__global__ void ptxs(int* out) {
  unsigned lane = cuda::ptx::get_sreg_laneid();
  unsigned lt = cuda::ptx::get_sreg_lanemask_lt();
  out[threadIdx.x] = lane + __popc(lt) + cuda::ptx::get_sreg_nwarpid() * 0;
  cuda::ptx::fence(cuda::ptx::sem_acq_rel, cuda::ptx::scope_gpu);
}
int main() {
  int* x;
  CHECK(cudaMalloc(&x, 4096));
  CHECK(cudaMemset(x, 0, 4096));
  orders<cs::memory_order_relaxed><<<4, 64>>>(x);
  orders<cs::memory_order_acquire><<<4, 64>>>(x);
  orders<cs::memory_order_acq_rel><<<4, 64>>>(x);
  orders<cs::memory_order_seq_cst><<<4, 64>>>(x);
  auto r = to_host(x, 64);
  EXPECT(r[0] == 4 * 512 && r[1] == 256);
  {
    char* c;
    CHECK(cudaMalloc(&c, 64));
    CHECK(cudaMemset(c, 0, 64));
    small_atomics<<<2, 32>>>(c, (short*)(c + 2), (unsigned long long*)(c + 8), (float*)(c + 16),
                             (double*)(c + 24));
    auto h = to_host(c, 64);
    EXPECT(h[0] == 64 && *(short*)&h[2] == 128 && *(long long*)&h[8] == 192 && *(float*)&h[16] == 32 &&
           *(double*)&h[24] == 16);
    CHECK(cudaFree(c));
  }
  message<<<3, 32>>>(x);
  r = to_host(x, 3);
  EXPECT(r[1] == 42 && r[2] == 42);
  CHECK(cudaMemset(x, 0, 4096));
  fences<<<2, 64>>>(x, x + 100, x + 200);
  r = to_host(x + 200, 64);
  EXPECT(r[63] == 63);
  CHECK(cudaMemset(x, 0, 4096));
  seq_cst<<<2, 32>>>(x, x + 1, x + 2);
  EXPECT(to_host(x, 3)[2] == 7);
  std::vector<int> h(1024);
  for (int i = 0; i < 1024; ++i) h[i] = i * 3;
  int* d = to_device(h);
  int* o;
  CHECK(cudaMalloc(&o, 4096));
  barriers<<<1, 128>>>(d, o);
  r = to_host(o, 384);
  for (int i = 0; i < 384; ++i) EXPECT(r[i] == 3 * (127 - i % 128) + 3 * (i / 128));
  barrier_spec<<<1, 64>>>(d, o, 9);
  r = to_host(o, 288);
  for (int i = 0; i < 288; ++i) EXPECT(r[i] == h[i / 32 * 32 + 31 - i % 32]);
  latches<<<1, 64>>>(o);
  EXPECT(to_host(o, 64)[0] == 63);
  semaphores<<<20, 32>>>();
  CHECK(cudaDeviceSynchronize());
  int m, ps;
  CHECK(cudaMemcpyFromSymbol(&m, most, 4));
  CHECK(cudaMemcpyFromSymbol(&ps, plain_sum, 4));
  EXPECT(m <= 2 && ps == 20);
  pipeline<<<1, 64>>>(d, o, 8);
  r = to_host(o, 512);
  for (int i = 0; i < 512; ++i) EXPECT(r[i] == h[i / 64 * 64 + 63 - i % 64]);
  pipeline_thread<<<1, 64>>>(d, o, 8);
  r = to_host(o, 512);
  for (int i = 0; i < 512; ++i) EXPECT(r[i] == h[i / 64 * 64 + 63 - i % 64]);
  pipeline_roles<<<1, 64>>>(d, o, 8);
  r = to_host(o, 256);
  for (int i = 0; i < 256; ++i) EXPECT(r[i] == h[i / 32 * 32 + 31 - i % 32]);
  bulk<<<1, 256>>>(d, o, 4);
  r = to_host(o, 1024);
  for (int i = 0; i < 1024; ++i) EXPECT(r[i] == h[i / 256 * 256 + 255 - i % 256]);
  {
    std::vector<float> f(64);
    for (int i = 0; i < 64; ++i) f[i] = i * 0.1f;
    float* df = to_device(f);
    float* fo;
    CHECK(cudaMalloc(&fo, 4096));
    stdlib<<<1, 64>>>(df, fo, o);
    auto g = to_host(fo, 64);
    EXPECT(std::isfinite(g[7]));
    md<<<1, dim3(8, 8)>>>(df, fo, 8, 8);
    g = to_host(fo, 64);
    EXPECT(g[9] == f[9]);
    annotated<<<1, 32>>>(cuda::annotated_ptr<const float, cuda::access_property::streaming>(df),
                         cuda::annotated_ptr<float, cuda::access_property::persisting>(fo));
    EXPECT(to_host(fo, 32)[5] == 1.0f);
    CHECK(cudaFree(df));
    CHECK(cudaFree(fo));
  }
  ptxs<<<1, 32>>>(o);
  EXPECT(to_host(o, 32)[31] == 62);
  CHECK(cudaFree(x));
  CHECK(cudaFree(d));
  CHECK(cudaFree(o));
  return ok();
}
