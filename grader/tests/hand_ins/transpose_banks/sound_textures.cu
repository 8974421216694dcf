// expect: pass
// on gpu: too_slow
/// @file
/// The way in goes through a texture object; the matrix is cut into strips, since a linear texture has at most 2^27 elements.
#include "transpose_banks.cuh"

#include <cstdint>

constexpr unsigned int side = 32, block_rows = 8;

__global__ void turn(cudaTextureObject_t strip, std::size_t skipped, float* out, std::size_t strip_rows,
                     std::size_t rows, std::size_t cols) {
  __shared__ float tile[side][side + 1];
  const std::size_t first_row = std::size_t{blockIdx.y} * side, first_col = std::size_t{blockIdx.x} * side;
  const unsigned int x = threadIdx.x;
  for (unsigned int k = threadIdx.y; k < side; k += block_rows)
    if (first_row + k < strip_rows && first_col + x < cols)
      tile[k][x] =
          tex1Dfetch<float>(strip, static_cast<int>(skipped + (first_row + k) * cols + first_col + x));
  __syncthreads();
  for (unsigned int k = threadIdx.y; k < side; k += block_rows)
    if (first_row + x < strip_rows && first_col + k < cols)
      out[(first_col + k) * rows + first_row + x] = tile[x][k];
}

static void one_strip(const float* in, float* out, std::size_t strip_rows, std::size_t rows, std::size_t cols,
                      cudaStream_t stream) {
  // A texture's memory begins at a multiple of 512 bytes; what lies before the strip belongs to the same allocation and is never read.
  const std::size_t skipped = reinterpret_cast<std::uintptr_t>(in) % 512 / sizeof(float);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<float*>(in - skipped);
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = (skipped + strip_rows * cols) * sizeof(float);
  cudaTextureDesc reading{};
  reading.readMode = cudaReadModeElementType;
  cudaTextureObject_t strip = 0;
  cudaCreateTextureObject(&strip, &resource, &reading, nullptr);
  const dim3 blocks(static_cast<unsigned int>((cols + side - 1) / side),
                    static_cast<unsigned int>((strip_rows + side - 1) / side));
  turn<<<blocks, dim3(side, block_rows), 0, stream>>>(strip, skipped, out, strip_rows, rows, cols);
  cudaStreamSynchronize(stream);  // the texture must outlive the kernel
  cudaDestroyTextureObject(strip);
}

extern "C" void transpose_banks_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const std::size_t most = (std::size_t{1} << 26) / cols / side * side;  // rows of a strip
  for (std::size_t first = 0; first < rows; first += most)
    one_strip(in + first * cols, out + first, rows - first < most ? rows - first : most, rows, cols, stream);
}
