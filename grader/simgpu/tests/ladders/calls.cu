/// @file
/// What calls of the host cost, one mechanism a line: seconds of one turn, between an event before the first call and one behind a wait for
/// the device. Copies and kernels are so small that nothing shrinks with a slice, but for managed memory of megabytes.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <vector>

#include "data.hpp"
#include "timed_calls.hpp"

namespace {

using timed_calls::Calls;
using timed_calls::must;
using timed_calls::small;

/// Meets @p times at the grid's barrier.
__global__ void meet(unsigned* out, int times) {
  const auto grid = cooperative_groups::this_grid();
  for (int k = 0; k < times; ++k) grid.sync();
  if (threadIdx.x == 0) out[blockIdx.x] += 1;
}

__global__ void read_all(const float* in, float* out, std::size_t n) {
  float sum = 0;
  for (std::size_t i = ladder::global_index(); i < n; i += ladder::stride()) sum += in[i];
  if (sum == -1.0f) out[0] = sum;
}

}  // namespace

int main(int argc, char** argv) {
  const bool keeps = argc > 2 && std::string(argv[1]) == "--csv";
  Calls calls(keeps ? argv[2] : nullptr, keeps && argc > 3 ? argv[3] : "");
  cudaDeviceProp card;
  must(cudaGetDeviceProperties(&card, 0), "properties");
  const int sms = card.multiProcessorCount;
  unsigned *device = nullptr, *pinned = nullptr;
  must(cudaMalloc(&device, 64 << 20), "cudaMalloc");
  must(cudaMallocHost(&pinned, 1 << 20), "cudaMallocHost");
  std::vector<unsigned> heap(1 << 18);
  must(cudaMemset(device, 0, 64 << 20), "cudaMemset");
  cudaStream_t streams[8];
  for (auto& s : streams) must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
  cudaEvent_t event;
  must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");

  calls.time("kernel", 200, [&] {
    for (int k = 0; k < 200; ++k) small<<<1, 32>>>(device);
  });
  calls.time("kernel, waited for", 50, [&] {
    for (int k = 0; k < 50; ++k) small<<<1, 32>>>(device), cudaDeviceSynchronize();
  });
  calls.time("kernel, its stream waited for", 50, [&] {
    for (int k = 0; k < 50; ++k) small<<<1, 32, 0, streams[0]>>>(device), cudaStreamSynchronize(streams[0]);
  });
  for (int n : {2, 4, 8})
    calls.time("kernel, " + std::to_string(n) + " streams in turn", 200, [&] {
      for (int k = 0; k < 200; ++k) small<<<1, 32, 0, streams[k % n]>>>(device + k % n);
    });
  calls.time("wait for nothing", 200, [&] {
    for (int k = 0; k < 200; ++k) cudaDeviceSynchronize();
  });
  calls.time("event recorded", 200, [&] {
    for (int k = 0; k < 200; ++k) cudaEventRecord(event, streams[0]);
  });
  calls.time("kernel and event recorded", 200, [&] {
    for (int k = 0; k < 200; ++k) small<<<1, 32, 0, streams[0]>>>(device), cudaEventRecord(event, streams[0]);
  });
  calls.time("kernel in one stream, then one in another behind an event", 100, [&] {
    for (int k = 0; k < 100; ++k) {
      small<<<1, 32, 0, streams[k % 2]>>>(device);
      cudaEventRecord(event, streams[k % 2]);
      cudaStreamWaitEvent(streams[1 - k % 2], event);
    }
  });
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{4096}, std::size_t{65536}}) {
    const std::string size = std::to_string(bytes) + " bytes ";
    calls.time(size + "up from pageable memory", 50, [&] {
      for (int k = 0; k < 50; ++k) cudaMemcpy(device, heap.data(), bytes, cudaMemcpyHostToDevice);
    });
    calls.time(size + "up from pinned memory, waited for", 50, [&] {
      for (int k = 0; k < 50; ++k) cudaMemcpy(device, pinned, bytes, cudaMemcpyHostToDevice);
    });
    calls.time(size + "up from pinned memory, queued", 100, [&] {
      for (int k = 0; k < 100; ++k)
        cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, streams[0]);
    });
    calls.time(size + "down to pageable memory", 50, [&] {
      for (int k = 0; k < 50; ++k) cudaMemcpy(heap.data(), device, bytes, cudaMemcpyDeviceToHost);
    });
    calls.time(size + "down to pinned memory, waited for", 50, [&] {
      for (int k = 0; k < 50; ++k) cudaMemcpy(pinned, device, bytes, cudaMemcpyDeviceToHost);
    });
    calls.time(size + "down to pinned memory, queued", 100, [&] {
      for (int k = 0; k < 100; ++k)
        cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, streams[0]);
    });
    calls.time(size + "within the device, queued", 100, [&] {
      for (int k = 0; k < 100; ++k)
        cudaMemcpyAsync(device, device + (1 << 20), bytes, cudaMemcpyDeviceToDevice, streams[0]);
    });
    calls.time(size + "filled, queued", 100, [&] {
      for (int k = 0; k < 100; ++k) cudaMemsetAsync(device, 1, bytes, streams[0]);
    });
    calls.time(size + "filled", 100, [&] {
      for (int k = 0; k < 100; ++k) cudaMemset(device, 1, bytes);
    });
    calls.time("kernel, then " + size + "down to pageable memory", 50, [&] {
      for (int k = 0; k < 50; ++k)
        small<<<1, 32>>>(device), cudaMemcpy(heap.data(), device, bytes, cudaMemcpyDeviceToHost);
    });
    calls.time("kernel, then " + size + "down to pinned memory, waited for", 50, [&] {
      for (int k = 0; k < 50; ++k)
        small<<<1, 32>>>(device), cudaMemcpy(pinned, device, bytes, cudaMemcpyDeviceToHost);
    });
    calls.time(size + "up, kernel, down, all queued, waited for", 50, [&] {
      for (int k = 0; k < 50; ++k) {
        cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, streams[0]);
        small<<<1, 32, 0, streams[0]>>>(device);
        cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, streams[0]);
        cudaStreamSynchronize(streams[0]);
      }
    });
  }
  calls.time("memory of the device allocated and freed, 1 MB", 20, [&] {
    for (int k = 0; k < 20; ++k) {
      void* p = nullptr;
      must(cudaMalloc(&p, 1 << 20), "cudaMalloc");
      cudaFree(p);
    }
  });
  for (const std::size_t bytes : {std::size_t{1} << 12, std::size_t{1} << 22}) {
    const std::string size = std::to_string(bytes >> 10) + " KiB ";
    calls.time(size + "of a pool taken and given back", 100, [&] {
      for (int k = 0; k < 100; ++k) {
        void* p = nullptr;
        must(cudaMallocAsync(&p, bytes, streams[0]), "cudaMallocAsync");
        cudaFreeAsync(p, streams[0]);
      }
    });
    calls.time(size + "of a pool taken, a kernel, given back", 100, [&] {
      for (int k = 0; k < 100; ++k) {
        unsigned* p = nullptr;
        must(cudaMallocAsync(&p, bytes, streams[0]), "cudaMallocAsync");
        small<<<1, 32, 0, streams[0]>>>(device);
        cudaFreeAsync(p, streams[0]);
      }
    });
    calls.time(size + "of a pool taken, given back, waited for", 50, [&] {
      for (int k = 0; k < 50; ++k) {
        void* p = nullptr;
        must(cudaMallocAsync(&p, bytes, streams[0]), "cudaMallocAsync");
        cudaFreeAsync(p, streams[0]);
        cudaStreamSynchronize(streams[0]);
      }
    });
  }
  for (const int blocks : {1, 2})
    for (const int threads : {64, 256, 1024})
      for (const int times : {1, 100}) {
        int count = times;
        void* arguments[] = {&device, &count};
        calls.time("grid of " + std::to_string(blocks) + " x " + std::to_string(threads) +
                       " threads an SM meets " + std::to_string(times) + " times",
                   1, [&] {
                     must(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(meet),
                                                      dim3(static_cast<unsigned>(sms * blocks)),
                                                      dim3(static_cast<unsigned>(threads)), arguments),
                          "cooperative launch");
                   });
      }
  for (const int nodes : {1, 10, 100}) {
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    must(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal), "capture");
    for (int k = 0; k < nodes; ++k) small<<<1, 32, 0, streams[0]>>>(device);
    must(cudaStreamEndCapture(streams[0], &graph), "capture");
    must(cudaGraphInstantiate(&ready, graph, 0), "graph");
    calls.time("graph of " + std::to_string(nodes) + " kernels", 20, [&] {
      for (int k = 0; k < 20; ++k) cudaGraphLaunch(ready, streams[0]);
    });
    calls.time("graph of " + std::to_string(nodes) + " kernels, waited for", 20, [&] {
      for (int k = 0; k < 20; ++k) cudaGraphLaunch(ready, streams[0]), cudaStreamSynchronize(streams[0]);
    });
    cudaGraphExecDestroy(ready), cudaGraphDestroy(graph);
  }
  for (const std::size_t mega : {std::size_t{1}, std::size_t{4}, std::size_t{16}}) {
    float* managed = nullptr;
    const std::size_t bytes = mega << 20;
    must(cudaMallocManaged(&managed, bytes), "cudaMallocManaged");
    std::fill(managed, managed + bytes / 4, 1.0f);
    const cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, home = {cudaMemLocationTypeHost, 0};
    const std::string size = std::to_string(mega) + " MiB of managed memory ";
    calls.time(size + "fetched, and fetched back", 1, [&] {
      cudaMemPrefetchAsync(managed, bytes, here, 0, streams[0]),
          cudaMemPrefetchAsync(managed, bytes, home, 0, streams[0]);
    });
    calls.time(size + "fetched, read, fetched back", 1, [&] {
      cudaMemPrefetchAsync(managed, bytes, here, 0, streams[0]);
      read_all<<<static_cast<unsigned>(sms), 256, 0, streams[0]>>>(managed, reinterpret_cast<float*>(device),
                                                                   bytes / 4);
      cudaMemPrefetchAsync(managed, bytes, home, 0, streams[0]);
    });
    calls.time(size + "touched by the host, then read by faults", 1, [&] {
      for (std::size_t i = 0; i < bytes / 4; i += 1024) managed[i] += 1.0f;
      read_all<<<static_cast<unsigned>(sms), 256, 0, streams[0]>>>(managed, reinterpret_cast<float*>(device),
                                                                   bytes / 4);
    });
    cudaFree(managed);
  }
  return 0;
}
