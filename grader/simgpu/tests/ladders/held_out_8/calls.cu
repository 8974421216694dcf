/// @file
/// Programs and their calls. Launches: an elimination of two small launches a column, a graph of generations
/// of a game. Copies: a pageable picture to rows that are padded, pieces that come in two streams and are
/// summed. A program of numbers: vectors made orthogonal.
#include "held_out_8.hpp"

namespace held_out_8 {
namespace {

constexpr unsigned kEquations = 48;
/// What each row below the pivot has to be reduced by.
__global__ void factors_of_column(const float* a, float* factors, unsigned pivot) {
  const unsigned row = pivot + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (row < kEquations) factors[row] = a[row * kEquations + pivot] / a[pivot * kEquations + pivot];
}
__global__ void reduce_rows(float* a, float* b, const float* factors, unsigned pivot) {
  const unsigned column = pivot + blockIdx.x * blockDim.x + threadIdx.x,
                 row = pivot + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= kEquations || column >= kEquations) return;
  a[row * kEquations + column] -= factors[row] * a[pivot * kEquations + column];
  if (column == pivot) b[row] -= factors[row] * b[pivot];
}

constexpr unsigned kFieldWide = 128, kFieldHigh = 88, kField = kFieldWide * kFieldHigh, kGenerations = 16;
/// Conway's game, a byte a cell; the field goes on at its other side.
__global__ void __launch_bounds__(1024) next_generation(const unsigned char* now, unsigned char* next) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i % kFieldWide, y = i / kFieldWide;
  const unsigned left = (x + kFieldWide - 1) % kFieldWide, right = (x + 1) % kFieldWide,
                 up = (y + kFieldHigh - 1) % kFieldHigh * kFieldWide,
                 down = (y + 1) % kFieldHigh * kFieldWide, here = y * kFieldWide;
  const int around = now[up + left] + now[up + x] + now[up + right] + now[here + left] + now[here + right] +
                     now[down + left] + now[down + x] + now[down + right];
  next[i] = around == 3 || (around == 2 && now[i] != 0) ? 1 : 0;
}

__global__ void __launch_bounds__(256) add_piece(const float4* piece, double* total, std::size_t fours) {
  __shared__ double parts[8];
  float sum = 0.0f;
  for (std::size_t i = global_index(); i < fours; i += stride()) {
    const float4 v = piece[i];
    sum += v.x + v.y + (v.z + v.w);
  }
  double whole = sum;
  for (int d = 16; d > 0; d /= 2) whole += __shfl_down_sync(~0u, whole, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = whole;
  __syncthreads();
  if (threadIdx.x != 0) return;
  whole = 0;
  for (const double part : parts) whole += part;
  atomicAdd(total, whole);
}

constexpr unsigned kVectors = 16, kLength = 256;
/// Gram and Schmidt's way: each vector made as long as one, then taken out of those behind it. A thread keeps
/// a component of all.
__global__ void __launch_bounds__(kLength) make_orthogonal(const float* in, float* out) {
  __shared__ float parts[kVectors][kLength / 32];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  const std::size_t base = blockIdx.x * std::size_t{kVectors * kLength} + t;
  float v[kVectors];
#pragma unroll
  for (unsigned k = 0; k < kVectors; ++k) v[k] = in[base + k * kLength];
#pragma unroll
  for (unsigned k = 0; k < kVectors; ++k) {
#pragma unroll
    for (unsigned j = k; j < kVectors; ++j) {
      float dot = v[k] * v[j];
      for (int d = 16; d > 0; d /= 2) dot += __shfl_down_sync(~0u, dot, d);
      if (lane == 0) parts[j][warp] = dot;
    }
    __syncthreads();
    float square = 0.0f;
#pragma unroll
    for (unsigned w = 0; w < kLength / 32; ++w) square += parts[k][w];
    const float over = 1.0f / square;
#pragma unroll
    for (unsigned j = k + 1; j < kVectors; ++j) {
      float dot = 0.0f;
#pragma unroll
      for (unsigned w = 0; w < kLength / 32; ++w) dot += parts[j][w];
      v[j] -= dot * over * v[k];
    }
    v[k] *= sqrtf(over);
    __syncthreads();
  }
#pragma unroll
  for (unsigned k = 0; k < kVectors; ++k) out[base + k * kLength] = v[k];
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  std::vector<float> matrix(kEquations * kEquations), sides(kEquations);
  for (std::size_t k = 0; k < matrix.size(); ++k)
    matrix[k] = float_of(k) + (k / kEquations == k % kEquations ? 400.0f : 0.0f);
  for (std::size_t k = 0; k < kEquations; ++k) sides[k] = other_of(k);
  float *d_matrix = kept(matrix), *d_sides = kept(sides);
  float *reduced = s.out, *side = s.out + kEquations * kEquations, *factors = side + kEquations;
  s.run_whole(
      "48 unknowns eliminated by small launches", 4.0 * kEquations * kEquations * kEquations,
      [&] {
        cudaMemcpyAsync(reduced, d_matrix, sizeof(float) * matrix.size(), cudaMemcpyDeviceToDevice);
        cudaMemcpyAsync(side, d_sides, sizeof(float) * sides.size(), cudaMemcpyDeviceToDevice);
        for (unsigned pivot = 0; pivot + 1 < kEquations; ++pivot) {
          const unsigned left = kEquations - pivot - 1;
          factors_of_column<<<1, 64>>>(reduced, factors, pivot);
          reduce_rows<<<dim3(left / 16 + 1, (left + 15) / 16), dim3(16, 16)>>>(reduced, side, factors, pivot);
        }
      },
      [&] {
        // Solved from the last row up, then put into the equations as they were.
        const auto a = taken(reduced, matrix.size()), b = taken(side, sides.size());
        std::vector<double> x(kEquations);
        for (std::size_t r = kEquations; r-- > 0;) {
          x[r] = b[r];
          for (std::size_t c = r + 1; c < kEquations; ++c) x[r] -= a[r * kEquations + c] * x[c];
          x[r] /= a[r * kEquations + r];
        }
        for (std::size_t r = 0; r < kEquations; ++r) {
          double sum = 0;
          for (std::size_t c = 0; c < kEquations; ++c) sum += matrix[r * kEquations + c] * x[c];
          if (!Set::near(sum, sides[r])) return false;
          for (std::size_t c = 0; c < r; ++c)
            if (std::abs(a[r * kEquations + c]) > 1e-3) return false;
        }
        return true;
      });
  cudaFree(d_matrix), cudaFree(d_sides);

  std::vector<unsigned char> first(kField);
  for (std::size_t k = 0; k < kField; ++k) first[k] = word_of(k + 31) % 3 == 0;
  unsigned char* d_first = kept(first);
  unsigned char* played[2] = {reinterpret_cast<unsigned char*>(s.out),
                              reinterpret_cast<unsigned char*>(s.out) + kField};
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  ladder::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
  cudaMemcpyAsync(played[0], d_first, kField, cudaMemcpyDeviceToDevice, stream);
  for (unsigned k = 0; k < kGenerations; ++k)
    next_generation<<<kField / 1024, 1024, 0, stream>>>(played[k % 2], played[(k + 1) % 2]);
  ladder::check(cudaStreamEndCapture(stream, &graph), "capture");
  ladder::check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  s.run_whole(
      "sixteen generations of a game in a captured graph", 2.0 * kField * kGenerations,
      [&] { cudaGraphLaunch(ready, nullptr); },
      [&] {
        auto now = first;
        auto next = now;
        for (unsigned k = 0; k < kGenerations; ++k, now.swap(next))
          for (std::size_t i = 0; i < kField; ++i) {
            const std::size_t x = i % kFieldWide, y = i / kFieldWide;
            int around = 0;
            for (std::size_t p = 0; p < 9; ++p)
              if (p != 4)
                around += now[(y + p / 3 + kFieldHigh - 1) % kFieldHigh * kFieldWide +
                              (x + p % 3 + kFieldWide - 1) % kFieldWide];
            next[i] = around == 3 || (around == 2 && now[i] != 0);
          }
        return taken(played[kGenerations % 2], kField) == now;
      });
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaStreamDestroy(stream), cudaFree(d_first);

  constexpr std::size_t kPictureWidth = 1000;
  const std::size_t lines = n / 64 / kPictureWidth;
  std::vector<float> picture(lines * kPictureWidth);
  for (std::size_t i = 0; i < picture.size(); ++i) picture[i] = float_of(i + 9);
  float* padded = nullptr;
  std::size_t pitch = 0;
  ladder::check(cudaMallocPitch(reinterpret_cast<void**>(&padded), &pitch, kPictureWidth * 4, lines),
                "pitch");
  ladder::check(cudaMemset(padded, 0, pitch * lines), "memset");
  s.run(
      "pageable picture up to padded rows", 4.0 * real(picture.size()),
      [&] {
        cudaMemcpy2D(padded, pitch, picture.data(), kPictureWidth * 4, kPictureWidth * 4, lines,
                     cudaMemcpyHostToDevice);
      },
      [&] {
        return Set::each(picture.size(), [&](std::size_t i) {
          return Checked::at(padded + i / kPictureWidth * (pitch / 4), i % kPictureWidth) == picture[i];
        });
      });
  cudaFree(padded);

  constexpr std::size_t kPieces = 8;
  const std::size_t piece = n / 16 / kPieces;
  float* pinned = nullptr;
  ladder::check(cudaMallocHost(&pinned, piece * kPieces * 4), "pinned");
  for (std::size_t i = 0; i < piece * kPieces; ++i) pinned[i] = float_of(i + 3);
  auto* totals = reinterpret_cast<double*>(s.out);
  float* come = s.out + 64;
  cudaStream_t two[2];
  for (cudaStream_t& each : two) ladder::check(cudaStreamCreate(&each), "stream");
  s.run(
      "pieces that come in two streams are summed", 4.0 * real(piece * kPieces),
      [&] {
        cudaMemsetAsync(totals, 0, kPieces * sizeof(double));
        for (std::size_t k = 0; k < kPieces; ++k) {
          const cudaStream_t its = two[k % 2];
          cudaMemcpyAsync(come + k * piece, pinned + k * piece, piece * 4, cudaMemcpyHostToDevice, its);
          add_piece<<<s.sms * 2, 256, 0, its>>>(reinterpret_cast<const float4*>(come + k * piece), totals + k,
                                                piece / 4);
        }
      },
      [&] {
        for (std::size_t k = 0; k < kPieces; ++k) {
          double want = 0;
          for (std::size_t i = 0; i < piece; ++i) want += float_of(k * piece + i + 3);
          if (!Set::near(Checked::at(totals, k), want, 1e-5)) return false;
        }
        return true;
      });
  for (const cudaStream_t each : two) cudaStreamDestroy(each);
  cudaFreeHost(pinned);

  const unsigned bundles = as_number(n / 16 / (kVectors * kLength));
  s.run(
      "sixteen vectors of 256 made orthogonal", 8.0 * kVectors * kLength * bundles,
      [&] { make_orthogonal<<<bundles, kLength>>>(s.in, s.out); },
      [&] {
        return within(s, std::size_t{kVectors * kLength} * bundles, 1e-4, [](std::size_t i) {
          const std::size_t base = i / (kVectors * kLength) * (kVectors * kLength);
          std::vector<double> v(kVectors * kLength);
          for (std::size_t k = 0; k < v.size(); ++k) v[k] = float_of(base + k);
          const auto dot = [&](std::size_t a, std::size_t b) {
            double sum = 0;
            for (std::size_t k = 0; k < kLength; ++k) sum += v[a * kLength + k] * v[b * kLength + k];
            return sum;
          };
          for (std::size_t a = 0; a < kVectors; ++a) {
            const double over = 1 / std::sqrt(dot(a, a));
            for (std::size_t k = 0; k < kLength; ++k) v[a * kLength + k] *= over;
            for (std::size_t b = a + 1; b < kVectors; ++b) {
              const double common = dot(a, b);
              for (std::size_t k = 0; k < kLength; ++k) v[b * kLength + k] -= common * v[a * kLength + k];
            }
          }
          return v[i - base];
        });
      });
}

}  // namespace held_out_8
