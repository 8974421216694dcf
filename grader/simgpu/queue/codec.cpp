/// @file
/// One description of each body serves both directions.
#include "simgpu/queue/codec.hpp"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>
#include <utility>

#include "simgpu/queue/fields.hpp"

namespace simgpu::queue {
namespace {

constexpr std::uint32_t kMostLevels = 32;

// ------------------------------------------------------------------------------------------------------ what bodies hold

/// What the flags of a record's head say of its body; a writer finds it in the body itself.
class BodyWriter : public Writer {
 public:
  using Writer::Writer;
  void bytes(const Bytes& b) {
    number(b.size());
    if (b.staged)
      number(b.offset);
    else
      raw(b.inside.data(), b.inside.size());
  }
  template <typename One>
  void flagged(const std::optional<Window>& w, Flag, One one) {
    if (w) one(*this, *w);
  }
};

class BodyReader : public Reader {
 public:
  BodyReader(std::span<const std::byte> bytes, std::uint16_t flags) : Reader(bytes), flags_(flags) {}
  std::uint16_t flags() const noexcept { return flags_; }
  void bytes(Bytes& b) {
    std::uint64_t length = 0;
    number(length);
    if ((flags_ & kStaged) != 0) {
      b.staged = true;
      b.length = length;
      number(b.offset);
      if (b.offset != Bytes::kPassed) range(b.offset, length);
      return;
    }
    const auto inside = take(length);
    b.inside.assign(inside.begin(), inside.end());
  }
  template <typename One>
  void flagged(std::optional<Window>& w, Flag flag, One one) {
    if ((flags_ & flag) != 0) one(*this, w.emplace());
  }

 private:
  std::uint16_t flags_;
};

template <typename V, typename T>
void fields_of_place(V& v, T& place) {
  v.choice(place.kind, 4, "kind");
  v.zero();
  v.number(place.address);
}

template <typename V, typename T>
void fields_of_shape(V& v, T& s) {
  for (auto* n : {&s.width, &s.height, &s.depth, &s.to_pitch, &s.to_slice, &s.from_pitch, &s.from_slice})
    v.number(*n);
}

/// A block of this shape that begins at @p address.
template <typename V>
void block(V& v, const Shape& shape, std::uint64_t address, std::uint64_t pitch, std::uint64_t slice) {
  const auto bytes = extent(shape, pitch, slice);
  v.rule(bytes.has_value(), "its shape holds no bytes, or more than 64 bits count");
  v.range(address, bytes.value_or(0));
}

template <typename V, typename T>
void fields_of_window(V& v, T& w) {
  v.number(w.address);
  v.number(w.bytes);
  v.real(w.hit_ratio);
  v.choice(w.hit, 3, "hit");
  v.choice(w.miss, 3, "miss");
  v.choice(w.set_by, 2, "origin");
  v.range(w.address, w.bytes);
}

template <typename V, typename T>
void fields_of_texels(V& v, T& t) {
  v.number(t.address);
  v.number(t.channel_bytes);
  v.number(t.channels);
  v.choice(t.kind, 3, "kind of channels");
  v.number(t.dimensions);
  for (auto* flag : {&t.layered, &t.cube, &t.tiled, &t.linear}) v.flag(*flag, "property of texels");
  for (auto* size : {&t.width, &t.height, &t.depth, &t.layers}) v.number(*size);
  v.number(t.pitch);
  v.number(t.slice);
  v.rule(t.channel_bytes == 1 || t.channel_bytes == 2 || t.channel_bytes == 4,
         "a channel of its texels has neither 1, 2 nor 4 bytes");
  v.rule(t.channels == 1 || t.channels == 2 || t.channels == 4,
         "its texels have neither 1, 2 nor 4 channels");
  v.rule(t.dimensions >= 1 && t.dimensions <= 3, "its texels have neither 1, 2 nor 3 dimensions");
  v.rule(t.width > 0 && t.height > 0 && t.depth > 0 && t.layers > 0, "a level of it holds no texels");
}

template <typename V, typename T>
void fields_of_sampling(V& v, T& s) {
  for (auto& edge : s.edges) v.choice(edge, 4, "edge");
  for (auto* flag : {&s.linear, &s.normalized_coordinates, &s.normalized_values, &s.srgb, &s.seamless,
                     &s.linear_between_levels})
    v.flag(*flag, "property of sampling");
  for (auto& value : s.border) v.bits(value);
  for (auto* value : {&s.level_bias, &s.level_min, &s.level_max}) v.real(*value);
}

template <typename V, typename C>
void fields(V& v, C& c) {
  using T = std::remove_const_t<C>;
  constexpr bool is_memory = std::is_same_v<T, Allocate> || std::is_same_v<T, Free>;
  if constexpr (requires { c.stream; } && !is_memory) v.id(c.stream, "stream");
  if constexpr (std::is_same_v<T, Hello>) {
    v.number(c.version);
    v.number(c.devices);
    v.number(c.slice);
    v.zero();
  } else if constexpr (std::is_same_v<T, Allocate>) {
    v.number(c.device);
    v.choice(c.kind, 3, "kind");
    v.choice(c.use, 4, "use");
    v.number(c.stream);
    v.number(c.call);
    v.zero();
    v.number(c.bytes);
    v.number(c.align);
    v.rule(c.bytes > 0, "it asks for no bytes");
    v.rule(std::has_single_bit(c.align), "its alignment is no power of two");
  } else if constexpr (std::is_same_v<T, Free>) {
    v.number(c.address);
    v.number(c.stream);
    v.number(c.call);
  } else if constexpr (std::is_same_v<T, Unmap>) {
    v.number(c.address);
  } else if constexpr (std::is_same_v<T, Map>) {
    v.number(c.device);
    v.zero();
    v.number(c.address);
    v.number(c.bytes);
    v.range(c.address, c.bytes);
  } else if constexpr (std::is_same_v<T, Peer>) {
    v.number(c.device);
    v.number(c.other);
    v.flag(c.on, "on");
    v.zero();
  } else if constexpr (std::is_same_v<T, MakeStream>) {
    v.id(c.id, "stream");
    v.number(c.device);
    v.choice(c.kind, 4, "kind");
    v.number(c.priority);
  } else if constexpr (std::is_same_v<T, StreamGone> || std::is_same_v<T, Unload>) {
    v.id(c.id, std::is_same_v<T, Unload> ? "module" : "stream");
    v.zero();
  } else if constexpr (std::is_same_v<T, Load>) {
    v.id(c.id, "module");
    v.number(c.device);
    v.text(c.program);
    v.bytes(c.code);
  } else if constexpr (std::is_same_v<T, Launch>) {
    v.id(c.module, "module");
    v.number(c.kernel);
    for (auto* dim : {&c.grid, &c.block, &c.cluster})
      for (auto& size : *dim) v.number(size);
    v.number(c.shared);
    v.flag(c.cooperative, "cooperative");
    v.flagged(c.window, kWindow, [](auto& to, auto& w) { fields_of_window(to, w); });
    v.bytes(c.parameters);
  } else if constexpr (std::is_same_v<T, Copy>) {
    v.number(c.call);
    fields_of_place(v, c.to);
    fields_of_place(v, c.from);
    fields_of_shape(v, c.shape);
    block(v, c.shape, c.to.address, c.shape.to_pitch, c.shape.to_slice);
    block(v, c.shape, c.from.address, c.shape.from_pitch, c.shape.from_slice);
  } else if constexpr (std::is_same_v<T, Set>) {
    v.number(c.unit);
    v.number(c.value);
    v.number(c.call);
    v.number(c.address);
    fields_of_shape(v, c.shape);
    v.rule(c.unit == 1 || c.unit == 2 || c.unit == 4, "its unit is neither 1, 2 nor 4 bytes");
    v.rule(c.unit == 4 || c.unit == 0 || c.value >> (8 * (c.unit % 4)) == 0,
           "its value is larger than its unit");
    v.rule(c.unit == 0 || c.shape.width % c.unit == 0, "its rows are no whole number of units");
    if (!c.shape.empty()) block(v, c.shape, c.address, c.shape.to_pitch, c.shape.to_slice);
  } else if constexpr (std::is_same_v<T, Record> || std::is_same_v<T, Wait>) {
    v.id(c.event, "event");
  } else if constexpr (std::is_same_v<T, EventGone>) {
    v.id(c.event, "event");
    v.zero();
  } else if constexpr (std::is_same_v<T, Marker>) {
    v.zero();
    v.number(c.token);
  } else if constexpr (std::is_same_v<T, Done>) {
    v.number(c.token);
  } else if constexpr (std::is_same_v<T, Move>) {
    v.number(c.place);
    v.number(c.address);
    v.number(c.bytes);
    v.range(c.address, c.bytes);
  } else if constexpr (std::is_same_v<T, Advise>) {
    v.choice(c.what, 6, "what");
    v.number(c.place);
    v.number(c.address);
    v.number(c.bytes);
    v.range(c.address, c.bytes);
  } else if constexpr (std::is_same_v<T, Object>) {
    v.choice(c.what, 2, "what");
    fields_of_sampling(v, c.sampling);
    v.list(c.levels, kMostLevels, [](auto& to, auto& level) { fields_of_texels(to, level); });
    v.rule(!c.levels.empty(), "it has no texels");
  } else if constexpr (std::is_same_v<T, ObjectGone>) {
    v.choice(c.what, 2, "what");
    v.zero();
    v.number(c.handle);
  } else if constexpr (std::is_same_v<T, Graph>) {
    v.choice(c.step, 5, "step");
    v.number(c.node);
    v.list(c.after, kMostMembers, [](auto& to, auto& before) { to.number(before); });
    v.rule(c.after.empty() || c.step == Graph::Step::place, "nodes come before what is no node's place");
  } else if constexpr (std::is_same_v<T, Condition>) {
    v.id(c.id, "condition");
    v.choice(c.what, 3, "what");
    v.number(c.value);
    v.zero();
    v.rule(c.value == 0 || c.what == Condition::What::assign, "only assign has a value");
  } else if constexpr (std::is_same_v<T, Needs>) {
    v.id(c.module, "module");
    v.number(c.kernel);
  } else if constexpr (std::is_same_v<T, Query>) {
    v.choice(c.what, 2, "what");
    v.id(c.id, "stream or event");
  } else if constexpr (std::is_same_v<T, Synchronise>) {
    v.choice(c.what, 3, "what");
    v.number(c.id);
    v.flag(c.asked, "asked");
    v.number(c.call);
    v.rule(c.what == Synchronise::What::device || c.id != 0, "the id of its stream or event is zero");
  } else if constexpr (std::is_same_v<T, Elapsed>) {
    v.id(c.begin, "event");
    v.id(c.end, "event");
  } else if constexpr (std::is_same_v<T, Limit>) {
    v.number(c.device);
    v.choice(c.which, 5, "limit");
    v.number(c.value);
  } else if constexpr (std::is_same_v<T, Hold>) {
    fields_of_window(v, c.window);
  } else if constexpr (std::is_same_v<T, Note>) {
    v.text(c.message);
    v.text(c.kernel);
  } else if constexpr (std::is_same_v<T, Reset>) {
    v.number(c.device);
    v.zero();
  } else if constexpr (std::is_same_v<T, Touched>) {
    v.number(c.id);
    v.number(c.address);
    v.flag(c.writes, "writes");
    v.zero();
  } else if constexpr (std::is_same_v<T, Visited>) {
    v.list(c.runs, Visited::kMostRuns, [](auto& w, auto& run) {
      w.number(run.address);
      w.number(run.bytes);
      w.range(run.address, run.bytes);
    });
  } else if constexpr (std::is_same_v<T, Lease>) {
    v.number(c.call);
    v.flag(c.ends, "ends");
    v.zero();
    v.number(c.address);
  } else if constexpr (std::is_same_v<T, Pass>) {
    v.number(c.offset);
    v.number(c.bytes);
    v.range(c.offset, c.bytes);
  } else if constexpr (std::is_same_v<T, Fetch>) {
    v.number(c.copy);
    v.number(c.offset);
    v.number(c.bytes);
    v.range(c.offset, c.bytes);
  } else {
    static_assert(std::is_same_v<T, Bye> || std::is_same_v<T, Settle>);
  }
}

/// The flags that a body's record has, or may have.
template <typename T>
constexpr std::uint16_t flags_allowed() {
  constexpr std::uint16_t kEach = kQuiet;
  if constexpr (std::is_same_v<T, Launch>) return kEach | kStaged | kWindow | kEarly;
  if constexpr (std::is_same_v<T, Load>) return kEach | kStaged;
  if constexpr (std::is_same_v<T, Copy>) return kEach | kWaits;
  if constexpr (std::is_same_v<T, Marker>) return kEach | kOwn;
  return kEach;
}

std::uint16_t flags_of(const Launch& c) {
  return static_cast<std::uint16_t>((c.parameters.staged ? kStaged : 0) | (c.window ? kWindow : 0) |
                                    (c.early ? kEarly : 0));
}
std::uint16_t flags_of(const Load& c) {
  return c.code.staged ? kStaged : 0;
}
std::uint16_t flags_of(const Copy& c) {
  return c.waits ? kWaits : 0;
}
std::uint16_t flags_of(const Marker& c) {
  return c.own ? kOwn : 0;
}
template <typename T>
std::uint16_t flags_of(const T&) {
  return 0;
}

template <typename T, typename Variant>
struct IndexOf;
template <typename T, typename... All>
struct IndexOf<T, std::variant<All...>> {
  static constexpr std::uint16_t value = [] {
    const bool same[] = {std::is_same_v<T, All>...};
    std::uint16_t i = 0;
    while (!same[i]) ++i;
    return i;
  }();
};
template <typename T>
constexpr std::uint16_t kCode = IndexOf<T, Body>::value + 1;

// ---------------------------------------------------------------------------------------------------------------- to bytes

template <typename T>
void write(std::vector<std::byte>& out, const T& body, const Command& command) {
  const std::size_t begin = out.size();
  BodyWriter writer(out);
  writer.number(std::uint32_t{0});
  writer.number(kCode<T>);
  writer.number(static_cast<std::uint16_t>(flags_of(body) | (command.quiet ? kQuiet : 0)));
  writer.number(command.sequence);
  writer.number(command.spent);
  fields(writer, body);
  writer.pad(8);
  const auto size = static_cast<std::uint32_t>(out.size() - begin);
  std::memcpy(out.data() + begin, &size, sizeof size);
}

// -------------------------------------------------------------------------------------------------------------- from bytes

template <std::size_t I = 0>
void read_body(BodyReader& from, std::uint16_t code, Body& out) {
  if constexpr (I < std::variant_size_v<Body>) {
    if (code != I + 1) return read_body<I + 1>(from, code, out);
    using T = std::variant_alternative_t<I, Body>;
    if ((from.flags() & ~flags_allowed<T>()) != 0)
      return from.refuse(fmt::format("it has flags {} that it cannot have", from.flags()));
    T& made = out.emplace<I>();
    if constexpr (std::is_same_v<T, Launch>) made.early = (from.flags() & kEarly) != 0;
    if constexpr (std::is_same_v<T, Copy>) made.waits = (from.flags() & kWaits) != 0;
    if constexpr (std::is_same_v<T, Marker>) made.own = (from.flags() & kOwn) != 0;
    fields(from, made);
  } else {
    from.refuse(fmt::format("there is no command {}", code));
  }
}

/// The problem is a part of a sentence, without a subject.
Decoded read(std::span<const std::byte> bytes) {
  Decoded out;
  Reader head(bytes);
  std::uint32_t size = 0;
  std::uint16_t code = 0, flags = 0;
  head.number(size);
  head.number(code);
  head.number(flags);
  head.number(out.command.sequence);
  head.number(out.command.spent);
  if (!head.ok()) {
    out.problem = fmt::format("it has {} bytes, and its head alone {}", bytes.size(), kHeadBytes);
  } else if (size < kHeadBytes || size > kMostBytes || size % 8 != 0) {
    out.problem =
        fmt::format("its size of {} bytes is no multiple of 8 from {} to {}", size, kHeadBytes, kMostBytes);
  } else if (size > bytes.size()) {
    out.problem = fmt::format("its size of {} bytes is more than the {} that are there", size, bytes.size());
  } else if (out.command.spent > kMostSpent) {
    out.problem = fmt::format("the time before it of {} ns is more than {}", out.command.spent, kMostSpent);
  }
  if (!out.problem.empty()) return out;
  out.size = size;
  out.command.quiet = (flags & kQuiet) != 0;
  BodyReader reader(bytes.subspan(kHeadBytes, size - kHeadBytes), flags);
  read_body(reader, code, out.command.body);
  reader.ends();
  out.problem = reader.problem();
  return out;
}

}  // namespace

bool encode(const Command& command, std::vector<std::byte>& out) {
  const std::size_t begin = out.size();
  std::visit([&](const auto& body) { write(out, body, command); }, command.body);
  if (out.size() - begin <= kMostBytes) return true;
  out.resize(begin);
  return false;
}

Decoded decode(std::span<const std::byte> bytes) {
  Decoded out = read(bytes);
  if (out.problem.empty()) return out;
  std::uint16_t code = 0;
  if (bytes.size() >= kHeadBytes) std::memcpy(&code, bytes.data() + 4, sizeof code);
  out.problem = fmt::format("Record {} ({}) breaks the grammar: {}.", out.command.sequence,
                            name_of_code(code), out.problem);
  return out;
}

}  // namespace simgpu::queue
