/// @file
/// Sparse rows of doubles with four lanes each, rows padded to nine entries, and a list of work that grows:
/// intervals halved until a curve is nearly straight in them.
#include "held_out_10.hpp"

namespace held_out_10 {
namespace {

constexpr unsigned kLanesOfRow = 4;
__global__ void four_lanes_a_row(const unsigned* begins, const unsigned* columns, const double* values,
                                 const double* x, double* y, unsigned rows) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, row = i / kLanesOfRow, lane = i % kLanesOfRow;
  double sum = 0.0;
  if (row < rows)
    for (unsigned k = begins[row] + lane; k < begins[row + 1]; k += kLanesOfRow)
      sum += values[k] * x[columns[k]];
  for (unsigned d = kLanesOfRow / 2; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d, kLanesOfRow);
  if (row < rows && lane == 0) y[row] = sum;
}

constexpr unsigned kPadded = 9;
__host__ __device__ __forceinline__ unsigned entries_of(unsigned row) {
  return 2 + word_of(row) % (kPadded - 1);
}
__host__ __device__ __forceinline__ int column_of(unsigned row, unsigned k, unsigned rows) {
  return static_cast<int>((row + word_of(row * kPadded + k) % 2048) % rows);
}
/// The first entries of all rows come first, then the second ones; -1 is none.
__global__ void make_padded(int* columns, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (unsigned k = 0; k < kPadded; ++k)
    columns[k * rows + row] = k < entries_of(row) ? column_of(row, k, rows) : -1;
}
__global__ void padded_rows(const int* columns, const float* values, const float* x, float* y,
                            unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (unsigned k = 0; k < kPadded; ++k) {
    const int column = columns[k * rows + row];
    if (column >= 0) sum += values[k * rows + row] * x[column];
  }
  y[row] = sum;
}

constexpr unsigned kHalvings = 6, kMostOfTask = 32;
struct Interval {
  float from, to;
  unsigned task;
};
/// How steep the curve of a task is near nought.
__host__ __device__ __forceinline__ float bend_of(unsigned task) {
  return 0.01f + 0.02f * half_of(task);
}
/// The area below 1 / (x + bend) by one trapezoid and by two.
__host__ __device__ __forceinline__ float2 two_areas(float from, float to, float bend) {
  const float middle = 0.5f * (from + to), left = 1.0f / (from + bend), right = 1.0f / (to + bend),
              between = 1.0f / (middle + bend);
  return make_float2(0.5f * (to - from) * (left + right), 0.25f * (to - from) * (left + 2 * between + right));
}
__host__ __device__ __forceinline__ bool nearly_straight(float2 areas) {
  return fabsf(areas.x - areas.y) < 0.01f;
}
__global__ void begin_intervals(Interval* list, unsigned* count, unsigned tasks) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < tasks) list[i] = {0.0f, 1.0f, i};
  if (i == 0) *count = tasks;
}
__global__ void halve_intervals(const Interval* list, const unsigned* count, Interval* next,
                                unsigned* next_count, float* areas, bool last) {
  const unsigned all = *count;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += gridDim.x * blockDim.x) {
    const Interval here = list[i];
    const float2 both = two_areas(here.from, here.to, bend_of(here.task));
    if (last || nearly_straight(both)) {
      atomicAdd(areas + here.task, both.y);
      continue;
    }
    const float middle = 0.5f * (here.from + here.to);
    const unsigned at = atomicAdd(next_count, 2u);
    next[at] = {here.from, middle, here.task};
    next[at + 1] = {middle, here.to, here.task};
  }
}
double area_by_halving(float from, float to, unsigned task, unsigned level) {
  const float2 both = two_areas(from, to, bend_of(task));
  if (level + 1 == kHalvings || nearly_straight(both)) return double{both.y};
  const float middle = 0.5f * (from + to);
  return area_by_halving(from, middle, task, level + 1) + area_by_halving(middle, to, task, level + 1);
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 128);
  std::vector<unsigned> begins(rows + 1), columns;
  std::vector<double> values, vector(rows);
  for (unsigned row = 0; row < rows; ++row) {
    const unsigned count = 3 + word_of(row + 5) % 16;
    for (unsigned k = 0; k < count; ++k) {
      const unsigned word = word_of(std::size_t{row} * 20 + k);
      columns.push_back(k == 0 ? place_of(word, rows) : (row + word % 1000) % rows);
      values.push_back(0.25 + double{half_of(values.size())});
    }
    begins[row + 1] = begins[row] + count;
    vector[row] = double{float_of(row)};
  }
  unsigned *d_begins = kept(begins), *d_columns = kept(columns);
  double *d_values = kept(values), *d_vector = kept(vector);
  s.run(
      "CSR rows of doubles, four lanes a row", 12.0 * real(values.size()) + 20.0 * rows,
      [&] {
        four_lanes_a_row<<<Set::blocks(std::size_t{rows} * kLanesOfRow), 256>>>(
            d_begins, d_columns, d_values, d_vector, reinterpret_cast<double*>(s.out), rows);
      },
      [&] {
        return doubles(s, rows, [&](std::size_t row) {
          double sum = 0;
          for (std::size_t k = begins[row]; k < begins[row + 1]; ++k) sum += values[k] * vector[columns[k]];
          return sum;
        });
      });
  cudaFree(d_begins), cudaFree(d_columns), cudaFree(d_values), cudaFree(d_vector);

  const unsigned padded = as_number(n / 64);
  int* places = room<int>(std::size_t{padded} * kPadded);
  make_padded<<<Set::blocks(padded), 256>>>(places, padded);
  ladder::check(cudaDeviceSynchronize(), "padded");
  s.run(
      "ELL rows of at most nine entries", (8.0 * kPadded + 8.0) * padded,
      [&] { padded_rows<<<Set::blocks(padded), 256>>>(places, s.other, s.in, s.out, padded); },
      [&] {
        return floats(s, padded, [&](std::size_t i) {
          const unsigned row = as_number(i);
          double sum = 0;
          for (unsigned k = 0; k < entries_of(row); ++k)
            sum += double{other_of(std::size_t{k} * padded + i)} *
                   float_of(static_cast<std::size_t>(column_of(row, k, padded)));
          return sum;
        });
      });
  cudaFree(places);

  const unsigned tasks = as_number(n / 1024);
  Interval* lists[2] = {room<Interval>(std::size_t{tasks} * kMostOfTask),
                        room<Interval>(std::size_t{tasks} * kMostOfTask)};
  auto* counts = room<unsigned>(kHalvings + 1);
  s.run(
      "areas by lists of intervals that are halved", 200.0 * tasks,
      [&] {
        cudaMemsetAsync(counts, 0, (kHalvings + 1) * sizeof(unsigned));
        begin_intervals<<<Set::blocks(tasks), 256>>>(lists[0], counts, tasks);
        for (unsigned level = 0; level < kHalvings; ++level)
          halve_intervals<<<s.sms * 8, 256>>>(lists[level % 2], counts + level, lists[(level + 1) % 2],
                                              counts + level + 1, s.out, level + 1 == kHalvings);
      },
      [&] {
        return floats(
            s, tasks, [](std::size_t i) { return area_by_halving(0, 1, as_number(i), 0); }, 0.01);
      });
  cudaFree(lists[0]), cudaFree(lists[1]), cudaFree(counts);
}

}  // namespace held_out_10
