// A program for tests of the device in a process of its own: what happens when one of the two dies, forks or says nonsense; and how long
// calls take there.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

__global__ void add_one(int* p) {
  atomicAdd(p, 1);
}

__global__ void forever(volatile int* p) {
  while (*p == 0) {
  }
}

int* made() {
  int* p = nullptr;
  if (cudaMalloc(&p, 4) != cudaSuccess || cudaMemset(p, 0, 4) != cudaSuccess) std::printf("no memory\n");
  add_one<<<1, 1>>>(p);
  return p;
}

int value_of(const int* p) {
  int value = -1;
  cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
  return value;
}

void ready() {
  std::printf("ready\n");
  std::fflush(stdout);
}

double now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void tell(const char* what, std::vector<double>& microseconds) {
  std::sort(microseconds.begin(), microseconds.end());
  std::printf("%s: median %.1f us, 99 %% %.1f us\n", what, microseconds[microseconds.size() / 2],
              microseconds[microseconds.size() * 99 / 100]);
}

/// Memory of one number, of a kind.
int* memory_of(const char* kind) {
  int* p = nullptr;
  if (std::strcmp(kind, "managed") == 0) {
    cudaMallocManaged(&p, 4);
  } else if (std::strcmp(kind, "mapped") == 0) {
    cudaMallocHost(&p, 4);
  } else {
    cudaMalloc(&p, 4);
    void* beside = nullptr;
    if (std::strcmp(kind, "pinned beside") == 0) cudaMallocHost(&beside, 1 << 20);
  }
  return p;
}

// How long calls take, beside the simulation itself: the kernel has one thread.
int figures_of(const char* kind) {
  const double begin = now();
  cudaFree(nullptr);
  int* p = memory_of(kind);
  std::printf("memory: %s\nstart-up: %.1f ms\n", kind, (now() - begin) / 1000);
  cudaMemset(p, 0, 4);
  add_one<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  std::vector<double> launches, both, waits, copies;
  for (int i = 0; i < 2000; ++i) {
    const double a = now();
    add_one<<<1, 1>>>(p);
    const double b = now();
    cudaDeviceSynchronize();
    const double c = now();
    cudaDeviceSynchronize();
    const double d = now();
    value_of(p);
    const double e = now();
    launches.push_back(b - a);
    both.push_back(c - a);
    waits.push_back(d - c);
    copies.push_back(e - d);
  }
  tell("a launch returns", launches);
  tell("launch and synchronise", both);
  tell("synchronise, with nothing to wait for", waits);
  tell("a copy of 4 bytes to the host", copies);
  return value_of(p) == 2001 ? 0 : 1;
}

int figures() {
  return figures_of("device");
}
int figures_pinned() {
  return figures_of("pinned beside");
}
int figures_mapped() {
  return figures_of("mapped");
}
int figures_managed() {
  return figures_of("managed");
}

struct Flags {
  volatile int go = 0, done = 0;
};

__global__ void wait_for(const volatile int* flag) {
  while (*flag == 0) {
  }
}

// A host function is due while the program makes no call, and spins on what it does.
int spins() {
  Flags* flags = nullptr;
  if (cudaMallocHost(&flags, sizeof *flags) != cudaSuccess) return 1;
  *flags = {};
  wait_for<<<1, 1>>>(&flags->go);
  cudaLaunchHostFunc(
      nullptr, [](void* p) { static_cast<Flags*>(p)->done = 1; }, flags);
  flags->go = 1;
  while (flags->done == 0) {
  }
  // Once more, by the older call and in a stream beside another that works.
  *flags = {};
  cudaStream_t stream = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return 2;
  wait_for<<<1, 1, 0, stream>>>(&flags->go);
  cudaStreamAddCallback(
      stream, [](cudaStream_t, cudaError_t, void* p) { static_cast<Flags*>(p)->done = 2; }, flags, 0);
  cudaMemsetAsync(made(), 0, 4, nullptr);
  flags->go = 1;
  while (flags->done == 0) {
  }
  return cudaDeviceSynchronize() == cudaSuccess && flags->done == 2 ? 0 : 3;
}

// Nobody can act any more: said before the 10 s that other threads would have, though one of the library's is there.
int stands() {
  int* flag = nullptr;
  cudaMallocHost(&flag, 4);
  *flag = 0;
  wait_for<<<1, 1>>>(flag);
  cudaLaunchHostFunc(
      nullptr, [](void*) {}, nullptr);
  ::usleep(50'000);  // the thread has looked
  const double begin = now();
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%d after %.1f s\n", error, (now() - begin) / 1e6);
  return error == cudaErrorLaunchTimeout && now() - begin < 9e6 ? 0 : 1;
}

// The longest pieces, and copies that are longer than the pages through which they go.
int bulk() {
  const std::size_t rows = 3001, width = 3 << 10, pitch = 4 << 10;
  std::vector<unsigned char> there(rows * pitch), back(rows * pitch, 7);
  for (std::size_t i = 0; i < there.size(); ++i) there[i] = static_cast<unsigned char>(i * 31 >> 3);
  unsigned char* p = nullptr;
  cudaMalloc(&p, rows * width);
  cudaMemcpy2D(p, width, there.data(), pitch, width, rows, cudaMemcpyHostToDevice);
  cudaMemcpy2D(back.data(), pitch, p, width, width, rows, cudaMemcpyDeviceToHost);
  for (std::size_t y = 0; y < rows; ++y) {
    if (std::memcmp(&there[y * pitch], &back[y * pitch], width) != 0) return 1;
    if (y + 1 < rows && back[y * pitch + width] != 7) return 2;  // between the rows nothing is touched
  }
  std::fill(back.begin(), back.end(), 0);
  cudaMemcpy(back.data(), there.data(), there.size(), cudaMemcpyHostToHost);
  cudaFree(p);
  return back == there ? 0 : 3;
}

int waits() {
  int* const p = made();
  cudaDeviceSynchronize();
  ready();
  for (;;) ::pause();
  return value_of(p);
}

int works() {
  int* const p = made();
  cudaDeviceSynchronize();
  ready();
  for (;;) {
    add_one<<<1, 1>>>(p);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  }
}

int hangs() {  // until it is stopped for the many instructions
  int* p = nullptr;
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  forever<<<1, 32>>>(p);
  ready();
  for (;;) ::pause();
}

int leaves() {
  made();
  ready();
  ::_exit(0);
}

int forks() {
  int* const p = made();
  cudaDeviceSynchronize();
  int status = 0;
  if (::waitpid(-1, &status, 0) != -1 || errno != ECHILD) return 1;  // the device is nobody's child
  const pid_t child = ::fork();
  if (child == 0) {
    int* q = nullptr;
    add_one<<<1, 1>>>(p);
    std::exit(cudaGetLastError() == cudaErrorInitializationError &&
                      cudaMalloc(&q, 4) == cudaErrorInitializationError
                  ? 0
                  : 1);
  }
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 2;
  add_one<<<1, 1>>>(p);
  return value_of(p) == 2 ? 0 : 3;
}

int forks_before() {
  const pid_t child = ::fork();
  const bool good = value_of(made()) == 1;
  if (child == 0) ::_exit(good ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return good && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

// Children that end as programs do, while other threads of their parent's make calls, and while the library's own threads do.
int forks_among_threads() {
  int* shared = nullptr;
  cudaMallocManaged(&shared, 4);
  *shared = 0;
  Flags* flags = nullptr;
  cudaMallocHost(&flags, sizeof *flags);
  *flags = {};
  cudaStream_t beside = nullptr;
  cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking);
  wait_for<<<1, 1, 0, beside>>>(&flags->go);
  std::atomic<bool> enough{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      cudaStream_t own = nullptr;
      cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
      while (!enough) {
        add_one<<<1, 1, 0, own>>>(shared);
        cudaStreamSynchronize(own);
      }
    });
  }
  int bad = 0;
  for (int i = 0; i < 40; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (i % 2 == 0) std::exit(0);
      int* p = nullptr;
      std::exit(cudaMalloc(&p, 4) == cudaErrorInitializationError ? 0 : 1);
    }
    int status = -1;
    for (int k = 0; k < 2000 && ::waitpid(child, &status, WNOHANG) != child; ++k) ::usleep(5000);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      ++bad, ::kill(child, SIGKILL), ::waitpid(child, &status, 0);
  }
  enough = true;
  for (std::thread& each : threads) each.join();
  flags->go = 1;
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  std::printf("%d children did not end well\n", bad);
  return bad == 0 ? 0 : 1;
}

// Another program takes this one's place; it has a device of its own, and this one's ends.
int execs() {
  int* p = nullptr;
  cudaMallocManaged(&p, 4096);
  add_one<<<1, 1>>>(p);
  add_one<<<1, 1>>>(p);
  char self[4096] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
  ::execl(self, self, "forks", nullptr);
  return 2;
}

int aborts() {
  made();
  ready();
  std::abort();
}

// Destructors of a program's own objects come after the report, and may make calls.
struct Late {
  int* p = nullptr;
  ~Late() {
    if (p == nullptr) return;
    add_one<<<1, 1>>>(p);
    const cudaError_t error = cudaFree(p);
    std::printf("late: %d\n", error);
  }
};

int ends_late() {
  static Late late;
  late.p = made();
  add_one<<<1, 1>>>(late.p);
  return 0;
}

// A program can write where its own library writes.
int scribbles() {
  int* const p = made();
  cudaDeviceSynchronize();
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  std::uint64_t begin = 0;
  while (std::fgets(line, sizeof line, maps) != nullptr)
    if (std::strstr(line, "simgpu queue") != nullptr) begin = std::strtoull(line, nullptr, 16);
  std::fclose(maps);
  if (begin == 0) return 1;
  auto* const written = reinterpret_cast<volatile std::uint32_t*>(begin);
  *written = *written + (std::getenv("BEYOND") != nullptr ? (64u << 20) : 24u);
  ::sleep(2);  // the device looks up once a second, though nobody has rung
  const cudaError_t first = cudaDeviceSynchronize(), second = cudaFree(p);
  std::printf("%d %d\n", first, second);
  return first == cudaErrorUnknown && second == cudaErrorUnknown ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  const struct {
    const char* name;
    int (*run)();
  } all[] = {{"figures", figures},
             {"bulk", bulk},
             {"waits", waits},
             {"works", works},
             {"hangs", hangs},
             {"leaves", leaves},
             {"forks", forks},
             {"forks_before", forks_before},
             {"scribbles", scribbles},
             {"figures_pinned", figures_pinned},
             {"figures_mapped", figures_mapped},
             {"figures_managed", figures_managed},
             {"spins", spins},
             {"stands", stands},
             {"forks_among_threads", forks_among_threads},
             {"execs", execs},
             {"aborts", aborts},
             {"ends_late", ends_late}};
  for (const auto& each : all)
    if (argc == 2 && std::strcmp(each.name, argv[1]) == 0) return each.run();
  return 2;
}
