/// @file
/// What the host's touches of managed memory cost: after a kernel has used it the host touches a word here and there, and then the kernel
/// comes again. By events: how long the host waits for its touches, and how long the kernel takes. One line a case, the median of its turns.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "data.hpp"

namespace {

constexpr std::size_t kKilo = 1024, kMega = 1024 * kKilo, kNever = 0, kOnce = 1024 * kMega;

void must(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "touches: %s: %s\n", doing, cudaGetErrorString(error));
  std::exit(1);
}

__managed__ unsigned variable[16];

__global__ void use_variable() {
  if (threadIdx.x < 16) variable[threadIdx.x] += 1;
}

__global__ void sum_up(const uint4* in, unsigned* out, std::size_t n) {
  unsigned sum = 0;
  for (std::size_t i = ladder::global_index(); i < n; i += ladder::stride())
    sum += in[i].x + in[i].y + in[i].z + in[i].w;
  if (sum == 12345) *out = sum;
}

class Touches {
 public:
  explicit Touches(const char* csv) : csv_(csv ? std::fopen(csv, "w") : nullptr) {
    for (cudaEvent_t& event : events_) must(cudaEventCreate(&event), "event");
    must(cudaMalloc(&out_, sizeof *out_), "out");
    if (csv_) std::fprintf(csv_, "case,host_seconds,kernel_seconds\n");
  }
  ~Touches() {
    if (csv_) std::fclose(csv_);
  }
  /// @param touch of the host, the number of the turn with it. @param first the turn from which on turns count
  template <typename Touch, typename Kernel>
  void time(const std::string& name, const Touch& touch, const Kernel& kernel, int turns = 7, int first = 2) {
    kernel();
    must(cudaDeviceSynchronize(), name.c_str());
    std::vector<double> host, device;
    for (int turn = 0; turn < turns; ++turn) {
      must(cudaEventRecord(events_[0]), "record");
      touch(turn);
      must(cudaEventRecord(events_[1]), "record");
      must(cudaDeviceSynchronize(), "synchronise");
      must(cudaEventRecord(events_[2]), "record");
      kernel();
      must(cudaEventRecord(events_[3]), "record");
      must(cudaDeviceSynchronize(), name.c_str());
      if (turn < first) continue;
      host.push_back(between(0, 1)), device.push_back(between(2, 3));
    }
    say(name, median(host), median(device));
  }
  unsigned* out() const { return out_; }

 private:
  double between(int begin, int end) const {
    float milliseconds = 0;
    must(cudaEventElapsedTime(&milliseconds, events_[begin], events_[end]), "elapsed");
    return milliseconds * 1e-3;
  }
  static double median(std::vector<double> of) {
    std::sort(of.begin(), of.end());
    return of[of.size() / 2];
  }
  void say(const std::string& name, double host, double device) {
    std::printf("%-72s host %8.1f us, kernel %8.1f us\n", name.c_str(), host * 1e6, device * 1e6);
    if (csv_) std::fprintf(csv_, "\"%s\",%.9f,%.9f\n", name.c_str(), host, device);
    std::fflush(stdout);
  }
  std::FILE* csv_;
  cudaEvent_t events_[4] = {};
  unsigned* out_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  Touches touches(argc > 2 && std::string(argv[1]) == "--csv" ? argv[2] : nullptr);
  const cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0};
  for (const std::size_t bytes : {kMega, 4 * kMega, 16 * kMega}) {
    for (const bool mostly_read : {false, true}) {
      for (const std::size_t apart : {kNever, 64 * kKilo, 128 * kKilo, 256 * kKilo, kMega, kOnce}) {
        // Anew for each case: a driver remembers which pages go to and fro.
        unsigned* words = nullptr;
        must(cudaMallocManaged(&words, bytes), "managed memory");
        std::fill(words, words + bytes / 4, 1u);
        if (mostly_read) must(cudaMemAdvise(words, bytes, cudaMemAdviseSetReadMostly, gpu), "advice");
        const std::string name =
            std::to_string(bytes / kMega) + " MiB, " + (mostly_read ? "mostly read, " : "") +
            (apart == kNever  ? "nothing"
             : apart == kOnce ? "one word"
                              : "a word in each " + std::to_string(apart / kKilo) + " KiB");
        touches.time(
            name,
            [&](int turn) {
              if (apart == kNever) return;
              for (std::size_t i = 0; i < bytes / 4; i += apart / 4) words[i] = static_cast<unsigned>(turn);
            },
            [&] { sum_up<<<264, 256>>>(reinterpret_cast<const uint4*>(words), touches.out(), bytes / 16); });
        must(cudaFree(words), "free");
      }
    }
  }
  // To and fro, in quick succession: an early turn, and one when the driver has seen enough.
  const auto use = [] { use_variable<<<1, 32>>>(); };
  const auto change = [](int) { variable[3] += 1; };
  touches.time("a variable, its second and third turn", change, use, 3, 1);
  touches.time("a variable, turns forty-six to fifty", change, use, 50, 45);
  return 0;
}
