/// @file
/// Calls of the toolkit's libraries: floats gathered by thrust, pieces of unequal length copied at once by cub.
#include <thrust/execution_policy.h>
#include <thrust/gather.h>

#include <cub/device/device_memcpy.cuh>

#include "held_out_20.hpp"

namespace held_out_20 {
namespace {

constexpr unsigned kLeastPiece = 8, kMorePiece = 1009;

}  // namespace

void library_calls(Set& s) {
  const std::size_t n = s.n;
  const unsigned gathered = as_number(n / 24);
  const std::vector<unsigned> places = numbers_below(gathered, as_number(n / 16), 59);
  unsigned* places_there = kept(places);
  s.run(
      "floats of a sixteenth of an array gathered by number by thrust", 12.0 * gathered,
      [&] { thrust::gather(thrust::device, places_there, places_there + gathered, s.in, s.out); },
      [&] {
        return same_everywhere<float>(s, gathered, [&](std::size_t i) { return float_of(places[i]); });
      });
  cudaFree(places_there);

  // What comes last there comes first here.
  const unsigned pieces = as_number(n / 4096);
  const std::vector<unsigned> starts = starts_of(pieces, kLeastPiece, kMorePiece, 73);
  std::vector<const void*> from(pieces);
  std::vector<void*> to(pieces);
  std::vector<unsigned> sizes(pieces);
  for (std::size_t k = 0; k < pieces; ++k) {
    from[k] = s.words + starts[k];
    to[k] = s.numbers() + (starts.back() - starts[k + 1]);
    sizes[k] = (starts[k + 1] - starts[k]) * static_cast<unsigned>(sizeof(unsigned));
  }
  const void** from_there = kept(from);
  void** to_there = kept(to);
  unsigned* sizes_there = kept(sizes);
  std::size_t bytes = 0;
  ladder::check(cub::DeviceMemcpy::Batched(nullptr, bytes, from_there, to_there, sizes_there, pieces), "cub");
  auto* space = room<unsigned char>(bytes);
  s.run(
      "pieces of 8 to 1016 words copied in one batch by cub, the last one first",
      8.0 * starts.back() + 20.0 * pieces,
      [&] { cub::DeviceMemcpy::Batched(space, bytes, from_there, to_there, sizes_there, pieces); },
      [&] {
        std::vector<unsigned> want(starts.back());
        for (std::size_t k = 0; k < pieces; ++k)
          for (std::size_t i = starts[k]; i < starts[k + 1]; ++i)
            want[starts.back() - starts[k + 1] + i - starts[k]] = word_of(i);
        return taken(s.numbers(), want.size()) == want;
      });
  cudaFree(space), cudaFree(sizes_there), cudaFree(to_there), cudaFree(from_there);
}

}  // namespace held_out_20
