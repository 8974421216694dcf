// expect: pass
/// @file
/// Memory in a class that frees itself, errors returned where they occur, and two copies back.
#include "first_kernel.cuh"
namespace {
class memory {
 public:
  explicit memory(std::size_t bytes) : error_(cudaMalloc(&p_, bytes)) {}
  ~memory() {
    if (p_) cudaFree(p_);
  }
  memory(const memory&) = delete;
  void* get() const { return p_; }
  cudaError_t error() const { return error_; }

 private:
  void* p_ = nullptr;
  cudaError_t error_;
};
template <class T>
__global__ void twice(T* v, std::size_t n) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    v[i] = 2 * v[i];
}
}  // namespace
extern "C" int first_kernel_run(int* host, std::size_t n) {
  if (n == 0) return cudaSuccess;
  memory m(n * sizeof(int));
  if (m.error() != cudaSuccess) {
    cudaGetLastError();
    return m.error();
  }
  int* d = static_cast<int*>(m.get());
  if (const cudaError_t e = cudaMemcpy(d, host, 4 * n, cudaMemcpyHostToDevice); e != cudaSuccess) return e;
  twice<<<64, 192>>>(d, n);
  if (const cudaError_t e = cudaPeekAtLastError(); e != cudaSuccess) return e;
  const std::size_t half = n / 2;
  if (half)
    if (const cudaError_t e = cudaMemcpy(host, d, 4 * half, cudaMemcpyDeviceToHost); e != cudaSuccess)
      return e;
  return cudaMemcpy(host + half, d + half, 4 * (n - half), cudaMemcpyDeviceToHost);
}
