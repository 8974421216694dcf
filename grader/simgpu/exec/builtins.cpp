/// @file
/// Functions of the device runtime: printf, assert, malloc, free.
#include <fmt/format.h>

#include <cstdio>

#include "simgpu/exec/state.hpp"
#include "simgpu/memory/device_memory.hpp"

namespace simgpu::exec {
namespace {

constexpr u64 kMaxString = 64 * 1024;

/// Bytes behind a generic address that lane @p lane uses. @return nullptr if they are not there.
const std::byte* bytes_at(Warp& w, u32 lane, u64 address, u64 bytes) {
  Machine& m = *w.machine;
  if (address - memory::kLocalWindow < memory::kLocalWindowSize) {
    const u64 offset = address - memory::kLocalWindow;
    return w.local && offset + bytes <= m.local_bytes ? w.local + u64{lane} * m.local_bytes + offset
                                                      : nullptr;
  }
  if (address - memory::kSharedWindow < memory::kSharedWindowSize) {
    const u64 offset = address - memory::kSharedWindow;
    return offset + bytes <= m.shared_bytes ? w.block->shared.data() + offset : nullptr;
  }
  const memory::Allocation* a = m.memory.find(address);
  return a && a->live && a->contains(address, bytes) ? a->host + (address - a->base) : nullptr;
}

std::optional<std::string> string_at(Warp& w, u32 lane, u64 address) {
  std::string s;
  for (u64 n = 0; n < kMaxString; ++n) {
    const std::byte* b = bytes_at(w, lane, address + n, 1);
    if (!b) return std::nullopt;
    if (*b == std::byte{0}) return s;
    s += static_cast<char>(*b);
  }
  return s;
}

/// Widths and precisions of a conversion to 4 digits: a hostile one would take gigabytes and seconds.
void bound_numbers(std::string& spec) {
  std::string bounded;
  std::size_t digits = 0;
  for (const char c : spec) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits <= 4) bounded += c;
  }
  spec = std::move(bounded);
}

/// A C format string with the arguments as the device compiler packed them: each at a multiple of its size.
std::string format(Warp& w, u32 lane, const std::string& pattern, u64 arguments) {
  std::string out;
  u64 at = 0;
  auto next = [&](u64 bytes) -> u64 {
    at = (at + bytes - 1) / bytes * bytes;
    const std::byte* b = bytes_at(w, lane, arguments + at, bytes);
    at += bytes;
    u64 v = 0;
    if (b) std::memcpy(&v, b, bytes);
    return v;
  };
  const auto print = [&out](const std::string& spec, auto value) {
    char small[128];
    const int length = std::snprintf(small, sizeof small, spec.c_str(), value);
    if (length < 0) return;
    if (static_cast<std::size_t>(length) < sizeof small) {
      out.append(small, static_cast<std::size_t>(length));
      return;
    }
    std::string large(static_cast<std::size_t>(length) + 1, '\0');
    std::snprintf(large.data(), large.size(), spec.c_str(), value);
    large.pop_back();
    out += large;
  };
  for (std::size_t n = 0; n < pattern.size(); ++n) {
    if (pattern[n] != '%') {
      out += pattern[n];
      continue;
    }
    if (n + 1 < pattern.size() && pattern[n + 1] == '%') {
      out += '%';
      ++n;
      continue;
    }
    std::string spec = "%";
    bool wide = false;
    for (++n; n < pattern.size(); ++n) {
      const char c = pattern[n];
      if (c == '*') {
        spec += std::to_string(static_cast<s32>(next(4)));
      } else if (c == 'l' || c == 'j' || c == 'z' || c == 't') {
        wide = true;
      } else if (c == 'h') {
      } else if (std::string_view("-+ #0123456789.").find(c) != std::string_view::npos) {
        spec += c;
      } else {
        break;
      }
    }
    if (n >= pattern.size()) break;
    bound_numbers(spec);
    const char c = pattern[n];
    switch (c) {
      case 'd':
      case 'i':
        print(spec + "lld",
              wide ? static_cast<long long>(next(8)) : static_cast<long long>(static_cast<s32>(next(4))));
        break;
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        print(spec + "ll" + c, static_cast<unsigned long long>(wide ? next(8) : next(4)));
        break;
      case 'c':
        print(spec + "c", static_cast<int>(next(4)));
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': {
        const u64 bits = next(8);
        double v;
        std::memcpy(&v, &bits, 8);
        print(spec + c, v);
        break;
      }
      case 'p':
        // Formatted by the host's own printf, as CUDA does: "(nil)", field widths.
        print(spec + "p", reinterpret_cast<const void*>(next(8)));
        break;
      case 's': {
        const auto s = string_at(w, lane, next(8));
        print(spec + "s", s ? s->c_str() : "(bad string)");
        break;
      }
      default:
        out += '%';
        out += c;
        break;
    }
  }
  return out;
}

}  // namespace

void call_builtin(Warp& w, const Ins& ins, const lower::CallOp& call, u32 mask) {
  if (call.builtin == lower::Builtin::runtime) return call_device_runtime(w, ins, call, mask);
  Machine& m = *w.machine;
  const Frame& frame = *w.frame;
  auto slot = [&](const lower::ParamSlot& s, u32 lane) {
    return frame.rows + frame.function->param_base + lane * frame.function->param_stride + s.offset;
  };
  auto argument = [&](std::size_t n, u32 lane) -> u64 {
    u64 v = 0;
    if (n < call.arguments.size())
      std::memcpy(&v, slot(call.arguments[n], lane), std::min<u32>(8, call.arguments[n].bytes));
    return v;
  };
  auto give = [&](u32 lane, u64 value) {
    if (!call.results.empty())
      std::memcpy(slot(call.results[0], lane), &value, std::min<u32>(8, call.results[0].bytes));
  };
  for (u32 left = mask; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(__builtin_ctz(left));
    switch (call.builtin) {
      case lower::Builtin::vprintf: {
        const auto pattern = string_at(w, lane, argument(0, lane));
        if (!pattern)
          return m.fault(
              w, ins, observe::FindingKind::out_of_bounds, lane,
              Machine::who(w, lane) + " calls printf with a format that is not in readable memory.",
              observe::Memory::global, argument(0, lane));
        if (m.services.print) m.services.print(format(w, lane, *pattern, argument(1, lane)));
        give(lane, 1);
        break;
      }
      case lower::Builtin::assertfail: {
        const auto text = string_at(w, lane, argument(0, lane)), file = string_at(w, lane, argument(1, lane)),
                   function = string_at(w, lane, argument(3, lane));
        const u64 line = argument(2, lane) & 0xFFFF'FFFFu;
        const std::string message =
            fmt::format("{}: assertion `{}` failed at {}:{} in {}.", Machine::who(w, lane),
                        text.value_or("?"), file.value_or("?"), line, function.value_or("?"));
        for (u32 failed = left; m.services.assertion && failed; failed &= failed - 1) {
          const u32 n = static_cast<u32>(__builtin_ctz(failed));
          const observe::Dim3 b = w.id.block, t = m.thread_of(w, n);
          m.services.assertion(fmt::format(
              "{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.", file.value_or("?"),
              line, function.value_or("?"), b.x, b.y, b.z, t.x, t.y, t.z, text.value_or("?")));
        }
        return m.fault(w, ins, observe::FindingKind::assertion, lane, message);
      }
      case lower::Builtin::malloc:
        give(lane, m.services.device_malloc ? m.services.device_malloc(argument(0, lane)) : 0);
        break;
      case lower::Builtin::free:
        if (const u64 address = argument(0, lane)) {
          const memory::Allocation* before = m.memory.find(address);
          const bool live = before && before->live;
          if (m.services.device_free) m.services.device_free(address);
          const memory::Allocation* after = m.memory.find(address);
          if (!live || (after && after->live))
            return m.fault(
                w, ins, observe::FindingKind::bad_call, lane,
                Machine::who(w, lane) +
                    (before && !live
                         ? " frees memory that has been freed already: what one malloc or new in a "
                           "kernel gave is for one free or delete."
                         : " frees a pointer that no malloc or new in a kernel has given."),
                observe::Memory::global, address);
        }
        for (SiteCache& c : m.caches) c.forget_allocation();
        break;
      default:
        break;
    }
  }
}

}  // namespace simgpu::exec
