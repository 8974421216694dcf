/// @file
/// One description of each body serves both directions.
#include "simgpu/queue/codec.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

namespace simgpu::queue {
namespace {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

/// Texts and lists of a record end here, so that no number in it makes anybody take much memory.
constexpr std::uint32_t kMostNodes = 65536;

// ------------------------------------------------------------------------------------------------------ what bodies hold

/// @p in_stream: false for the work of a graph's nodes, which is in no stream.
template <typename V, typename C>
void fields(V& v, C& c, bool in_stream = true) {
  using T = std::remove_const_t<C>;
  if constexpr (requires { c.stream; }) {
    if (in_stream) v.id(c.stream, "stream");
  }
  if constexpr (std::is_same_v<T, Hello>) {
    v.number(c.version);
    v.number(c.devices);
    v.number(c.slice);
    v.zero();
  } else if constexpr (std::is_same_v<T, Allocate>) {
    v.number(c.device);
    v.choice(c.kind, 4, "kind");
    v.number(c.bytes);
    v.number(c.align);
    v.rule(c.bytes > 0, "it asks for no bytes");
    v.rule(std::has_single_bit(c.align), "its alignment is no power of two");
  } else if constexpr (std::is_same_v<T, Free> || std::is_same_v<T, Unmap>) {
    v.number(c.address);
  } else if constexpr (std::is_same_v<T, Map>) {
    v.number(c.address);
    v.number(c.bytes);
    v.number(c.flags);
    v.zero();
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
    v.bytes(c.code);
  } else if constexpr (std::is_same_v<T, Launch>) {
    v.id(c.module, "module");
    v.number(c.kernel);
    for (auto* dim : {&c.grid, &c.block, &c.cluster})
      for (auto& size : *dim) v.number(size);
    v.number(c.shared);
    v.flag(c.cooperative, "cooperative");
    v.window(c.window);
    v.bytes(c.parameters);
  } else if constexpr (std::is_same_v<T, Copy>) {
    v.number(c.call);
    v.place(c.to);
    v.place(c.from);
    v.shape(c.shape);
    v.block(c.shape, c.to.address, c.shape.to_pitch, c.shape.to_slice);
    v.block(c.shape, c.from.address, c.shape.from_pitch, c.shape.from_slice);
  } else if constexpr (std::is_same_v<T, Set>) {
    v.number(c.unit);
    v.number(c.value);
    v.number(c.call);
    v.number(c.address);
    v.shape(c.shape);
    v.rule(c.unit == 1 || c.unit == 2 || c.unit == 4, "its unit is neither 1, 2 nor 4 bytes");
    v.rule(c.unit == 4 || c.unit == 0 || c.value >> (8 * (c.unit % 4)) == 0,
           "its value is larger than its unit");
    v.rule(c.unit == 0 || c.shape.width % c.unit == 0, "its rows are no whole number of units");
    v.block(c.shape, c.address, c.shape.to_pitch, c.shape.to_slice);
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
    v.number(c.what);
    v.number(c.place);
    v.number(c.address);
    v.number(c.bytes);
    v.range(c.address, c.bytes);
  } else if constexpr (std::is_same_v<T, Object>) {
    v.choice(c.what, 3, "what");
    v.raw(c.descriptor.data(), c.descriptor.size());
  } else if constexpr (std::is_same_v<T, Graph>) {
    v.id(c.id, "graph");
    v.nodes(c.nodes);
  } else if constexpr (std::is_same_v<T, Start>) {
    v.id(c.graph, "graph");
  } else if constexpr (std::is_same_v<T, Query>) {
    v.choice(c.what, 2, "what");
    v.id(c.id, "stream or event");
  } else if constexpr (std::is_same_v<T, Synchronise>) {
    v.choice(c.what, 3, "what");
    v.number(c.id);
    v.rule(c.what == Synchronise::What::device || c.id != 0, "the id of its stream or event is zero");
  } else if constexpr (std::is_same_v<T, Elapsed>) {
    v.id(c.begin, "event");
    v.id(c.end, "event");
  } else if constexpr (std::is_same_v<T, Limit>) {
    v.number(c.device);
    v.choice(c.which, 4, "limit");
    v.number(c.value);
  } else {
    static_assert(std::is_same_v<T, Bye>);
  }
}

/// The flags that a body's record has, or may have.
template <typename T>
constexpr std::uint16_t flags_allowed() {
  if constexpr (std::is_same_v<T, Launch>) return kStaged | kWindow;
  if constexpr (std::is_same_v<T, Load>) return kStaged;
  if constexpr (std::is_same_v<T, Copy>) return kWaits;
  return 0;
}

std::uint16_t flags_of(const Launch& c) {
  return static_cast<std::uint16_t>((c.parameters.staged ? kStaged : 0) | (c.window ? kWindow : 0));
}
std::uint16_t flags_of(const Load& c) {
  return c.code.staged ? kStaged : 0;
}
std::uint16_t flags_of(const Copy& c) {
  return c.waits ? kWaits : 0;
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

class Writer {
 public:
  explicit Writer(std::vector<std::byte>& out) : out_(out) {}

  void raw(const std::byte* from, std::size_t bytes) { out_.insert(out_.end(), from, from + bytes); }
  template <typename T>
  requires std::is_unsigned_v<T>
  void number(T value) {
    std::byte bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    raw(bytes, sizeof value);
  }
  void zero() { number(std::uint32_t{0}); }
  void id(Id value, const char*) { number(value); }
  void flag(bool value, const char*) { number(std::uint32_t{value}); }
  template <typename E>
  void choice(E value, std::uint32_t, const char*) {
    number(static_cast<std::uint32_t>(value));
  }
  void place(const Place& place) {
    choice(place.kind, 3, "kind");
    zero();
    number(place.address);
  }
  void shape(const Shape& s) {
    for (const std::uint64_t n :
         {s.width, s.height, s.depth, s.to_pitch, s.to_slice, s.from_pitch, s.from_slice})
      number(n);
  }
  void bytes(const Bytes& b) {
    number(b.size());
    if (b.staged)
      number(b.offset);
    else
      raw(b.inside.data(), b.inside.size());
  }
  void window(const std::optional<Window>& w) {
    if (!w) return;
    number(w->address);
    number(w->bytes);
    number(std::bit_cast<std::uint32_t>(w->hit_ratio));
    choice(w->hit, 3, "hit");
    choice(w->miss, 3, "miss");
    choice(w->set_by, 2, "origin");
  }
  void nodes(const std::vector<Graph::Node>& nodes) {
    number(static_cast<std::uint32_t>(nodes.size()));
    for (const Graph::Node& node : nodes) {
      std::visit([&](const auto& work) { record(work, 0, 0, false); }, node.work);
      number(static_cast<std::uint32_t>(node.after.size()));
      for (const std::uint32_t before : node.after) number(before);
      pad();
    }
  }
  // What a reader has to judge.
  void rule(bool, const char*) {}
  void range(std::uint64_t, std::uint64_t) {}
  void block(const Shape&, std::uint64_t, std::uint64_t, std::uint64_t) {}

  template <typename T>
  void record(const T& body, std::uint64_t sequence, std::uint64_t spent, bool in_stream) {
    const std::size_t begin = out_.size();
    number(std::uint32_t{0});
    number(kCode<T>);
    number(flags_of(body));
    number(sequence);
    number(spent);
    fields(*this, body, in_stream);
    pad();
    const auto size = static_cast<std::uint32_t>(out_.size() - begin);
    std::memcpy(out_.data() + begin, &size, sizeof size);
  }

 private:
  void pad() { out_.resize((out_.size() + 7) / 8 * 8); }
  std::vector<std::byte>& out_;  ///< a record begins on 8 bytes of it
};

// -------------------------------------------------------------------------------------------------------------- from bytes

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  const std::string& problem() const noexcept { return problem_; }
  bool ok() const noexcept { return problem_.empty(); }
  /// The first problem is the one that is told.
  void refuse(std::string why) {
    if (ok()) problem_ = std::move(why);
  }
  void rule(bool holds, const char* why) {
    if (!holds) refuse(why);
  }

  void raw(std::byte* to, std::size_t bytes) {
    if (!ok()) return;
    if (bytes > left_.size()) return refuse("it ends before its body does");
    std::memcpy(to, left_.data(), bytes);
    left_ = left_.subspan(bytes);
  }
  template <typename T>
  requires std::is_unsigned_v<T>
  void number(T& value) {
    std::byte bytes[sizeof value]{};
    raw(bytes, sizeof value);
    std::memcpy(&value, bytes, sizeof value);
  }
  void zero() {
    std::uint32_t value = 0;
    number(value);
    rule(value == 0, "a field that must be zero is not");
  }
  void id(Id& value, const char* of) {
    number(value);
    if (value == 0) refuse(fmt::format("the id of its {} is zero", of));
  }
  void flag(bool& value, const char* what) {
    std::uint32_t read = 0;
    number(read);
    if (read > 1) refuse(fmt::format("its field \"{}\" is {}, neither 0 nor 1", what, read));
    value = read != 0;
  }
  template <typename E>
  void choice(E& value, std::uint32_t count, const char* what) {
    std::uint32_t read = 0;
    number(read);
    if (read >= count)
      return refuse(fmt::format("its field \"{}\" is {}, and {} is the most", what, read, count - 1));
    value = static_cast<E>(read);
  }
  void place(Place& place) {
    choice(place.kind, 3, "kind");
    zero();
    number(place.address);
  }
  void shape(Shape& s) {
    for (std::uint64_t* n :
         {&s.width, &s.height, &s.depth, &s.to_pitch, &s.to_slice, &s.from_pitch, &s.from_slice})
      number(*n);
  }
  void bytes(Bytes& b) {
    std::uint64_t length = 0;
    number(length);
    if ((flags_ & kStaged) != 0) {
      b.staged = true;
      b.length = length;
      number(b.offset);
      range(b.offset, length);
      return;
    }
    if (!ok()) return;
    if (length > left_.size()) return refuse("it ends before its body does");
    b.inside.assign(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(length));
    left_ = left_.subspan(length);
  }
  void window(std::optional<Window>& window) {
    if ((flags_ & kWindow) == 0) return;
    Window w;
    number(w.address);
    number(w.bytes);
    std::uint32_t ratio = 0;
    number(ratio);
    w.hit_ratio = std::bit_cast<float>(ratio);
    choice(w.hit, 3, "hit");
    choice(w.miss, 3, "miss");
    choice(w.set_by, 2, "origin");
    rule(w.bytes > 0, "its window holds no bytes");
    rule(w.hit_ratio >= 0 && w.hit_ratio <= 1, "the share of its window is not from 0 to 1");
    range(w.address, w.bytes);
    window = w;
  }
  void range(std::uint64_t address, std::uint64_t bytes) {
    rule(address + bytes >= address, "its range goes beyond the last address");
  }
  void block(const Shape& shape, std::uint64_t address, std::uint64_t pitch, std::uint64_t slice) {
    const auto bytes = extent(shape, pitch, slice);
    if (!bytes) return refuse("its shape holds no bytes, or more than 64 bits count");
    range(address, *bytes);
  }

  void nodes(std::vector<Graph::Node>& nodes) {
    std::uint32_t count = 0;
    number(count);
    if (count > kMostNodes) return refuse(fmt::format("a graph has {} nodes at most", kMostNodes));
    for (std::uint32_t i = 0; i < count && ok(); ++i) {
      Graph::Node node;
      const Decoded inner = record(left_, false);
      if (!inner.problem.empty()) return refuse(fmt::format("of node {}, {}", i, inner.problem));
      if (!take_work(inner.command.body, node.work))
        return refuse(fmt::format("node {} is no work for a stream", i));
      if (inner.command.sequence != 0 || inner.command.spent != 0)
        return refuse(fmt::format("node {} has a sequence or a time of its own", i));
      left_ = left_.subspan(inner.size);
      std::uint32_t before = 0;
      number(before);
      if (before > i)
        return refuse(fmt::format("node {} comes after {} nodes, and there are {} before it", i, before, i));
      node.after.resize(ok() ? before : 0);
      for (std::size_t k = 0; k < node.after.size(); ++k) {
        number(node.after[k]);
        if (ok() && node.after[k] >= i)
          return refuse(fmt::format("node {} comes after node {}", i, node.after[k]));
        if (k > 0 && node.after[k] <= node.after[k - 1])
          return refuse(fmt::format("the nodes before node {} are not in order", i));
      }
      if ((before + 1) % 2 != 0) zero();  // to a multiple of 8
      if (ok()) nodes.push_back(std::move(node));
    }
  }

  /// Reads one record; its problem is a part of a sentence, without a subject.
  static Decoded record(std::span<const std::byte> bytes, bool in_stream);

 private:
  static bool take_work(const Body& body, Work& out) {
    return std::visit(
        [&](const auto& each) {
          using T = std::decay_t<decltype(each)>;
          if constexpr (std::is_constructible_v<Work, T>) {
            out = each;
            return true;
          } else {
            return false;
          }
        },
        body);
  }
  template <std::size_t I = 0>
  void body(std::uint16_t code, Body& out, bool in_stream) {
    if constexpr (I < std::variant_size_v<Body>) {
      if (code != I + 1) return body<I + 1>(code, out, in_stream);
      using T = std::variant_alternative_t<I, Body>;
      if ((flags_ & ~flags_allowed<T>()) != 0)
        return refuse(fmt::format("it has flags {} that it cannot have", flags_));
      T& made = out.emplace<I>();
      if constexpr (std::is_same_v<T, Copy>) made.waits = (flags_ & kWaits) != 0;
      fields(*this, made, in_stream);
    } else {
      refuse(fmt::format("there is no command {}", code));
    }
  }

  std::span<const std::byte> left_;
  std::uint16_t flags_ = 0;
  std::string problem_;
};

Decoded Reader::record(std::span<const std::byte> bytes, bool in_stream) {
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
  Reader reader(bytes.subspan(kHeadBytes, size - kHeadBytes));
  reader.flags_ = flags;
  // Graphs do not nest: their nodes are work, and a graph is none. So no depth of recursion is the client's choice.
  if (!in_stream && code == kCode<Graph>)
    reader.refuse("it is a graph");
  else
    reader.body(code, out.command.body, in_stream);
  if (reader.ok() && reader.left_.size() >= 8)
    reader.refuse(fmt::format("{} bytes follow its body", reader.left_.size()));
  for (const std::byte each : reader.left_)
    if (reader.ok() && each != std::byte{0}) reader.refuse("its padding is not zero");
  out.problem = reader.problem();
  return out;
}

}  // namespace

bool encode(const Command& command, std::vector<std::byte>& out) {
  const std::size_t begin = out.size();
  Writer writer(out);
  std::visit([&](const auto& body) { writer.record(body, command.sequence, command.spent, true); },
             command.body);
  if (out.size() - begin <= kMostBytes) return true;
  out.resize(begin);
  return false;
}

Decoded decode(std::span<const std::byte> bytes) {
  Decoded out = Reader::record(bytes, true);
  if (out.problem.empty()) return out;
  std::uint16_t code = 0;
  if (bytes.size() >= kHeadBytes) std::memcpy(&code, bytes.data() + 4, sizeof code);
  out.problem = fmt::format("Record {} ({}) breaks the grammar: {}.", out.command.sequence,
                            name_of_code(code), out.problem);
  return out;
}

}  // namespace simgpu::queue
