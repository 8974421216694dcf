/// @file
/// Runs the cases of a file on whatever GPU the CUDA runtime finds, a real one or the simulated one, and prints the results:
///
///     instructions FILE [--only TEXT] [--from N] [--inputs] [--dump FILE] [--ptx FILE]
///
/// One line an instruction: its text, then the results of the first 32 threads (several results of a thread joined by commas),
/// then, unless the instruction is an approximation, a hash over those of all threads. `--only`: the cases whose text holds
/// TEXT. `--inputs`: each result with the inputs that it comes from. `--dump`: all results, as text. `--ptx`: the module
/// instead of a run. `--from`: leaves out the first N cases; after a case that the GPU refused, and with it all that would
/// follow in this process, the program starts itself again so.
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "cases.hpp"

namespace {

using hardware::Case;
using hardware::kThreads;

std::uint64_t hash_of(const std::vector<std::uint64_t>& words) {
  std::uint64_t h = 0xCBF29CE484222325ull;
  for (const std::uint64_t w : words) h = ((h ^ w) * 0x100000001B3ull) ^ (h >> 29);
  return h;
}

struct Buffers {
  std::uint64_t *in = nullptr, *out = nullptr, *scratch = nullptr;
};
constexpr std::size_t kMostRows = 16;

void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

/// @return what went wrong, empty if nothing did.
std::string run(cudaLibrary_t library, std::size_t number, const Case& c, const Buffers& b,
                const std::vector<std::uint64_t>& inputs, std::vector<std::uint64_t>& results) {
  results.assign(c.results() * kThreads, 0);
  cudaKernel_t kernel;
  cudaError_t error = cudaLibraryGetKernel(&kernel, library, ("k" + std::to_string(number)).c_str());
  if (error != cudaSuccess) return cudaGetErrorString(error);
  require(cudaMemcpy(b.in, inputs.data(), inputs.size() * 8, cudaMemcpyHostToDevice), "cudaMemcpy");
  require(cudaMemset(b.out, 0, kMostRows * kThreads * 8), "cudaMemset");
  require(cudaMemset(b.scratch, 0, kThreads * 64), "cudaMemset");
  const void *in = b.in, *out = b.out, *scratch = b.scratch;
  void* arguments[] = {&in, &out, &scratch};
  error =
      cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(kThreads), arguments, 0, nullptr);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (error != cudaSuccess) return cudaGetErrorString(error);
  require(cudaMemcpy(results.data(), b.out, results.size() * 8, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return "";
}

std::string at_thread(const std::vector<std::uint64_t>& rows, unsigned thread) {
  std::string text;
  char word[20];
  for (std::size_t k = thread; k < rows.size(); k += kThreads) {
    std::snprintf(word, sizeof word, "%llx", static_cast<unsigned long long>(rows[k]));
    text += (text.empty() ? "" : ",") + std::string(word);
  }
  return text;
}

int run_all(int argc, char** argv) {
  std::string only;
  bool show_inputs = false;
  std::FILE* dump = nullptr;
  const char* ptx = nullptr;
  std::size_t from = 0;
  for (int i = 2; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--inputs"))
      show_inputs = true;
    else if (i + 1 < argc && !std::strcmp(argv[i], "--only"))
      only = argv[++i];
    else if (i + 1 < argc && !std::strcmp(argv[i], "--dump"))
      dump = std::fopen(argv[++i], "a");
    else if (i + 1 < argc && !std::strcmp(argv[i], "--from"))
      from = std::stoul(argv[++i]);
    else if (i + 1 < argc && !std::strcmp(argv[i], "--ptx"))
      ptx = argv[++i];
  }
  std::vector<Case> cases;
  for (Case& c : hardware::read_cases(argv[1]))
    if (c.text.find(only) != std::string::npos) cases.push_back(std::move(c));
  if (ptx) {
    std::FILE* file = std::fopen(ptx, "w");
    if (!file) return 2;
    const std::string text = hardware::module_for(cases);
    std::fwrite(text.data(), 1, text.size(), file);
    return std::fclose(file) == 0 ? 0 : 2;
  }
  Buffers b;
  require(cudaMalloc(reinterpret_cast<void**>(&b.in), kMostRows * kThreads * 8), "cudaMalloc");
  require(cudaMalloc(reinterpret_cast<void**>(&b.out), kMostRows * kThreads * 8), "cudaMalloc");
  require(cudaMalloc(reinterpret_cast<void**>(&b.scratch), kThreads * 64), "cudaMalloc");
  for (std::size_t first = from; first < cases.size();) {  // a module for each line of the file
    std::size_t last = first;
    while (last < cases.size() && cases[last].line == cases[first].line) ++last;
    const std::vector<Case> group(cases.begin() + static_cast<std::ptrdiff_t>(first),
                                  cases.begin() + static_cast<std::ptrdiff_t>(last));
    cudaLibrary_t library;
    const cudaError_t loaded = cudaLibraryLoadData(&library, hardware::module_for(group).c_str(), nullptr,
                                                   nullptr, 0, nullptr, nullptr, 0);
    for (std::size_t n = 0; n < group.size(); ++n) {
      const Case& c = group[n];
      const auto inputs = hardware::inputs_for(c);
      std::vector<std::uint64_t> results;
      const std::string problem = loaded == cudaSuccess ? run(library, n, c, b, inputs, results)
                                                        : std::string(cudaGetErrorString(loaded));
      std::printf("%s :", c.text.c_str());
      if (!problem.empty()) {
        std::printf(" refused: %s\n", problem.c_str());
        cudaGetLastError();
        if (loaded != cudaSuccess || cudaDeviceSynchronize() == cudaSuccess) continue;
        if (dump) std::fclose(dump);
        std::fflush(stdout);
        std::vector<char*> again(argv, argv + argc);
        std::string next = std::to_string(first + n + 1), option = "--from";
        again.insert(again.end(), {option.data(), next.data(), nullptr});
        execv("/proc/self/exe", again.data());
        return 2;
      }
      for (unsigned t = 0; t < 32; ++t) {
        if (show_inputs) std::printf("\n    %s ->", at_thread(inputs, t).c_str());
        std::printf(" %s", at_thread(results, t).c_str());
      }
      if (c.tolerance == 0 && c.difference == 0)
        std::printf(" #%016llx", static_cast<unsigned long long>(hash_of(results)));
      std::printf("\n");
      if (dump) {
        std::fprintf(dump, "%s :", c.text.c_str());
        for (unsigned t = 0; t < kThreads; ++t)
          std::fprintf(dump, " %s%s%s", show_inputs ? at_thread(inputs, t).c_str() : "",
                       show_inputs ? "->" : "", at_thread(results, t).c_str());
        std::fprintf(dump, "\n");
      }
    }
    if (loaded == cudaSuccess) cudaLibraryUnload(library);
    first = last;
  }
  if (dump) std::fclose(dump);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: instructions FILE [--only TEXT] [--from N] [--inputs] [--dump FILE] [--ptx FILE]\n");
    return 2;
  }
  try {
    return run_all(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
