/// @file
/// What each piece of grammar becomes in a module, and what is said about texts that are not PTX.
#include <string>

#include "gtest/gtest.h"
#include "simgpu/ptx/module.hpp"
#include "simgpu/ptx/tests/writer.hpp"

namespace simgpu::ptx {
namespace {

Module parsed(const std::string& text) {
  ParseResult result = parse(".version 9.0\n.target sm_90\n.address_size 64\n" + text);
  EXPECT_FALSE(result.error) << result.error->line << ":" << result.error->column << ": "
                             << result.error->message;
  return result.module ? std::move(*result.module) : Module{};
}

Function body_of(const std::string& body) {
  Module module = parsed(".visible .entry k(.param .u64 k_param_0)\n{\n" + body + "\n}\n");
  return module.functions.empty() ? Function{} : std::move(module.functions[0]);
}

Instruction one(const std::string& text) {
  Function function = body_of(text);
  EXPECT_EQ(function.instructions.size(), 1u);
  return function.instructions.empty() ? Instruction{} : std::move(function.instructions[0]);
}

std::string error_of(const std::string& text) {
  const ParseResult result = parse(text);
  if (!result.error) return "no error";
  return std::to_string(result.error->line) + ":" + std::to_string(result.error->column) + ": " +
         result.error->message;
}

TEST(Parser, KeepsOpcodeModifiersAndGuard) {
  const Instruction load =
      one("@!%p3 ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1, _, %f3, 0f3F800000}, [%rd1+-8];");
  EXPECT_EQ(load.opcode, "ld");
  EXPECT_EQ(load.full_name(), "ld.global.nc.L1::no_allocate.L2::128B.v4.f32");
  EXPECT_EQ(load.modifiers[2], "L1::no_allocate");
  EXPECT_EQ(load.guard, "%p3");
  EXPECT_TRUE(load.guard_negated);
  ASSERT_EQ(load.operands.size(), 2u);
  ASSERT_EQ(load.operands[0].elements.size(), 4u);
  EXPECT_EQ(load.operands[0].elements[1].kind, Operand::Kind::discard);
  EXPECT_EQ(load.operands[0].elements[3].bits, 0x3F800000u);
  EXPECT_EQ(load.operands[1].kind, Operand::Kind::address);
  EXPECT_EQ(load.operands[1].name, "%rd1");
  EXPECT_EQ(load.operands[1].offset, -8);
}

TEST(Parser, ReadsEveryKindOfOperand) {
  // What is written, and how a module holds it, in the words of testing::write().
  const std::pair<const char*, const char*> kOperands[] = {
      {"%tid.x", "%tid.x"},
      {"!%p1", "!%p1"},
      {"%p1|%p2", "%p1|%p2"},
      {"_|%p2", "_|%p2"},
      {"-3", "-3"},
      {"0x1F", "31"},
      {"017", "15"},
      {"0b101U", "5"},
      {"18446744073709551615", "-1"},
      {"(1 << 4) | 3 - 1 * 2", "17"},
      {"7 % 4", "3"},
      {"~0", "-1"},
      {"0f3F800000", "0f3F800000"},
      {"-0f3F800000", "0fBF800000"},
      {"0D3FF0000000000000", "0d3FF0000000000000"},
      {"1.5", "0d3FF8000000000000"},
      {"-1e3", "0dC08F400000000000"},
      {"smem+8", "smem+8"},
      {"$L__BB0_2", "$L__BB0_2"},
      {"WARP_SZ", "32"},
      {"[16]", "[16]"},
      {"[smem]", "[smem]"},
      {"[%r1+4+4]", "[%r1+8]"},
      {"{%f1, %f2}", "{%f1, %f2}"},
      {"{%f1}|%p1", "{%f1}|%p1"},
      {"[tex, {%f1, %f2}]", "[tex, {%f1, %f2}]"},
      {"[tex, samp, {%f1}]", "[tex, samp, {%f1}]"},
      {"[tex, %f1]", "[tex, {%f1}]"},
      {"%r1.b3", "%r1.b3"},
  };
  for (const auto& [text, kept] : kOperands) {
    const Instruction instruction = one(std::string("op ") + text + ";");
    ASSERT_EQ(instruction.operands.size(), 1u) << text;
    EXPECT_EQ(testing::write(instruction.operands[0]), kept) << text;
  }
}

TEST(Parser, ReadsCalls) {
  const Function function = body_of(
      ".param .b32 param0; .param .align 8 .b8 retval0[16];\n"
      "prototype_2 : .callprototype (.param .align 8 .b8 _[16]) _ (.param .b32 _) .noreturn;\n"
      "call (retval0), %rd6, (param0, param0), prototype_2;\n"
      "call.uni f;");
  ASSERT_EQ(function.lists.size(), 1u);
  EXPECT_EQ(function.lists[0].label, "prototype_2");
  EXPECT_EQ(function.lists[0].results[0].bytes, 16u);
  EXPECT_EQ(function.lists[0].parameters.size(), 1u);
  EXPECT_EQ(testing::write(function.instructions[0]),
            "call (retval0), %rd6, (param0, param0), prototype_2;\n");
  EXPECT_EQ(testing::write(function.instructions[1]), "call.uni f;\n");
  EXPECT_EQ(function.variables[1].align, 8u);
}

TEST(Parser, RenamesWhatIsDeclaredAgain) {
  const Function function = body_of(
      ".reg .b32 %r<4>; .reg .b32 t;\n"
      "mov.b32 t, %r3;\n"
      "{ .reg .b32 t, %r<2>; .param .b32 a; L: mov.b32 t, %r1; mov.b32 t, %r3; bra L; }\n"
      "{ .param .b32 a; st.param.b32 [a], t; L: @t bra L; { bra L; } }\n"
      "mov.b32 t, %r1;");
  std::string written;
  for (const Instruction& instruction : function.instructions) written += testing::write(instruction);
  EXPECT_EQ(written,
            "mov.b32 t, %r3;\n"
            "mov.b32 t$scope1, %r$scope1$1;\n"
            "mov.b32 t$scope1, %r3;\n"  // the inner run ends at %r1
            "bra L;\n"
            "st.param.b32 [a$scope2], t;\n"
            "@t bra L$scope2;\n"
            "bra L$scope2;\n"
            "mov.b32 t, %r1;\n");
  EXPECT_EQ(function.instructions[0].operands[0].kind, Operand::Kind::reg);  // though it has no %
  ASSERT_EQ(function.labels.size(), 2u);
  EXPECT_EQ(function.labels[1].name, "L$scope2");
}

TEST(Parser, ReadsVariablesAndInitialisers) {
  const Module module = parsed(
      ".extern .shared .align 16 .b8 dynamic[];\n"
      ".const .align 4 .u32 table[2][3] = {{1}, {2, 3}};\n"
      ".visible .global .attribute(.managed) .align 4 .u32 managed_value = 7;\n"
      ".global .align 8 .u64 pointers[3] = {generic(table)+4, f, 5};\n"
      ".global .f32 half_of_one = 0.5;\n"
      ".global .align 1 .b8 packed[4] = {0xFF(table), 0xFF00(table), 3};\n"
      ".global .v4 .f32 vectors[2];\n"
      ".global .b8 text[] = {104, 105, 0};\n"
      ".func f() { ret; }");
  ASSERT_EQ(module.variables.size(), 8u);
  EXPECT_TRUE(module.variables[0].is_extern);
  EXPECT_EQ(module.variables[0].bytes, 0u);
  const Variable& table = module.variables[1];
  EXPECT_EQ(table.space, Space::constant);
  EXPECT_EQ(table.bytes, 24u);
  EXPECT_EQ(table.initializer->bytes[0], std::byte{1});
  EXPECT_EQ(table.initializer->bytes[12], std::byte{2});  // the second row begins at its own place
  EXPECT_EQ(table.initializer->bytes[16], std::byte{3});
  EXPECT_TRUE(module.variables[2].managed);
  const Initializer& pointers = *module.variables[3].initializer;
  ASSERT_EQ(pointers.relocations.size(), 2u);
  EXPECT_TRUE(pointers.relocations[0].generic);
  EXPECT_EQ(pointers.relocations[0].addend, 4);
  EXPECT_EQ(pointers.relocations[1].byte_offset, 8u);
  EXPECT_EQ(pointers.relocations[1].symbol, "f");
  EXPECT_EQ(pointers.bytes[16], std::byte{5});
  EXPECT_EQ(module.variables[4].initializer->bytes[3], std::byte{0x3F});
  EXPECT_EQ(module.variables[5].initializer->relocations[1].shift, 8u);
  EXPECT_EQ(module.variables[5].initializer->relocations[1].size, 1u);
  EXPECT_EQ(module.variables[6].bytes, 32u);
  EXPECT_EQ(module.variables[6].align, 16u);
  EXPECT_EQ(module.variables[7].bytes, 3u);
}

TEST(Parser, ReadsHeadsOfFunctions) {
  const Module module = parsed(
      ".func (.param .b32 r) g(.param .b32 a);\n"
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b)\n;\n"
      ".visible .entry k(.param .u64 .ptr .global .align 16 k_param_0, .param .align 8 .b8 k_param_1[24])\n"
      ".maxntid 256, 1, 1\n.minnctapersm 2\n.maxnreg 64\n.explicitcluster\n.reqnctapercluster 2, 1, "
      "1\n.some_new_hint 3\n"
      "{ ret; }\n"
      ".func (.param .b32 r) g(.param .b32 a) { ret; }\n"
      ".weak .func h() .noreturn { trap; }\n"
      ".alias i, h;");
  ASSERT_EQ(module.functions.size(), 4u);  // the prototype of g went
  EXPECT_TRUE(module.functions[0].is_extern);
  const Function& kernel = module.functions[1];
  EXPECT_TRUE(kernel.is_entry && kernel.visible && kernel.explicit_cluster);
  EXPECT_EQ(kernel.parameters[0].type, Type::u64);
  EXPECT_EQ(kernel.parameters[1].bytes, 24u);
  EXPECT_EQ(kernel.maxntid[0], 256u);
  EXPECT_EQ(kernel.minnctapersm, 2u);
  EXPECT_EQ(kernel.maxnreg, 64u);
  EXPECT_EQ(kernel.reqnctapercluster[1], 1u);
  EXPECT_TRUE(module.functions[2].has_body);
  EXPECT_TRUE(module.functions[3].noreturn && module.functions[3].weak);
  ASSERT_EQ(module.aliases.size(), 1u);
  EXPECT_EQ(module.aliases[0].target, "h");
}

TEST(Parser, ReadsTextWithoutLayout) {
  // nvcc strips the embedded text; white space must not matter, nor a NUL behind it.
  const ParseResult result =
      parse(std::string(
                ".version 8.4 .target sm_90a,texmode_independent .address_size 64 .entry k(){.reg.b32 %r<2>;"
                "L:add.s32 %r1,%r0,1;@%p1 bra L;T: .branchtargets L,M<2>;brx.idx %r1,T;M0:M1:ret;}") +
            '\0');
  ASSERT_FALSE(result.error) << result.error->message;
  EXPECT_EQ(result.module->version_minor, 4u);
  EXPECT_EQ(result.module->target, "sm_90a");
  const Function& function = result.module->functions[0];
  EXPECT_EQ(function.instructions.size(), 4u);
  EXPECT_EQ(function.lists[0].names, (std::vector<std::string>{"L", "M0", "M1"}));
  EXPECT_EQ(function.labels[1].instruction, 3u);
}

TEST(Parser, LocatesErrors) {
  const std::string head = ".version 9.0\n.target sm_90\n.entry k()\n{\n";
  EXPECT_EQ(error_of(""), "1:1: this is not PTX: it does not begin with .version");
  EXPECT_EQ(error_of("int main() {}"), "1:1: this is not PTX: it does not begin with .version");
  EXPECT_EQ(error_of(head + "  add.s32 %r1, %r2\n  ret;\n}"),
            "6:3: expected ';' after the operands of 'add', found 'ret'");
  EXPECT_EQ(error_of(head + "mov.b32 %r1, ;"), "5:14: expected an operand, found ';'");
  EXPECT_EQ(error_of(head + ".reg .q32 %r1;"), "5:10: '.q32' is not a type");
  EXPECT_EQ(error_of(head + "{ ret;"), "5:7: the text ends inside function 'k'");
  EXPECT_EQ(error_of(head + "L: L: ret; }"), "5:7: label 'L' is defined twice in the same scope");
  EXPECT_EQ(error_of(head + "mov.f32 %f1, 0f3F80;"),
            "5:20: a floating-point literal needs 8 hexadecimal digits, found 4");
  EXPECT_EQ(error_of(".version 9.0\n.frobnicate 3"),
            "2:12: '.frobnicate' is not a directive that may stand here");
  EXPECT_EQ(error_of(".version 9.0\n.func f(){ret;}\n.func f(){ret;}"), "3:1: function 'f' is defined twice");
  EXPECT_EQ(error_of(".version 9.0\n/* never closed\n\n"),
            "4:1: a comment that was opened with /* is never closed");
}

// Of the words for ptxas only this one is kept: how long a loop takes depends on it. Catches one that stays behind, or goes to the label.
TEST(Parser, KeepsWhichLoopsAreNotUnrolled) {
  const Function f = body_of(
      ".pragma \"used_bytes_mask 1\";\nmov.u32 %r1, 0;\n$L: .pragma \"nounroll\";\n"
      "add.s32 %r1, %r1, 1;\nbra $L;\n.pragma \"a\", \"nounroll\";\nret;");
  ASSERT_EQ(f.instructions.size(), 4u);
  EXPECT_FALSE(f.instructions[0].no_unroll);
  EXPECT_TRUE(f.instructions[1].no_unroll);
  EXPECT_FALSE(f.instructions[2].no_unroll);
  EXPECT_TRUE(f.instructions[3].no_unroll);
}

TEST(Parser, KeepsUnknownInstructions) {
  const Instruction instruction = one("frobnicate.sync.v9.b4096 {%r1}, [%rd1, {%r2}], !%p1;");
  EXPECT_EQ(instruction.full_name(), "frobnicate.sync.v9.b4096");
  EXPECT_EQ(instruction.ptx_line, 6u);
}

TEST(Types, KnowTheirWordsAndSizes) {
  EXPECT_EQ(type_from("bf16x2"), Type::bf16x2);
  EXPECT_EQ(type_from("f33"), Type::none);
  EXPECT_EQ(type_from(""), Type::none);
  EXPECT_EQ(name_of(Type::f64), "f64");
  EXPECT_EQ(size_of(Type::b128), 16u);
  EXPECT_EQ(size_of(Type::pred), 0u);
}

}  // namespace
}  // namespace simgpu::ptx
