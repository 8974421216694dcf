/// @file
/// What the host asks for: a graph of kernels that join by twos, short kernels that go first, the sum of two arrays of
/// pageable memory, managed memory of which the host looks at a little.
#include "held_out_18.hpp"

namespace held_out_18 {
namespace {

constexpr unsigned kLeaves = 8, kNodes = 2 * kLeaves - 1, kNodeLine = 32768;
/// Nodes are numbered from the last one on; the two that one waits for are at twice its number and one or two behind.
__global__ void __launch_bounds__(256) join_two(const float* first, const float* second, float* out) {
  out[global_index()] = 0.5f * (first[global_index()] + second[global_index()]);
}

constexpr unsigned kLongBlocksOfSm = 16, kShortKernels = 10, kFirstThreads = 256, kLongSteps = 1200,
                   kShortSteps = 40;
__host__ __device__ __forceinline__ unsigned priority_step(unsigned v) {
  return (v ^ v >> 11) * 0x9e3779b1u + 1u;
}
__global__ void __launch_bounds__(kFirstThreads)
    step_with_priority(const unsigned* words, unsigned* out, unsigned steps) {
  unsigned v = words[global_index()];
  for (unsigned k = 0; k < steps; ++k) v = priority_step(v);
  out[global_index()] = v;
}

float first_summand(std::size_t i) {
  return half_of(i + 1);
}
float second_summand(std::size_t i) {
  return half_of(i + 2) + 1.0f;
}
__global__ void add_two(const float* a, const float* b, float* c, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) c[i] = a[i] + b[i];
}

constexpr unsigned kLookedEvery = 16384;  // words of 64 kB
__host__ __device__ __forceinline__ unsigned managed_value(unsigned word) {
  return scrambled(word + 9);
}
__global__ void __launch_bounds__(256) write_managed(const unsigned* words, unsigned* managed, unsigned m) {
  for (std::size_t i = global_index(); i < m; i += stride()) managed[i] = managed_value(words[i]);
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaGraphCreate(&graph, 0), "graph");
  cudaGraphNode_t nodes[kNodes];
  const auto line_of = [&](unsigned node) { return s.out + std::size_t{node} * kNodeLine; };
  for (unsigned node = kNodes; node-- > 0;) {
    const unsigned left = 2 * node + 1, right = left + 1;
    const bool leaf = left >= kNodes;
    const float *first = leaf ? s.in + std::size_t{node} * kNodeLine : line_of(left),
                *second = leaf ? s.other + std::size_t{node} * kNodeLine : line_of(right);
    float* out = line_of(node);
    void* arguments[] = {&first, &second, &out};
    cudaKernelNodeParams how{};
    how.func = reinterpret_cast<void*>(join_two);
    how.gridDim = dim3(kNodeLine / 256);
    how.blockDim = dim3(256);
    how.kernelParams = arguments;
    const cudaGraphNode_t before[] = {leaf ? nullptr : nodes[left], leaf ? nullptr : nodes[right]};
    ladder::check(cudaGraphAddKernelNode(&nodes[node], graph, leaf ? nullptr : before, leaf ? 0 : 2, &how),
                  "node");
  }
  ladder::check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  s.run_whole(
      "graph of fifteen kernels that join by twos", 12.0 * kNodes * kNodeLine,
      [&] { cudaGraphLaunch(ready, nullptr); },
      [&] {
        return near_everywhere(s, kNodeLine, 1e-5, [](std::size_t i) {
          double sum = 0;
          for (std::size_t node = kNodes - kLeaves; node < kNodes; ++node)
            sum += 0.5 * (double{float_of(node * kNodeLine + i)} + other_of(node * kNodeLine + i));
          return sum / kLeaves;
        });
      });
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph);

  int last = 0, first = 0;
  ladder::check(cudaDeviceGetStreamPriorityRange(&last, &first), "priorities");
  cudaStream_t patient = nullptr, urgent = nullptr;
  ladder::check(cudaStreamCreateWithPriority(&patient, cudaStreamDefault, last), "stream");
  ladder::check(cudaStreamCreateWithPriority(&urgent, cudaStreamDefault, first), "stream");
  const std::size_t of_long = std::size_t{kLongBlocksOfSm} * s.sms * kFirstThreads,
                    of_short = std::size_t{s.sms} * kFirstThreads,
                    of_all = of_long + kShortKernels * of_short;
  s.run(
      "a long kernel in a stream, ten short ones in another that goes first", 8.0 * real(of_all),
      [&] {
        step_with_priority<<<kLongBlocksOfSm * s.sms, kFirstThreads, 0, patient>>>(s.words, s.numbers(),
                                                                                   kLongSteps);
        for (std::size_t k = 0; k < kShortKernels; ++k)
          step_with_priority<<<s.sms, kFirstThreads, 0, urgent>>>(
              s.words + of_long + k * of_short, s.numbers() + of_long + k * of_short, kShortSteps);
      },
      [&] {
        return same_everywhere(
            s, of_all,
            [&](std::size_t i) {
              unsigned v = word_of(i);
              for (unsigned k = 0; k < (i < of_long ? kLongSteps : kShortSteps); ++k) v = priority_step(v);
              return v;
            },
            31);
      });
  cudaStreamDestroy(patient), cudaStreamDestroy(urgent);

  const unsigned added = as_number(n / 512);
  const std::size_t bytes_added = added * sizeof(float);
  std::vector<float> a(added), b(added), c(added);
  for (std::size_t i = 0; i < added; ++i) {
    a[i] = first_summand(i);
    b[i] = second_summand(i);
  }
  s.run(
      "two arrays of pageable memory up, their sum down", 24.0 * added,
      [&] {
        float *there_a = s.out, *there_b = there_a + added, *there_c = there_b + added;
        cudaMemcpy(there_a, a.data(), bytes_added, cudaMemcpyHostToDevice);
        cudaMemcpy(there_b, b.data(), bytes_added, cudaMemcpyHostToDevice);
        add_two<<<Set::blocks(added), 256>>>(there_a, there_b, there_c, added);
        cudaMemcpy(c.data(), there_c, bytes_added, cudaMemcpyDeviceToHost);
      },
      [&] {
        for (std::size_t i = 0; i < added; ++i)
          if (c[i] != first_summand(i) + second_summand(i)) return false;
        return true;
      });

  const unsigned written = as_number(n / 128);
  unsigned* managed = nullptr;
  ladder::check(cudaMallocManaged(&managed, written * sizeof(unsigned)), "managed");
  std::memset(managed, 0, written * sizeof(unsigned));
  unsigned looked_at = 0;
  s.run(
      "managed memory written by a kernel, a word in each 64 kB of it read by the host", 8.0 * written,
      [&] {
        write_managed<<<s.sms * 8, 256>>>(s.words, managed, written);
        cudaDeviceSynchronize();
        looked_at = 0;
        for (std::size_t i = 0; i < written; i += kLookedEvery) looked_at += managed[i];
      },
      [&] {
        unsigned want = 0;
        for (std::size_t i = 0; i < written; ++i) {
          const unsigned v = managed_value(word_of(i));
          if (managed[i] != v) return false;
          if (i % kLookedEvery == 0) want += v;
        }
        return looked_at == want;
      });
  cudaFree(managed);
}

}  // namespace held_out_18
