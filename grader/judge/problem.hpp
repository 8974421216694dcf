/// @file
/// What an exercise asks at one size: its buffers, its calls, what must come out, how much work that is. An exercise's test
/// describes problems; the judge turns them into calls in a worker.
///
/// @code
/// course::problem enlarge(const course::shape& s, const course::facts&) {
///   course::problem p;
///   const auto in = p.input<float>("in", s[0] * s[1]);
///   const auto out = p.output<float>("out", 4 * s[0] * s[1], {.row_length = 2 * s[1]});
///   const auto state = p.before(COURSE_FUNCTION(texture_resize_setup), in, s[0], s[1]);
///   p.timed(COURSE_FUNCTION(texture_resize_run), state, out, s[0], s[1], course::stream);
///   p.after(COURSE_FUNCTION(texture_resize_teardown), state);
///   p.expects(out, bilinear(in, s), course::within(of_local_range(in, s)));
///   return p;
/// }
/// @endcode
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "judge/facts.hpp"
#include "judge/oracle.hpp"
#include "judge/tolerance.hpp"
#include "judge/values.hpp"
#include "protocol/names.hpp"

// As the contracts declare them; the judge includes no CUDA header.
struct CUstream_st;
struct __half;         // NOLINT(bugprone-reserved-identifier): CUDA's names
struct __nv_bfloat16;  // NOLINT(bugprone-reserved-identifier)
struct float2;
struct float4;
struct int2;
struct int4;
struct uint2;
struct uint4;

namespace course {

using place = protocol::memory_kind;  ///< device, pageable, pinned, mapped, managed

class device_report;

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

/// Names an input of a problem; knows its element type.
template <class T>
struct input_handle {
  std::size_t index = 0;
};
/// Names an output of a problem.
template <class T>
struct output_handle {
  std::size_t index = 0;
};
/// Names a buffer that is read and written.
template <class T>
struct in_out_handle {
  std::size_t index = 0;
};
/// Names what a call returns, so that later calls can take it and buffers can follow from it.
template <class R>
struct answer {
  std::size_t call = 0;
};
/// Stands for the stream on which the function must work.
struct stream_argument {};
inline constexpr stream_argument stream{};

/// What a buffer is to the function.
enum class buffer_role {
  input,    ///< read; must come back unchanged
  output,   ///< poisoned before each call, so that what is not written is seen
  in_out,   ///< read and written; restored before each call
  figures,  ///< numbers that the function returns through host memory
};

/// How a buffer follows from an answer of a *before* call.
enum class follows_as {
  nothing,
  pointer,  ///< the answer is the buffer: the student's own memory, filled by the judge after that call
  pitch,    ///< the answer is the distance of its rows in bytes; the rest of a row belongs to nobody
};

/// Details of a buffer that are seldom needed.
struct buffer_options {
  values filled_with = uniform;
  std::optional<values> poked_with =
      {};  ///< what single elements change to between timed runs; none: as `filled_with`
  std::size_t ghosts =
      0;  ///< readable elements before the first and after the last one, filled like the rest
  std::size_t row_length = 0;   ///< elements of a row: mismatches are told as (row, column); a pitch needs it
  std::size_t alignment = 256;  ///< bytes; what the contract promises of the pointer
  std::size_t shift = 0;        ///< elements by which this case moves the pointer off that alignment
  course::place place = course::place::device;
  int device = 0;       ///< ordinal, for device memory
  bool common = false;  ///< one for all buffer sets: what goes to module-wide memory such as `__constant__`
  bool fixed = false;   ///< never changed between timed runs: a permutation, an index list
  /// Elements of memory from one element of ours to the next. What lies between is filled, sent and compared by nobody: an array too
  /// large for that, of which a few elements are read. Excludes ghosts and following a call.
  std::size_t spread = 1;
};

/// One buffer of a problem.
struct buffer {
  std::string name;
  buffer_role role = buffer_role::input;
  element_type type;
  std::size_t count = 0;  ///< elements, ghosts not counted
  buffer_options options;
  follows_as follows = follows_as::nothing;
  std::size_t from_call = 0;  ///< index of the call whose answer it follows
  bool spoiled = false;       ///< holds other bytes once the calls before the timed ones are done

  std::size_t bytes() const { return count * type.size; }
  bool is_read() const { return role == buffer_role::input || role == buffer_role::in_out; }
  bool is_written() const { return role != buffer_role::input; }
};

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

/// When a call is made, and whether it is timed.
enum class call_phase { before, timed, after };

/// What a function returns.
enum class call_result { nothing, status, handle, size };

/// One call of a contract's function.
struct call {
  std::string function;
  call_result returns = call_result::nothing;
  call_phase phase = call_phase::timed;
  std::vector<argument> arguments;
  bool once = false;  ///< made once a worker, not once a buffer set: all its buffers are common
  int wanted_status = 0;
  // Of a size: what is sound, and the sentence for whoever answers something else.
  std::uint64_t least = 0, most = UINT64_MAX, multiple_of = 1;
  std::string otherwise;
};

namespace detail {

template <class P, class A>
struct binds : std::is_same<P, A> {
};  // numbers: the very type of the parameter, so that nothing is cut off unseen
template <class T>
struct contract_type {
  using type = T;
};  // what a contract calls an element type of ours
template <>
struct contract_type<half> {
  using type = ::__half;
};
template <>
struct contract_type<bfloat16> {
  using type = ::__nv_bfloat16;
};
template <>
struct contract_type<vec<float, 2>> {
  using type = ::float2;
};
template <>
struct contract_type<vec<float, 4>> {
  using type = ::float4;
};
template <>
struct contract_type<vec<int, 2>> {
  using type = ::int2;
};
template <>
struct contract_type<vec<int, 4>> {
  using type = ::int4;
};
template <>
struct contract_type<vec<unsigned, 2>> {
  using type = ::uint2;
};
template <>
struct contract_type<vec<unsigned, 4>> {
  using type = ::uint4;
};
template <class P, class T>
struct binds<P, input_handle<T>>
    : std::bool_constant<std::is_same_v<P, const typename contract_type<T>::type*> ||
                         std::is_same_v<P, const void*>> {};
template <class P, class T>
struct binds<P, output_handle<T>>
    : std::bool_constant<std::is_same_v<P, typename contract_type<T>::type*> || std::is_same_v<P, void*>> {};
template <class P, class T>
struct binds<P, in_out_handle<T>> : binds<P, output_handle<T>> {};
template <class P, class R>
struct binds<P, answer<R>>
    : std::bool_constant<std::is_same_v<P, R> || (std::is_pointer_v<R> && std::is_convertible_v<R, P>)> {};
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
template <class T>
argument encode(const in_out_handle<T>& handle) {
  return {"buffer", std::to_string(handle.index)};
}
template <class R>
argument encode(const answer<R>& of) {
  return {"answer", std::to_string(of.call)};
}
inline argument encode(const stream_argument&) {
  return {"stream", ""};
}
argument encode_number(scalar type, double value);
template <class T>
requires std::is_arithmetic_v<T> argument encode(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return encode_number(scalar_of<T>(), value);
  } else {
    constexpr bool wide = sizeof(T) == 8;
    return {std::is_signed_v<T> ? (wide ? "i64" : "i32") : (wide ? "u64" : "u32"), std::to_string(value)};
  }
}
template <class R>
constexpr call_result result_of() {
  if constexpr (std::is_void_v<R>) {
    return call_result::nothing;
  } else if constexpr (std::is_enum_v<R> || std::is_same_v<R, int>) {
    return call_result::status;
  } else if constexpr (std::is_pointer_v<R>) {
    return call_result::handle;
  } else {
    static_assert(std::is_same_v<R, std::size_t>,
                  "a contract's function returns void, a status, a handle (a pointer) or one std::size_t");
    return call_result::size;
  }
}

}  // namespace detail

/// What a property may look at.
struct observed {
  const host_inputs& inputs;
  std::vector<const void*> outputs;  ///< element 0 of each buffer as it came back; null for inputs
  double seconds =
      0;  ///< of the timed calls, on the device's clock (modelled on the simulated GPU); 0 if unknown
  const device_report* report;  ///< counts of the timed calls; null on a real device
  template <class T>
  const T* operator[](const output_handle<T>& handle) const {
    return static_cast<const T*>(outputs[handle.index]);
  }
  template <class T>
  const T* operator[](const in_out_handle<T>& handle) const {
    return static_cast<const T*>(outputs[handle.index]);
  }
};

/// Something that must hold of outputs, where no table of expected values exists: the judge's own stopwatch, an order, a cycle.
/// @return an empty text, or one sentence that says what is wrong.
using property = std::function<std::string(const observed&)>;

/// What is asked of one output.
struct expectation {
  std::size_t output = 0;  ///< index of the buffer
  std::shared_ptr<const oracle> expected;
  tolerance within;
};

/// Roads by which a program may do its work, to be combined with |.
enum class road : unsigned {
  kernels = 1,  ///< loads and stores of its kernels: plain, textures, asynchronous, bulk and tensor copies
  copies = 2,   ///< copies by the API, on a copy engine
};
constexpr road operator|(road a, road b) {
  return static_cast<road>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool contains(road all, road one) {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

/// How much work a sound program has to do in the timed calls.
struct work_asked {
  std::optional<double> read = {};     ///< bytes; none: every input in device memory once
  std::optional<double> written = {};  ///< bytes; none: every output in device memory once
  road by = road::kernels;
  double at_least = 0.95;  ///< of these bytes must be asked for by that road, or the work happens elsewhere
  /// Requests to shared memory that the method needs, loads or stores, for metrics::excess_wavefronts; none: one for each 128 bytes read.
  std::optional<double> shared_requests = {};
};

/// One call of the runtime that the simulated GPU lets fail, so that error paths have cases.
struct failing_call {
  std::string name;  ///< "cudaMalloc"
  int nth = 1;       ///< counted from 1 in each case
  int error = 0;     ///< the code that it returns
};

/// See the file's head.
class problem {
 public:
  template <class T>
  input_handle<T> input(std::string name, std::size_t count, buffer_options options = {}) {
    return {add<T>(std::move(name), buffer_role::input, count, std::move(options))};
  }
  template <class T>
  output_handle<T> output(std::string name, std::size_t count, buffer_options options = {}) {
    return {add<T>(std::move(name), buffer_role::output, count, std::move(options))};
  }
  template <class T>
  in_out_handle<T> in_out(std::string name, std::size_t count, buffer_options options = {}) {
    return {add<T>(std::move(name), buffer_role::in_out, count, std::move(options))};
  }
  /// Numbers that the function returns: an array in ordinary host memory.
  template <class T>
  output_handle<T> figures(std::string name, std::size_t count) {
    return {add<T>(std::move(name), buffer_role::figures, count, {.place = place::pageable})};
  }

  /// @p handle lies in memory that the student allocates: @p from is the pointer that a *before* call returned.
  template <class Handle, class R>
  void lies_at(const Handle& handle, const answer<R>& from) {
    static_assert(std::is_pointer_v<R>, "a pointer names memory");
    follow(handle.index, follows_as::pointer, from.call);
  }
  /// Rows of @p handle lie as many bytes apart as @p from, the size that a *before* call returned. Needs a row_length.
  template <class Handle>
  void laid_out_by(const Handle& handle, const answer<std::size_t>& from) {
    follow(handle.index, follows_as::pitch, from.call);
  }

  /// A call made before the timed ones, in the order of writing; what it returns can be an argument of later ones. Each buffer set has
  /// its own, unless all its buffers are common: then it is made once for all sets.
  template <class R, class... P, class... A>
  answer<R> before(const contract_function<R(P...)>& function, const A&... arguments) {
    return add_call(call_phase::before, function, arguments...);
  }
  /// The call that is graded and timed. Its arguments are checked against the contract when the test is compiled.
  template <class R, class... P, class... A>
  answer<R> timed(const contract_function<R(P...)>& function, const A&... arguments) {
    return add_call(call_phase::timed, function, arguments...);
  }
  /// A call made afterwards. One that takes an output is made before outputs are read; the others when all is read.
  template <class R, class... P, class... A>
  answer<R> after(const contract_function<R(P...)>& function, const A&... arguments) {
    return add_call(call_phase::after, function, arguments...);
  }

  /// The status that a call must return in this case; 0 (cudaSuccess) unless said. With another one nothing is expected of outputs that
  /// have no expectation, and they must stay untouched.
  template <class R>
  void returns(const answer<R>& of, int status) {
    static_assert(detail::result_of<R>() == call_result::status, "only a status can be wanted");
    calls_[of.call].wanted_status = status;
  }
  /// The sizes that are sound as an answer. @param otherwise one sentence for any other.
  void answers_between(const answer<std::size_t>& of, std::uint64_t least, std::uint64_t most,
                       std::uint64_t multiple_of, std::string otherwise) {
    auto& one = calls_[of.call];
    one.least = least, one.most = most, one.multiple_of = multiple_of, one.otherwise = std::move(otherwise);
  }

  /// What @p output must hold, and how exactly.
  template <class T>
  void expects(const output_handle<T>& output, std::shared_ptr<const oracle> expected,
               const tolerance& within) {
    expectations_.push_back({output.index, std::move(expected), within});
  }
  template <class T>
  void expects(const in_out_handle<T>& output, std::shared_ptr<const oracle> expected,
               const tolerance& within) {
    expectations_.push_back({output.index, std::move(expected), within});
  }
  /// What must hold besides.
  void expects(property holds) { properties_.push_back(std::move(holds)); }

  /// See work_asked.
  void work(const work_asked& asked) { work_ = asked; }
  /// The amount that speed is told in, where it is not the bytes of work(): 2mnk "FLOP", hops, ...
  void amount(double value, std::string unit) {
    amount_ = value;
    unit_ = std::move(unit);
  }
  /// Set-up may copy and make objects, but launch no kernel: it could compute the answer.
  void before_launches_no_kernel() { before_launches_no_kernel_ = true; }
  /// Everything that set-up has queued is done when it returns: what is not races with the timed calls, on the simulated GPU.
  void before_is_done() { before_is_done_ = true; }
  /// @p input gets other bytes when the calls before the timed ones are done: a program that should have taken it over has.
  template <class T>
  void spoils(const input_handle<T>& input) {
    buffers_[input.index].spoiled = true;
  }
  /// What set-up and the timed calls allocate, teardown frees: seen on the simulated GPU.
  void teardown_frees_all() { teardown_frees_all_ = true; }
  /// Lets a call of the runtime fail, on the simulated GPU.
  void lets_fail(failing_call which) { failing_.push_back(std::move(which)); }

  const std::vector<buffer>& buffers() const { return buffers_; }
  const std::vector<call>& calls() const { return calls_; }
  const std::vector<expectation>& expectations() const { return expectations_; }
  const std::vector<property>& properties() const { return properties_; }
  const std::vector<failing_call>& failing() const { return failing_; }
  bool forbids_kernels_before() const { return before_launches_no_kernel_; }
  bool must_free_all() const { return teardown_frees_all_; }
  bool must_be_done_before() const { return before_is_done_; }
  road roads() const { return work_.by; }
  double work_share() const { return work_.at_least; }
  double shared_requests() const {
    return work_.shared_requests ? *work_.shared_requests : bytes_read() / 128;
  }
  /// Bytes that the timed calls must read and write at least: see work_asked.
  double bytes_read() const { return work_.read ? *work_.read : bytes_of(&buffer::is_read); }
  double bytes_written() const { return work_.written ? *work_.written : bytes_of(&buffer::is_written); }
  double bytes_moved() const { return bytes_read() + bytes_written(); }
  /// What speed counts, and its unit: "B" for bytes.
  double amount() const { return amount_ > 0 ? amount_ : bytes_moved(); }
  const std::string& unit() const { return unit_; }
  /// True if a *before* call takes a buffer that is poked between timed runs, or an *after* call gives an output: then these calls are
  /// made again for each sample.
  bool repeats_before() const;
  /// True if a timed call may be made only once on a set before it is restored: it changes an in-out buffer, moves
  /// managed memory, or changes state that an *after* call gives out.
  bool is_single_use() const;
  /// True if a call wants another status than success: a case about an error path.
  bool wants_error() const;
  /// True if the expected values come from the reference's own run.
  bool asks_reference() const;
  /// True if something comes out in host memory, so that copies to the host are the program's to make.
  bool gives_to_host() const;
  /// Elements of all outputs, where something comes out at all.
  std::size_t output_elements() const;
  std::size_t buffer_bytes() const;  ///< of all buffers together

 private:
  template <class T>
  std::size_t add(std::string name, buffer_role role, std::size_t count, buffer_options options) {
    buffers_.push_back({std::move(name), role, element_of<T>::value, count, std::move(options)});
    return buffers_.size() - 1;
  }
  void follow(std::size_t index, follows_as how, std::size_t call) {
    buffers_[index].follows = how;
    buffers_[index].from_call = call;
  }
  double bytes_of(bool (buffer::*wanted)() const) const;
  void note_call(call made);
  template <class R, class... P, class... A>
  answer<R> add_call(call_phase phase, const contract_function<R(P...)>& function, const A&... arguments) {
    static_assert(sizeof...(P) == sizeof...(A), "as many arguments as the contract's function takes");
    if constexpr (sizeof...(P) == sizeof...(A)) {
      static_assert(
          (detail::binds<P, A>::value && ...),
          "each argument must have its parameter's very type: input_handle<T> for const T*, output_handle<T> "
          "and "
          "in_out_handle<T> for T*, answer<R> for what another call returned, course::stream for the stream, "
          "std::size_t for std::size_t");
    }
    call made;
    made.function = std::string(function.name);
    made.returns = detail::result_of<R>();
    made.phase = phase;
    made.arguments = {detail::encode(arguments)...};
    note_call(std::move(made));
    return {calls_.size() - 1};
  }

  std::vector<buffer> buffers_;
  std::vector<call> calls_;
  std::vector<expectation> expectations_;
  std::vector<property> properties_;
  std::vector<failing_call> failing_;
  work_asked work_;
  double amount_ = 0;
  std::string unit_ = "B";
  bool before_launches_no_kernel_ = false;
  bool teardown_frees_all_ = false, before_is_done_ = false;
};

}  // namespace course
