/// @file
/// Where expected values come from. An oracle computes on the host, from the judge's own copy of the inputs: in double precision, or
/// in the output's own type where bits are compared.
///
/// Timed outputs are checked by changing a few inputs before each sample; an oracle therefore also says which outputs a changed input
/// affects, and may keep running results.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "judge/values.hpp"

namespace course {

template <class T>
struct input_handle;
template <class T>
struct output_handle;
template <class T>
struct in_out_handle;

/// The judge's copies of a problem's inputs, by handle: `inputs[in][i]` is element i; ghosts have indices below 0 and beyond the end.
/// An in-out buffer stands here with what it held before the call.
class host_inputs {
 public:
  /// @param first for each buffer of the problem the address of element 0; null for outputs.
  explicit host_inputs(std::vector<const void*> first) : first_(std::move(first)) {}
  template <class T>
  const T* operator[](const input_handle<T>& handle) const {
    return static_cast<const T*>(first_[handle.index]);
  }
  template <class T>
  const T* operator[](const in_out_handle<T>& handle) const {
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

  /// Something computed once from all inputs, kept by the judge and handed back. Null if there is nothing to keep.
  struct state {
    virtual ~state() = default;
  };
  virtual std::unique_ptr<state> prepare(const host_inputs&) const { return nullptr; }

  /// Element @p index of input @p buffer has changed; both point to one whole element.
  virtual void changed(state*, std::size_t /*buffer*/, std::size_t /*index*/, const void* /*before*/,
                       const void* /*after*/) const {}

  /// The type of the values that expected() writes: double, or the output's own.
  virtual const element_type& gives() const { return element_of<double>::value; }

  /// Writes the expected values of elements [first, first + count) to @p out. Called from several threads.
  virtual void expected(const host_inputs& inputs, const state* kept, std::size_t first, std::size_t count,
                        void* out) const = 0;

  /// The outputs that depend on element @p index of input @p buffer; may reach beyond the output's end, which is cut off. Where all of
  /// them would cost too much, a part that @p index draws.
  virtual std::vector<index_range> affected(std::size_t buffer, std::size_t index) const = 0;

  /// Operations that one expected element costs the host, about. A whole output that would cost more than some seconds is checked at
  /// random places.
  virtual double operations_per_element() const { return 1; }
};

/// Details of each_element() that are seldom needed.
struct element_options {
  double operations = 1;  ///< see oracle::operations_per_element
};

namespace detail {

template <class Expected, class Affected>
class each_element_oracle final : public oracle {
  using value = std::decay_t<std::invoke_result_t<Expected, const host_inputs&, std::size_t>>;

 public:
  each_element_oracle(Expected expected, Affected affected, element_options options)
      : expected_(std::move(expected)), affected_(std::move(affected)), options_(options) {}
  const element_type& gives() const override { return element_of<value>::value; }
  void expected(const host_inputs& inputs, const state*, std::size_t first, std::size_t count,
                void* out) const override {
    auto* const to = static_cast<value*>(out);
    for (std::size_t k = 0; k < count; ++k) to[k] = expected_(inputs, first + k);
  }
  std::vector<index_range> affected(std::size_t buffer, std::size_t index) const override {
    return {affected_(buffer, index)};
  }
  double operations_per_element() const override { return options_.operations; }

 private:
  Expected expected_;
  Affected affected_;
  element_options options_;
};

/// Sum of all elements of one input, kept up to date when an element changes.
std::shared_ptr<const oracle> sum_oracle(scalar type, std::size_t buffer, std::size_t count);

}  // namespace detail

/// An oracle from two functions.
/// @param expected (const host_inputs&, std::size_t output index) -> value: of the output's own type (records, bits), or a double.
/// @param affected (std::size_t input index) -> index_range of outputs that depend on it. With several inputs:
///                 (std::size_t buffer, std::size_t index); handles have a member `index` to compare with.
template <class Expected, class Affected>
std::shared_ptr<const oracle> each_element(Expected expected, Affected affected,
                                           element_options options = {}) {
  if constexpr (std::is_invocable_v<Affected, std::size_t, std::size_t>) {
    return std::make_shared<detail::each_element_oracle<Expected, Affected>>(std::move(expected),
                                                                             std::move(affected), options);
  } else {
    auto of_any = [affected = std::move(affected)](std::size_t, std::size_t index) -> index_range {
      return affected(index);
    };
    return std::make_shared<detail::each_element_oracle<Expected, decltype(of_any)>>(
        std::move(expected), std::move(of_any), options);
  }
}

/// One output element: the sum of the @p count elements of @p in.
template <class T>
std::shared_ptr<const oracle> sum_of(const input_handle<T>& in, std::size_t count) {
  return detail::sum_oracle(detail::scalar_of<T>(), in.index, count);
}

/// Expected is what the reference gives for the same inputs, on the same device, in the same run. For figures that only the device
/// knows: latencies, times.
std::shared_ptr<const oracle> reference_answer();

}  // namespace course
