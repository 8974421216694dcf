/// @file
/// The runtime answers like CUDA's: some 700 calls, right and wrong ones, each with the error that an H200 with CUDA 13.0 returned
/// (fixtures/h200_api_answers). Nothing is allowed to differ but what kKnown names.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Difference {
  const char* part;
  const char* line;  ///< as the H200 printed it
  const char* why;
};

constexpr Difference kKnown[] = {
    {"managed", "cudaMemRangeAttributePreferredLocationType: cudaSuccess 0",
     "that machine had no NUMA node for the location; the simulator takes any"},
    {"pools", "a == c = 1", "addresses are never used again, so that a use after free is found"},
    {"pools", "b == c = 1", "as above"},
    {"pools", "cudaMemPoolExportPointer(&ex, a) -> cudaErrorInvalidValue",
     "sharing between processes is not simulated"},
    {"pools",
     "cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0) -> "
     "cudaErrorInvalidValue",
     "as above"},
    {"streams", "av.syncPolicy = 4294967295", "what a stream has before anything was set is not documented"},
    {"misc",
     "cudaGetDriverEntryPointByVersion(\"cuMemAlloc\", &f, 99000, cudaEnableDefault, &q) -> "
     "cudaErrorInvalidValue",
     "no driver of that version exists; the simulator has no such function"},
    {"misc", "q = 2", "as above"},
    {"misc", "cudaIpcGetMemHandle(&ih, d) -> cudaSuccess", "sharing between processes is not simulated"},
    {"misc", "cudaIpcGetMemHandle(&ih, &hostvar) -> cudaErrorInvalidValue", "as above"},
    {"misc", "cudaIpcGetEventHandle(&eh, e) -> cudaSuccess", "as above"},
    {"misc",
     "cudaLibraryLoadData(&lib, \"garbage\", nullptr, nullptr, 0, nullptr, nullptr, 0) -> cudaSuccess",
     "hardware's runtime reads the text when it is first used; the simulator at once"},
    {"misc", "cudaImportExternalMemory(&em, &hd) -> cudaErrorInvalidValue", "not simulated"},
    {"misc", "cudaGraphicsMapResources(0, nullptr, 0) -> cudaErrorInvalidValue", "not simulated"},
    {"misc", "cudaGraphicsUnregisterResource(nullptr) -> cudaErrorInvalidResourceHandle", "not simulated"},
    {"misc", "cudaDeviceGetHostAtomicCapabilities(cap, ops, 1, 0) -> cudaSuccess", "not simulated"},
    {"misc", "cudaDeviceGetNvSciSyncAttributes(&nn, 0, 0) -> cudaErrorInvalidValue", "not simulated"},
    {"misc", "cudaArrayGetMemoryRequirements(&mr, arr, 0) -> cudaErrorInvalidValue", "not simulated"},
    {"misc", "cudaArrayGetSparseProperties(&sp, arr) -> cudaErrorInvalidValue", "not simulated"},
    {"misc", "cudaArrayGetPlane(&pl, arr, 0) -> cudaErrorInvalidValue", "not simulated"},
};

/// Without blanks: the calls are printed as the source has them.
std::string squeezed(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

std::vector<std::string> lines_of(std::istream& in) {
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) {
    if (!squeezed(line).empty()) all.push_back(line);
  }
  return all;
}

bool is_known(const std::string& part, const std::string& line) {
  return std::any_of(std::begin(kKnown), std::end(kKnown), [&](const Difference& known) {
    return part == known.part && squeezed(line) == squeezed(known.line);
  });
}

class ApiAnswers : public testing::TestWithParam<const char*> {};

TEST_P(ApiAnswers, AreTheHardwares) {
  const std::string part = GetParam();
  std::ifstream fixture(std::string(FIXTURES) + "/" + part + ".txt");
  const auto expected = lines_of(fixture);
  ASSERT_FALSE(expected.empty());
  const std::string output = std::string(SCRATCH) + "/api_answers_" + part + ".txt";
  // The whole card: what fits on it at once is compared too.
  const std::string command = "LD_LIBRARY_PATH='" DROPIN_FOLDER "' SIMGPU_SLICE=1 SIMGPU_DEVICES=1 '" PROGRAM
                              "' " +
                              part + " > '" + output + "' 2> /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ifstream result(output);
  const auto got = lines_of(result);
  for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i) {
    if (squeezed(expected[i]) == squeezed(got[i]) || is_known(part, expected[i])) continue;
    ADD_FAILURE() << part << ", line " << i + 1 << "\n  H200:      " << expected[i]
                  << "\n  simulator: " << got[i];
  }
  EXPECT_EQ(got.size(), expected.size());
}

INSTANTIATE_TEST_SUITE_P(Parts, ApiAnswers,
                         testing::Values("launches", "memory", "managed", "streams", "graphs", "pools",
                                         "capture", "misc", "trap", "assert", "oob", "null", "mis", "brk",
                                         "stack", "host", "ldg", "atom", "print", "heap"),
                         [](const auto& part) { return std::string(part.param); });

}  // namespace
