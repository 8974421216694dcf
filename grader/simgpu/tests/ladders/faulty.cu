/// @file
/// A checked ladder with a wrong kernel and one that faults: what checked.hpp must name, and go on after.
#include "checked.hpp"

namespace {

__global__ void set(unsigned* out, unsigned value) {
  out[threadIdx.x] = value;
}

}  // namespace

int main(int argc, char** argv) {
  ladder::Checked bench(argc, argv);
  auto* out = bench.bench().array<unsigned>(4096);
  const auto is_seven = [&] { return ladder::Checked::at(out, 31) == 7; };
  bench.run(
      "before", 128, out, 128, [&] { set<<<1, 32>>>(out, 7); }, is_seven);
  bench.run(
      "wrong", 128, out, 128, [&] { set<<<1, 32>>>(out, 8); }, is_seven);
  bench.run(
      "faults", 128, out, 128, [&] { set<<<1, 32>>>(nullptr, 7); }, is_seven);
  bench.run(
      "after", 128, out, 128, [&] { set<<<1, 32>>>(out, 7); }, is_seven);
  return bench.wrong() == 0 ? 0 : 1;
}
