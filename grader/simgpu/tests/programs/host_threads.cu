// Hosts with several threads, streams and devices.
#include <omp.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <numeric>
#include <thread>
#include "program.hpp"
__global__ void scale(float* p, int n, float by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] *= by;
}
__global__ void fill(int* p, int n, int v) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = v;
}
__global__ void inc(int* p, int n, int v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += v;
}
__global__ void spin(clock_t* out, clock_t count) {
  clock_t s = clock64();
  clock_t o = 0;
  while (o < count) o = clock64() - s;
  out[0] = o;
}
__global__ void gemv(const double* a, const double* x, double* y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n) {
    double s = 0;
    for (int c = 0; c < n; ++c) s += a[r * n + c] * x[c];
    y[r] = s;
  }
}

void async_api() {
  int n = 1 << 20, *a, *d;
  CHECK(cudaMallocHost(&a, n * 4));
  memset(a, 0, n * 4);
  CHECK(cudaMalloc(&d, n * 4));
  CHECK(cudaMemset(d, 255, n * 4));
  cudaEvent_t s, e;
  cudaEventCreate(&s);
  cudaEventCreate(&e);
  CHECK(cudaDeviceSynchronize());
  cudaEventRecord(s, 0);
  cudaMemcpyAsync(d, a, n * 4, cudaMemcpyHostToDevice, 0);
  inc<<<n / 512, 512>>>(d, n, 26);
  cudaMemcpyAsync(a, d, n * 4, cudaMemcpyDeviceToHost, 0);
  cudaEventRecord(e, 0);
  long polls = 0;
  while (cudaEventQuery(e) == cudaErrorNotReady) ++polls;
  float ms;
  CHECK(cudaEventElapsedTime(&ms, s, e));
  printf("async polls %ld ms %.3f\n", polls, ms);
  EXPECT(polls > 10);
  EXPECT(ms > 0.01 && ms < 100);
  for (int i = 0; i < n; ++i) EXPECT(a[i] == 26);
  CHECK(cudaGetLastError());
  cudaFreeHost(a);
  cudaFree(d);
  cudaEventDestroy(s);
  cudaEventDestroy(e);
}
void simple_streams() {
  const int ns = 4, n = 1 << 20;
  int *a, *d;
  CHECK(cudaHostAlloc(&a, n * 4, cudaHostAllocDefault));
  CHECK(cudaMalloc(&d, n * 4));
  cudaStream_t st[ns];
  for (auto& s : st) CHECK(cudaStreamCreate(&s));
  cudaEvent_t e0, e1;
  cudaEventCreateWithFlags(&e0, cudaEventBlockingSync);
  cudaEventCreateWithFlags(&e1, cudaEventBlockingSync);
  float serial, over;
  cudaEventRecord(e0);
  for (int k = 0; k < 5; ++k) {
    fill<<<n / 512, 512>>>(d, n, 5);
    cudaMemcpy(a, d, n * 4, cudaMemcpyDeviceToHost);
  }
  cudaEventRecord(e1);
  CHECK(cudaEventSynchronize(e1));
  CHECK(cudaEventElapsedTime(&serial, e0, e1));
  cudaEventRecord(e0);
  for (int k = 0; k < 5; ++k) {
    for (int i = 0; i < ns; ++i) fill<<<n / 512 / ns, 512, 0, st[i]>>>(d + i * n / ns, n / ns, 7);
    for (int i = 0; i < ns; ++i)
      cudaMemcpyAsync(a + i * n / ns, d + i * n / ns, n * 4 / ns, cudaMemcpyDeviceToHost, st[i]);
  }
  cudaEventRecord(e1);
  CHECK(cudaEventSynchronize(e1));
  CHECK(cudaEventElapsedTime(&over, e0, e1));
  printf("streams: serial %.3f overlapped %.3f ms\n", serial, over);
  EXPECT(over < serial * 1.02);
  for (int i = 0; i < n; ++i) EXPECT(a[i] == 7);
  for (auto& s : st) cudaStreamDestroy(s);
  cudaFree(d);
  cudaFreeHost(a);
  cudaEventDestroy(e0);
  cudaEventDestroy(e1);
}
void concurrent_kernels() {
  const int k = 8;
  cudaStream_t st[k];
  cudaEvent_t ev[k], a, b;
  clock_t* d;
  CHECK(cudaMalloc(&d, k * sizeof(clock_t)));
  for (int i = 0; i < k; ++i) {
    cudaStreamCreate(&st[i]);
    cudaEventCreateWithFlags(&ev[i], cudaEventDisableTiming);
  }
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  cudaEventRecord(a);
  clock_t c = 200000;
  for (int i = 0; i < k; ++i) {
    spin<<<1, 1, 0, st[i]>>>(d + i, c);
    cudaEventRecord(ev[i], st[i]);
    cudaStreamWaitEvent(st[k - 1], ev[i], 0);
  }
  cudaEventRecord(b);
  CHECK(cudaEventSynchronize(b));
  float ms;
  CHECK(cudaEventElapsedTime(&ms, a, b));
  auto h = to_host(d, k);
  for (auto v : h) EXPECT(v >= c);
  printf("concurrent kernels: %.4f ms for %d kernels of %.4f\n", ms, k, c / 1.98e6);
  for (int i = 0; i < k; ++i) {
    cudaStreamDestroy(st[i]);
    cudaEventDestroy(ev[i]);
  }
  cudaEventDestroy(a);
  cudaEventDestroy(b);
  cudaFree(d);
}

// simpleCallback: workers with data of their own; a callback hands over to a host thread which uses CUDA again
struct Work {
  int id, *host = nullptr, *dev = nullptr;
  cudaStream_t stream;
  bool ok = false;
};
static std::mutex m;
static std::condition_variable cv;
static int done = 0;
static std::vector<std::thread> posts;
static void finish(Work* w) {
  CHECK(cudaSetDevice(w->id % 2));
  bool ok = true;
  for (int i = 0; i < 10000; ++i) ok &= w->host[i] == w->id * 2 + 1;
  w->ok = ok;
  CHECK(cudaFree(w->dev));
  CHECK(cudaFreeHost(w->host));
  CHECK(cudaStreamDestroy(w->stream));
  std::lock_guard l(m);
  ++done;
  cv.notify_all();
}
static void CUDART_CB on_done(cudaStream_t, cudaError_t s, void* p) {
  EXPECT(s == cudaSuccess);
  std::lock_guard l(m);
  posts.emplace_back(finish, (Work*)p);
}
void callbacks() {
  static Work w[8];
  std::vector<std::thread> ts;
  for (int i = 0; i < 8; ++i)
    ts.emplace_back([i] {
      Work& x = w[i];
      x.id = i;
      CHECK(cudaSetDevice(i % 2));
      CHECK(cudaStreamCreate(&x.stream));
      CHECK(cudaHostAlloc(&x.host, 40000, cudaHostAllocPortable));
      CHECK(cudaMalloc(&x.dev, 40000));
      for (int j = 0; j < 10000; ++j) x.host[j] = i;
      CHECK(cudaMemcpyAsync(x.dev, x.host, 40000, cudaMemcpyHostToDevice, x.stream));
      inc<<<79, 128, 0, x.stream>>>(x.dev, 10000, i + 1);
      CHECK(cudaMemcpyAsync(x.host, x.dev, 40000, cudaMemcpyDeviceToHost, x.stream));
      CHECK(cudaStreamAddCallback(x.stream, on_done, &x, 0));
    });
  for (auto& t : ts) t.join();
  {
    std::unique_lock l(m);
    cv.wait(l, [] { return done == 8; });
  }
  for (auto& t : posts) t.join();
  for (auto& x : w) EXPECT(x.ok);
}
void openmp() {
  int nd;
  CHECK(cudaGetDeviceCount(&nd));
  const int n = 1 << 14;
  std::vector<int> a(n, 1);
  omp_set_num_threads(4);
#pragma omp parallel
  {
    int t = omp_get_thread_num();
    CHECK(cudaSetDevice(t % nd));
    int at;
    CHECK(cudaGetDevice(&at));
    EXPECT(at == t % nd);
    int per = n / omp_get_num_threads();
    int* d;
    CHECK(cudaMalloc(&d, per * 4));
    CHECK(cudaMemcpy(d, &a[t * per], per * 4, cudaMemcpyHostToDevice));
    inc<<<(per + 127) / 128, 128>>>(d, per, 3);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&a[t * per], d, per * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
  }
  for (int v : a) EXPECT(v == 4);
  CHECK(cudaSetDevice(0));
}
void managed_tasks() {  // UnifiedMemoryStreams
  const int T = 4, N = 12;
  struct Task {
    int n;
    double *a, *x, *y;
  };
  std::vector<Task> ts;
  std::vector<cudaStream_t> st(T + 1);
  for (auto& s : st) CHECK(cudaStreamCreate(&s));
  for (int i = 0; i < N; ++i) {
    Task t;
    t.n = 20 + i * 7;
    CHECK(cudaMallocManaged(&t.a, t.n * t.n * 8));
    CHECK(cudaMallocManaged(&t.x, t.n * 8));
    CHECK(cudaMallocManaged(&t.y, t.n * 8));
    for (int k = 0; k < t.n * t.n; ++k) t.a[k] = k % 17;
    for (int k = 0; k < t.n; ++k) t.x[k] = k % 5, t.y[k] = 0;
    ts.push_back(t);
  }
  std::atomic<int> next{0};
  std::vector<std::thread> th;
  for (int k = 0; k < T; ++k)
    th.emplace_back([&, k] {
      for (int i; (i = next++) < N;) {
        Task& t = ts[i];
        if (t.n < 40) {
          CHECK(cudaStreamAttachMemAsync(st[0], t.a, 0, cudaMemAttachHost));
          CHECK(cudaStreamAttachMemAsync(st[0], t.x, 0, cudaMemAttachHost));
          CHECK(cudaStreamAttachMemAsync(st[0], t.y, 0, cudaMemAttachHost));
          CHECK(cudaStreamSynchronize(st[0]));
          for (int r = 0; r < t.n; ++r) {
            t.y[r] = 0;
            for (int c = 0; c < t.n; ++c) t.y[r] += t.a[r * t.n + c] * t.x[c];
          }
        } else {
          CHECK(cudaStreamAttachMemAsync(st[k + 1], t.a, 0, cudaMemAttachSingle));
          CHECK(cudaStreamAttachMemAsync(st[k + 1], t.x, 0, cudaMemAttachSingle));
          CHECK(cudaStreamAttachMemAsync(st[k + 1], t.y, 0, cudaMemAttachSingle));
          gemv<<<(t.n + 31) / 32, 32, 0, st[k + 1]>>>(t.a, t.x, t.y, t.n);
          CHECK(cudaGetLastError());
        }
      }
    });
  for (auto& t : th) t.join();
  CHECK(cudaDeviceSynchronize());
  for (auto& t : ts) {
    for (int r = 0; r < t.n; ++r) {
      double s = 0;
      for (int c = 0; c < t.n; ++c) s += double((r * t.n + c) % 17) * (c % 5);
      EXPECT(t.y[r] == s);
    }
    cudaFree(t.a), cudaFree(t.x), cudaFree(t.y);
  }
  for (auto& s : st) CHECK(cudaStreamDestroy(s));
}
void multi_gpu() {
  int nd;
  CHECK(cudaGetDeviceCount(&nd));
  const int n = 1 << 16;
  struct P {
    int *h, *d;
    cudaStream_t s;
  };
  std::vector<P> ps(nd);
  for (int i = 0; i < nd; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaStreamCreate(&ps[i].s));
    CHECK(cudaMalloc(&ps[i].d, n * 4));
    CHECK(cudaMallocHost(&ps[i].h, n * 4));
    for (int k = 0; k < n; ++k) ps[i].h[k] = k;
  }
  for (int i = 0; i < nd; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaMemcpyAsync(ps[i].d, ps[i].h, n * 4, cudaMemcpyHostToDevice, ps[i].s));
    inc<<<n / 256, 256, 0, ps[i].s>>>(ps[i].d, n, i + 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(ps[i].h, ps[i].d, n * 4, cudaMemcpyDeviceToHost, ps[i].s));
  }
  for (int i = 0; i < nd; ++i) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaStreamSynchronize(ps[i].s));
    for (int k = 0; k < n; ++k) EXPECT(ps[i].h[k] == k + i + 1);
  }
  if (nd > 1) {
    CHECK(cudaSetDevice(0));
    cudaStream_t s0 = ps[0].s, s1 = ps[1].s;
    cudaEvent_t e;
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    inc<<<n / 256, 256, 0, s0>>>(ps[0].d, n, 10);
    CHECK(cudaEventRecord(e, s0));
    EXPECT(cudaEventRecord(e, s1) != cudaSuccess);
    cudaGetLastError();
    CHECK(cudaStreamWaitEvent(s1, e, 0));
    CHECK(cudaMemcpyPeerAsync(ps[1].d, 1, ps[0].d, 0, n * 4, s1));
    inc<<<1, 32, 0, s1>>>(ps[1].d, 32, 1);
    EXPECT(cudaGetLastError() != cudaSuccess); /* stream of another device */
    CHECK(cudaSetDevice(1));
    inc<<<n / 256, 256, 0, s1>>>(ps[1].d, n, 1);
    CHECK(cudaMemcpy(ps[1].h, ps[1].d, n * 4, cudaMemcpyDeviceToHost));
    EXPECT(ps[1].h[5] == 5 + 1 + 10 + 1);
    int can;
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT(can == 1);
    inc<<<1, 32, 0, s1>>>(ps[1].d, 32, 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(e));
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    EXPECT(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
    cudaGetLastError();
    inc<<<n / 256, 256>>>(ps[1].d, n, 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDeviceDisablePeerAccess(1));
    EXPECT(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
    cudaGetLastError();
  }
  for (int i = 0; i < nd; ++i) {
    CHECK(cudaSetDevice(i));
    cudaFree(ps[i].d), cudaFreeHost(ps[i].h), cudaStreamDestroy(ps[i].s);
  }
  CHECK(cudaSetDevice(0));
}
void thread_errors() {  // the last error belongs to a thread
  EXPECT(cudaSetDevice(99) == cudaErrorInvalidDevice);
  std::thread([] {
    CHECK(cudaPeekAtLastError());
    int d;
    CHECK(cudaGetDevice(&d));
    EXPECT(d == 0);
    CHECK(cudaSetDevice(1));
  }).join();
  int d;
  CHECK(cudaGetDevice(&d));
  EXPECT(d == 0);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError());
}
int main() {
  async_api();
  simple_streams();
  concurrent_kernels();
  callbacks();
  openmp();
  managed_tasks();
  multi_gpu();
  thread_errors();
  return ok();
}
