/// @file
/// What the kernels of the blind set share: their data, whose values the host knows too, and the frame that checks and times.
/// Each class of kernels has a file; main.cu runs them.
///
/// A slice of a card has a twelfth of the SMs and of the memory's rate. So the work of a kernel, and each term of what is counted
/// of it, is a factor of Set::n or Set::sms. What does not shrink (a row's width, the second factor of a product) is in no figure. Launches and
/// small copies that cost what a call costs do not shrink: run_whole counts them.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "../checked.hpp"
#include "../data.hpp"

namespace blind {

using ladder::Checked;
using ladder::global_index, ladder::half_of, ladder::place_of, ladder::scrambled, ladder::stride,
    ladder::word_of;

/// What Set::in and Set::other hold; Set::words has word_of, Set::halves half_of.
__host__ __device__ __forceinline__ float float_of(std::size_t i) {
  return fmaf(static_cast<float>(word_of(i) & 0xffff), 1e-4f, 0.5f);  // rounded once, on the host too
}
__host__ __device__ __forceinline__ float other_of(std::size_t i) {
  return float_of(i + 33331);
}
inline unsigned byte_of(std::size_t i) {
  return word_of(i / 4) >> (8 * (i % 4)) & 255;
}

/// The arrays, the device's size and the frame.
class Set {
 public:
  Set(int argc, char** argv);

  Checked bench;
  std::size_t bytes, n;  ///< of each array; words of it
  unsigned sms;
  double one;      ///< bytes of an array
  unsigned table;  ///< words that a card's L2 holds: 24 MB, of a slice's 2 MB
  unsigned* words;
  float *in, *other, *out;
  __half* halves;  ///< 2 n

  unsigned* numbers() const { return reinterpret_cast<unsigned*>(out); }
  float4* vectors() const { return reinterpret_cast<float4*>(out); }

  static unsigned blocks(std::size_t threads, unsigned of = 256) {
    return static_cast<unsigned>((threads + of - 1) / of);
  }

  /// @param moved shrinks with the slice. Set::out is zero before the launch that @p right looks at. With BLIND_IDLE in the
  /// environment nothing is launched: what then still seems right is not checked.
  void run(const std::string& name, double moved, const std::function<void()>& launch,
           const std::function<bool()>& right) {
    static const bool idle = std::getenv("BLIND_IDLE") != nullptr;
    bench.run(name, moved, out, bytes, idle ? [] {} : launch, right);
  }
  /// The same of something whose work does not shrink.
  void run_whole(const std::string& name, double moved, const std::function<void()>& launch,
                 const std::function<bool()>& right) {
    run(name, moved / bench.bench().slice, launch, right);
  }

  float value(std::size_t i) const { return Checked::at(out, i); }
  unsigned number(std::size_t i) const { return Checked::at(numbers(), i); }
  unsigned byte(std::size_t i) const { return Checked::at(reinterpret_cast<const unsigned char*>(out), i); }
  static bool each(std::size_t count, const std::function<bool(std::size_t)>& right) {
    return Checked::each(count, right);
  }
  static bool near(double got, double want, double tolerance = 1e-3) {
    const bool good = Checked::near(got, want, tolerance);
    if (!good) std::printf("  %g, not %g\n", got, want);
    return good;
  }
};

/// The classes, each in the file of its name.
void streams(Set& s);
void reductions(Set& s);
void scans(Set& s);
void products(Set& s);
void small_products(Set& s);
void shared_bound(Set& s);
void issue_bound(Set& s);
void shared_atomics(Set& s);
void global_atomics(Set& s);
void local_arrays(Set& s);
void gathers(Set& s);
void sparse(Set& s);
void images(Set& s);
void image_arrays(Set& s);
void constants(Set& s);
void asynchronous(Set& s);
void bulk(Set& s);
void clusters(Set& s);
void grids(Set& s);
void arithmetic(Set& s);
void stencils(Set& s);
void sorts(Set& s);
void bytes(Set& s);
void bodies(Set& s);
void transfers(Set& s);

}  // namespace blind
