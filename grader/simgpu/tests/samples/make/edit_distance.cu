/// @file
/// The edit distance of two words, diagonal by diagonal in one block.
#include <algorithm>
#include <string>

#include "buffer.cuh"

__global__ void distance(const char* a, int n, const char* b, int m, int* table) {
  const int i = threadIdx.x, width = m + 1;
  for (int diagonal = 0; diagonal <= n + m; ++diagonal) {
    const int j = diagonal - i;
    if (i <= n && j >= 0 && j <= m) {
      if (i == 0 || j == 0)
        table[i * width + j] = i + j;
      else
        table[i * width + j] = min(min(table[(i - 1) * width + j], table[i * width + j - 1]) + 1,
                                   table[(i - 1) * width + j - 1] + (a[i - 1] != b[j - 1]));
    }
    __syncthreads();
  }
}

int main() {
  std::string a = "kitten", b = "sitting";
  for (int i = 0; i < 60; ++i) a += static_cast<char>('a' + i % 7), b += static_cast<char>('a' + i % 5);
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  Buffer<char> d_a(std::vector<char>(a.begin(), a.end())), d_b(std::vector<char>(b.begin(), b.end()));
  Buffer<int> table((n + 1) * (m + 1));
  distance<<<1, n + 1>>>(d_a, n, d_b, m, table);
  CHECK_LAUNCH();
  std::vector<int> row(m + 1);
  for (int j = 0; j <= m; ++j) row[j] = j;
  for (int i = 1; i <= n; ++i) {
    int corner = row[0]++;
    for (int j = 1; j <= m; ++j) {
      const int kept = row[j];
      row[j] = std::min(std::min(row[j], row[j - 1]) + 1, corner + (a[i - 1] != b[j - 1]));
      corner = kept;
    }
  }
  std::printf("distance %d\n", table.host().back());
  return verdict(table.host().back() == row[m]);
}
