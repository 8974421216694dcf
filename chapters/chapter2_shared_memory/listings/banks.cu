/// @file
/// Lesson 2, "banks and padding": a warp looks at 32 records of eight floats, one record a
/// lane. Three layouts, the same answers; what differs is how often the banks are asked.
#include "check.cuh"

// [bank_rule]
/// Wavefronts of one request of a warp that reads words of 4 bytes: the most different words
/// that one bank has to deliver.
int wavefronts(const int (&word)[32]) {
  int most = 0;
  for (int bank = 0; bank < 32; ++bank) {
    int different = 0;
    for (int lane = 0; lane < 32; ++lane) {
      bool is_new = word[lane] % 32 == bank;
      for (int before = 0; before < lane; ++before)
        is_new = is_new && word[before] != word[lane];
      different += is_new;
    }
    if (different > most) most = different;
  }
  return most;
}
// [bank_rule]

// [kernel]
constexpr int fields = 8;       // floats in a record
constexpr int most_stride = 9;  // words from one record of the tile to the next

/// Writes the largest field of each record, a lane a record. With `turn`, lanes begin with
/// different fields.
/// Launch contract: blocks of one warp, one for 32 records; stride from 8 to most_stride.
__global__ void largest_field(const float* in, float* out, int stride, bool turn) {
  __shared__ float tile[32 * most_stride];
  const int lane = threadIdx.x;
  const float* records = in + blockIdx.x * 32 * fields;

  // Neighbouring lanes bring neighbouring floats: four sectors a request.
  for (int k = lane; k < 32 * fields; k += 32)
    tile[k / fields * stride + k % fields] = records[k];
  __syncwarp();  // the block is one warp: this is barrier enough

  float largest = -INFINITY;
  for (int f = 0; f < fields; ++f) {
    const int field = turn ? (f + lane / 4) % fields : f;
    largest = fmaxf(largest, tile[lane * stride + field]);
  }
  out[blockIdx.x * 32 + lane] = largest;
}
// [kernel]

/// Wavefronts of the two loops of largest_field, by the rule above.
struct passes {
  int of_stores = 0, of_loads = 0;
};

passes passes_of(int stride, bool turn) {
  passes sum;
  for (int step = 0; step < fields; ++step) {
    int stored[32], loaded[32];
    for (int lane = 0; lane < 32; ++lane) {
      const int k = lane + 32 * step;
      stored[lane] = k / fields * stride + k % fields;
      loaded[lane] = lane * stride + (turn ? (step + lane / 4) % fields : step);
    }
    sum.of_stores += wavefronts(stored);
    sum.of_loads += wavefronts(loaded);
  }
  return sum;
}

bool is_right(const std::vector<float>& in, int stride, bool turn) {
  const int records = static_cast<int>(in.size()) / fields;
  device_array<float> from(in), to(records);
  largest_field<<<records / 32, 32>>>(from.data(), to.data(), stride, turn);
  const std::vector<float> out = to.to_host();
  bool right = true;
  for (int r = 0; r < records; ++r) {
    float largest = in[r * fields];
    for (int f = 1; f < fields; ++f) largest = fmaxf(largest, in[r * fields + f]);
    right = right && out[r] == largest;
  }
  const passes counted = passes_of(stride, turn);
  std::printf("stride %d%s: %d wavefronts of stores, %d of loads\n", stride,
              turn ? ", turned" : "", counted.of_stores, counted.of_loads);
  return right;
}

int main() {
  const std::vector<float> in = different_values(96 * fields);
  bool right = is_right(in, 8, false);
  right = is_right(in, 9, false) && right;
  right = is_right(in, 8, true) && right;
  // The lesson's table.
  right = right && passes_of(8, false).of_stores == 8 && passes_of(8, false).of_loads == 64;
  right = right && passes_of(9, false).of_stores == 16 && passes_of(9, false).of_loads == 8;
  right = right && passes_of(8, true).of_stores == 8 && passes_of(8, true).of_loads == 8;
  return verdict("largest fields", right);
}
