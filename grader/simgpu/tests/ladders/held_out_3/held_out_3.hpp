/// @file
/// What the kernels of the third held-out set share. Arrays, frame and helpers are the earlier sets'; so is the rule that work and
/// what is counted of it are factors of Set::n or Set::sms. Each class of kernels has a file; main.cu runs them.
#pragma once

#include <cstring>

#include "../held_out_2/held_out_2.hpp"

namespace held_out_3 {

using blind::float_of, blind::other_of, blind::byte_of;
using blind::Set;
using held_out_2::floats, held_out_2::numbers;
using ladder::Checked;
using ladder::global_index, ladder::half_of, ladder::place_of, ladder::scrambled, ladder::stride,
    ladder::word_of;

/// What Set::in and Set::other hold, two words at a time.
inline double double_of(std::size_t i, std::size_t from = 0) {
  const float pair[2] = {float_of(2 * i + from), float_of(2 * i + 1 + from)};
  double value;
  std::memcpy(&value, pair, sizeof value);
  return value;
}
/// For what is moved, which is a real number of bytes.
inline double real(std::size_t count) {
  return static_cast<double>(count);
}
inline unsigned as_number(std::size_t count) {
  return static_cast<unsigned>(count);
}
/// @p count words of the device, on the host.
template <typename T>
std::vector<T> taken(const T* from, std::size_t count) {
  std::vector<T> all(count);
  cudaMemcpy(all.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost);
  return all;
}
/// An array of the set's own, with these values.
template <typename T>
T* kept(const std::vector<T>& values) {
  T* there = nullptr;
  ladder::check(cudaMalloc(&there, values.size() * sizeof(T)), "cudaMalloc");
  ladder::check(cudaMemcpy(there, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
  return there;
}

/// The classes, each in the file of its name.
void widths(Set& s);
void look_ups(Set& s);
void turns(Set& s);
void reductions(Set& s);
void scans(Set& s);
void histograms(Set& s);
void sorts(Set& s);
void products(Set& s);
void systems(Set& s);
void spectra(Set& s);
void stencils(Set& s);
void tables(Set& s);
void pictures(Set& s);
void local_arrays(Set& s);
void branches(Set& s);
void arithmetic(Set& s);
void letters(Set& s);
void hashing(Set& s);
void atomics(Set& s);
void banks(Set& s);
void clusters(Set& s);
void asynchronous(Set& s);
void grids(Set& s);
void bodies(Set& s);
void graphs(Set& s);
void transfers(Set& s);

}  // namespace held_out_3
