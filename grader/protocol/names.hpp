/// @file
/// The words that judge and worker both use: operations, descriptor numbers, limits. One place, so that the
/// two builds of the worker and the judge cannot drift apart.
#pragma once

#include <cstddef>
#include <string_view>

namespace course::protocol {

/// Version of the conversation; `hello` answers it and the judge refuses another.
inline constexpr int kVersion = 3;

/// Descriptors that a worker inherits, besides 0 (empty), 1 and 2 (read by the judge). Everything above is
/// closed.
inline constexpr int kSocketDescriptor = 3;
inline constexpr int kArenaDescriptor = 4;
inline constexpr int kDoorDescriptor =
    5;  ///< where the simulated device is a process of the judge's: the way to it

/// Longest line either side accepts. Reports of the simulated GPU are the long ones.
inline constexpr std::size_t kLongestLine = 64u << 20;

/// Values of a request's `"op"`. Every answer carries the request's `"nonce"` and `"ok"`; if not ok,
/// `"error"` is a sentence.
namespace op {
inline constexpr std::string_view kHello = "hello";  ///< starts the device, answers what it runs on
inline constexpr std::string_view kLoad =
    "load";  ///< hardens the process, loads the plugin, looks up its functions
inline constexpr std::string_view kRunCase = "run_case";  ///< fresh data in, every call once, everything back
inline constexpr std::string_view kPrepareTiming =
    "prepare_timing";                                         ///< K buffer sets with the same contents
inline constexpr std::string_view kPlaceAnew = "place_anew";  ///< the same sets at other addresses
inline constexpr std::string_view kPoke =
    "poke";  ///< small writes into sets; set-up made again where it took inputs
inline constexpr std::string_view kSample = "sample";  ///< timed calls
inline constexpr std::string_view kFetch = "fetch";    ///< slices of sets, back to the arena
// In steps, where the judge speaks to the simulated device itself: messages.md.
inline constexpr std::string_view kPlace = "place";      ///< memory for a case, or for the sets of timed runs
inline constexpr std::string_view kFill = "fill";        ///< what host code may reach, from the arena
inline constexpr std::string_view kBefore = "before";    ///< set-up calls
inline constexpr std::string_view kReady = "ready";      ///< all is as a timed call is to find it
inline constexpr std::string_view kTimed = "timed";      ///< the timed calls, between events
inline constexpr std::string_view kCollect = "collect";  ///< calls that give outputs
inline constexpr std::string_view kGather = "gather";    ///< what host code may reach, to the arena
inline constexpr std::string_view kAfter = "after";      ///< what set-up has to be followed by
inline constexpr std::string_view kFinish = "finish";    ///< ends the worker in good order
}  // namespace op

/// What a buffer is made of. Words of the JSON field `"memory"`.
enum class memory_kind { device, pageable, pinned, mapped, managed };

/// @return the word of @p kind as it travels.
constexpr std::string_view name_of(memory_kind kind) {
  switch (kind) {
    case memory_kind::device:
      return "device";
    case memory_kind::pageable:
      return "pageable";
    case memory_kind::pinned:
      return "pinned";
    case memory_kind::mapped:
      return "mapped";
    case memory_kind::managed:
      return "managed";
  }
  return "device";
}

/// @return the kind named @p word; device for a word that is none.
constexpr memory_kind memory_kind_of(std::string_view word) {
  for (const auto kind :
       {memory_kind::pageable, memory_kind::pinned, memory_kind::mapped, memory_kind::managed}) {
    if (word == name_of(kind)) return kind;
  }
  return memory_kind::device;
}

}  // namespace course::protocol
