/// @file
/// Calls of thrust: numbers of floats put in falling order, readings summed over runs of equal stations.
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include "held_out_10.hpp"

namespace held_out_10 {

void library_calls(Set& s) {
  const std::size_t n = s.n;
  const std::size_t ordered = n / 64;
  unsigned* from = s.numbers() + n / 2;
  s.run(
      "numbers of floats put in falling order by thrust", 16.0 * real(ordered),
      [&] {
        thrust::copy(thrust::device, s.in, s.in + ordered, s.out);
        thrust::sequence(thrust::device, from, from + ordered);
        thrust::sort_by_key(thrust::device, s.out, s.out + ordered, from, thrust::greater<float>());
      },
      [&] {
        const auto keys = taken(s.out, ordered);
        const auto numbers_of = taken(from, ordered);
        std::vector<bool> seen(ordered);
        for (std::size_t i = 0; i < ordered; ++i) {
          const std::size_t at = numbers_of[i];
          if (at >= ordered || seen[at] || keys[i] != float_of(at) || (i > 0 && keys[i] > keys[i - 1]))
            return false;
          seen[at] = true;
        }
        return true;
      });

  const std::size_t readings = n / 32;
  std::vector<unsigned> stations(readings);
  std::vector<double> sums;
  unsigned station = 0;
  for (std::size_t i = 0, left = 0; i < readings; ++i, --left) {
    if (left == 0) {
      left = 1 + word_of(station) % 40;
      ++station;
      sums.push_back(0);
    }
    stations[i] = station;
    sums.back() += float_of(i);
  }
  unsigned* d_stations = kept(stations);
  std::size_t runs = 0;
  s.run(
      "readings summed over runs of stations by thrust", 8.0 * real(readings),
      [&] {
        const auto ends = thrust::reduce_by_key(thrust::device, d_stations, d_stations + readings, s.in,
                                                thrust::make_discard_iterator(), s.out);
        runs = static_cast<std::size_t>(ends.second - s.out);
      },
      [&] { return runs == sums.size() && floats(s, runs, [&](std::size_t i) { return sums[i]; }); });
  cudaFree(d_stations);
}

}  // namespace held_out_10
