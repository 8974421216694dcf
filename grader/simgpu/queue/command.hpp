/// @file
/// What the client asks of the device, as plain data: the commands of runtime/queue.md. No CUDA header, no pointer that means
/// something on one side only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace simgpu::queue {

/// Names a stream, an event, a module or a graph: chosen by the client, never zero.
using Id = std::uint32_t;

/// Where a side of a copy lies.
struct Place {
  enum class Kind : std::uint32_t {
    device,  ///< an allocation of device memory
    pages,  ///< host memory that both sides map: pinned, managed, or the program's own that it has registered
    staging,  ///< ordinary host memory, on its way through pages of the driver's
  };
  Kind kind = Kind::device;
  std::uint64_t address = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// `depth` slices of `height` rows of `width` bytes.
struct Shape {
  std::uint64_t width = 0, height = 1, depth = 1;  ///< bytes, rows, slices
  std::uint64_t to_pitch = 0, to_slice = 0;        ///< bytes between rows, between slices
  std::uint64_t from_pitch = 0, from_slice = 0;
  std::uint64_t bytes() const noexcept { return width * height * depth; }
  /// From the first to behind the last byte of each side, of a shape that was checked (see extent() below).
  std::uint64_t to_extent() const noexcept {
    return (depth - 1) * to_slice + (height - 1) * to_pitch + width;
  }
  std::uint64_t from_extent() const noexcept {
    return (depth - 1) * from_slice + (height - 1) * from_pitch + width;
  }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// @return bytes from the first to the last byte of the side with this pitch; nothing if that is more than 64 bits count, or if
/// the shape holds no byte.
std::optional<std::uint64_t> extent(const Shape& shape, std::uint64_t pitch, std::uint64_t slice);

/// Bytes of a record: in it, or in the staging pages.
struct Bytes {
  std::vector<std::byte> inside = {};
  bool staged = false;
  std::uint64_t length = 0, offset = 0;  ///< of staged ones
  std::uint64_t size() const noexcept { return staged ? length : inside.size(); }
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

using Dim = std::array<std::uint32_t, 3>;

/// Part of memory whose lines are to stay in the L2, or to go first.
struct Window {
  enum class SetBy : std::uint32_t { stream, launch };
  enum class Hold : std::uint32_t { normal, streaming, persisting };
  std::uint64_t address = 0, bytes = 0;
  float hit_ratio = 0;  ///< share of the window that is treated as `hit` says [0, 1]
  Hold hit = Hold::normal, miss = Hold::normal;
  SetBy set_by = SetBy::stream;
  friend bool operator==(const Window&, const Window&) = default;
};

/// The function of the API that began a copy or a fill, by its number in calls.def. Findings name it.
using Call = std::uint32_t;

// --- The commands, in order of their codes. ---

struct Hello {
  std::uint32_t version = 1, devices = 1, slice = 1;
  friend bool operator==(const Hello&, const Hello&) = default;
};
struct Allocate {
  enum class Kind : std::uint32_t { device, pinned, managed, array };
  std::uint32_t device = 0;
  Kind kind = Kind::device;
  std::uint64_t bytes = 0, align = 1;
  friend bool operator==(const Allocate&, const Allocate&) = default;
};
struct Free {
  std::uint64_t address = 0;
  friend bool operator==(const Free&, const Free&) = default;
};
struct Map {
  std::uint64_t address = 0, bytes = 0;
  std::uint32_t flags = 0;
  friend bool operator==(const Map&, const Map&) = default;
};
struct Unmap {
  std::uint64_t address = 0;
  friend bool operator==(const Unmap&, const Unmap&) = default;
};
struct Peer {
  std::uint32_t device = 0, other = 0;
  bool on = false;
  friend bool operator==(const Peer&, const Peer&) = default;
};
struct MakeStream {
  enum class Kind : std::uint32_t { blocking, non_blocking, legacy, of_thread };
  Id id = 0;
  std::uint32_t device = 0;
  Kind kind = Kind::blocking;
  std::uint32_t priority = 0;
  friend bool operator==(const MakeStream&, const MakeStream&) = default;
};
struct StreamGone {
  Id id = 0;
  friend bool operator==(const StreamGone&, const StreamGone&) = default;
};
struct Load {
  Id id = 0;
  std::uint32_t device = 0;
  Bytes code = {};
  friend bool operator==(const Load&, const Load&) = default;
};
struct Unload {
  Id id = 0;
  friend bool operator==(const Unload&, const Unload&) = default;
};
struct Launch {
  Id stream = 0, module = 0;
  std::uint32_t kernel = 0;  ///< its number in the module
  Dim grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  std::uint32_t shared = 0;  ///< dynamic shared memory of a block [bytes]
  bool cooperative = false;
  Bytes parameters = {};
  std::optional<Window> window = {};
  friend bool operator==(const Launch&, const Launch&) = default;
};
struct Copy {
  Id stream = 0;
  Call call = 0;
  Place to = {}, from = {};
  Shape shape = {};
  bool waits = false;  ///< the host waits for its end
  friend bool operator==(const Copy&, const Copy&) = default;
};
struct Set {
  Id stream = 0;
  std::uint32_t unit = 1, value = 0;  ///< bytes of a unit; each unit is set to the value
  Call call = 0;
  std::uint64_t address = 0;
  Shape shape = {};  ///< its `to` side
  friend bool operator==(const Set&, const Set&) = default;
};
struct Record {
  Id stream = 0, event = 0;
  friend bool operator==(const Record&, const Record&) = default;
};
struct Wait {
  Id stream = 0, event = 0;
  friend bool operator==(const Wait&, const Wait&) = default;
};
struct EventGone {
  Id event = 0;
  friend bool operator==(const EventGone&, const EventGone&) = default;
};
struct Marker {
  Id stream = 0;
  std::uint64_t token = 0;
  friend bool operator==(const Marker&, const Marker&) = default;
};
struct Done {
  std::uint64_t token = 0;
  friend bool operator==(const Done&, const Done&) = default;
};
struct Move {
  static constexpr std::uint32_t kHost = ~0u;
  Id stream = 0;
  std::uint32_t place = 0;  ///< a device, or kHost
  std::uint64_t address = 0, bytes = 0;
  friend bool operator==(const Move&, const Move&) = default;
};
struct Advise {
  std::uint32_t what = 0, place = 0;
  std::uint64_t address = 0, bytes = 0;
  friend bool operator==(const Advise&, const Advise&) = default;
};
struct Object {
  enum class What : std::uint32_t { texture, surface, map };
  What what = What::texture;
  std::array<std::byte, 128> descriptor{};
  friend bool operator==(const Object&, const Object&) = default;
};

/// Work for a stream that a graph can hold.
using Work = std::variant<Launch, Copy, Set, Record, Wait, Marker, Move>;

struct Graph {
  struct Node {
    Work work = {};                         ///< in no stream
    std::vector<std::uint32_t> after = {};  ///< nodes that come before it
    friend bool operator==(const Node&, const Node&) = default;
  };
  Id id = 0;
  std::vector<Node> nodes = {};
  friend bool operator==(const Graph&, const Graph&) = default;
};
struct Start {
  Id stream = 0, graph = 0;
  friend bool operator==(const Start&, const Start&) = default;
};
struct Query {
  enum class What : std::uint32_t { stream, event };
  What what = What::stream;
  Id id = 0;
  friend bool operator==(const Query&, const Query&) = default;
};
struct Synchronise {
  enum class What : std::uint32_t { stream, event, device };
  What what = What::stream;
  std::uint32_t id = 0;  ///< a device's is its number
  friend bool operator==(const Synchronise&, const Synchronise&) = default;
};
struct Elapsed {
  Id begin = 0, end = 0;
  friend bool operator==(const Elapsed&, const Elapsed&) = default;
};
struct Limit {
  enum class Which : std::uint32_t { stack, heap, printf, persisting_l2 };
  std::uint32_t device = 0;
  Which which = Which::stack;
  std::uint64_t value = 0;
  friend bool operator==(const Limit&, const Limit&) = default;
};
struct Bye {
  friend bool operator==(const Bye&, const Bye&) = default;
};

/// What a record says. A code is one more than the place in this list.
using Body = std::variant<Hello, Allocate, Free, Map, Unmap, Peer, MakeStream, StreamGone, Load, Unload,
                          Launch, Copy, Set, Record, Wait, EventGone, Marker, Done, Move, Advise, Object,
                          Graph, Start, Query, Synchronise, Elapsed, Limit, Bye>;

struct Command {
  std::uint64_t sequence = 0;
  std::uint64_t spent = 0;  ///< by the host on its modelled clock since the command before [ns]
  Body body = {};
  friend bool operator==(const Command&, const Command&) = default;
};

inline std::uint16_t code_of(const Body& body) noexcept {
  return static_cast<std::uint16_t>(body.index() + 1);
}
/// "launch". @return "?" for a code that there is not.
const char* name_of_code(std::uint16_t code) noexcept;

/// "cudaMemcpyAsync". @return "?" for a number that is not in calls.def.
const char* name_of_call(Call call) noexcept;
/// @return 0 for a name that is not in calls.def.
Call call_named(const char* name) noexcept;

}  // namespace simgpu::queue
