/// @file
/// What the client asks of the device, as plain data: the commands of runtime/queue.md. No CUDA header, no pointer that means
/// something on one side only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace simgpu::queue {

/// Names a stream, an event, a module or a graph: chosen by the client, never zero.
using Id = std::uint32_t;
/// The legacy default stream of device d is kLegacyStreams + d, from the start.
inline constexpr Id kLegacyStreams = 0x8000'0000;
/// Events from here on are the client's own, none of the program's: they order work as all do, take no time, and no report has them.
inline constexpr Id kOwnEvents = 0x8000'0000;

/// Where a side of a copy lies.
struct Place {
  enum class Kind : std::uint32_t {
    device,  ///< an allocation of device memory
    pages,  ///< host memory that both sides map: pinned, managed, or the program's own that it has registered
    staging,  ///< ordinary host memory, on its way through pages of the driver's
    passed,  ///< ordinary host memory that is longer than those pages: it goes through them in pieces (Pass, Fetch)
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
  /// Not by bytes(): of a shape that nobody has checked yet their number may be one of 65 bits, whose last 64 are zero.
  bool empty() const noexcept { return width == 0 || height == 0 || depth == 0; }
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
  /// The offset of bytes that were passed before, in pieces.
  static constexpr std::uint64_t kPassed = ~std::uint64_t{0};
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
/// Answered with Allocated.
struct Allocate {
  enum class Kind : std::uint32_t { device, pinned, managed };
  /// What the program wants it for: the report tells these apart.
  enum class Use : std::uint32_t { plain, array, graph, pool };
  std::uint32_t device = 0;
  Kind kind = Kind::device;
  Use use = Use::plain;
  Id stream = 0;  ///< in whose order the memory begins to be there; 0: at once
  Call call = 0;  ///< with a stream
  std::uint64_t bytes = 0, align = 1;
  friend bool operator==(const Allocate&, const Allocate&) = default;
};
struct Free {
  std::uint64_t address = 0;
  Id stream = 0;  ///< in whose order it ends to be there; 0: at once
  Call call = 0;  ///< with a stream
  friend bool operator==(const Free&, const Free&) = default;
};
/// The program's own pages. Answered with Allocated.
struct Map {
  std::uint32_t device = 0;
  std::uint64_t address = 0, bytes = 0;
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
/// Answered with Loaded.
struct Load {
  Id id = 0;
  std::uint32_t device = 0;
  Bytes code = {};  ///< PTX
  std::string program =
      {};  ///< the file that it came from, beside which a builder may have kept what ptxas said; may be empty
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
  bool early = false;  ///< it may begin before the kernel ahead of it has ended, once that allows it
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
  bool own =
      false;  ///< the client's own, no host function: it costs no time, and nobody is told that a stream stood still
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
  enum class What : std::uint32_t {
    read_mostly,  ///< the place does not matter
    prefer,       ///< the pages are best kept at the place
    prefer_none,  ///< the place does not matter
    map,          ///< the place reaches them without a fault
    unmap,
    read_mostly_no_more,  ///< the place does not matter
  };
  What what = What::read_mostly;
  std::uint32_t place = 0;  ///< a device, or Move::kHost
  std::uint64_t address = 0, bytes = 0;
  friend bool operator==(const Advise&, const Advise&) = default;
};

/// Texels of one level, as a texture or surface object sees them.
struct Texels {
  enum class Kind : std::uint32_t { unsigned_, signed_, floating };
  std::uint64_t address = 0;  ///< of the first
  std::uint32_t channel_bytes = 4, channels = 1;
  Kind kind = Kind::floating;
  std::uint32_t dimensions = 1;  ///< layers not counted
  bool layered = false, cube = false, tiled = false, linear = false;
  std::uint32_t width = 1, height = 1, depth = 1, layers = 1;
  std::uint64_t pitch = 0, slice = 0;  ///< bytes between rows; between slices or layers
  friend bool operator==(const Texels&, const Texels&) = default;
};
/// How a texture object reads its texels.
struct Sampling {
  enum class Edge : std::uint32_t { wrap, clamp, mirror, border };
  std::array<Edge, 3> edges{Edge::wrap, Edge::wrap, Edge::wrap};
  bool linear = false, normalized_coordinates = false, normalized_values = false, srgb = false,
       seamless = false, linear_between_levels = false;
  std::array<float, 4> border{};
  float level_bias = 0, level_min = 0, level_max = 0;
  friend bool operator==(const Sampling&, const Sampling&) = default;
};
/// A texture or surface object. Answered with Handle.
struct Object {
  enum class What : std::uint32_t { texture, surface };
  What what = What::texture;
  Sampling sampling = {};           ///< of a texture
  std::vector<Texels> levels = {};  ///< one, or those of a mipmapped array
  friend bool operator==(const Object&, const Object&) = default;
};
struct ObjectGone {
  Object::What what = Object::What::texture;
  std::uint64_t handle = 0;
  friend bool operator==(const ObjectGone&, const ObjectGone&) = default;
};

/// Work for a stream that a graph can hold.
using Work = std::variant<Launch, Copy, Set, Record, Wait, Marker, Move>;

/// A graph runs in a stream: the client sends its nodes one after the other, and says between which of them there is an order. What
/// the nodes do are commands of their own between *enter* and *leave*. Graphs nest.
struct Graph {
  enum class Step : std::uint32_t {
    begin,  ///< of a graph of `node` nodes
    place,  ///< `node` comes after those in `after`
    enter,
    leave,
    end,
  };
  Id stream = 0;
  Step step = Step::begin;
  std::uint32_t node = 0;
  std::vector<std::uint32_t> after = {};  ///< with *place*; of nodes whose place was said before
  friend bool operator==(const Graph&, const Graph&) = default;
};
/// A variable that says which bodies of a graph run; kernels set it by its id. What the bodies do the client sends when it knows the
/// value: a body is a graph of its own inside the node. Asking is answered with Value.
struct Condition {
  enum class What : std::uint32_t { assign, ask, gone };
  Id id = 0;
  What what = What::assign;  ///< the first makes it
  std::uint32_t value = 0;   ///< to assign
  friend bool operator==(const Condition&, const Condition&) = default;
};
/// What a kernel takes of an SM. Answered with Footprint.
struct Needs {
  Id module = 0;
  std::uint32_t kernel = 0;  ///< its number in the module
  friend bool operator==(const Needs&, const Needs&) = default;
};
/// Answered with Ready.
struct Query {
  enum class What : std::uint32_t { stream, event };
  What what = What::stream;
  Id id = 0;
  friend bool operator==(const Query&, const Query&) = default;
};
/// Answered when it is done.
struct Synchronise {
  enum class What : std::uint32_t { stream, event, device };
  What what = What::stream;
  std::uint32_t id = 0;  ///< a device's is its number
  bool asked = true;     ///< by the program; false: by a call that waits besides what it is for
  Call call = 0;         ///< that waits, for the sentence about a deadlock
  friend bool operator==(const Synchronise&, const Synchronise&) = default;
};
/// Answered with Seconds, or the status not_ready.
struct Elapsed {
  Id begin = 0, end = 0;
  friend bool operator==(const Elapsed&, const Elapsed&) = default;
};
struct Limit {
  enum class Which : std::uint32_t {
    stack,
    heap,
    printf,
    persisting_l2,
    pool,  ///< what pools keep while the host waits [bytes]
  };
  std::uint32_t device = 0;
  Which which = Which::stack;
  std::uint64_t value = 0;
  friend bool operator==(const Limit&, const Limit&) = default;
};
/// A stream's launches have this window from here on. What the report tells of it; the launches carry it themselves.
struct Hold {
  Window window = {};
  friend bool operator==(const Hold&, const Hold&) = default;
};
/// A sentence for the report, about a call that the program got wrong.
struct Note {
  std::string message = {};
  std::string kernel = {};  ///< mangled; may be empty
  friend bool operator==(const Note&, const Note&) = default;
};
/// The device forgets faults, limits and caches. Streams, events, modules and memory that the client made go by commands of their own,
/// before it.
struct Reset {
  std::uint32_t device = 0;
  friend bool operator==(const Reset&, const Reset&) = default;
};
struct Bye {
  friend bool operator==(const Bye&, const Bye&) = default;
};
/// The host has touched what a *closed* named. Said before the next command.
struct Touched {
  std::uint64_t id = 0;  ///< as *closed* said
  std::uint64_t address = 0;
  bool writes = false;
  friend bool operator==(const Touched&, const Touched&) = default;
};
/// The device takes a piece of the staging pages to itself, behind those before it. The next copy or load whose bytes were *passed*
/// takes all of them.
struct Pass {
  std::uint64_t offset = 0, bytes = 0;
  friend bool operator==(const Pass&, const Pass&) = default;
};
/// Answered when all that was said before it is carried out, or stands and waits.
struct Settle {
  friend bool operator==(const Settle&, const Settle&) = default;
};
/// The device puts the next bytes of what a copy has brought into the staging pages.
struct Fetch {
  std::uint64_t copy = 0;  ///< its sequence
  std::uint64_t offset = 0, bytes = 0;
  friend bool operator==(const Fetch&, const Fetch&) = default;
};

/// The host has touched managed memory: something in each 64 kB of these runs, since it last said so. Said before work whose time may
/// depend on it: a page that the host has touched is the host's.
struct Visited {
  static constexpr std::size_t kMostRuns = 32768;  ///< that one record says
  struct Run {
    std::uint64_t address = 0, bytes = 0;
    friend bool operator==(const Run&, const Run&) = default;
  };
  std::vector<Run> runs = {};
  friend bool operator==(const Visited&, const Visited&) = default;
};

/// Memory of a graph begins, or ends, to be in use in order of a stream, of the branch of a graph if one runs there. It stays where it
/// is: one address for all launches.
struct Lease {
  Id stream = 0;
  Call call = 0;
  bool ends = false;
  std::uint64_t address = 0;
  friend bool operator==(const Lease&, const Lease&) = default;
};

/// What a record says. A code is one more than the place in this list.
using Body = std::variant<Hello, Allocate, Free, Map, Unmap, Peer, MakeStream, StreamGone, Load, Unload,
                          Launch, Copy, Set, Record, Wait, EventGone, Marker, Done, Move, Advise, Object,
                          ObjectGone, Graph, Needs, Query, Synchronise, Elapsed, Limit, Hold, Note, Reset,
                          Bye, Touched, Pass, Fetch, Settle, Condition, Visited, Lease>;

struct Command {
  std::uint64_t sequence = 0;
  std::uint64_t spent = 0;  ///< by the host on its modelled clock since the command before [ns]
  Body body = {};
  bool quiet = false;  ///< no answer is wanted, and none is sent
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
