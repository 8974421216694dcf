// A conjugate-gradient solver in one cooperative launch, on a sparse matrix in managed memory.
#include <cooperative_groups.h>

#include "program.hpp"
namespace cg = cooperative_groups;

struct Problem {
  int n;
  int *rows, *columns;
  float *values, *x, *r, *p, *ap;
  double* dots;
};

__device__ void dot(const cg::grid_group& grid, const float* a, const float* b, int n, double* out) {
  double sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += double(a[i]) * b[i];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int d = 16; d > 0; d /= 2) sum += warp.shfl_down(sum, d);
  if (warp.thread_rank() == 0) atomicAdd(out, sum);
}

__global__ void solve(Problem q, int rounds) {
  const auto grid = cg::this_grid();
  const int first = grid.thread_rank(), step = grid.size();
  dot(grid, q.r, q.r, q.n, &q.dots[0]);
  grid.sync();
  for (int k = 0; k < rounds; ++k) {
    for (int i = first; i < q.n; i += step) {
      float sum = 0;
      for (int e = q.rows[i]; e < q.rows[i + 1]; ++e) sum += q.values[e] * q.p[q.columns[e]];
      q.ap[i] = sum;
    }
    grid.sync();
    dot(grid, q.p, q.ap, q.n, &q.dots[2 * k + 1]);
    grid.sync();
    const float alpha = float(q.dots[2 * k] / q.dots[2 * k + 1]);
    for (int i = first; i < q.n; i += step) {
      q.x[i] += alpha * q.p[i];
      q.r[i] -= alpha * q.ap[i];
    }
    grid.sync();
    dot(grid, q.r, q.r, q.n, &q.dots[2 * k + 2]);
    grid.sync();
    const float beta = float(q.dots[2 * k + 2] / q.dots[2 * k]);
    for (int i = first; i < q.n; i += step) q.p[i] = q.r[i] + beta * q.p[i];
    grid.sync();
  }
}

int main() {
  const int n = 400, rounds = 40;
  Problem q = {};
  q.n = n;
  CHECK(cudaMallocManaged(&q.rows, (n + 1) * sizeof(int)));
  CHECK(cudaMallocManaged(&q.columns, 3 * n * sizeof(int)));
  CHECK(cudaMallocManaged(&q.values, 3 * n * sizeof(float)));
  for (float** v : {&q.x, &q.r, &q.p, &q.ap}) CHECK(cudaMallocManaged(v, n * sizeof(float)));
  CHECK(cudaMallocManaged(&q.dots, (2 * rounds + 1) * sizeof(double)));
  int e = 0;
  for (int i = 0; i < n; ++i) {
    q.rows[i] = e;
    for (int j = i - 1; j <= i + 1; ++j)
      if (j >= 0 && j < n) q.columns[e] = j, q.values[e++] = i == j ? 4.0f : -1.0f;
    q.x[i] = 0;
    q.r[i] = q.p[i] = 1;
    q.ap[i] = 0;
  }
  q.rows[n] = e;
  for (int i = 0; i <= 2 * rounds; ++i) q.dots[i] = 0;
  int r = 12;
  void* arguments[] = {&q, &r};
  CHECK(cudaLaunchCooperativeKernel((void*)solve, dim3(4), dim3(128), arguments, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) {
    const double residual = 4 * q.x[i] - (i > 0 ? q.x[i - 1] : 0) - (i + 1 < n ? q.x[i + 1] : 0) - 1;
    EXPECT(std::fabs(residual) < 1e-3);
  }
  return ok();
}
