/// @file
/// The rules, one function for each command.
#include "simgpu/queue/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace simgpu::queue {

/// Judges one command. A rule that does not hold keeps the first sentence and changes nothing.
class Session::Judge {
 public:
  Judge(Session& s, std::uint64_t sequence) : s_(s), sequence_(sequence) {}
  std::string problem;

  void operator()(const Hello& c) {
    rule(c.version == kVersion, "version {} is not spoken here, but {}", c.version, kVersion);
    rule(c.devices <= kMostDevices, "there are {} devices at most, not {}", kMostDevices, c.devices);
    rule(c.slice >= 1, "a slice is one part in at least 1");
    if (ok()) s_.set_devices(c.devices);
  }
  void operator()(const Allocate& c) {
    device(c.device);
    if (c.stream != 0) stream(c.stream);
    if (ok()) s_.allocates_on_ = c.device;
  }
  void operator()(const Free& c) {
    if (c.stream != 0) stream(c.stream);
    end_of(c.address, false);
  }
  void operator()(const Map& c) {
    device(c.device);
    rule(c.bytes > 0, "it maps no bytes");
    const auto next = s_.ranges_.lower_bound(c.address);
    const bool meets = (next != s_.ranges_.end() && next->first < c.address + c.bytes) ||
                       (next != s_.ranges_.begin() && std::prev(next)->second.end > c.address);
    rule(!meets, "what it maps is mapped or allocated already");
    if (ok()) s_.ranges_[c.address] = {c.address + c.bytes, false, true, c.device};
  }
  void operator()(const Unmap& c) { end_of(c.address, true); }
  void operator()(const Peer& c) {
    device(c.device);
    device(c.other);
    rule(c.device != c.other, "a device is no peer of itself");
  }
  void operator()(const MakeStream& c) {
    device(c.device);
    rule(!s_.streams_.contains(c.id), "stream {} is in use", c.id);
    rule(c.id < kLegacyStreams, "stream {} has the id of a legacy one", c.id);
    rule(c.kind != MakeStream::Kind::legacy, "device {} has a legacy stream already", c.device);
    if (ok()) s_.streams_[c.id] = c.device;
  }
  void operator()(const StreamGone& c) {
    stream(c.id);
    rule(c.id < kLegacyStreams, "a legacy stream stays");
    if (ok()) s_.streams_.erase(c.id);
  }
  void operator()(const Load& c) {
    device(c.device);
    rule(!s_.modules_.contains(c.id), "module {} is in use", c.id);
    staged(c.code);
    if (ok()) s_.modules_[c.id];
  }
  void operator()(const Unload& c) {
    rule(s_.modules_.contains(c.id), "there is no module {}", c.id);
    if (!ok()) return;
    s_.modules_.erase(c.id);
    std::erase_if(s_.ranges_, [&](const auto& each) { return each.second.module == c.id; });
  }
  void operator()(const Launch& c) {
    stream(c.stream);
    const auto module = s_.modules_.find(c.module);
    if (module == s_.modules_.end()) return refuse(fmt::format("there is no module {}", c.module));
    if (c.kernel >= module->second.size())
      return refuse(fmt::format("module {} has {} kernels, and none with number {}", c.module,
                                module->second.size(), c.kernel));
    const std::uint64_t wanted = module->second[c.kernel];
    rule(c.parameters.size() == wanted, "the kernel takes {} bytes of parameters, not {}", wanted,
         c.parameters.size());
    staged(c.parameters);
  }
  void operator()(const Copy& c) {
    stream(c.stream);
    place(c.to, c.shape, c.shape.to_pitch, c.shape.to_slice, "it writes");
    place(c.from, c.shape, c.shape.from_pitch, c.shape.from_slice, "it reads");
    if (!ok()) return;
    if (c.from.kind == Place::Kind::passed) takes(c.shape.from_extent());
    if (c.to.kind != Place::Kind::passed) return;
    // The device takes memory for it: no more than there is on the other side.
    const Shape& s = c.shape;
    rule(c.to.address == 0 && s.to_extent() == s.bytes(), "what it brings in pieces has gaps");
    rule((s.height == 1 || s.from_pitch >= s.width) &&
             (s.depth == 1 || s.from_slice / s.height >= (s.height == 1 ? s.width : s.from_pitch)),
         "its rows overlap");
    if (ok()) s_.brought_[sequence_] = s.bytes();
  }
  void operator()(const Set& c) {
    stream(c.stream);
    auto bytes = extent(c.shape, c.shape.to_pitch, c.shape.to_slice);
    if (c.shape.empty()) bytes = 0;  // a graph's node may be that
    rule(bytes && (s_.within(true, c.address, *bytes) || s_.within(false, c.address, *bytes)),
         "it writes outside the allocations");
  }
  void operator()(const Record& c) {
    stream(c.stream);
    if (ok()) s_.events_.insert(c.event);
  }
  void operator()(const Wait& c) { stream(c.stream); }
  void operator()(const EventGone& c) {
    event(c.event);
    if (ok()) s_.events_.erase(c.event);
  }
  void operator()(const Marker& c) {
    stream(c.stream);
    // A graph comes to its tokens again each time it runs.
    rule(!s_.tokens_.contains(c.token) || !s_.graphs_.empty(), "token {} is in use", c.token);
    if (ok()) s_.tokens_[c.token] = false;
  }
  void operator()(const Done& c) {
    const auto token = s_.tokens_.find(c.token);
    rule(token != s_.tokens_.end() && token->second, "no stream has reached token {}", c.token);
    if (ok()) s_.tokens_.erase(token);
  }
  void operator()(const Move& c) {
    stream(c.stream);
    rule(c.place == Move::kHost || c.place < s_.devices_, "there is no device {}", c.place);
    rule(c.bytes > 0 && s_.within(false, c.address, c.bytes), "it moves what is not within an allocation");
  }
  void operator()(const Advise& c) {
    rule(c.place == Move::kHost || c.place < s_.devices_, "there is no device {}", c.place);
    rule(c.bytes > 0 && s_.within(false, c.address, c.bytes), "it is about what is not within an allocation");
  }
  void operator()(const Object& c) {
    for (const Texels& level : c.levels) {
      const std::uint64_t row = std::uint64_t{level.width} * level.channels * level.channel_bytes;
      const auto bytes =
          extent({.width = row, .height = level.height, .depth = std::uint64_t{level.depth} * level.layers},
                 level.pitch, level.slice);
      rule(level.pitch >= row, "a row of its texels is longer than their pitch");
      rule(bytes && (s_.within(true, level.address, *bytes) || s_.within(false, level.address, *bytes)),
           "its texels are not within an allocation");
    }
    rule(c.what == Object::What::texture || c.levels.size() == 1, "a surface has one level");
  }
  void operator()(const ObjectGone& c) {
    rule(s_.objects_.contains({c.what, c.handle}), "there is no object {}", c.handle);
    if (ok()) s_.objects_.erase({c.what, c.handle});
  }
  void operator()(const Graph& c) {
    stream(c.stream);
    if (c.step == Graph::Step::begin) {
      rule(c.node <= kMostNodes, "a graph has {} nodes at most, not {}", kMostNodes, c.node);
      if (ok()) s_.graphs_.push_back({c.stream, c.node, {}, std::nullopt});
      return;
    }
    if (s_.graphs_.empty() || s_.graphs_.back().stream != c.stream)
      return refuse("no graph runs in its stream, or another began later");
    auto& graph = s_.graphs_.back();
    const bool inside = graph.inside.has_value();
    switch (c.step) {
      case Graph::Step::begin:
        return;
      case Graph::Step::place:
        rule(!inside, "a node of the graph is being carried out");
        rule(c.node < graph.nodes, "the graph has {} nodes, and none with number {}", graph.nodes, c.node);
        rule(!graph.placed.contains(c.node), "node {} has its place already", c.node);
        for (const std::uint32_t before : c.after)
          rule(graph.placed.contains(before), "node {} has no place yet", before);
        if (ok()) graph.placed.insert(c.node);
        return;
      case Graph::Step::enter:
        rule(!inside, "a node of the graph is being carried out");
        rule(graph.placed.contains(c.node), "node {} has no place yet", c.node);
        if (ok()) graph.inside = c.node;
        return;
      case Graph::Step::leave:
        rule(graph.inside == c.node, "node {} is not being carried out", c.node);
        if (ok()) graph.inside.reset();
        return;
      case Graph::Step::end:
        if (ok()) s_.graphs_.pop_back();
        return;
    }
  }
  void operator()(const Condition& c) {
    if (c.what == Condition::What::assign) {
      rule(s_.conditions_.contains(c.id) || s_.conditions_.size() < kMostConditions,
           "there are {} conditions at most", kMostConditions);
      if (ok()) s_.conditions_.insert(c.id);
      return;
    }
    rule(s_.conditions_.contains(c.id), "there is no condition {}", c.id);
    if (ok() && c.what == Condition::What::gone) s_.conditions_.erase(c.id);
  }
  void operator()(const Needs& c) {
    const auto module = s_.modules_.find(c.module);
    if (module == s_.modules_.end()) return refuse(fmt::format("there is no module {}", c.module));
    rule(c.kernel < module->second.size(), "module {} has {} kernels, and none with number {}", c.module,
         module->second.size(), c.kernel);
  }
  void operator()(const Query& c) { c.what == Query::What::stream ? stream(c.id) : event(c.id); }
  void operator()(const Synchronise& c) {
    switch (c.what) {
      case Synchronise::What::stream:
        return stream(c.id);
      case Synchronise::What::event:
        return;  // one that was never recorded is done
      case Synchronise::What::device:
        return device(c.id);
    }
  }
  void operator()(const Elapsed& c) {
    event(c.begin);
    event(c.end);
  }
  void operator()(const Limit& c) { device(c.device); }
  void operator()(const Hold&) {}
  void operator()(const Note&) {}
  void operator()(const Reset& c) {
    device(c.device);
    if (ok())
      std::erase_if(s_.ranges_,
                    [&](const auto& each) { return each.second.of == c.device && each.second.module == 0; });
  }
  void operator()(const Bye&) { s_.gone_ = true; }
  // Work may have ended, and memory gone, since another thread of the host touched it: the device knows what still matters.
  void operator()(const Touched& c) {
    rule(c.id != 0 && c.id <= s_.closed_, "nothing was closed in the name of {}", c.id);
  }
  void operator()(const Settle&) {}
  // Where there is no managed memory it changes nothing.
  void operator()(const Visited&) {}
  void operator()(const Lease& c) {
    stream(c.stream);
    rule(s_.within(true, c.address, 1), "it is about memory that is not allocated");
  }
  void operator()(const Pass& c) {
    piece(c.offset, c.bytes);
    rule(c.bytes <= kMostPassed - s_.passed_, "{} bytes at most are passed at a time", kMostPassed);
    if (ok()) s_.passed_ += c.bytes;
  }
  void operator()(const Fetch& c) {
    piece(c.offset, c.bytes);
    const auto copy = s_.brought_.find(c.copy);
    if (copy == s_.brought_.end()) return refuse(fmt::format("record {} has brought nothing", c.copy));
    rule(c.bytes <= copy->second, "it fetches more than record {} has brought", c.copy);
    if (ok() && (copy->second -= c.bytes) == 0) s_.brought_.erase(copy);
  }

  bool ok() const noexcept { return problem.empty(); }
  void refuse(std::string why) {
    if (ok()) problem = std::move(why);
  }
  template <typename... Parts>
  void rule(bool holds, fmt::format_string<const Parts&...> why, const Parts&... parts) {
    if (!holds) refuse(fmt::format(why, parts...));
  }

 private:
  void device(std::uint32_t number) { rule(number < s_.devices_, "there is no device {}", number); }
  void stream(Id id) { rule(s_.streams_.contains(id), "there is no stream {}", id); }
  void event(Id id) { rule(s_.events_.contains(id), "there is no event {}", id); }
  void piece(std::uint64_t offset, std::uint64_t bytes) {
    rule(bytes > 0 && offset <= s_.staging_bytes_ && bytes <= s_.staging_bytes_ - offset,
         "its piece is not within the staging pages");
  }
  /// All that was passed goes with this command.
  void takes(std::uint64_t bytes) {
    rule(bytes == s_.passed_, "it takes {} bytes, and {} were passed", bytes, s_.passed_);
    if (ok()) s_.passed_ = 0;
  }
  void staged(const Bytes& bytes) {
    if (bytes.staged && bytes.offset == Bytes::kPassed) return takes(bytes.length);
    rule(!bytes.staged ||
             (bytes.offset <= s_.staging_bytes_ && bytes.length <= s_.staging_bytes_ - bytes.offset),
         "its bytes are not within the staging pages");
  }
  void place(const Place& place, const Shape& shape, std::uint64_t pitch, std::uint64_t slice,
             const char* deed) {
    const auto bytes = extent(shape, pitch, slice);
    if (!bytes) return refuse("its shape holds no bytes");
    if (place.kind == Place::Kind::passed) {
      rule(place.address == 0, "what is passed begins at 0");
    } else if (place.kind == Place::Kind::staging) {
      rule(place.address <= s_.staging_bytes_ && *bytes <= s_.staging_bytes_ - place.address,
           "{} outside the staging pages", deed);
    } else {
      rule(s_.within(place.kind == Place::Kind::device, place.address, *bytes), "{} outside the allocations",
           deed);
    }
  }
  void end_of(std::uint64_t address, bool mapping) {
    const auto range = s_.ranges_.find(address);
    rule(range != s_.ranges_.end() && range->second.mapping == mapping && range->second.module == 0,
         "no {} begins at {:#x}", mapping ? "mapping" : "allocation", address);
    if (ok()) s_.ranges_.erase(range);
  }

  Session& s_;
  std::uint64_t sequence_;
};

std::optional<std::string> Session::admit(const Command& command) {
  Judge judge(*this, command.sequence);
  const bool hello = std::holds_alternative<Hello>(command.body);
  judge.rule(!gone_, "bye was said before it");
  judge.rule(hello != greeted_, "{}", greeted_ ? "hello is said once" : "hello comes first");
  judge.rule(command.sequence == sequence_ + 1, "record {} comes before it", sequence_);
  if (judge.ok()) std::visit([&](const auto& body) { judge(body); }, command.body);
  if (!judge.ok()) {
    return fmt::format("Record {} ({}) breaks the grammar: {}.", command.sequence,
                       name_of_code(code_of(command.body)), judge.problem);
  }
  greeted_ = true;
  sequence_ = command.sequence;
  return std::nullopt;
}

void Session::allocated(Allocate::Kind kind, std::uint64_t address, std::uint64_t bytes) {
  const bool device = kind == Allocate::Kind::device;
  ranges_[address] = {address + bytes, device, false, allocates_on_};
}

void Session::loaded(Id module, std::vector<std::uint64_t> parameter_bytes,
                     const std::vector<Loaded::Variable>& variables) {
  const auto it = modules_.find(module);
  if (it == modules_.end()) return;
  it->second = std::move(parameter_bytes);
  for (const Loaded::Variable& variable : variables)
    ranges_[variable.where.address] = {.end = variable.where.address + variable.bytes,
                                       .device = variable.kind != Loaded::Variable::Kind::managed,
                                       .module = module};
}

void Session::set_devices(std::uint32_t count) {
  for (; devices_ < count; ++devices_) streams_[kLegacyStreams + devices_] = devices_;
  for (; devices_ > count; --devices_) streams_.erase(kLegacyStreams + devices_ - 1);
}

void Session::reached(std::uint64_t token) {
  if (const auto it = tokens_.find(token); it != tokens_.end()) it->second = true;
}

void Session::made(Object::What what, std::uint64_t handle) {
  objects_.insert({what, handle});
}

bool Session::within(bool device, std::uint64_t address, std::uint64_t bytes) const {
  auto it = ranges_.upper_bound(address);
  if (it == ranges_.begin()) return false;
  --it;
  return it->second.device == device && bytes <= it->second.end - std::min(it->second.end, address);
}

}  // namespace simgpu::queue
