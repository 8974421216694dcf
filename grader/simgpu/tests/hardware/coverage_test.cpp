/// @file
/// Every operation of the opcode table takes part in some hardware test, or stands below with the reason why it does not.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "cases.hpp"
#include "simgpu/lower/builder.hpp"
#include "simgpu/lower/code.hpp"
#include "simgpu/lower/program.hpp"
#include "simgpu/ptx/module.hpp"

namespace hardware {
namespace {

using simgpu::lower::Op;

const std::map<std::string, std::string> kWithoutHardware = {
    {"nop", "stands for instructions that change nothing (prefetch, griddepcontrol, ...)"},
    {"prefetch", "hints make no access: decoded as nop"},
    {"unsupported", "stands for instructions that are not simulated"},
    // A debt: whole numbers and exact sums have one right answer, which exec/tests/tensor_test.cpp holds them against.
    {"mma", "not yet held against a card"},
    {"wmma_load", "not yet held against a card"},
    {"wmma_store", "not yet held against a card"},
    {"rounded_f32", "the same operations with another rounding: counted as those"},
    {"rounded_f64", "the same operations with another rounding: counted as those"},
};

/// @param all_known whether an instruction that is not simulated is an error.
void add_operations(const std::string& text, const std::string& where, bool all_known, std::set<Op>& found) {
  const simgpu::ptx::ParseResult parsed = simgpu::ptx::parse(text);
  ASSERT_TRUE(parsed.module) << where << ": line " << parsed.error->line << ": " << parsed.error->message;
  const auto lowered =
      simgpu::lower::lower(*parsed.module, [](std::string_view) { return std::uint64_t{1} << 40; });
  ASSERT_TRUE(lowered.program) << where;
  for (const simgpu::lower::Kernel& kernel : lowered.program->kernels())
    for (const simgpu::lower::Ins& ins : kernel.code->instructions) {
      found.insert(ins.op);
      if (ins.op == Op::rounded_f32 || ins.op == Op::rounded_f64) found.insert(static_cast<Op>(ins.aux));
      EXPECT_TRUE(ins.op != Op::unsupported || !all_known)
          << where << ": " << kernel.code->reasons[static_cast<std::size_t>(ins.imm)];
    }
}

TEST(HardwareTests, CoverTheOpcodeTable) {
  std::set<Op> found;
  for (const char* file : {"integers", "floats", "products", "conversions", "memory", "warps", "calls",
                           "faults", "video", "async"})
    add_operations(module_for(read_cases(std::string(HARDWARE_FOLDER) + "/cases/" + file + ".txt")), file,
                   true, found);
  for (const char* program : {"textures", "tensors"}) {
    std::ifstream in(std::string(PROGRAMS_FOLDER) + "/" + program + ".ptx");
    std::stringstream text;
    text << in.rdbuf();
    ASSERT_FALSE(text.str().empty()) << program;
    add_operations(text.str(), program, false, found);
  }
  for (std::size_t n = 0; n < simgpu::lower::kOpCount; ++n) {
    const char* name = simgpu::lower::info_of(static_cast<Op>(n)).name;
    const bool excused = kWithoutHardware.count(name) != 0;
    EXPECT_TRUE(found.count(static_cast<Op>(n)) || excused)
        << name << ": add a case to tests/hardware/cases, run it on a GPU and keep what it prints";
  }
}

}  // namespace
}  // namespace hardware
