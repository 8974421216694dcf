/// @file
/// See case_data.hpp.
#include "judge/case_data.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace course {
namespace {

constexpr std::size_t kPiece = 4096;  // elements whose expectation is computed at once

std::string_view word_of(call_phase phase) {
  return phase == call_phase::setup ? "setup" : phase == call_phase::teardown ? "teardown" : "run";
}

void parallel_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  parallel_ranges(bytes, std::size_t{8} << 20, [&](std::size_t first, std::size_t count) {
    std::memcpy(to + first, from + first, count);
  });
}

}  // namespace

case_data::case_data(const problem& asked, const placement& where, std::uint64_t seed) : asked_(&asked) {
  protocol::arena_layout layout;
  for (std::size_t index = 0; index < asked.buffers().size(); ++index) {
    const auto& one = asked.buffers()[index];
    const auto size = size_of(one.type);
    const auto ghost_bytes = one.ghosts * size, shift_bytes = one.shift * size;
    place at;
    // Allocations are aligned to 256 bytes. What must lie before the ghosts so that element 0 has the
    // promised alignment, moved by the case's shift?
    const auto alignment = std::max(one.alignment, size);
    const auto lead =
        ((alignment - ghost_bytes % alignment) % alignment + shift_bytes % alignment) % alignment;
    const auto before = (where.guard_bytes + 255) / 256 * 256 + lead;
    const auto contents = 2 * ghost_bytes + one.bytes();
    // An allocation of nothing is no address at all; a few guard bytes give even an empty buffer one.
    const auto after = std::max<std::size_t>(where.guard_bytes, contents == 0 ? 16 : 0);
    at.bytes = before + contents + after;
    at.pointer_offset = before + ghost_bytes;
    at.arena = layout.place(at.bytes);
    at.poison = poison_bits(one.type, mix(seed + 101 * index + 7));
    at.image = std::make_unique_for_overwrite<std::byte[]>(at.bytes);
    auto* const image = at.image.get();
    fill_poison(one.type, image, before / size, at.poison);
    fill_poison(one.type, image + before + contents, after / size, at.poison);
    if (one.role == buffer_role::output) {
      parallel_ranges(one.count, 1 << 20, [&](std::size_t first, std::size_t count) {
        fill_poison(one.type, image + before + first * size, count, at.poison);
      });
    } else {
      fill_parallel(one.filled_with, one.type, image + before, one.count + 2 * one.ghosts,
                    mix(seed + 1000003 * index + 1));
    }
    places_.push_back(std::move(at));
  }
  arena_bytes_ = layout.size();
  for (const auto& expected : asked.expectations()) kept_.push_back(expected.expected->prepare(inputs()));
}

std::size_t case_data::image_bytes() const {
  return arena_bytes_;
}

bool case_data::send_to(protocol::arena& arena, protocol::json& request) const {
  if (!arena.grow(arena_bytes_)) return false;
  auto buffers = protocol::json::array();
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const auto& one = asked_->buffers()[index];
    const auto& at = places_[index];
    parallel_copy(arena.data() + at.arena, at.image.get(), at.bytes);
    buffers.push_back({{"name", one.name},
                       {"memory", protocol::name_of(one.memory)},
                       {"bytes", at.bytes},
                       {"arena", at.arena},
                       {"pointer_offset", at.pointer_offset}});
  }
  auto calls = protocol::json::array();
  for (const auto& one : asked_->calls()) {
    auto arguments = protocol::json::array();
    for (const auto& argument : one.arguments)
      arguments.push_back({{"kind", argument.kind}, {"value", argument.value}});
    calls.push_back({{"function", one.function},
                     {"returns", one.returns_status ? "status" : "void"},
                     {"phase", word_of(one.phase)},
                     {"arguments", std::move(arguments)}});
  }
  request["arena_bytes"] = arena.size();
  request["buffers"] = std::move(buffers);
  request["calls"] = std::move(calls);
  return true;
}

host_inputs case_data::inputs() const {
  std::vector<const void*> first;
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const bool is_input = asked_->buffers()[index].role == buffer_role::input;
    first.push_back(is_input ? places_[index].image.get() + places_[index].pointer_offset : nullptr);
  }
  return host_inputs(std::move(first));
}

std::optional<damage> case_data::find_damage(const protocol::arena& arena) const {
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const auto& one = asked_->buffers()[index];
    const auto& at = places_[index];
    const auto* const now = arena.data() + at.arena;
    const auto size = size_of(one.type);
    // An output's own elements may change, everything else may not.
    const auto own_first = at.pointer_offset, own_end = at.pointer_offset + one.bytes();
    const auto differing = [&](std::size_t first, std::size_t end) -> std::optional<damage> {
      if (end <= first || std::memcmp(now + first, at.image.get() + first, end - first) == 0)
        return std::nullopt;
      damage found;
      found.buffer = one.name;
      std::size_t lowest = end;
      for (std::size_t byte = first; byte < end; ++byte) {
        if (now[byte] == at.image[byte]) continue;
        lowest = std::min(lowest, byte);
        ++found.bytes;
      }
      const auto distance =
          static_cast<std::ptrdiff_t>(lowest) - static_cast<std::ptrdiff_t>(at.pointer_offset);
      found.element = (distance >= 0 ? distance : distance - static_cast<std::ptrdiff_t>(size) + 1) /
                      static_cast<std::ptrdiff_t>(size);
      const auto ghost_bytes = one.ghosts * size;
      found.in_guard = one.role == buffer_role::output || lowest + ghost_bytes < own_first ||
                       lowest >= own_end + ghost_bytes;
      return found;
    };
    if (one.role == buffer_role::input) {
      if (auto found = differing(0, at.bytes)) return found;
    } else {
      if (auto found = differing(0, own_first)) return found;
      if (auto found = differing(own_end, at.bytes)) return found;
    }
  }
  return std::nullopt;
}

output_geometry case_data::geometry(std::size_t buffer, std::size_t block_threads) const {
  const auto& one = asked_->buffers()[buffer];
  return {one.count, one.row_length, block_threads};
}

void case_data::compare(std::size_t index, const protocol::arena& arena, mismatches& into) const {
  const auto output = asked_->expectations()[index].output;
  const auto& at = places_[output];
  compare_part(index, arena.data() + at.arena + at.pointer_offset, 0, asked_->buffers()[output].count, into);
}

void case_data::compare_part(std::size_t index, const void* actual, std::size_t first, std::size_t count,
                             mismatches& into) const {
  const auto& expectation = asked_->expectations()[index];
  const auto& one = asked_->buffers()[expectation.output];
  const auto size = size_of(one.type);
  const auto host = inputs();
  parallel_ranges(count, 1 << 18, [&](std::size_t begin, std::size_t piece) {
    std::array<double, kPiece> expected;
    for (std::size_t done = 0; done < piece; done += kPiece) {
      const auto here = std::min(kPiece, piece - done);
      const std::span<double> part(expected.data(), here);
      expectation.expected->expected(host, kept_[index].get(), first + begin + done, part);
      into.compare(one.type, static_cast<const char*>(actual) + (begin + done) * size, first + begin + done,
                   part, expectation.within, places_[expectation.output].poison);
    }
  });
}

double case_data::change(std::size_t buffer, std::size_t element, double value) {
  const auto& one = asked_->buffers()[buffer];
  auto* const data = places_[buffer].image.get() + places_[buffer].pointer_offset;
  const double before = load_element(one.type, data, element);
  store_element(one.type, data, element, value);
  const double after = load_element(one.type, data, element);
  for (std::size_t index = 0; index < kept_.size(); ++index) {
    asked_->expectations()[index].expected->changed(kept_[index].get(), buffer, element, before, after);
  }
  return before;
}

}  // namespace course
