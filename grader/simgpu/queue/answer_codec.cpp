/// @file
/// See answer_codec.hpp. A head of 24 bytes as commands have it; the code tells which message, or which body of an answer.
#include "simgpu/queue/answer_codec.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>
#include <variant>

#include "simgpu/queue/fields.hpp"

namespace simgpu::queue {
namespace {

constexpr std::size_t kHead = 24;  ///< size, code, flags, sequence, status, zero
constexpr std::uint16_t kBusy = 1;
/// Answers have the codes from this on, in order of AnswerBody; other messages those below it, in order of Message.
constexpr std::uint16_t kAnswers = 16;

template <typename V, typename T>
void message_fields(V& v, T& m) {
  using M = std::remove_const_t<T>;
  const auto number = [](auto& to, auto& value) { to.number(value); };
  const auto dim = [](auto& to, auto& d) {
    for (auto& size : d) to.number(size);
  };
  if constexpr (std::is_same_v<M, Allocated>) {
    v.number(m.address);
    v.number(m.number);
  } else if constexpr (std::is_same_v<M, Loaded>) {
    v.text(m.problem);
    v.number(m.constant_bytes);
    v.list(m.kernels, kMostMembers, [&](auto& to, auto& kernel) {
      to.text(kernel.name);
      to.list(kernel.parameters, kMostMembers, [](auto& in, auto& parameter) {
        in.number(parameter.offset);
        in.number(parameter.bytes);
        in.range(parameter.offset, parameter.bytes);
      });
      to.number(kernel.parameter_bytes);
      for (auto* maybe : {&kernel.most_threads, &kernel.exact_threads, &kernel.cluster})
        to.maybe(*maybe, dim);
    });
    v.list(m.variables, kMostMembers, [](auto& to, auto& variable) {
      to.text(variable.name);
      to.choice(variable.kind, 3, "kind");
      to.number(variable.where.address);
      to.number(variable.where.number);
      to.number(variable.bytes);
      to.range(variable.where.address, variable.bytes);
    });
  } else if constexpr (std::is_same_v<M, Footprint>) {
    v.number(m.registers);
    v.maybe(m.known_registers, number);
    for (auto* bytes : {&m.spill_bytes, &m.stack_bytes, &m.static_shared, &m.local_bytes, &m.max_threads})
      v.number(*bytes);
  } else if constexpr (std::is_same_v<M, Handle>) {
    v.number(m.value);
  } else if constexpr (std::is_same_v<M, Value>) {
    v.number(m.value);
    v.zero();
  } else if constexpr (std::is_same_v<M, Ready>) {
    v.flag(m.value, "value");
  } else if constexpr (std::is_same_v<M, Seconds>) {
    v.real(m.value);
  } else if constexpr (std::is_same_v<M, Reached>) {
    v.number(m.token);
  } else if constexpr (std::is_same_v<M, Said>) {
    v.printed(m.text);
  } else if constexpr (std::is_same_v<M, Fault>) {
    v.number(m.device);
    v.number(m.status);
    v.text(m.why);
  } else if constexpr (std::is_same_v<M, Closed>) {
    v.list(m.ranges, Closed::kMostRanges, [](auto& to, auto& range) {
      constexpr std::uint64_t kPage = 4096;
      to.number(range.id);
      to.number(range.begin);
      to.number(range.end);
      to.flag(range.written, "written");
      to.rule(range.begin < range.end && range.begin % kPage == 0 && range.end % kPage == 0,
              "a range of it is no whole pages");
    });
  } else if constexpr (std::is_same_v<M, Ended>) {
    v.text(m.why);
  } else {
    static_assert(std::is_same_v<M, std::monostate>);
  }
}

/// Reads the alternative number @p index of @p out. @return whether there is one.
template <std::size_t I = 0, typename Variant>
bool read_alternative(Reader& from, std::size_t index, Variant& out) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (index != I) return read_alternative<I + 1>(from, index, out);
    if constexpr (!std::is_same_v<std::variant_alternative_t<I, Variant>, Answer>)
      message_fields(from, out.template emplace<I>());
    return true;
  } else {
    return false;
  }
}

}  // namespace

bool encode(const Message& message, std::vector<std::byte>& out) {
  const std::size_t begin = out.size();
  const auto* const answer = std::get_if<Answer>(&message.body);
  Writer writer(out);
  writer.zero();
  writer.number(
      static_cast<std::uint16_t>(answer != nullptr ? kAnswers + answer->body.index() : message.body.index()));
  writer.number(message.busy ? kBusy : std::uint16_t{0});
  writer.number(message.sequence);
  writer.number(answer != nullptr ? answer->status : 0u);
  writer.zero();
  const auto write = [&](const auto& body) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(body)>, Answer>) message_fields(writer, body);
  };
  if (answer != nullptr) {
    std::visit(write, answer->body);
  } else {
    std::visit(write, message.body);
  }
  writer.pad(8);
  const std::size_t size = out.size() - begin;
  if (size > kMostMessageBytes) {
    out.resize(begin);
    return false;
  }
  const auto number = static_cast<std::uint32_t>(size);
  std::memcpy(out.data() + begin, &number, sizeof number);
  return true;
}

DecodedMessage decode_message(std::span<const std::byte> bytes) {
  DecodedMessage out;
  Reader reader(bytes);
  std::uint32_t size = 0, status = 0;
  std::uint16_t code = 0, flags = 0;
  reader.number(size);
  reader.number(code);
  reader.number(flags);
  reader.number(out.message.sequence);
  reader.number(status);
  reader.zero();
  if (reader.ok() && (size < kHead || size > kMostMessageBytes || size % 8 != 0 || size > bytes.size()))
    reader.refuse(fmt::format("its size of {} bytes is no multiple of 8 within the {} that are there", size,
                              bytes.size()));
  reader.rule((flags & ~kBusy) == 0 && (flags == 0 || code >= kAnswers), "it has flags that it cannot have");
  out.message.busy = flags != 0;
  if (reader.ok()) {
    Reader body(bytes.subspan(kHead, size - kHead));
    bool known = false;
    if (code >= kAnswers) {
      Answer answer{.status = status};
      known = read_alternative(body, code - kAnswers, answer.body);
      out.message.body = std::move(answer);
      body.rule(out.message.sequence != 0, "it answers no command");
    } else {
      known = code != 0 && read_alternative(body, code, out.message.body);
      body.rule(out.message.sequence == 0 && status == 0, "what is said unasked answers nothing");
    }
    body.ends();
    if (!known) {
      reader.refuse(fmt::format("there is no message {}", code));
    } else if (!body.ok()) {
      reader.refuse(body.problem());
    }
  }
  if (!reader.ok())
    out.problem = fmt::format("A message of the device breaks the grammar: {}.", reader.problem());
  out.size = reader.ok() ? size : 0;
  return out;
}

}  // namespace simgpu::queue
