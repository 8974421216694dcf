/// @file
/// Products that become part of sums (lower/folds.cpp): where both round once, and where the text gives one register two values, of which
/// the product took the first.
#include <cmath>

#include "simgpu/exec/tests/device.hpp"

namespace simgpu::exec::testing {
namespace {

/// What the first thread stores whose text is @p body: %f9. At hand are x in %f1, y in %f2 and z in %f3.
float result_of(const std::string& body, float x, float y, float z) {
  Device d;
  d.load(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_p, .param .f32 k_x, .param .f32 k_y, .param .f32 k_z)
{
.reg .pred %q<10>;
.reg .b32 %r<10>;
.reg .f32 %f<20>;
.reg .b64 %d<10>;
ld.param.u64 %d1, [k_p];
ld.param.f32 %f1, [k_x];
ld.param.f32 %f2, [k_y];
ld.param.f32 %f3, [k_z];
)" + body +
         R"(
st.global.f32 [%d1], %f9;
ret;
}
)");
  const std::uint64_t array = d.upload(std::vector<float>(1));
  d.run("k", {1}, {1}, array, x, y, z);
  EXPECT_TRUE(d.result.ok) << d.messages();
  return d.download<float>(array, 1)[0];
}

TEST(FusedProducts, RoundOnce) {
  const float x = 1 + std::ldexp(1.0f, -12),
              square = 1 + std::ldexp(1.0f, -11);  // rounded: x * x has 2^-24 beyond
  const float rest = std::ldexp(1.0f, -24);
  EXPECT_EQ(result_of("mul.f32 %f5, %f1, %f1; sub.f32 %f9, %f5, %f2;", x, square, 0), rest);
  EXPECT_EQ(result_of("mul.f32 %f5, %f1, %f1; sub.f32 %f9, %f2, %f5;", x, square, 0), -rest);
  EXPECT_EQ(result_of("mul.f32 %f5, %f1, %f1; add.f32 %f9, %f2, %f5;", x, -square, 0), rest);
  EXPECT_EQ(result_of("mul.rn.f32 %f5, %f1, %f1; sub.f32 %f9, %f5, %f2;", x, square, 0), 0);
  EXPECT_EQ(result_of("mul.f32 %f5, %f1, %f1; sub.rn.f32 %f9, %f5, %f2;", x, square, 0), 0);
  EXPECT_EQ(
      result_of("mul.f32 %f5, %f1, %f1; sub.f32 %f9, %f5, %f2; max.f32 %f9, %f9, %f5; sub.f32 %f9, %f9, %f2;",
                x, square, 0),
      0)
      << "somebody else asks for the product";
}

TEST(FusedProducts, GoThroughSignsAndCopies) {
  const float x = 1 + std::ldexp(1.0f, -12), square = 1 + std::ldexp(1.0f, -11), rest = std::ldexp(1.0f, -24);
  const std::string negated = "mul.f32 %f5, %f1, %f1; neg.f32 %f6, %f5;";
  EXPECT_EQ(result_of(negated + "sub.f32 %f9, %f6, %f2;", x, -square, 0), -rest);
  EXPECT_EQ(result_of(negated + "sub.f32 %f9, %f2, %f6;", x, -square, 0), rest);
  EXPECT_EQ(result_of(negated + "add.f32 %f9, %f2, %f6;", x, square, 0), -rest);
  EXPECT_EQ(result_of("mul.f32 %f5, %f1, %f1; mov.f32 %f6, %f5; sub.f32 %f9, %f6, %f2;", x, square, 0), rest);
  EXPECT_EQ(result_of(negated + "add.f32 %f9, %f6, %f5;", x, 0, 0), 0) << "both sides ask for it";
  EXPECT_EQ(result_of(negated + "sub.f32 %f9, %f6, %f2; max.f32 %f8, %f6, %f5; st.global.f32 [%d1], %f8;", x,
                      -square, 0),
            0)
      << "somebody else asks for it";
}

TEST(FusedProducts, AreFollowedSoFarAndNoFurther) {
  std::string copies = "mul.f32 %f5, %f1, %f2;\n.reg .f32 %c<100001>;\nmov.f32 %c0, %f5;\n";
  for (int n = 1; n <= 100'000; ++n)
    copies += "mov.f32 %c" + std::to_string(n) + ", %c" + std::to_string(n - 1) + ";\n";
  EXPECT_EQ(result_of(copies + "sub.f32 %f9, %c100000, %f1;", 3, 5, 0), 12);
}

TEST(FusedProducts, TakeNumbers) {
  EXPECT_EQ(result_of("mul.f32 %f5, %f1, 0f40000000; sub.f32 %f9, %f5, %f2;", 3, 5, 0), 1);
  EXPECT_EQ(result_of("mul.f32 %f5, %f1, %f2; sub.f32 %f9, 0f40000000, %f5;", 3, 5, 0), -13);
  EXPECT_EQ(result_of("mul.f32 %f5, %f1, 0f40000000; add.f32 %f9, %f5, 0f40000000;", 3, 5, 0), 8);
}

// Where it stands under a guard, lanes that are off keep what they had.
TEST(FusedProducts, ObeyGuards) {
  const std::string text =
      "mov.f32 %f9, %f3; setp.gt.f32 %q1, %f1, %f2; mul.f32 %f5, %f1, %f2; @%q1 sub.f32 %f9, %f5, %f1;";
  EXPECT_EQ(result_of(text, 5, 3, 100), 10);
  EXPECT_EQ(result_of(text, 3, 5, 100), 100);
}

// A sum that took the factors from where they are now would be wrong.
TEST(FusedProducts, KeepWhatTheProductTook) {
  EXPECT_EQ(
      result_of("mov.f32 %f4, %f1; mul.f32 %f5, %f4, %f2; add.f32 %f4, %f4, %f3; sub.f32 %f9, %f5, %f4;", 3,
                5, 100),
      15 - 103);
  EXPECT_EQ(result_of(R"(
mov.f32 %f4, %f1;
mov.f32 %f9, 0f00000000;
mov.u32 %r1, 0;
mul.f32 %f5, %f4, %f2;
AGAIN:
sub.f32 %f6, %f5, %f4;
add.f32 %f9, %f9, %f6;
add.f32 %f4, %f4, %f3;
add.s32 %r1, %r1, 1;
setp.lt.s32 %q1, %r1, 3;
@%q1 bra AGAIN;
)",
                      3, 5, 1),
            (15 - 3) + (15 - 4) + (15 - 5));
}

}  // namespace
}  // namespace simgpu::exec::testing
