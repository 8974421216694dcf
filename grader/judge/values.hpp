/// @file
/// What inputs are filled with. Values differ by position, because constant or symmetric data let index errors pass; they come from
/// a counter-based generator, because a gigabyte must be filled in a fraction of a second and any element must be had again alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "judge/element.hpp"

namespace course {

/// Mixes 64 bits so that neighbours share nothing: the heart of all generators here.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// How a buffer is filled: number `first + k` goes to `data[k]`, the same for the same seed however the range is cut. Numbers of a
/// record are counted through: field f of element i is number `i * fields + f`.
struct values {
  using filler = std::function<void(void* data, scalar type, std::uint64_t first, std::size_t count,
                                    std::uint64_t seed)>;
  filler fill;
};

/// A value that half precision holds, in [1, 2), plus a random low part between 0 and 2^-11, 2^-12 on average. For sums: every
/// such value rounds *down* in half precision, so a half-precision shortcut is off by 1.6e-4 however long the sum, while the
/// errors of random values would average out. The low part is random and not 2^-12 itself, because a single-precision accumulator
/// beyond 4096 would drop a fixed one each time (ties go to even). Beyond 8192 every accumulator drops it, whatever the values.
extern const values one_sided;

/// `one_sided` with a sign that depends on the position: +-h + d, with h held by bfloat16 (and so by half precision), 1 < h < 2, and d
/// in (0, 2^-11), always positive. Sums of absolute values and dropped signs show. Both short formats lose d, which is 1.6e-4 of the
/// sum of magnitudes however long the sum; single precision keeps it, since partial sums of mixed signs stay small.
extern const values signed_one_sided;

/// Uniform in [1, 2) with all bits of the mantissa random, so that rounding errors of long single-precision sums average out. For
/// sums at sizes where `one_sided` would blame single precision itself.
extern const values full_mantissa;

/// `full_mantissa` with random signs, three of four positive, so that the sum stays far from 0.
extern const values signed_full_mantissa;

/// Between 2^20 and 2^21, of both signs. For what is changed between timed runs of a sum: each alone shows in a sum of a gigabyte,
/// so that one that skips values or remembers an earlier answer cannot pass.
extern const values spikes;

/// All different (within 2^27 elements of f32, 2^31 of 32-bit integers), of both signs, finite, no zeros. For copies, transposes and
/// anything compared bit for bit. Types of 8 and 16 bits repeat.
extern const values distinct;

/// Uniform in [-1, 1); integers uniform over their range.
extern const values uniform;

/// Like `uniform`, with zeros, tiny (2^-120) and huge (2^100) values and ones among them, one of eight: what contracts that promise
/// "any finite value" must stand.
extern const values extremes;

/// Writes numbers @p first to `first + count` to @p to; @p key is what `mix` draws their random bits with.
using number_maker =
    std::function<void(std::uint64_t first, std::size_t count, std::uint64_t key, double* to)>;
values values_made_by(number_maker make);

/// Values of your own: @p make (position, 64 random bits) -> double. Slower than the built-in ones; for indices, sorted data, ...
template <class Make>
values values_of(Make make) {
  // Many at a time: a call through a pointer for each number takes longer than most numbers do.
  return values_made_by([make](std::uint64_t first, std::size_t count, std::uint64_t key, double* to) {
    for (std::size_t k = 0; k < count; ++k) to[k] = make(first + k, mix((first + k) ^ key));
  });
}

/// Fills elements [first, first + count) of a buffer that begins at element 0. @param data address of element @p first.
void fill_elements(const values& with, const element_type& type, void* data, std::uint64_t first,
                   std::size_t count, std::uint64_t seed);

/// Fills a whole buffer with all cores.
void fill_parallel(const values& with, const element_type& type, void* data, std::size_t count,
                   std::uint64_t seed);

/// Runs @p work(first, count) over [0, @p total) cut into pieces of at least @p grain, on all cores; returns when all is done.
template <class Work>
void parallel_ranges(std::size_t total, std::size_t grain, const Work& work);

}  // namespace course

#include "judge/parallel.hpp"
