/// @file
/// Which source line an instruction is charged to.
#include <string>

#include "gtest/gtest.h"
#include "simgpu/ptx/locations.hpp"
#include "simgpu/ptx/module.hpp"

namespace simgpu::ptx {
namespace {

// One instruction behind the given .loc lines; the files stand at the end, as nvcc puts them.
std::string where(const std::string& locations) {
  const ParseResult result =
      parse(".version 9.0\n.target sm_90\n.entry k()\n{\n" + locations +
            "\nret;\n}\n"
            ".file 1 \"/home/me/kernel.cu\"\n"
            ".file 2 \"/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp\"\n"
            ".file 3 \"/home/me/helpers.cuh\"\n"
            ".file 4 \"/somewhere/targets/x86_64-linux/include/cooperative_groups/details/sync.h\"\n");
  if (result.error) return result.error->message;
  const SourceLocation location = result.module->functions[0].instructions[0].location;
  return std::string(result.module->file_path(location.file)) + ":" + std::to_string(location.line);
}

TEST(Locations, KeepTheLastLoc) {
  EXPECT_EQ(where(""), ":0");
  EXPECT_EQ(where(".loc 1 7 3"), "/home/me/kernel.cu:7");
  EXPECT_EQ(where(".loc 1 7 3\n.loc 1 8 3"), "/home/me/kernel.cu:8");
}

TEST(Locations, StayInTheStudentsOwnInlinedFunction) {
  EXPECT_EQ(where(".loc 1 20 3\n.loc 3 5 1, function_name $L__info_string0, inlined_at 1 20 3"),
            "/home/me/helpers.cuh:5");
}

TEST(Locations, LeaveToolkitHeadersForTheCall) {
  EXPECT_EQ(where(".loc 2 373 9, function_name $L__info_string0, inlined_at 1 11 3"),
            "/home/me/kernel.cu:11");
  // kernel.cu:20 calls helpers.cuh:5, which calls into one header, which calls into another.
  EXPECT_EQ(where(".loc 1 20 3\n"
                  ".loc 3 5 1, function_name $L__info_string0, inlined_at 1 20 3\n"
                  ".loc 4 70 2, function_name $L__info_string1+12, inlined_at 3 5 1\n"
                  ".loc 2 151 3, function_name $L__info_string2, inlined_at 4 70 2"),
            "/home/me/helpers.cuh:5");
}

TEST(Locations, KeepAHeaderThatNobodyCalled) {
  EXPECT_NE(where(".loc 2 12 1").find("sm_30_intrinsics.hpp:12"), std::string::npos);
}

TEST(Locations, KnowTheToolkitWhereverItLies) {
  EXPECT_TRUE(is_system_header("/usr/include/c++/12/bits/move.h"));
  EXPECT_TRUE(is_system_header("/usr/local/cuda-12.4/include/cuda_fp16.hpp"));
  EXPECT_TRUE(is_system_header("/home/me/miniconda/targets/x86_64-linux/include/crt/sm_70_rt.hpp"));
  EXPECT_TRUE(is_system_header("/nix/store/abc/include/cccl/cub/block/block_reduce.cuh"));
  EXPECT_FALSE(is_system_header("/home/me/project/include/kernel.cuh"));
  EXPECT_FALSE(is_system_header("block_reduction.cu"));
}

}  // namespace
}  // namespace simgpu::ptx
