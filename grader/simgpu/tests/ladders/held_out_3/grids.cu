/// @file
/// How work is given out: steps between barriers of the whole grid, long blocks last or first, short kernels in four streams, three
/// kernels and a fill in turn, a graph that parts and joins.
#include <cooperative_groups.h>

#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

namespace cg = cooperative_groups;

/// Ten steps of warmth along a line, from one half of @p out to the other and back.
__global__ void steps_of_grid(const float* in, float* a, float* b, unsigned m) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned first = static_cast<unsigned>(global_index()), by = static_cast<unsigned>(stride());
  for (unsigned i = first; i < m; i += by) a[i] = in[i];
  for (int step = 0; step < 10; ++step) {
    grid.sync();
    const float* from = step % 2 == 0 ? a : b;
    float* to = step % 2 == 0 ? b : a;
    for (unsigned i = first; i < m; i += by)
      to[i] = 0.5f * from[i] + 0.25f * (from[i == 0 ? 0 : i - 1] + from[i + 1 == m ? i : i + 1]);
  }
}
__host__ __device__ __forceinline__ float turned_over(float v, unsigned rounds) {
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (unsigned k = 0; k < rounds; ++k) v = v * 0.8f + 0.3f;
  return v;
}
/// Some blocks have up to 2048 rounds to do, in the order of their numbers or against it.
__global__ void unequal(const float* in, float* out, bool rising) {
  const unsigned rank = rising ? blockIdx.x : gridDim.x - 1 - blockIdx.x;
  const std::size_t i = rank * std::size_t{blockDim.x} + threadIdx.x;
  out[i] = turned_over(in[i], static_cast<unsigned>(2048ull * rank / gridDim.x));
}
__global__ void a_few_rounds(const float* in, float* out, unsigned rounds) {
  const std::size_t i = global_index();
  out[i] = turned_over(in[i], rounds);
}
__global__ void add_places(float* out, const float* in) {
  const std::size_t i = global_index();
  out[i] += in[i];
}
__global__ void double_all(float* out) {
  out[global_index()] *= 2.0f;
}

}  // namespace

void grids(Set& s) {
  const std::size_t n = s.n;
  const unsigned line = as_number(n / 64);
  s.run(
      "ten steps with barriers of the grid", 8.0 * 11 * real(line),
      [&] {
        const float* in = s.in;
        float *a = s.out, *b = s.out + n / 2;
        unsigned m = line;
        void* arguments[] = {&in, &a, &b, &m};
        cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(steps_of_grid), dim3(s.sms * 4), dim3(256),
                                    arguments, 0, nullptr);
      },
      [&] {
        return floats(s, line, [&](std::size_t at) {
          // Ten to either side are enough; the edges repeat.
          std::vector<double> v(41), w(41);
          const auto place = [&](long k) {
            return static_cast<std::size_t>(
                std::min(std::max(static_cast<long>(at) + k - 20, 0l), static_cast<long>(line) - 1));
          };
          for (long k = 0; k < 41; ++k) v[static_cast<std::size_t>(k)] = float_of(place(k));
          for (int step = 0; step < 10; ++step, std::swap(v, w))
            for (long k = 1; k < 40; ++k) {
              const auto u = static_cast<std::size_t>(k);
              const long x = static_cast<long>(at) + k - 20;
              const double left = x <= 0 ? v[u] : v[u - 1],
                           right = x >= static_cast<long>(line) - 1 ? v[u] : v[u + 1];
              w[u] = 0.5 * v[u] + 0.25 * (left + right);
            }
          return v[20];
        });
      });
  for (const bool rising : {true, false}) {
    const unsigned blocks = s.sms * 24;
    s.run(
        rising ? "long blocks last" : "long blocks first", 8.0 * 128 * blocks,
        [&, rising] { unequal<<<blocks, 128>>>(s.in, s.out, rising); },
        [&] {
          return floats(s, blocks * std::size_t{128}, [&](std::size_t i) {
            return double{turned_over(float_of(i), static_cast<unsigned>(2048ull * (i / 128) / blocks))};
          });
        });
  }
  cudaStream_t streams[4];
  cudaEvent_t begun, done;
  for (cudaStream_t& stream : streams)
    ladder::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  ladder::check(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming), "event");
  ladder::check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "event");
  const std::size_t piece = s.sms * std::size_t{512};  // half a place of each SM
  s.run(
      "three kernels in each of four streams", 12.0 * 8 * real(piece),
      [&] {
        cudaEventRecord(begun, nullptr);
        for (const cudaStream_t stream : streams) cudaStreamWaitEvent(stream, begun, 0);
        for (std::size_t k = 0; k < 12; ++k)
          a_few_rounds<<<s.sms * 2, 256, 0, streams[k % 4]>>>(s.in + k * piece, s.out + k * piece, 1000);
        for (const cudaStream_t stream : streams) {
          cudaEventRecord(done, stream);
          cudaStreamWaitEvent(nullptr, done, 0);
        }
      },
      [&] {
        return floats(s, 12 * piece, [](std::size_t i) { return double{turned_over(float_of(i), 1000)}; });
      });
  constexpr unsigned kSmall = 32768;
  s.run_whole(
      "a fill and three kernels, ten times", 10.0 * 28 * kSmall,
      [&] {
        for (int k = 0; k < 10; ++k) {
          cudaMemsetAsync(s.out, 0, kSmall * 4);
          add_places<<<kSmall / 256, 256>>>(s.out, s.in);
          double_all<<<kSmall / 256, 256>>>(s.out);
          add_places<<<kSmall / 256, 256>>>(s.out, s.other);
        }
      },
      [&] { return floats(s, kSmall, [](std::size_t i) { return 2.0 * float_of(i) + other_of(i); }); });
  // One, four beside each other, one.
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t whole = nullptr;
  const unsigned share = as_number(n / 64);
  ladder::check(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), "capture");
  cudaMemsetAsync(s.out, 0, share * std::size_t{16}, streams[0]);
  cudaEventRecord(begun, streams[0]);
  for (unsigned k = 0; k < 4; ++k) {
    if (k > 0) cudaStreamWaitEvent(streams[k], begun, 0);
    add_places<<<share / 256, 256, 0, streams[k]>>>(s.out + k * std::size_t{share},
                                                    s.in + k * std::size_t{share});
    if (k > 0) {
      cudaEventRecord(done, streams[k]);
      cudaStreamWaitEvent(streams[0], done, 0);
    }
  }
  double_all<<<share / 64, 256, 0, streams[0]>>>(s.out);
  ladder::check(cudaStreamEndCapture(streams[0], &graph), "capture");
  ladder::check(cudaGraphInstantiate(&whole, graph, 0), "graph");
  s.run(
      "graph that parts and joins", 24.0 * 4 * share, [&] { cudaGraphLaunch(whole, nullptr); },
      [&] { return floats(s, 4 * std::size_t{share}, [](std::size_t i) { return 2.0 * float_of(i); }); });
  cudaGraphExecDestroy(whole), cudaGraphDestroy(graph);
  for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaEventDestroy(begun), cudaEventDestroy(done);
}

}  // namespace held_out_3
