/// @file
/// Merging of findings and their names.
#include <algorithm>
#include <utility>

#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

const char* name_of(FindingKind kind) noexcept {
  switch (kind) {
    case FindingKind::out_of_bounds:
      return "out_of_bounds";
    case FindingKind::misaligned:
      return "misaligned";
    case FindingKind::use_after_free:
      return "use_after_free";
    case FindingKind::uninitialised_read:
      return "uninitialised_read";
    case FindingKind::race:
      return "race";
    case FindingKind::same_value_race:
      return "same_value_race";
    case FindingKind::divergent_barrier:
      return "divergent_barrier";
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::missing_wait:
      return "missing_wait";
    case FindingKind::missing_fence:
      return "missing_fence";
    case FindingKind::undefined_shuffle:
      return "undefined_shuffle";
    case FindingKind::undefined_mask:
      return "undefined_mask";
    case FindingKind::unsupported_instruction:
      return "unsupported_instruction";
    case FindingKind::illegal_instruction:
      return "illegal_instruction";
    case FindingKind::trap:
      return "trap";
    case FindingKind::assertion:
      return "assertion";
    case FindingKind::runaway:
      return "runaway";
    case FindingKind::stack_overflow:
      return "stack_overflow";
    case FindingKind::leak:
      return "leak";
    case FindingKind::bad_call:
      return "bad_call";
  }
  return "unknown";
}

void Findings::add(Finding finding) {
  // Few different findings exist in practice, so a search is quick enough; the latest is the likeliest to
  // come again.
  const auto same = [&](const Finding& f) {
    return f.kind == finding.kind && f.warning == finding.warning && f.passed == finding.passed &&
           f.line == finding.line && f.other_line == finding.other_line && f.memory == finding.memory &&
           f.kernel == finding.kernel && f.instruction == finding.instruction && f.file == finding.file;
  };
  // Who reads before another writes reads what nobody wrote: that is the race's doing.
  const auto by_a_race = [](const Finding& read, const Finding& race) {
    return read.kind == FindingKind::uninitialised_read && race.kind == FindingKind::race && !race.warning &&
           read.kernel == race.kernel && read.memory == race.memory && read.line != 0 &&
           (read.line == race.line || read.line == race.other_line);
  };
  // Who touches a place before it has waited for the copy into it races with that copy and with the next one.
  const auto by_no_wait = [](const Finding& race, const Finding& wait) {
    return race.kind == FindingKind::race && race.memory == Memory::shared &&
           race.instruction.rfind("cp.async.bulk", 0) == 0 && wait.kind == FindingKind::missing_wait &&
           race.kernel == wait.kernel && wait.memory == Memory::shared;
  };
  const auto follows = [&](const Finding& one, const Finding& from) {
    return by_a_race(one, from) || by_no_wait(one, from);
  };
  if (std::any_of(all_.begin(), all_.end(), [&](const Finding& f) { return follows(finding, f); })) return;
  std::erase_if(all_, [&](const Finding& f) { return follows(f, finding); });
  // Leaks and wrong calls have no place in a kernel: only their text tells them apart.
  const bool placed = !finding.kernel.empty();
  const auto it = std::find_if(all_.rbegin(), all_.rend(), [&](const Finding& f) {
    return same(f) && (placed || f.message == finding.message);
  });
  if (it != all_.rend()) {
    it->occurrences += finding.occurrences;
  } else {
    all_.push_back(std::move(finding));
  }
}

bool Findings::again(FindingKind kind, Memory memory, const std::string& kernel, const Site& site) {
  const auto it = std::find_if(all_.rbegin(), all_.rend(), [&](const Finding& f) {
    return f.passed && f.kind == kind && f.memory == memory && f.line == site.line &&
           (site.line != 0 || f.instruction == site.name) && f.kernel == kernel && f.file == site.file;
  });
  if (it == all_.rend()) return false;
  ++it->occurrences;
  return true;
}

bool Findings::any_error() const noexcept {
  return std::any_of(all_.begin(), all_.end(), [](const Finding& f) { return !f.warning; });
}

void Findings::clear() {
  all_.clear();
}

}  // namespace simgpu::observe
