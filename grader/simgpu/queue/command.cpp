/// @file
/// Names of commands and of the API's functions.
#include "simgpu/queue/command.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

namespace simgpu::queue {
namespace {

constexpr const char* kCodes[] = {
    "hello",   "allocate",    "free",    "map",    "unmap",     "peer",        "stream", "stream gone",
    "load",    "unload",      "launch",  "copy",   "set",       "record",      "wait",   "event gone",
    "marker",  "done",        "move",    "advise", "object",    "object gone", "graph",  "needs",
    "query",   "synchronise", "elapsed", "limit",  "hold",      "note",        "reset",  "bye",
    "touched", "pass",        "fetch",   "settle", "condition", "visited",     "lease"};
static_assert(std::size(kCodes) == std::variant_size_v<Body>);

constexpr std::string_view kCalls[] = {
#define CALL(name) name,
#include "simgpu/queue/calls.def"
#undef CALL
};
static_assert(std::is_sorted(std::begin(kCalls), std::end(kCalls)));

}  // namespace

const char* name_of_code(std::uint16_t code) noexcept {
  return code >= 1 && code <= std::size(kCodes) ? kCodes[code - 1] : "?";
}

const char* name_of_call(Call call) noexcept {
  return call >= 1 && call <= std::size(kCalls) ? kCalls[call - 1].data() : "?";
}

Call call_named(const char* name) noexcept {
  const std::string_view wanted = name;
  const auto at = std::lower_bound(std::begin(kCalls), std::end(kCalls), wanted);
  return at != std::end(kCalls) && *at == wanted ? static_cast<Call>(at - std::begin(kCalls) + 1) : 0;
}

std::optional<std::uint64_t> extent(const Shape& shape, std::uint64_t pitch, std::uint64_t slice) {
  if (shape.empty()) return std::nullopt;
  using Wide = unsigned __int128;
  const Wide slices = Wide{shape.depth - 1} * slice, rows = Wide{shape.height - 1} * pitch;
  constexpr Wide kMost = std::numeric_limits<std::uint64_t>::max();
  if (slices > kMost || rows > kMost) return std::nullopt;
  const Wide sum = slices + rows + shape.width, bytes = Wide{shape.width} * shape.height;
  if (sum > kMost || bytes > kMost || bytes * shape.depth > kMost) return std::nullopt;
  return static_cast<std::uint64_t>(sum);
}

}  // namespace simgpu::queue
