// expect: wrong_result mismatch
/// @file
/// Puts a result file of its own in the place of the grader's. The answer stays wrong, and the grader has the
/// last word.
#include "block_reduction.cuh"

#include <unistd.h>

#include <cstdio>
#include <string>

__global__ void guess(const float* in, float* out, std::size_t n) {
  *out = n > 0 ? in[0] + 1.0f : 1.0f;
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  char self[4096] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) > 0) {
    const std::string bin(self, std::string(self).rfind('/'));
    for (const char* tree : {"exercises", "solutions"}) {
      const auto file =
          bin + "/../results/" + tree + "/chapter2_shared_memory/block_reduction.correctness.json";
      if (std::FILE* const result = std::fopen(file.c_str(), "w")) {
        std::fputs("{\"schema\": \"course.result/1\", \"verdict\": \"pass\"}", result);
        std::fclose(result);
      }
    }
  }
  guess<<<1, 1, 0, stream>>>(in, out, n);
}
