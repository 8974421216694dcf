/// @file
/// How many warp instructions a second the interpreter executes, on kernels of tests/kernels/basic.cu.
/// Measured in processor time. Usage: simgpu_exec_benchmark basic.ptx
#include <cstdio>
#include <ctime>

#include "simgpu/exec/tests/device.hpp"

namespace simgpu::exec::testing {
namespace {

struct Trivial : observe::Observer {
  std::uint64_t accesses = 0;
  void access(const observe::Access& a) override { accesses += a.mask != 0; }
};

template <class F>
void measure(const char* name, Device& d, F run) {
  Trivial trivial;
  for (int pass = 0; pass < 3; ++pass) {
    d.observers.clear();
    d.launch.scoreboard_every = pass == 2 ? 1 : 0;
    if (pass == 1) d.observers.push_back(&trivial);
    double best = 1e9;
    std::uint64_t n = 0;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const std::clock_t start = std::clock();
      const Result& r = run();
      const double s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      if (!r.ok) std::printf("%s", d.messages().c_str());
      n = r.mix.warp_instructions;
      best = std::min(best, s);
    }
    std::printf("%-24s %-22s %8.2f M warp instructions  %7.1f M/s\n", name,
                pass == 0   ? "no observer"
                : pass == 1 ? "trivial observer"
                            : "scoreboard every block",
                n / 1e6, n / best / 1e6);
  }
}

}  // namespace
}  // namespace simgpu::exec::testing

int main(int argc, char** argv) {
  using namespace simgpu::exec::testing;
  using simgpu::observe::Dim3;
  if (argc < 2) return 1;
  Device d;
  d.load(read_text(argv[1]));
  const int n = 4 << 20, m = 256;
  const auto a = d.upload(std::vector<float>(n, 1)), b = d.upload(std::vector<float>(n, 2)),
             c = d.upload(std::vector<float>(n));
  d.launch.resident_blocks_per_sm = 8;
  measure(
      "vector_add", d, [&]() -> auto& { return d.run("vector_add", {n / 256}, {256}, a, b, c, n); });
  d.launch.resident_blocks_per_sm = 2;
  measure(
      "matmul 32x32", d, [&]() -> auto& {
        return d.run("matmul_body", Dim3{m / 32, m / 32}, Dim3{32, 32}, a, b, c, m);
      });
  d.launch.resident_blocks_per_sm = 8;
  measure(
      "block_sum", d, [&]() -> auto& { return d.run("block_sum", {n / 256}, {256}, a, c, n); });
  const int t = 2048;
  measure(
      "transpose", d, [&]() -> auto& {
        return d.run("transpose", Dim3{t / 32, t / 32}, Dim3{32, 8}, a, c, t);
      });
}
