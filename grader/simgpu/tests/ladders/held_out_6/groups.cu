/// @file
/// Threads that act together: a grid that waits for itself between steps of Jacobi's, running sums of
/// groups of sixteen, equal keys of a warp joined before they are counted.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

namespace cg = cooperative_groups;

/// Six steps of a mean of three; all blocks are there at once.
__global__ void __launch_bounds__(256) steps_of_a_line(const float* in, float* a, float* b, unsigned m) {
  const cg::grid_group grid = cg::this_grid();
  const float* from = in;
  float* to = a;
  for (int step = 0; step < 6; ++step) {
    for (unsigned i = static_cast<unsigned>(grid.thread_rank()); i < m;
         i += static_cast<unsigned>(grid.size()))
      to[i] = (from[i == 0 ? 0 : i - 1] + from[i] + from[i + 1 == m ? i : i + 1]) * (1.0f / 3);
    grid.sync();
    from = to;
    to = to == a ? b : a;
  }
}
__global__ void sums_of_sixteen(const unsigned* in, unsigned* out) {
  const auto group = cg::tiled_partition<16>(cg::this_thread_block());
  const std::size_t i = global_index();
  out[i] = cg::exclusive_scan(group, in[i]);
}
__global__ void equal_keys(const unsigned* in, unsigned* counts, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned key = (in[i] & in[i] >> 8) & 127, same = __match_any_sync(__activemask(), key);
    if (static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(same)) - 1)
      atomicAdd(&counts[key], static_cast<unsigned>(__popc(same)));
  }
}

}  // namespace

void groups(Set& s) {
  const std::size_t n = s.n;
  unsigned m = as_number(n / 64);
  float *a = s.out + n / 2, *b = s.out;  // the sixth step ends in b
  const float* in = s.in;
  s.run(
      "six steps of a line in one grid", 6 * 8.0 * m,
      [&] {
        void* arguments[] = {&in, &a, &b, &m};
        cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&steps_of_a_line), dim3(s.sms * 4),
                                    dim3(256), arguments, 0, nullptr);
      },
      [&] {
        return Set::each(m, [&](std::size_t i) {
          double v[13], next[13];
          const auto place = [&](std::size_t k) {
            return std::min<long>(std::max<long>(static_cast<long>(i + k) - 6, 0), static_cast<long>(m) - 1);
          };
          for (std::size_t k = 0; k < 13; ++k) v[k] = float_of(static_cast<std::size_t>(place(k)));
          if (i < 7 || i + 7 > m) return s.value(i) > 0.4 && s.value(i) < 7.1;  // the ends are not looked at
          for (int step = 0; step < 6; ++step) {
            for (int k = 1; k < 12; ++k) next[k] = (v[k - 1] + v[k] + v[k + 1]) / 3;
            for (int k = 1; k < 12; ++k) v[k] = next[k];
          }
          return Set::near(s.value(i), v[6]);
        });
      });
  s.run(
      "sums before each of sixteen by groups", 8.0 * real(n / 8),
      [&] { sums_of_sixteen<<<as_number(n / 8 / 256), 256>>>(s.words, s.numbers()); },
      [&] {
        return Set::each(n / 8, [&](std::size_t i) {
          unsigned sum = 0, all = 0;
          for (std::size_t k = i / 16 * 16; k < i / 16 * 16 + 15; ++k)
            all += word_of(k), sum += k < i ? word_of(k) : 0;
          return s.number(i) == sum && s.number(i / 16 * 16 + 15) == all;
        });
      });
  s.run(
      "equal keys of a warp joined and counted", 4.0 * real(n / 32),
      [&] {
        cudaMemsetAsync(s.out, 0, 512);
        equal_keys<<<s.sms * 8, 256>>>(s.words, s.numbers(), n / 32);
      },
      [&] {
        std::vector<unsigned> want(128);
        for (std::size_t i = 0; i < n / 32; ++i) ++want[(word_of(i) & word_of(i) >> 8) & 127];
        return taken(s.numbers(), 128) == want;
      });
}

}  // namespace held_out_6
