/// @file
/// Quicksort whose parts are sorted by further kernels, each in a stream of its own; small ones by one thread.
#include <algorithm>

#include "buffer.cuh"

constexpr int kSmall = 16, kDeepest = 12;

__device__ void insertion_sort(int* data, int left, int right) {
  for (int i = left + 1; i <= right; ++i) {
    const int value = data[i];
    int at = i;
    for (; at > left && data[at - 1] > value; --at) data[at] = data[at - 1];
    data[at] = value;
  }
}

__global__ void quicksort(int* data, int left, int right, int depth) {
  if (right - left < kSmall || depth >= kDeepest) return insertion_sort(data, left, right);
  const int pivot = data[(left + right) / 2];
  int low = left, high = right;
  while (low <= high) {
    while (data[low] < pivot) ++low;
    while (data[high] > pivot) --high;
    if (low <= high) {
      const int value = data[low];
      data[low++] = data[high];
      data[high--] = value;
    }
  }
  cudaStream_t stream;
  if (left < high) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, stream>>>(data, left, high, depth + 1);
    cudaStreamDestroy(stream);
  }
  if (low < right) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, stream>>>(data, low, right, depth + 1);
    cudaStreamDestroy(stream);
  }
}

int main() {
  std::vector<int> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 7919 % 1009);
  Buffer<int> data(values);
  quicksort<<<1, 1>>>(data, 0, static_cast<int>(values.size()) - 1, 0);
  CHECK_LAUNCH();
  std::sort(values.begin(), values.end());
  return verdict(data.host() == values);
}
