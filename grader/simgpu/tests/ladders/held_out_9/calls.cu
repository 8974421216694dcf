/// @file
/// What the host asks for: pieces of bytes up and of floats down in two streams, a graph that goes from a
/// fine line to a coarse one and back, managed memory fetched by pieces, worked on and fetched back.
#include "held_out_9.hpp"

namespace held_out_9 {
namespace {

__global__ void bytes_to_floats(const uchar4* in, float4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const uchar4 v = in[i];
  constexpr float kScale = 1.0f / 256;
  out[i] = make_float4(kScale * static_cast<float>(v.x), kScale * static_cast<float>(v.y),
                       kScale * static_cast<float>(v.z), kScale * static_cast<float>(v.w));
}

__host__ __device__ __forceinline__ float smoothed(float left, float middle, float right) {
  return 0.25f * left + 0.5f * middle + 0.25f * right;
}
/// The ends have themselves beside them.
__global__ void smooth_line(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = smoothed(in[i == 0 ? 0 : i - 1], in[i], in[i + 1 < m ? i + 1 : i]);
}
__global__ void make_coarse(const float* fine, float* coarse, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) coarse[i] = 0.5f * (fine[2 * i] + fine[2 * i + 1]);
}
/// The fine line is mended by half of what the coarse one differs from it.
__global__ void mend_fine(const float* coarse, float* fine, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) fine[i] += 0.5f * (coarse[i / 2] - fine[i]);
}

__global__ void twice_and_one(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = 2.0f * in[i] + 1.0f;
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  cudaStream_t two[2];
  for (cudaStream_t& each : two) ladder::check(cudaStreamCreate(&each), "stream");
  constexpr std::size_t kPieces = 8;
  const std::size_t piece = n / 32 / kPieces / 4 * 4;
  unsigned char* host_bytes = nullptr;
  float* host_floats = nullptr;
  ladder::check(cudaMallocHost(&host_bytes, piece * kPieces), "pinned");
  ladder::check(cudaMallocHost(&host_floats, piece * kPieces * 4), "pinned");
  for (std::size_t i = 0; i < piece * kPieces; ++i) host_bytes[i] = static_cast<unsigned char>(byte_of(i));
  std::fill_n(host_floats, piece * kPieces, -1.0f);
  auto* come = reinterpret_cast<unsigned char*>(s.out + n / 2);
  s.run(
      "pieces of bytes up and of floats down in two streams", 5.0 * real(piece * kPieces),
      [&] {
        for (std::size_t k = 0; k < kPieces; ++k) {
          const cudaStream_t its = two[k % 2];
          const std::size_t at = k * piece;
          cudaMemcpyAsync(come + at, host_bytes + at, piece, cudaMemcpyHostToDevice, its);
          bytes_to_floats<<<Set::blocks(piece / 4), 256, 0, its>>>(
              reinterpret_cast<const uchar4*>(come + at), reinterpret_cast<float4*>(s.out + at), piece / 4);
          cudaMemcpyAsync(host_floats + at, s.out + at, piece * 4, cudaMemcpyDeviceToHost, its);
        }
      },
      [&] {
        for (std::size_t i = 0; i < piece * kPieces; ++i)
          if (host_floats[i] != static_cast<float>(byte_of(i)) / 256) return false;
        return true;
      });
  cudaFreeHost(host_bytes), cudaFreeHost(host_floats);

  constexpr unsigned kLevels = 3;
  const unsigned fine = as_number(n / 64 / 4 * 4);
  float *lines[kLevels], *spare[kLevels];
  for (unsigned level = 0; level < kLevels; ++level) {
    lines[level] = s.out + level * (n / 8);
    spare[level] = lines[level] + n / 16;
  }
  const auto smooth = [&](unsigned level, cudaStream_t stream) {
    const unsigned m = fine >> level;
    smooth_line<<<Set::blocks(m), 256, 0, stream>>>(lines[level], spare[level], m);
    std::swap(lines[level], spare[level]);
  };
  cudaStream_t captured = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking), "stream");
  ladder::check(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), "capture");
  smooth_line<<<Set::blocks(fine), 256, 0, captured>>>(s.in, lines[0], fine);
  for (unsigned level = 1; level < kLevels; ++level) {
    make_coarse<<<Set::blocks(fine >> level), 256, 0, captured>>>(lines[level - 1], lines[level],
                                                                  fine >> level);
    smooth(level, captured);
  }
  for (unsigned level = kLevels - 1; level-- > 0;) {
    mend_fine<<<Set::blocks(fine >> level), 256, 0, captured>>>(lines[level + 1], lines[level],
                                                                fine >> level);
    smooth(level, captured);
  }
  ladder::check(cudaStreamEndCapture(captured, &graph), "capture");
  ladder::check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  s.run(
      "graph from a fine line to a coarse one and back", 60.0 * fine,
      [&] { cudaGraphLaunch(ready, nullptr); },
      [&] {
        std::vector<float> want[kLevels];
        const auto smooth_here = [&](unsigned level) {
          const auto now = want[level];
          for (std::size_t i = 0; i < now.size(); ++i)
            want[level][i] = smoothed(now[i == 0 ? 0 : i - 1], now[i], now[std::min(i + 1, now.size() - 1)]);
        };
        for (std::size_t i = 0; i < fine; ++i) want[0].push_back(float_of(i));
        smooth_here(0);
        for (unsigned level = 1; level < kLevels; ++level) {
          for (std::size_t i = 0; i < fine >> level; ++i)
            want[level].push_back(0.5f * (want[level - 1][2 * i] + want[level - 1][2 * i + 1]));
          smooth_here(level);
        }
        for (unsigned level = kLevels - 1; level-- > 0;) {
          for (std::size_t i = 0; i < want[level].size(); ++i)
            want[level][i] += 0.5f * (want[level + 1][i / 2] - want[level][i]);
          smooth_here(level);
        }
        const auto got = taken(lines[0], fine);
        for (std::size_t i = 0; i < fine; ++i)
          if (!Set::near(got[i], want[0][i])) return false;
        return true;
      });
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaStreamDestroy(captured);

  constexpr std::size_t kParts = 4;
  const std::size_t part = n / 64 / kParts;
  float* managed = nullptr;
  ladder::check(cudaMallocManaged(&managed, part * kParts * 4), "managed");
  for (std::size_t i = 0; i < part * kParts; ++i) managed[i] = float_of(i);
  const cudaMemLocation card{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  s.run(
      "managed memory fetched by pieces in two streams", 12.0 * real(part * kParts),
      [&] {
        for (std::size_t k = 0; k < kParts; ++k) {
          const cudaStream_t its = two[k % 2];
          float* from = managed + k * part;
          cudaMemPrefetchAsync(from, part * 4, card, 0, its);
          twice_and_one<<<Set::blocks(part), 256, 0, its>>>(from, s.out + k * part, part);
          cudaMemPrefetchAsync(from, part * 4, host, 0, its);
        }
      },
      [&] { return floats(s, part * kParts, [](std::size_t i) { return 2.0 * float_of(i) + 1.0; }); });
  cudaFree(managed);
  for (const cudaStream_t each : two) cudaStreamDestroy(each);
}

}  // namespace held_out_9
