// expect: pass
/// @file
/// Another cure than padding: element (r, c) of the tile lies in column c XOR r. Launched as a graph.
#include "transpose_banks.cuh"

constexpr unsigned int side = 32, block_rows = 8;

__global__ void turn(const float* in, float* out, std::size_t rows, std::size_t cols) {
  __shared__ float tile[side][side];
  const std::size_t first_row = std::size_t{blockIdx.y} * side, first_col = std::size_t{blockIdx.x} * side;
  const unsigned int x = threadIdx.x;
  for (unsigned int k = threadIdx.y; k < side; k += block_rows)
    if (first_row + k < rows && first_col + x < cols)
      tile[k][x ^ k] = in[(first_row + k) * cols + first_col + x];
  __syncthreads();
  for (unsigned int k = threadIdx.y; k < side; k += block_rows)
    if (first_row + x < rows && first_col + k < cols)
      out[(first_col + k) * rows + first_row + x] = tile[x][k ^ x];
}

extern "C" void transpose_banks_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const dim3 blocks(static_cast<unsigned int>((cols + side - 1) / side),
                    static_cast<unsigned int>((rows + side - 1) / side));
  cudaStream_t recording = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t work = nullptr;
  cudaStreamCreateWithFlags(&recording, cudaStreamNonBlocking);
  cudaStreamBeginCapture(recording, cudaStreamCaptureModeThreadLocal);
  turn<<<blocks, dim3(side, block_rows), 0, recording>>>(in, out, rows, cols);
  cudaStreamEndCapture(recording, &graph);
  cudaGraphInstantiate(&work, graph, 0);
  cudaGraphLaunch(work, stream);
  cudaGraphExecDestroy(work);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(recording);
}
