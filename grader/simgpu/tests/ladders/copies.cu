/// @file
/// Copies by size and by the memory that they come from, with kernels between them; what comes between kernels that streams, events and
/// functions of the host put in order; graphs by their forms; what a kernel waits for memory of the host. One mechanism a line, as in calls.cu.
/// Fixed sizes: they mean a whole card.
#include <cstring>
#include <string>
#include <vector>

#include "timed_calls.hpp"

namespace {

using timed_calls::Calls;
using timed_calls::must;
using timed_calls::small;

/// One warp, so many steps that need one another.
__global__ void chain(unsigned* out, int steps) {
  unsigned v = threadIdx.x;
  for (int k = 0; k < steps; ++k) v = v * 1664525u + 1013904223u;
  if (v == 7u) out[0] = v;
}

__global__ void follow(const volatile unsigned* links, unsigned* out, int steps) {
  unsigned at = 0;
  for (int k = 0; k < steps; ++k) at = links[at];
  if (at == 77u) out[0] = at;
}

std::string size_of(std::size_t bytes) {
  return bytes < 1024        ? std::to_string(bytes) + " B"
         : bytes < (1 << 20) ? std::to_string(bytes >> 10) + " KiB"
                             : std::to_string(bytes >> 20) + " MiB";
}

constexpr auto kUp = cudaMemcpyHostToDevice, kDown = cudaMemcpyDeviceToHost,
               kWithin = cudaMemcpyDeviceToDevice;
constexpr int kStreams = 16, kStepsOfAMicrosecond = 230;

class Bench {
 public:
  explicit Bench(Calls& calls) : calls_(calls), heap_(1 << 20) {
    must(cudaMalloc(&device_, 64 << 20), "cudaMalloc");
    must(cudaMemset(device_, 0, 64 << 20), "cudaMemset");
    must(cudaMallocHost(&pinned_, 16 << 20), "cudaMallocHost");
    std::memset(pinned_, 0, 16 << 20);
    for (auto& s : streams_) must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
    for (auto& e : events_) must(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), "event");
  }

  void copies(std::size_t bytes) {
    const std::string size = size_of(bytes) + ": ";
    const int n = bytes > 300'000 ? 8 : 24;
    unsigned* const other = device_ + (8 << 20);
    const cudaStream_t s = streams_[0];
    const auto time = [&](const char* name, const std::function<void()>& turn) {
      calls_.time(size + name, n, [&] {
        for (int k = 0; k < n; ++k) turn();
      });
    };
    time("up pageable, queued", [&] { cudaMemcpyAsync(device_, heap_.data(), bytes, kUp, s); });
    time("up pageable, queued, waited for each",
         [&] { cudaMemcpyAsync(device_, heap_.data(), bytes, kUp, s), cudaStreamSynchronize(s); });
    time("up pageable", [&] { cudaMemcpy(device_, heap_.data(), bytes, kUp); });
    time("up pageable, a kernel",
         [&] { cudaMemcpy(device_, heap_.data(), bytes, kUp), small<<<1, 32>>>(device_); });
    time("up pageable queued, a kernel",
         [&] { cudaMemcpyAsync(device_, heap_.data(), bytes, kUp, s), small<<<1, 32, 0, s>>>(device_); });
    time("down pageable, queued", [&] { cudaMemcpyAsync(heap_.data(), device_, bytes, kDown, s); });
    time("down pageable", [&] { cudaMemcpy(heap_.data(), device_, bytes, kDown); });
    time("up pinned, queued", [&] { cudaMemcpyAsync(device_, pinned_, bytes, kUp, s); });
    time("up pinned", [&] { cudaMemcpy(device_, pinned_, bytes, kUp); });
    time("down pinned, queued", [&] { cudaMemcpyAsync(pinned_, device_, bytes, kDown, s); });
    time("down pinned", [&] { cudaMemcpy(pinned_, device_, bytes, kDown); });
    time("within, queued", [&] { cudaMemcpyAsync(device_, other, bytes, kWithin, s); });
    time("filled, queued", [&] { cudaMemsetAsync(device_, 1, bytes, s); });
    time("up and down pinned in two streams", [&] {
      cudaMemcpyAsync(device_, pinned_, bytes, kUp, s);
      cudaMemcpyAsync(pinned_ + (2 << 20), device_ + (2 << 20), bytes, kDown, streams_[1]);
    });
    time("up pinned, kernel in one stream",
         [&] { cudaMemcpyAsync(device_, pinned_, bytes, kUp, s), small<<<1, 32, 0, s>>>(device_); });
    time("kernel, down pinned in one stream",
         [&] { small<<<1, 32, 0, s>>>(device_), cudaMemcpyAsync(pinned_, device_, bytes, kDown, s); });
  }

  void between_kernels(int microseconds) {
    const int steps = microseconds * kStepsOfAMicrosecond;
    const std::string length = "kernel of " + std::to_string(microseconds) + " us: ";
    const cudaStream_t s = streams_[0];
    const auto time = [&](const char* name, int n, const std::function<void(int)>& turn) {
      calls_.time(length + name, n, [&] {
        for (int k = 0; k < n; ++k) turn(k);
      });
    };
    const auto kernel = [&](cudaStream_t stream) { chain<<<1, 32, 0, stream>>>(device_, steps); };
    time("alone", 20, [&](int) { kernel(s); });
    time("waited for", 20, [&](int) { kernel(s), cudaStreamSynchronize(s); });
    time("then a word down, waited for", 20,
         [&](int) { kernel(s), cudaMemcpyAsync(pinned_, device_, 4, kDown, s), cudaStreamSynchronize(s); });
    time("then a word down, queued", 20,
         [&](int) { kernel(s), cudaMemcpyAsync(pinned_, device_, 4, kDown, s); });
    time("a word up before, queued", 20,
         [&](int) { cudaMemcpyAsync(device_, pinned_, 4, kUp, s), kernel(s); });
    time("a word filled before, queued", 20, [&](int) { cudaMemsetAsync(device_, 0, 4, s), kernel(s); });
    time("two streams that wait for each other", 20, [&](int k) {
      kernel(streams_[k % 2]);
      cudaEventRecord(events_[0], streams_[k % 2]);
      cudaStreamWaitEvent(streams_[1 - k % 2], events_[0]);
    });
    time("four fork and join by events", 10, [&](int) {
      cudaEventRecord(events_[0], s);
      for (int j = 1; j < 5; ++j) side_by_side(j, kernel);
      kernel(s);
    });
    time("host function behind", 20, [&](int) {
      kernel(s), cudaLaunchHostFunc(
                     s, [](void*) {}, nullptr);
    });
  }

  void graphs(int microseconds) {
    const int steps = microseconds * kStepsOfAMicrosecond + 1;
    const std::string each = " of " + std::to_string(microseconds) + " us";
    const auto node = [&](cudaStream_t s) { chain<<<1, 32, 0, s>>>(device_, steps); };
    for (int kernels : {1, 3, 10, 30})
      graph(std::to_string(kernels) + " kernels" + each, [&](cudaStream_t s) {
        for (int k = 0; k < kernels; ++k) node(s);
      });
    for (int width : {2, 4, 8, 16})
      graph("a kernel, " + std::to_string(width) + " side by side, a kernel" + each, [&](cudaStream_t s) {
        node(s);
        fork(s, width, node);
        node(s);
      });
    for (int width : {2, 4, 8})
      graph(std::to_string(width) + " chains of four" + each, [&](cudaStream_t s) {
        fork(s, width, [&](cudaStream_t stream) {
          for (int k = 0; k < 4; ++k) node(stream);
        });
      });
    graph("a kernel, a fill, a kernel" + each,
          [&](cudaStream_t s) { node(s), cudaMemsetAsync(device_, 0, 1024, s), node(s); });
    graph("up, a kernel" + each,
          [&](cudaStream_t s) { cudaMemcpyAsync(device_, pinned_, 1024, kUp, s), node(s); });
    graph("up, a kernel, down" + each, [&](cudaStream_t s) {
      cudaMemcpyAsync(device_, pinned_, 1024, kUp, s), node(s);
      cudaMemcpyAsync(pinned_, device_, 1024, kDown, s);
    });
    graph("1 MiB up, a kernel, 1 MiB down" + each, [&](cudaStream_t s) {
      cudaMemcpyAsync(device_, pinned_, 1 << 20, kUp, s), node(s);
      cudaMemcpyAsync(pinned_, device_, 1 << 20, kDown, s);
    });
  }

  void memory_of_the_host() {
    unsigned* mapped = nullptr;
    must(cudaHostGetDevicePointer(&mapped, pinned_, 0), "mapped");
    std::memset(pinned_, 0, 4096);
    for (int steps : {1, 10, 100})
      calls_.time("words of mapped memory followed: " + std::to_string(steps), 5, [&] {
        for (int k = 0; k < 5; ++k) follow<<<1, 1, 0, streams_[0]>>>(mapped, device_, steps);
      });
  }

 private:
  void side_by_side(int j, const std::function<void(cudaStream_t)>& work) {
    cudaStreamWaitEvent(streams_[j], events_[0]);
    work(streams_[j]);
    cudaEventRecord(events_[j], streams_[j]);
    cudaStreamWaitEvent(streams_[0], events_[j]);
  }
  /// In a capture of stream @p s: so many side by side, one of them its own.
  void fork(cudaStream_t s, int width, const std::function<void(cudaStream_t)>& work) {
    cudaEventRecord(events_[0], s);
    for (int j = 1; j < width; ++j) {
      cudaStreamWaitEvent(streams_[j], events_[0]);
      work(streams_[j]);
      cudaEventRecord(events_[j], streams_[j]);
    }
    work(s);
    for (int j = 1; j < width; ++j) cudaStreamWaitEvent(s, events_[j]);
  }
  void graph(const std::string& name, const std::function<void(cudaStream_t)>& work) {
    constexpr int kTurns = 10;
    const cudaStream_t s = streams_[0];
    cudaGraph_t captured;
    cudaGraphExec_t ready;
    must(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), "capture");
    work(s);
    must(cudaStreamEndCapture(s, &captured), "capture");
    must(cudaGraphInstantiate(&ready, captured, 0), "graph");
    calls_.time("graph: " + name, kTurns, [&] {
      for (int k = 0; k < kTurns; ++k) cudaGraphLaunch(ready, s);
    });
    calls_.time("graph: " + name + ", waited for", kTurns, [&] {
      for (int k = 0; k < kTurns; ++k) cudaGraphLaunch(ready, s), cudaStreamSynchronize(s);
    });
    cudaGraphExecDestroy(ready), cudaGraphDestroy(captured);
  }

  Calls& calls_;
  std::vector<unsigned> heap_;
  unsigned *device_ = nullptr, *pinned_ = nullptr;
  cudaStream_t streams_[kStreams];
  cudaEvent_t events_[kStreams];
};

}  // namespace

int main(int argc, char** argv) {
  const bool keeps = argc > 2 && std::string(argv[1]) == "--csv";
  Calls calls(keeps ? argv[2] : nullptr, keeps && argc > 3 ? argv[3] : "");
  Bench bench(calls);
  for (const std::size_t kib : {0, 1, 4, 16, 32, 64, 96, 256, 1024, 4096})
    bench.copies(kib == 0 ? 4 : kib << 10);
  for (const int microseconds : {2, 10, 50}) bench.between_kernels(microseconds);
  for (const int microseconds : {0, 5}) bench.graphs(microseconds);
  bench.memory_of_the_host();
  return 0;
}
