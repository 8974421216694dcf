/// @file
/// The program under test as a request describes it: which buffers there are, which calls are made in which phase, and one buffer set
/// with the answers that its calls gave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "worker/memory.hpp"
#include "worker/plugin.hpp"

namespace course::worker {

/// How a buffer follows from a call's answer.
enum class follows_as { nothing, pointer, pitch };

/// A buffer of the request.
struct buffer_plan {
  allocation place;  ///< without a pointer
  std::size_t arena = 0, pointer_offset = 0;
  bool common = false, restored = false, spoiled = false;
  follows_as follows = follows_as::nothing;
  std::size_t from_call = 0;
};

/// When a call is made.
enum class phase { before, timed, collect, after };

/// A call of the request.
struct call_plan {
  std::string name;
  void* function = nullptr;
  result_kind returns = result_kind::nothing;
  phase when = phase::timed;
  bool once = false;
  std::uint64_t least = 0, most = UINT64_MAX, multiple_of = 1;
  struct argument {
    enum class kind { buffer, answer, stream, value } from = kind::value;
    std::size_t index = 0;  ///< of buffer or call
    parameter value;
  };
  std::vector<argument> arguments;
};

/// What stopped a phase.
struct trouble {
  std::string thrown_by, what;              ///< a call threw; `what` may be empty
  std::optional<std::size_t> refused_call;  ///< its answer is not sound
  std::uint64_t answer = 0;
  bool any() const { return !thrown_by.empty() || refused_call.has_value(); }
};

/// The description, read once a request.
class program {
 public:
  /// @throws std::exception with a sentence when the request makes no sense.
  program(const nlohmann::json& request, const plugin& from);
  program() = default;

  std::vector<buffer_plan> buffers;
  std::vector<call_plan> calls;
  bool before_is_done = false;  ///< the calls before promise that all they queue is done when they return
};

/// One set of buffers and the answers of its calls. Lives at one address: a set is made once and filled anew.
class buffer_set {
 public:
  buffer_set() = default;
  buffer_set(const buffer_set&) = delete;
  buffer_set& operator=(const buffer_set&) = delete;

  /// Takes over the plan: makes allocations, keeping those that have not changed, so that a program which remembers an answer by
  /// pointer meets the same pointer with other contents. @param first the set that owns common buffers; null if this is it.
  /// @throws std::runtime_error when memory does not suffice.
  void plan(const program& of, buffer_set* first);
  /// Frees everything that is ours.
  void release();

  /// Image of buffer @p index: where pokes go and samples start from.
  allocation& image(std::size_t index) { return kept_[index].pointer ? kept_[index] : places_[index]; }
  allocation& place(std::size_t index) { return places_[index]; }
  /// Address of the element that the function's pointer names; null when the buffer is not there yet.
  void* element_zero(const program& of, std::size_t index) const;

  /// Copies images to where the program works: in-out buffers, and unless only these are asked for, those that followed a call.
  enum class restored { in_out, all };
  void restore(const program& of, restored which = restored::all);
  /// Moves managed buffers to the host, whoever used them last: see worker::bring_home.
  void bring_home() const;
  /// Makes the host the only owner of managed buffers that are home: see worker::write_at_home.
  void write_at_home() const;

  /// Makes all calls of one phase in order. Buffers that follow a call appear after it.
  trouble make(const program& of, phase when, void* stream);

  /// Prepares the timed calls, so that making them costs nothing but the call.
  void prepare_timed(const program& of, void* stream);
  /// Makes the prepared calls. @return true if one of them returned a status other than success; exceptions come out of here.
  void make_timed();

  const std::vector<std::optional<std::uint64_t>>& answers() const { return answers_; }

 private:
  void provide_or_throw(allocation& place);
  prepared_call prepare(const program& of, const call_plan& call, void* stream) const;
  trouble make_one(const program& of, std::size_t index, void* stream);
  void appear(const program& of, std::size_t call, trouble& into);

  buffer_set* first_ = nullptr;
  std::vector<allocation> places_, kept_;
  std::vector<std::optional<std::uint64_t>> answers_;
  std::vector<std::pair<std::size_t, prepared_call>> timed_;
};

}  // namespace course::worker
