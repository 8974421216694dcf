/// @file
/// Heat in a ring, explicit steps.
#include <utility>

#include "check.cuh"
#include "solver.h"

struct Solver::State {
  double *now = nullptr, *next = nullptr;
  int n = 0;
};

namespace {
__global__ void step(const double* now, double* next, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) next[i] = now[i] + 0.25 * (now[(i + 1) % n] - 2 * now[i] + now[(i + n - 1) % n]);
}
}  // namespace

Solver::Solver(std::vector<double> temperature) : state_(new State) {
  state_->n = static_cast<int>(temperature.size());
  const size_t bytes = temperature.size() * sizeof(double);
  CHECK(cudaMalloc(&state_->now, bytes));
  CHECK(cudaMalloc(&state_->next, bytes));
  CHECK(cudaMemcpy(state_->now, temperature.data(), bytes, cudaMemcpyHostToDevice));
}

Solver::~Solver() {
  cudaFree(state_->now);
  cudaFree(state_->next);
}

void Solver::advance(int steps) {
  for (int s = 0; s < steps; ++s) {
    step<<<divide_up(state_->n, 128), 128>>>(state_->now, state_->next, state_->n);
    std::swap(state_->now, state_->next);
  }
  CHECK_LAUNCH();
}

std::vector<double> Solver::temperature() const {
  std::vector<double> result(state_->n);
  CHECK(cudaMemcpy(result.data(), state_->now, result.size() * sizeof(double), cudaMemcpyDeviceToHost));
  return result;
}
