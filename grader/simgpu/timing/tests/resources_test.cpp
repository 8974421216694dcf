/// @file
/// Registers and spills from ptxas' words, kept ones and fresh ones.
#include "simgpu/timing/resources.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace simgpu::timing {
namespace {

// Cut from `nvcc -Xptxas -v` of CUDA 13.0 for two architectures, with a called function in between.
constexpr const char* kLog = R"(ptxas info    : 484 bytes gmem, 64 bytes cmem[3]
ptxas info    : Compiling entry function '_Z5mathfPfPdi' for 'sm_90'
ptxas info    : Function properties for _Z5mathfPfPdi
    72 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 96 bytes cumulative stack size, 1024 bytes smem
ptxas info    : Compile time = 190.615 ms
ptxas info    : Function properties for __internal_accurate_pow
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Compiling entry function '_Z4vaddPf' for 'sm_80'
ptxas info    : Function properties for _Z4vaddPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 99 registers, used 0 barriers, 352 bytes cmem[0]
ptxas info    : Compiling entry function '_Z4vaddPf' for 'sm_90'
ptxas info    : Function properties for _Z4vaddPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
kernel.cu(3): warning #177-D: variable "x" was declared but never referenced
ptxas info    : Compiling entry function '_Z3cutPf' for 'sm_90'
)";

TEST(Resources, AreReadForOneArchitecture) {
  const ResourceReport report = parse_resource_report(kLog);
  ASSERT_EQ(report.kernels.size(), 2u);  // the kernel whose entry is cut short is not known
  ASSERT_NE(report.find("_Z5mathfPfPdi"), nullptr);
  EXPECT_EQ(*report.find("_Z5mathfPfPdi"), (KernelResources{32, 12, 20, 96, 1024}));
  ASSERT_NE(report.find("_Z4vaddPf"), nullptr);
  EXPECT_EQ(report.find("_Z4vaddPf")->registers, 8u);
  EXPECT_EQ(report.find("other"), nullptr);
  EXPECT_EQ(parse_resource_report(kLog, "sm_80").find("_Z4vaddPf")->registers, 99u);
  EXPECT_TRUE(parse_resource_report("ptxas fatal : no").kernels.empty());
}

TEST(Resources, AreReadFromTheFileBesideAProgram) {
  const std::filesystem::path plugin =
      std::filesystem::path(::testing::TempDir()) / "simgpu_resources_test.so";
  std::ofstream(resource_report_path(plugin)) << kLog;
  const auto report = read_resource_report(plugin.string() + ".resources.txt");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->kernels.size(), 2u);
  std::filesystem::remove(resource_report_path(plugin));
  EXPECT_FALSE(read_resource_report(resource_report_path(plugin)));
}

TEST(Resources, AreAskedOfPtxasOnceAndKept) {
  const std::filesystem::path cache = std::filesystem::path(::testing::TempDir()) / "simgpu_resources_cache";
  std::filesystem::remove_all(cache);
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  const std::string ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k() { .shared .align 4 .b8 s[512]; .reg .b32 %r<3>; mov.u32 %r1, %tid.x; mov.u32 %r2, "
      "s;\n"
      "st.shared.u32 [%r2], %r1; bar.sync 0; ret; }\n";
  const auto report = compile_resource_report(ptx);
  if (!report) GTEST_SKIP() << "there is no ptxas";
  ASSERT_NE(report->find("k"), nullptr);
  EXPECT_GT(report->find("k")->registers, 0u);
  EXPECT_EQ(report->find("k")->static_shared_bytes, 512u);
  EXPECT_FALSE(compile_resource_report("this is not PTX"));

  // The second answer comes from the cache: a changed file shows.
  ASSERT_EQ(std::distance(std::filesystem::directory_iterator(cache / "simgpu"), {}), 1);
  std::ofstream(std::filesystem::directory_iterator(cache / "simgpu")->path())
      << "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Used 77 registers\n";
  EXPECT_EQ(compile_resource_report(ptx)->find("k")->registers, 77u);
  // A damaged one is replaced.
  std::ofstream(std::filesystem::directory_iterator(cache / "simgpu")->path()) << "garbage";
  EXPECT_EQ(compile_resource_report(ptx)->find("k")->static_shared_bytes, 512u);
  std::filesystem::remove_all(cache);
}

}  // namespace
}  // namespace simgpu::timing
