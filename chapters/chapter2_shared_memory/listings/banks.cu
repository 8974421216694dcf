/// @file
/// Lesson 2, listing "banks and padding": a warp sums up a 32 x 32 tile by columns of the tile, once with
/// rows of 32 words and once with rows of 33. Same values, same sums; what differs is how often the banks are
/// asked. Checks its own result.
#include <cstdio>
#include <vector>

// [kernel]
/// Writes the sum of each row of a 32 x 32 matrix: lane r adds up row r.
/// Launch contract: one block of one warp. All lanes of a load read the same column, that is 32 different
/// rows.
template <int tile_row_length>
__global__ void row_sums(const float* in, float* out) {
  alignas(16) __shared__ float tile[32][tile_row_length];
  const int lane = threadIdx.x;
  for (int r = 0; r < 32; ++r) tile[r][lane] = in[r * 32 + lane];  // lanes side by side: 32 banks
  __syncwarp();
  float sum = 0.0f;
  for (int c = 0; c < 32; ++c) sum += tile[lane][c];  // word lane * tile_row_length + c
  out[lane] = sum;
}
// [kernel]

// [banks]
/// Bank of tile[r][c].
constexpr int bank_of(int r, int c, int tile_row_length) {
  return (r * tile_row_length + c) % 32;
}

/// The most words that any one bank has to deliver when lane r reads tile[r][c]: the passes that the request
/// takes.
int passes_of_a_column(int c, int tile_row_length) {
  int words[32] = {};
  int most = 0;
  for (int r = 0; r < 32; ++r) {
    const int count = ++words[bank_of(r, c, tile_row_length)];
    if (count > most) most = count;
  }
  return most;
}
// [banks]

int main() {
  std::vector<float> in(32 * 32), out(32);
  for (int i = 0; i < 32 * 32; ++i) in[i] = static_cast<float>(i * 7 % 101);
  float* device_in = nullptr;
  float* device_out = nullptr;
  bool right =
      cudaMalloc(&device_in, in.size() * sizeof(float)) == cudaSuccess &&
      cudaMalloc(&device_out, out.size() * sizeof(float)) == cudaSuccess &&
      cudaMemcpy(device_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
  for (const int row_length : {32, 33}) {
    if (row_length == 32) {
      row_sums<32><<<1, 32>>>(device_in, device_out);
    } else {
      row_sums<33><<<1, 32>>>(device_in, device_out);
    }
    right =
        right && cudaGetLastError() == cudaSuccess &&
        cudaMemcpy(out.data(), device_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int r = 0; r < 32; ++r) {
      float sum = 0.0f;
      for (int c = 0; c < 32; ++c) sum += in[r * 32 + c];
      right = right && out[r] == sum;
    }
    std::printf("rows of %d words: a column takes %d passes\n", row_length,
                passes_of_a_column(0, row_length));
  }
  right = right && passes_of_a_column(5, 32) == 32 && passes_of_a_column(5, 33) == 1;
  cudaFree(device_in);
  cudaFree(device_out);
  std::printf("row sums: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
