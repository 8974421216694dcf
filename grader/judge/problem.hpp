/// @file
/// What an exercise asks of a function at one size: its buffers, its arguments, what must come out, how many
/// bytes that has to move. An exercise's test describes problems; the judge turns them into calls.
///
/// @code
/// course::problem sum(const course::shape& shape) {
///   course::problem p;
///   const auto in = p.input<float>("in", shape[0], {.filled_with = course::one_sided});
///   const auto out = p.output<float>("out", 1);
///   p.runs(COURSE_FUNCTION(block_reduction_run), in, out, shape[0], course::stream);
///   p.expects(out, course::sum_of(in), course::relative(1e-5));
///   return p;
/// }
/// @endcode
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "judge/oracle.hpp"
#include "judge/tolerance.hpp"
#include "judge/values.hpp"
#include "protocol/names.hpp"

struct CUstream_st;  // as the contracts declare it; the judge includes no CUDA header

namespace course {

using protocol::memory_kind;

/// The sizes that make one case of an exercise: `{n}`, `{rows, cols}`, ...
class shape {
 public:
  shape() = default;
  shape(std::initializer_list<std::size_t> sizes) : sizes_(sizes) {}
  /// @return size @p index; 0 when there are fewer.
  std::size_t operator[](std::size_t index) const { return index < sizes_.size() ? sizes_[index] : 0; }
  std::size_t dimensions() const { return sizes_.size(); }
  bool operator==(const shape&) const = default;

 private:
  std::vector<std::size_t> sizes_;
};

/// Reads "n=33" or "rows=4, cols=7".
/// @param names one for each size; missing ones are left out.
std::string to_string(const shape& what, const std::vector<std::string>& names);

/// Details of an input that are seldom needed.
struct input_options {
  values filled_with = uniform;
  std::size_t ghosts =
      0;  ///< readable elements before the first and after the last one, filled like the rest
  std::size_t alignment = 256;  ///< bytes; what the contract promises of the pointer
  std::size_t shift = 0;        ///< elements by which this case moves the pointer off that alignment
  memory_kind memory = memory_kind::device;
  const values* poked_with =
      nullptr;  ///< what single elements change to between timed runs; null: as `filled_with`
};

/// Details of an output that are seldom needed.
struct output_options {
  std::size_t row_length =
      0;  ///< elements of a row, so that mismatches are told as (row, column); 0: one dimension
  std::size_t alignment = 256;  ///< bytes
  std::size_t shift = 0;        ///< elements
  memory_kind memory = memory_kind::device;
};

/// What a buffer is to the function.
enum class buffer_role { input, output };

/// One buffer of a problem.
struct buffer {
  std::string name;
  buffer_role role = buffer_role::input;
  element type = element::f32;
  std::size_t count = 0;  ///< elements, ghosts not counted
  std::size_t ghosts = 0;
  std::size_t alignment = 256;
  std::size_t shift = 0;
  std::size_t row_length = 0;
  memory_kind memory = memory_kind::device;
  values filled_with = uniform;
  const values* poked_with = nullptr;

  std::size_t bytes() const { return count * size_of(type); }
};

/// Names an input of a problem; knows its element type.
template <class T>
struct input_handle {
  std::size_t index = 0;
};
/// Names an output of a problem; knows its element type.
template <class T>
struct output_handle {
  std::size_t index = 0;
};
/// Stands for the stream on which the function must work.
struct stream_argument {};
inline constexpr stream_argument stream{};

/// A function of a contract: its name for the worker, its type for the compiler. Made by COURSE_FUNCTION.
template <class F>
struct contract_function {
  std::string_view name;
};

/// The contract's function @p function, which need not be defined in this program.
#define COURSE_FUNCTION(function)                   \
  ::course::contract_function<decltype(function)> { \
#function                                       \
  }

/// One argument on its way to the worker.
struct argument {
  std::string kind;  ///< as in protocol/messages.md
  std::string value;
};

/// When a call is made. Only `run` is timed.
enum class call_phase { setup, run, teardown };

/// One call of a contract's function.
struct call {
  std::string function;
  bool returns_status = false;
  call_phase phase = call_phase::run;
  std::vector<argument> arguments;
};

namespace detail {

template <class P, class A>
struct binds : std::is_same<P, A> {
};  // numbers: the very type of the parameter, so that nothing is cut off unseen
template <class P, class T>
struct binds<P, input_handle<T>> : std::is_same<P, const T*> {};
template <class P, class T>
struct binds<P, output_handle<T>> : std::is_same<P, T*> {};
template <class P>
struct binds<P, stream_argument> : std::is_same<P, CUstream_st*> {};

template <class T>
argument encode(const input_handle<T>& handle) {
  return {"buffer", std::to_string(handle.index)};
}
template <class T>
argument encode(const output_handle<T>& handle) {
  return {"buffer", std::to_string(handle.index)};
}
inline argument encode(const stream_argument&) {
  return {"stream", ""};
}
argument encode_number(element type, double value);
template <class T>
requires std::is_arithmetic_v<T> argument encode(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return encode_number(element_of<T>::value, value);
  } else {
    constexpr bool wide = sizeof(T) == 8;
    return {std::is_signed_v<T> ? (wide ? "i64" : "i32") : (wide ? "u64" : "u32"), std::to_string(value)};
  }
}

}  // namespace detail

/// What is asked of one output.
struct expectation {
  std::size_t output = 0;  ///< index of the buffer
  std::shared_ptr<const oracle> expected;
  tolerance within;
};

/// See the file's head.
class problem {
 public:
  /// Adds an input of @p count elements, which the function must leave as it is.
  template <class T>
  input_handle<T> input(std::string name, std::size_t count, const input_options& options = {}) {
    return {
        add({std::move(name), buffer_role::input, element_of<T>::value, count, options.ghosts,
             options.alignment, options.shift, 0, options.memory, options.filled_with, options.poked_with})};
  }

  /// Adds an output of @p count elements. It is poisoned before each call, so what is not written is seen.
  template <class T>
  output_handle<T> output(std::string name, std::size_t count, const output_options& options = {}) {
    return {add({std::move(name), buffer_role::output, element_of<T>::value, count, 0, options.alignment,
                 options.shift, options.row_length, options.memory, uniform})};
  }

  /// The call that is graded and timed. Its arguments are checked against the contract when the test is
  /// compiled.
  template <class R, class... P, class... A>
  void runs(const contract_function<R(P...)>& function, const A&... arguments) {
    add_call(call_phase::run, function, arguments...);
  }
  /// A call made once, before: not timed.
  template <class R, class... P, class... A>
  void sets_up(const contract_function<R(P...)>& function, const A&... arguments) {
    add_call(call_phase::setup, function, arguments...);
  }
  /// A call made once, after.
  template <class R, class... P, class... A>
  void tears_down(const contract_function<R(P...)>& function, const A&... arguments) {
    add_call(call_phase::teardown, function, arguments...);
  }

  /// What @p output must hold, and how exactly.
  template <class T>
  void expects(const output_handle<T>& output, std::shared_ptr<const oracle> expected,
               const tolerance& within) {
    expectations_.push_back({output.index, std::move(expected), within});
  }

  /// Bytes that a sound program must move at this size, for bytes per second. Without this: inputs read once,
  /// outputs written once.
  void moves(std::size_t bytes) { bytes_moved_ = bytes; }

  /// Lets the function copy to the host. Without this a device-to-host copy means that the work is done off
  /// the device.
  void may_copy_to_host() { may_copy_to_host_ = true; }

  const std::vector<buffer>& buffers() const { return buffers_; }
  const std::vector<call>& calls() const { return calls_; }
  const std::vector<expectation>& expectations() const { return expectations_; }
  std::size_t bytes_moved() const { return bytes_moved_ ? bytes_moved_ : input_bytes() + output_bytes(); }
  bool copies_to_host() const { return may_copy_to_host_; }
  /// Bytes of all inputs, ghosts not counted.
  std::size_t input_bytes() const { return bytes_of(buffer_role::input); }
  /// Bytes of all outputs.
  std::size_t output_bytes() const { return bytes_of(buffer_role::output); }

 private:
  std::size_t add(buffer what) {
    buffers_.push_back(std::move(what));
    return buffers_.size() - 1;
  }
  std::size_t bytes_of(buffer_role role) const {
    std::size_t bytes = 0;
    for (const auto& one : buffers_) bytes += one.role == role ? one.bytes() : 0;
    return bytes;
  }
  template <class R, class... P, class... A>
  void add_call(call_phase phase, const contract_function<R(P...)>& function, const A&... arguments) {
    static_assert(std::is_void_v<R> || std::is_enum_v<R> || std::is_same_v<R, int>,
                  "a contract's function returns void or a status");
    static_assert(sizeof...(P) == sizeof...(A), "as many arguments as the contract's function takes");
    if constexpr (sizeof...(P) == sizeof...(A)) {
      static_assert((detail::binds<P, A>::value && ...),
                    "each argument must have its parameter's very type: input_handle<T> for const T*, "
                    "output_handle<T> for T*, "
                    "course::stream for the stream, std::size_t for std::size_t");
    }
    calls_.push_back({std::string(function.name), !std::is_void_v<R>, phase, {detail::encode(arguments)...}});
  }

  std::vector<buffer> buffers_;
  std::vector<call> calls_;
  std::vector<expectation> expectations_;
  std::size_t bytes_moved_ = 0;
  bool may_copy_to_host_ = false;
};

}  // namespace course
