/// @file
/// Claims about the product of square matrices: how much a tile in shared memory gains, and over what.
#include "claims/device.hpp"
#include "claims/kernels/kernels.hpp"

namespace course::claims {
namespace {

constexpr int kSide = 32;

/// The row from threadIdx.x: a warp reads a column of `a`, 32 sectors, and writes one of `c`.
__global__ void rows_from_x(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

/// The column from threadIdx.x: `a` comes as a broadcast, `b` and `c` are coalesced.
__global__ void columns_from_x(const float* a, const float* b, float* c, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

template <int Tile>
__global__ void tiled(const float* a, const float* b, float* c, int n) {
  alignas(16) __shared__ float a_tile[Tile][Tile];
  alignas(16) __shared__ float b_tile[Tile][Tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * Tile + tx, row = blockIdx.y * Tile + ty;
  float sum = 0;
  for (int first = 0; first < n; first += Tile) {
    a_tile[ty][tx] = a[row * n + first + tx];
    b_tile[ty][tx] = b[(first + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Tile; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

using product = void (*)(const float*, const float*, float*, int);

/// Three matrices and one way to launch a product of them.
struct matrices {
  explicit matrices(int side)
      : n(side), a(std::size_t(side) * side), b(std::size_t(side) * side), c(std::size_t(side) * side) {}
  std::function<void()> launch(product kernel, int tile) const {
    return [this, kernel, tile] {
      kernel<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(a.get(), b.get(), c.get(), n);
    };
  }
  double flop_per_second(const device& on, product kernel, int tile) const {
    return 2.0 * n * n * n / on.seconds(launch(kernel, tile));
  }
  int n;
  floats a, b, c;
};

/// 4096, or half of it where the slowest version would take longer than a display's card may work on one kernel.
int large_side(const device& on) {
  if (on.simulated()) return 64;
  return on.properties().multiProcessorCount >= 100 ? 4096 : 2048;
}

}  // namespace

outcome tiled_matrix_product(device& on) {
  const matrices of(large_side(on));
  const double slow = of.flop_per_second(on, rows_from_x, kSide);
  const double naive = of.flop_per_second(on, columns_from_x, kSide);
  const double tile = of.flop_per_second(on, tiled<kSide>, kSide);
  return {{"naive, row from threadIdx.x", slow, "FLOP/s"},
          {"tiles of 32 x 32", tile, "FLOP/s"},
          tile / slow,
          {{"naive, column from threadIdx.x", naive, "FLOP/s"},
           {"what coalescing gives of it", naive / slow, "times"},
           {"what the tile gives of it", tile / naive, "times"}},
          "The baseline decides: its warps read columns. Against a naive product whose warps read rows, the "
          "tile gains far less, since "
          "caches hold most of the reuse."};
}

outcome laptop_matrix_product(device& on) {
  const matrices of(on.simulated() ? 64 : 512);
  const double naive = of.flop_per_second(on, columns_from_x, 16);
  const double tile = of.flop_per_second(on, tiled<16>, 16);
  const double wide = of.flop_per_second(on, tiled<kSide>, kSide);
  return {{"naive, 16 x 16 threads, N = 512", naive, "FLOP/s"},
          {"tiles of 16 x 16", tile, "FLOP/s"},
          tile / naive,
          {{"tiles of 32 x 32", wide, "FLOP/s"}},
          "Kernel against kernel. The text's times include the copies to the card and back, on a card "
          "without today's caches."};
}

outcome tile_accesses(device& on) {
  const char* const kSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
  const matrices of(128);
  const double naive = on.count(kSectors, of.launch(columns_from_x, kSide));
  const double tile = on.count(kSectors, of.launch(tiled<kSide>, kSide));
  return {{"naive, column from threadIdx.x", naive, "sectors"},
          {"tiles of 32 x 32", tile, "sectors"},
          naive / tile,
          {},
          "Counted in sectors. All lanes of a warp read one element of `a`, so a request for it was a single "
          "sector before there was a tile."};
}

}  // namespace course::claims
