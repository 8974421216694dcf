/// @file
/// Where expected values come from. An oracle computes in double precision on the host, from the judge's own
/// copy of the inputs.
///
/// Timed outputs are checked by changing a few inputs before each sample; an oracle therefore also says which
/// outputs a changed input affects, and may keep running results.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "judge/values.hpp"

namespace course {

template <class T>
struct input_handle;

/// The judge's copies of a problem's inputs, by handle: `inputs[in][i]` is element i; ghosts have indices
/// below 0 and beyond the end.
class host_inputs {
 public:
  /// @param first for each buffer of the problem the address of element 0; null for outputs.
  explicit host_inputs(std::vector<const void*> first) : first_(std::move(first)) {}
  template <class T>
  const T* operator[](const input_handle<T>& handle) const {
    return static_cast<const T*>(first_[handle.index]);
  }
  const void* raw(std::size_t buffer) const { return first_[buffer]; }

 private:
  std::vector<const void*> first_;
};

/// Elements [first, first + count) of an output.
struct index_range {
  std::size_t first = 0, count = 0;
};

/// Gives the expected values of one output of one problem.
class oracle {
 public:
  virtual ~oracle() = default;

  /// Something computed once from all inputs, kept by the judge and handed back. Null if there is nothing to
  /// keep.
  struct state {
    virtual ~state() = default;
  };
  virtual std::unique_ptr<state> prepare(const host_inputs&) const { return nullptr; }

  /// Element @p index of input @p buffer has changed from @p before to @p after.
  virtual void changed(state*, std::size_t /*buffer*/, std::size_t /*index*/, double /*before*/,
                       double /*after*/) const {}

  /// Writes the expected values of elements [first, first + out.size()). Called from several threads.
  virtual void expected(const host_inputs& inputs, const state* kept, std::size_t first,
                        std::span<double> out) const = 0;

  /// The outputs that depend on element @p index of input @p buffer; may reach beyond the output's end, which
  /// is cut off.
  virtual std::vector<index_range> affected(std::size_t buffer, std::size_t index) const = 0;
};

namespace detail {

template <class Expected, class Affected>
class each_element_oracle final : public oracle {
 public:
  each_element_oracle(Expected expected, Affected affected)
      : expected_(std::move(expected)), affected_(std::move(affected)) {}
  void expected(const host_inputs& inputs, const state*, std::size_t first,
                std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<double>(expected_(inputs, first + k));
  }
  std::vector<index_range> affected(std::size_t buffer, std::size_t index) const override {
    return {affected_(buffer, index)};
  }

 private:
  Expected expected_;
  Affected affected_;
};

/// Sum of all elements of one input, kept up to date when an element changes.
std::shared_ptr<const oracle> sum_oracle(element type, std::size_t buffer, std::size_t count);

}  // namespace detail

/// An oracle from two functions.
/// @param expected (const host_inputs&, std::size_t output index) -> value.
/// @param affected (std::size_t input index) -> index_range of outputs that depend on it. With several inputs:
///                 (std::size_t buffer, std::size_t index).
template <class Expected, class Affected>
std::shared_ptr<const oracle> each_element(Expected expected, Affected affected) {
  if constexpr (std::is_invocable_v<Affected, std::size_t, std::size_t>) {
    return std::make_shared<detail::each_element_oracle<Expected, Affected>>(std::move(expected),
                                                                             std::move(affected));
  } else {
    auto of_any = [affected = std::move(affected)](std::size_t, std::size_t index) -> index_range {
      return affected(index);
    };
    return std::make_shared<detail::each_element_oracle<Expected, decltype(of_any)>>(std::move(expected),
                                                                                     std::move(of_any));
  }
}

/// One output element: the sum of the @p count elements of @p in.
template <class T>
std::shared_ptr<const oracle> sum_of(const input_handle<T>& in, std::size_t count) {
  return detail::sum_oracle(element_of<T>::value, in.index, count);
}

}  // namespace course
