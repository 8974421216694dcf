/// @file
/// Every symbol of the real runtime exists, and one that is not simulated says so.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <string>

namespace {

const char* const kListed[] = {
#define SIMGPU_SYMBOL(name) #name,
#include "simgpu/runtime/symbols.def"
#undef SIMGPU_SYMBOL
};

TEST(Symbols, AllListedOnesAreExported) {
  for (const char* name : kListed) EXPECT_NE(dlsym(RTLD_DEFAULT, name), nullptr) << name;
}

TEST(Symbols, TheDropInCarriesNvidiasVersionOnThem) {
  void* library = dlopen(SIMGPU_DROPIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const char* name : kListed) EXPECT_NE(dlvsym(library, name, "libcudart.so.13"), nullptr) << name;
}

TEST(Symbols, TheListIsTheToolkitsOwn) {
  if (!std::ifstream(SIMGPU_REAL_CUDART)) GTEST_SKIP() << "no " SIMGPU_REAL_CUDART;
  std::FILE* nm = popen("nm -D --defined-only " SIMGPU_REAL_CUDART " 2>/dev/null", "r");
  ASSERT_NE(nm, nullptr);
  std::set<std::string> real;
  char address[64], kind[8], name[512];
  while (std::fscanf(nm, "%63s %7s %511s", address, kind, name) == 3) {
    if (std::strcmp(kind, "T") == 0) real.insert(std::string(name).substr(0, std::string(name).find('@')));
  }
  pclose(nm);
  if (real.empty()) GTEST_SKIP() << "no nm";
  const std::set<std::string> listed(std::begin(kListed), std::end(kListed));
  for (const std::string& symbol : real)
    EXPECT_TRUE(listed.contains(symbol)) << symbol << " is missing in symbols.def";
  for (const std::string& symbol : listed)
    EXPECT_TRUE(real.contains(symbol)) << symbol << " is not the runtime's";
}

// A call that is simulated is simulated for programs with --default-stream per-thread too.
TEST(Symbols, VariantsForPerThreadStreamsAreWhereThePlainCallsAre) {
  std::FILE* nm = popen("nm -D --defined-only " SIMGPU_DROPIN " 2>/dev/null", "r");
  ASSERT_NE(nm, nullptr);
  std::set<std::string> simulated, weak;
  char address[64], kind[8], name[512];
  while (std::fscanf(nm, "%63s %7s %511s", address, kind, name) == 3)
    (std::strcmp(kind, "W") == 0 ? weak : simulated)
        .insert(std::string(name).substr(0, std::string(name).find('@')));
  pclose(nm);
  if (simulated.empty()) GTEST_SKIP() << "no nm";
  for (const std::string& each : weak) {
    if (!each.ends_with("_ptsz") && !each.ends_with("_ptds")) continue;
    EXPECT_FALSE(simulated.contains(each.substr(0, each.size() - 5))) << each;
  }
}

TEST(Symbols, AStubSaysThatItIsNotSimulated) {
  cudaGetLastError();
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaIpcGetMemHandle(nullptr, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaIpcGetMemHandle(nullptr, nullptr), cudaErrorNotSupported);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cudaIpcGetMemHandle is not simulated"), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), said.size() - 1) << "said more than once: " << said;
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

}  // namespace
