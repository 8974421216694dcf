/// @file
/// What inputs are filled with. Values differ by position, because constant or symmetric data let index
/// errors pass; they come from a counter-based generator, because a gigabyte must be filled in a fraction of
/// a second and any element must be had again alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace course {

/// Types of buffer elements.
enum class element { u8, i32, u32, i64, u64, f32, f64 };

/// @return bytes of one element.
constexpr std::size_t size_of(element type) {
  switch (type) {
    case element::u8:
      return 1;
    case element::i32:
    case element::u32:
    case element::f32:
      return 4;
    case element::i64:
    case element::u64:
    case element::f64:
      return 8;
  }
  return 1;
}

/// @return true for f32 and f64.
constexpr bool is_floating(element type) {
  return type == element::f32 || type == element::f64;
}

template <class T>
struct element_of;  ///< element_of<float>::value is element::f32, and so on
template <>
struct element_of<std::uint8_t> {
  static constexpr element value = element::u8;
};
template <>
struct element_of<std::int32_t> {
  static constexpr element value = element::i32;
};
template <>
struct element_of<std::uint32_t> {
  static constexpr element value = element::u32;
};
template <>
struct element_of<std::int64_t> {
  static constexpr element value = element::i64;
};
template <>
struct element_of<std::uint64_t> {
  static constexpr element value = element::u64;
};
template <>
struct element_of<float> {
  static constexpr element value = element::f32;
};
template <>
struct element_of<double> {
  static constexpr element value = element::f64;
};

/// @return element @p index of @p data as a double. 64-bit integers beyond 2^53 lose their low bits.
double load_element(element type, const void* data, std::size_t index);
/// Stores @p value, converted, as element @p index of @p data.
void store_element(element type, void* data, std::size_t index, double value);

/// Mixes 64 bits so that neighbours share nothing: the heart of all generators here.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// How a buffer is filled: element `first + k` goes to `data[k]`, the same for the same seed however the
/// range is cut.
struct values {
  using filler = void (*)(void* data, element type, std::uint64_t first, std::size_t count,
                          std::uint64_t seed);
  filler fill;
};

/// A value that half precision holds, in [1, 2), plus a random low part between 0 and 2^-11, 2^-12 on
/// average. For sums: every such value rounds *down* in half precision, so a half-precision shortcut is off
/// by 1.6e-4 however long the sum, while the errors of random values would average out. The low part is
/// random and not 2^-12 itself, because a single-precision accumulator beyond 4096 would drop a fixed one
/// each time (ties go to even). Beyond 8192 every accumulator drops it, whatever the values.
extern const values one_sided;

/// Uniform in [1, 2) with all bits of the mantissa random, so that rounding errors of long single-precision
/// sums average out. For sums at sizes where `one_sided` would blame single precision itself.
extern const values full_mantissa;

/// Between 2^20 and 2^21. For what is changed between timed runs of a sum: each alone shows in a sum of a gigabyte, so that one
/// that skips values or remembers an earlier answer cannot pass.
extern const values spikes;

/// All different (within 2^27 elements of f32, 2^31 of 32-bit integers), of both signs, finite, no zeros. For
/// copies, transposes and anything compared bit for bit.
extern const values distinct;

/// Uniform in [-1, 1); integers uniform over their range.
extern const values uniform;

/// Fills with all cores. See values::fill for the arguments.
void fill_parallel(const values& with, element type, void* data, std::size_t count, std::uint64_t seed);

/// Runs @p work(first, count) over [0, @p total) cut into pieces of at least @p grain, on all cores; returns
/// when all is done.
template <class Work>
void parallel_ranges(std::size_t total, std::size_t grain, const Work& work);

}  // namespace course

#include "judge/parallel.hpp"
