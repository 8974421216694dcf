/// @file
/// See case_data.hpp.
#include "judge/case_data.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

namespace course {
namespace {

constexpr std::size_t kPiece = 4096;  // elements whose expectation is computed at once
// That checking one output may cost: about a second, the calls to the oracle included.
constexpr double kOperationsOfACore = 1.5e8;
constexpr std::size_t kSlice = 64;  // neighbouring elements checked together at a random place

// In the worker's words. A call after the timed ones that takes an output is made before outputs are read.
std::string_view phase_of(const call& one, const std::vector<buffer>& buffers) {
  if (one.phase == call_phase::before) return "before";
  if (one.phase == call_phase::timed) return "timed";
  const bool gives = std::any_of(one.arguments.begin(), one.arguments.end(), [&](const argument& given) {
    return given.kind == "buffer" && buffers[std::strtoull(given.value.c_str(), nullptr, 10)].is_written();
  });
  return gives ? "collect" : "after";
}

std::string_view word_of(call_result returns) {
  switch (returns) {
    case call_result::status:
      return "status";
    case call_result::handle:
      return "handle";
    case call_result::size:
      return "size";
    case call_result::nothing:
      break;
  }
  return "void";
}

void parallel_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  parallel_ranges(bytes, std::size_t{8} << 20, [&](std::size_t first, std::size_t count) {
    std::memcpy(to + first, from + first, count);
  });
}

/// Of the contents of buffer @p index.
std::uint64_t seed_of(std::uint64_t seed, std::size_t index) {
  return mix(seed + 1000003 * index + 1);
}

}  // namespace

case_data::case_data(const problem& asked, const placement& where, std::uint64_t seed) : asked_(&asked) {
  protocol::arena_layout layout;
  for (std::size_t index = 0; index < asked.buffers().size(); ++index) {
    const auto& one = asked.buffers()[index];
    const auto size = one.type.size;
    // What follows a call has no surroundings of ours, and beside elements that lie apart others of the same array do.
    const bool follows = one.follows != follows_as::nothing || one.options.spread > 1;
    const std::size_t guard = follows ? 0 : where.guard_bytes;
    const auto ghost_bytes = follows ? 0 : one.options.ghosts * size,
               shift_bytes = follows ? 0 : one.options.shift * size;
    place_of at;
    // Allocations are aligned to 256 bytes. What must lie before the ghosts so that element 0 has the promised alignment, moved by
    // the case's shift?
    const auto alignment = std::max(one.options.alignment, size);
    const auto lead =
        ((alignment - ghost_bytes % alignment) % alignment + shift_bytes % alignment) % alignment;
    const auto before = (guard + 255) / 256 * 256 + lead;
    const auto contents = 2 * ghost_bytes + one.bytes();
    // An allocation of nothing is no address at all; a few guard bytes give even an empty buffer one. Unless it is the student's to
    // allocate: for nothing, null is a sound answer.
    const bool needs_address = contents == 0 && one.follows != follows_as::pointer;
    const auto after = std::max<std::size_t>(guard, needs_address ? 16 : 0);
    at.bytes = before + contents + after;
    at.pointer_offset = before + ghost_bytes;
    at.arena = layout.place(at.bytes);
    at.poison = make_poison(one.type, mix(seed + 101 * index + 7));
    at.image = std::make_unique_for_overwrite<std::byte[]>(at.bytes);
    auto* const image = at.image.get();
    fill_poison(at.poison, image, before / size);
    fill_poison(at.poison, image + before + contents, after / size);
    std::memset(image + before / size * size, 0xa5, before % size);
    std::memset(image + before + contents + after / size * size, 0xa5, after % size);
    if (one.is_read()) {
      fill_parallel(one.options.filled_with, one.type, image + before, (contents) / size,
                    seed_of(seed, index));
    } else {
      parallel_ranges(one.count, 1 << 20, [&](std::size_t first, std::size_t count) {
        fill_poison(at.poison, image + before + first * size, count);
      });
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
  int devices = 1;
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const auto& one = asked_->buffers()[index];
    const auto& at = places_[index];
    parallel_copy(arena.data() + at.arena, at.image.get(), at.bytes);
    protocol::json buffer{{"name", one.name},
                          {"memory", protocol::name_of(one.options.place)},
                          {"device", one.options.device},
                          {"bytes", at.bytes},
                          {"arena", at.arena},
                          {"pointer_offset", at.pointer_offset},
                          {"common", one.options.common},
                          {"restored", one.role == buffer_role::in_out},
                          {"spoiled", one.spoiled}};
    if (one.follows != follows_as::nothing) {
      buffer["follows"] = one.follows == follows_as::pitch ? "pitch" : "pointer";
      buffer["from_call"] = one.from_call;
      const auto row_bytes = std::max<std::size_t>(1, one.options.row_length) * one.type.size;
      buffer["row_bytes"] = row_bytes;
      buffer["rows"] = one.bytes() / row_bytes;
    } else if (one.options.spread > 1 && one.count > 0) {  // rows of one element
      buffer["row_bytes"] = one.type.size;
      buffer["rows"] = one.count;
      buffer["pitch"] = one.options.spread * one.type.size;
    }
    buffers.push_back(std::move(buffer));
    devices = std::max(devices, one.options.device + 1);
  }
  auto calls = protocol::json::array();
  for (const auto& one : asked_->calls()) {
    auto arguments = protocol::json::array();
    for (const auto& argument : one.arguments)
      arguments.push_back({{"kind", argument.kind}, {"value", argument.value}});
    protocol::json call{{"function", one.function},
                        {"returns", word_of(one.returns)},
                        {"phase", phase_of(one, asked_->buffers())},
                        {"once", one.once},
                        {"arguments", std::move(arguments)}};
    if (one.returns == call_result::size) {
      call["least"] = one.least;
      call["most"] = one.most;
      call["multiple_of"] = one.multiple_of;
    }
    calls.push_back(std::move(call));
  }
  request["arena_bytes"] = arena.size();
  request["devices"] = devices;
  request["buffers"] = std::move(buffers);
  request["calls"] = std::move(calls);
  request["before_is_done"] = asked_->must_be_done_before();
  return true;
}

host_inputs case_data::inputs() const {
  std::vector<const void*> first;
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const bool read = asked_->buffers()[index].is_read();
    first.push_back(read ? places_[index].image.get() + places_[index].pointer_offset : nullptr);
  }
  return host_inputs(std::move(first));
}

std::vector<const void*> case_data::outputs_in(const protocol::arena& arena) const {
  std::vector<const void*> first;
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const bool written = asked_->buffers()[index].is_written();
    first.push_back(written ? arena.data() + places_[index].arena + places_[index].pointer_offset : nullptr);
  }
  return first;
}

bool case_data::is_untouched(std::size_t buffer, const protocol::arena& arena) const {
  const auto& at = places_[buffer];
  return std::memcmp(arena.data() + at.arena, at.image.get(), at.bytes) == 0;
}

void case_data::take_reference(const protocol::arena& arena) {
  const auto outputs = outputs_in(arena);
  for (const auto& one : asked_->expectations()) {
    if (one.expected != reference_answer()) continue;
    const auto* const first = static_cast<const std::byte*>(outputs[one.output]);
    places_[one.output].reference.assign(first, first + asked_->buffers()[one.output].bytes());
  }
}

std::optional<damage> case_data::find_damage(const protocol::arena& arena) const {
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const auto& one = asked_->buffers()[index];
    if (one.spoiled) continue;  // changed by the worker itself
    const auto& at = places_[index];
    const auto* const now = arena.data() + at.arena;
    const auto size = one.type.size;
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
      const auto ghost_bytes = one.options.ghosts * size;
      found.in_guard =
          one.is_written() || lowest + ghost_bytes < own_first || lowest >= own_end + ghost_bytes;
      return found;
    };
    if (!one.is_written()) {
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
  return {one.count, one.options.row_length, block_threads};
}

void case_data::compare(std::size_t index, const protocol::arena& arena, mismatches& into) const {
  const auto output = asked_->expectations()[index].output;
  const auto& at = places_[output];
  compare_some(index, arena.data() + at.arena + at.pointer_offset, mix(at.bytes), into);
}

void case_data::compare_some(std::size_t index, const void* actual, std::uint64_t seed,
                             mismatches& into) const {
  const auto& expectation = asked_->expectations()[index];
  const auto count = asked_->buffers()[expectation.output].count;
  const auto size = asked_->buffers()[expectation.output].type.size;
  const auto affordable =
      static_cast<std::size_t>(kOperationsOfACore * static_cast<double>(cores()) /
                               std::max(1.0, expectation.expected->operations_per_element()));
  if (affordable >= count) {
    compare_part(index, actual, 0, count, into);
    return;
  }
  // One slice in each stretch of the output, at a random place there: nothing larger than two stretches goes unseen, and memory is read
  // from front to end.
  const auto slices = std::max<std::size_t>(1, affordable / kSlice);
  const auto stretch = count / slices, width = std::min(kSlice, stretch);
  parallel_ranges(slices, 64, [&](std::size_t begin, std::size_t piece) {
    for (std::size_t slice = begin; slice < begin + piece; ++slice) {
      // The last one at the very end, where grids and loops that stop early leave their traces.
      const auto first =
          slice + 1 == slices ? count - width : slice * stretch + mix(seed + slice) % (stretch - width + 1);
      compare_part(index, static_cast<const char*>(actual) + first * size, first, width, into);
    }
  });
}

void case_data::compare_part(std::size_t index, const void* actual, std::size_t first, std::size_t count,
                             mismatches& into) const {
  const auto& expectation = asked_->expectations()[index];
  const auto& one = asked_->buffers()[expectation.output];
  const auto& at = places_[expectation.output];
  const auto host = inputs();
  if (expectation.expected == reference_answer()) {
    if (!at.reference.empty()) {
      into.compare({one.type, actual, first, count, one.type, at.reference.data() + first * one.type.size},
                   expectation.within, host, at.poison);
    }
    return;
  }
  const auto& gives = expectation.expected->gives();
  parallel_ranges(count, 1 << 18, [&](std::size_t begin, std::size_t piece) {
    std::vector<std::byte> expected(std::min(kPiece, piece) * gives.size);
    for (std::size_t done = 0; done < piece; done += kPiece) {
      const auto here = std::min(kPiece, piece - done);
      expectation.expected->expected(host, kept_[index].get(), first + begin + done, here, expected.data());
      into.compare({one.type, static_cast<const char*>(actual) + (begin + done) * one.type.size,
                    first + begin + done, here, gives, expected.data()},
                   expectation.within, host, at.poison);
    }
  });
}

void case_data::keep_some(std::uint64_t seed) {
  constexpr std::size_t kFewest = 16;  // elements; below, too little would be new
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const auto& one = asked_->buffers()[index];
    const auto& options = one.options;
    if (!one.is_read() || one.count < kFewest || options.fixed || options.poked_with) continue;
    for (const std::size_t element : {std::size_t{0}, one.count / 2, one.count - 1}) {
      std::vector<std::byte> bytes(one.type.size);
      fill_elements(options.filled_with, one.type, bytes.data(), options.ghosts + element, 1,
                    seed_of(seed, index));
      change(index, element, bytes);
    }
  }
}

void case_data::change(std::size_t buffer, std::size_t element, std::vector<std::byte>& bytes) {
  const auto size = asked_->buffers()[buffer].type.size;
  auto* const at = places_[buffer].image.get() + places_[buffer].pointer_offset + element * size;
  std::swap_ranges(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size), at);
  for (std::size_t index = 0; index < kept_.size(); ++index)
    asked_->expectations()[index].expected->changed(kept_[index].get(), buffer, element, bytes.data(), at);
}

}  // namespace course
