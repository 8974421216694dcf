/// @file
/// Remembers what an instruction's recent address patterns cost, so that the next warp with the same pattern
/// costs one comparison instead of an analysis.
///
/// A *shape* is the vector of lane addresses relative to the first active lane. Bank conflicts do not change
/// when all addresses move together by words; sectors do not when they move by whole lines. So each shape
/// holds one result for each remainder of its first address.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "simgpu/observe/coalescing.hpp"
#include "simgpu/observe/observer.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace simgpu::observe {

/// What one request costs, wherever it lies.
struct PatternCost {
  std::vector<TouchedLine>
      lines;  ///< `line` counts from the line of the first active lane, and may wrap below it
  std::uint64_t low_line = 0, high_line = 0;  ///< of `lines`, counted in the same way
  std::uint32_t sectors = 0, ideal_sectors = 0;
  std::uint32_t wavefronts = 0, ideal_wavefronts = 0;
  std::uint32_t turns = 0, bank_passes = 0;  ///< see SiteCounters
  std::uint32_t lanes = 0;
  std::uint32_t bytes = 0;                         ///< asked for by the lanes
  std::uint64_t executions = 0;                    ///< not yet added to the counters
  bool remembered = true;                          ///< false: valid until the next request only
  std::uint32_t part_lines = 0, part_sectors = 0;  ///< see SmTraffic
  bool partial = false;                            ///< some sector is touched in part
  bool one_line = false, whole_line = false;       ///< of global memory: it touches one line; all of it
  bool in_a_row = false;                           ///< ... its lines follow one another
};

/// One shape and its results.
class Shape {
 public:
  static constexpr std::uint32_t kRemainders = kLineBytes;

  std::uint32_t number = 0;  ///< Access::shape of the last access that was found to match; 0: unknown

  /// @return whether active lanes of @p address lie as in this shape.
  bool matches(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes,
               std::uint64_t first) const noexcept {
    if (mask != mask_ || mask == 0 || bytes != bytes_) return false;
#if defined(__SSE2__)
    const __m128i base = _mm_set1_epi64x(static_cast<long long>(first));
    const auto* a = reinterpret_cast<const __m128i*>(address);
    const auto* r = reinterpret_cast<const __m128i*>(relative_.data());
    const auto* on = reinterpret_cast<const __m128i*>(active_.data());
    const bool all = mask == ~0u;
    for (std::uint32_t i = 0; i < kWarpLanes / 2; i += 4) {  // four pairs of lanes at a time
      __m128i difference = _mm_setzero_si128();
      for (std::uint32_t k = i; k < i + 4; ++k) {
        __m128i d = _mm_xor_si128(_mm_sub_epi64(_mm_loadu_si128(a + k), base), _mm_load_si128(r + k));
        if (!all) d = _mm_and_si128(d, _mm_load_si128(on + k));
        difference = _mm_or_si128(difference, d);
      }
      if (_mm_movemask_epi8(_mm_cmpeq_epi32(difference, _mm_setzero_si128())) != 0xFFFF) return false;
    }
    return true;
#else
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      if (((address[lane] - first) ^ relative_[lane]) & active_[lane]) return false;
    }
    return true;
#endif
  }

  /// Takes on a new shape; results are forgotten.
  void assign(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes,
              std::uint64_t first) noexcept {
    mask_ = mask;
    bytes_ = bytes;
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      const bool on = (mask >> lane & 1) != 0;
      relative_[lane] = on ? address[lane] - first : 0;
      active_[lane] = on ? ~0ull : 0;
    }
    result_.fill(kNone);
    used_ = 0;
  }

  /// @return the result for this remainder, or nullptr.
  PatternCost* result(std::uint32_t remainder) noexcept {
    return result_[remainder] == kNone ? nullptr : &costs_[result_[remainder]];
  }

  /// @return a place for the result of this remainder, to be filled in.
  PatternCost& add_result(std::uint32_t remainder) {
    if (used_ == costs_.size()) costs_.emplace_back();
    result_[remainder] = static_cast<std::uint8_t>(used_);
    costs_[used_].executions = 0;
    return costs_[used_++];
  }

  /// Calls @p f with every result.
  template <class F>
  void for_each_result(F&& f) {
    for (std::uint32_t i = 0; i < used_; ++i) f(costs_[i]);
  }

 private:
  static constexpr std::uint8_t kNone = 0xFF;
  alignas(16) std::array<std::uint64_t, kWarpLanes> relative_{};
  alignas(16) std::array<std::uint64_t, kWarpLanes> active_{};
  std::array<std::uint8_t, kRemainders> result_{};
  std::deque<PatternCost> costs_;  // never moves; reused when the shape changes
  std::uint32_t used_ = 0;
  std::uint32_t mask_ = 0, bytes_ = 0;
};

/// The recent patterns of one instruction.
class PatternMemo {
 public:
  /// Forgets all patterns.
  void clear() noexcept {
    const std::array<std::uint64_t, kWarpLanes> nothing{};
    for (Shape& shape : shapes_) {
      shape.assign(nothing.data(), 0, 0, 0);
      shape.number = 0;
    }
    misses_ = 0;
  }

  /// @return what the request costs. The caller counts the execution.
  /// @param first address of the first active lane; @p remainder: what of it the cost depends on.
  /// @param analyse fills in the cost of a new pattern: analyse(cost).
  /// @param retire adds a forgotten pattern's executions to the counters: retire(cost).
  template <class Analyse, class Retire>
  PatternCost& cost_of(const Access& a, std::uint64_t first, std::uint32_t remainder, Analyse&& analyse,
                       Retire&& retire) {
    for (Shape& shape : shapes_) {
      if (a.shape == 0 || a.shape != shape.number) {
        if (!shape.matches(a.address, a.mask, a.bytes, first)) continue;
        shape.number = a.shape;
      }
      misses_ = 0;
      if (PatternCost* known = shape.result(remainder)) return *known;
      return fill(shape.add_result(remainder), a, analyse, true);
    }
    ++misses_;
    if (misses_ > kPatience && misses_ % kRetryEvery != 0) return fill(transient_, a, analyse, false);
    // Patterns come in runs: the shape that this one follows is kept, the other is given up.
    Shape& shape = shapes_[misses_ % kShapes];
    shape.for_each_result(retire);
    shape.assign(a.address, a.mask, a.bytes, first);
    shape.number = a.shape;
    return fill(shape.add_result(remainder), a, analyse, true);
  }

  /// @return what a request of a shape that was among the latest costs, nullptr: not known.
  PatternCost* known(std::uint32_t shape, std::uint32_t remainder) noexcept {
    for (Shape& s : shapes_)
      if (s.number == shape) return s.result(remainder);
    return nullptr;
  }

  /// Calls @p f with the cost of every remembered pattern.
  template <class F>
  void for_each(F&& f) {
    for (Shape& shape : shapes_) shape.for_each_result(f);
  }

 private:
  static constexpr std::uint32_t kShapes = 2;
  static constexpr std::uint32_t kPatience =
      32;  // misses in a row after which an instruction counts as chaotic
  static constexpr std::uint32_t kRetryEvery =
      64;  // a chaotic instruction's pattern is remembered this seldom

  template <class Analyse>
  static PatternCost& fill(PatternCost& cost, const Access& a, Analyse&& analyse, bool remembered) {
    cost.lanes = count_lanes(a.mask);
    cost.bytes = cost.lanes * a.bytes;
    cost.executions = 0;
    cost.remembered = remembered;
    analyse(cost);
    return cost;
  }

  std::array<Shape, kShapes> shapes_;
  PatternCost transient_;
  std::uint32_t misses_ = 0;  // in a row
};

}  // namespace simgpu::observe
