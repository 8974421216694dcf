/// @file
/// All places of a word in a text.
#include <cstring>
#include <string>

#include "buffer.cuh"

__constant__ char pattern[64];

__global__ void search(const char* text, int length, int pattern_length, int* places, int* found) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + pattern_length > length) return;
  for (int k = 0; k < pattern_length; ++k)
    if (text[i + k] != pattern[k]) return;
  places[atomicAdd(found, 1)] = i;
}

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "memory";
  if (word.size() > 64) return EXIT_FAILURE;
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += i % 3 == 0 ? "shared memory, " : i % 3 == 1 ? "memmemory; " : "a register ";
  size_t expected = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++expected;
  CHECK(cudaMemcpyToSymbol(pattern, word.data(), word.size()));
  Buffer<char> d_text(std::vector<char>(text.begin(), text.end()));
  Buffer<int> places(text.size()), found(1);
  places.clear();
  found.clear();
  const int length = static_cast<int>(text.size());
  search<<<divide_up(length, 256), 256>>>(d_text, length, static_cast<int>(word.size()), places, found);
  CHECK_LAUNCH();
  const auto all = places.host();
  const int count = found.host()[0];
  bool right = static_cast<size_t>(count) == expected;
  for (int i = 0; i < count; ++i) right = right && text.compare(all[i], word.size(), word) == 0;
  std::printf("%d times\n", count);
  return verdict(right);
}
