/// @file
/// See timed_sets.hpp.
#include "judge/timed_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "protocol/names.hpp"
#include "records/json_fields.hpp"

namespace course {
namespace {

using nlohmann::json;
namespace op = protocol::op;
using seconds = std::chrono::duration<double>;

// Changed elements of a set: shared among its inputs, since each costs copies to and fro before and after every sample.
constexpr std::size_t kPokes = 16, kFewestPokes = 4, kRandomSlices = 4, kPoisonSlices = 2,
                      kSliceElements = 64;

}  // namespace

timed_sets::timed_sets(const problem& asked, std::size_t sets, std::string name, std::uint64_t seed)
    : data_(asked, {0}, mix(seed)), name_(std::move(name)), random_(seed), overlays_(sets), to_check_(sets) {}

std::optional<judgement> timed_sets::wait_for_all(const std::vector<contestant*>& all, const char* doing,
                                                  double patience) {
  std::optional<judgement> found;
  for (auto* one : all) {
    const auto answer = one->wait();
    if (found) continue;
    if (!answer.ok()) {
      found = diagnose_silence(answer, one->worker(), doing, patience);
    } else {
      found = diagnose_call(answer.body, {}, asked());
    }
    if (found) at_fault_ = one;
  }
  return found;
}

std::optional<judgement> timed_sets::prepare(const std::vector<contestant*>& all, const json& simulator,
                                             double patience) {
  at_fault_ = nullptr;
  const std::size_t padding = simulator.is_null() ? (draw(64) + 1) * 65536 : 0;
  for (auto* one : all) {
    json request{{"op", op::kPrepareTiming},
                 {"sets", count()},
                 {"padding", padding},
                 {"repeats_before", asked().repeats_before()}};
    if (!simulator.is_null()) request["simulator"] = simulator;
    if (!data_.send_to(one->arena(), request))
      return harness_trouble("there is not enough host memory for the timed buffers");
    one->send(std::move(request), seconds(patience));
  }
  return wait_for_all(all, "while the timed run was prepared", patience);
}

std::optional<judgement> timed_sets::place_anew(const std::vector<contestant*>& all, double patience) {
  at_fault_ = nullptr;
  for (auto* one : all)
    one->send({{"op", op::kPlaceAnew}, {"padding", (draw(64) + 1) * 65536}}, seconds(patience));
  return wait_for_all(all, "while the timed run was prepared", patience);
}

void timed_sets::draw_set(std::size_t set, std::vector<write>& writes) {
  auto& slices = to_check_[set];
  slices.clear();
  const auto& problem = asked();
  const auto round_begin = overlays_[set].size();
  const auto inputs = static_cast<std::size_t>(
      std::count_if(problem.buffers().begin(), problem.buffers().end(),
                    [](const buffer& one) { return one.is_read() && one.count > 0 && !one.options.fixed; }));
  const auto pokes = std::max(kFewestPokes, kPokes / std::max<std::size_t>(1, inputs));
  for (std::size_t buffer = 0; buffer < problem.buffers().size(); ++buffer) {
    const auto& one = problem.buffers()[buffer];
    if (!one.is_read() || one.count == 0 || one.options.fixed) continue;
    const bool copied = one.options.common && set > 0;  // the first set's changes are everybody's
    for (std::size_t k = 0; k < pokes; ++k) {
      changed_element change;
      if (copied) {
        change = overlays_[0][first_round_begin_ + overlays_[set].size() - round_begin];
      } else {
        change = {buffer, draw(one.count), std::vector<std::byte>(one.type.size)};
        const auto& with = one.options.poked_with ? *one.options.poked_with : one.options.filled_with;
        fill_elements(with, one.type, change.bytes.data(), change.element, 1, random_());
        writes.push_back({set, buffer, change.element, change.bytes});
      }
      for (std::size_t index = 0; index < problem.expectations().size(); ++index) {
        const auto size = problem.buffers()[problem.expectations()[index].output].count;
        for (const auto& range : problem.expectations()[index].expected->affected(buffer, change.element)) {
          if (range.first < size)
            slices.push_back({index, range.first, std::min(range.count, size - range.first)});
        }
      }
      overlays_[set].push_back(std::move(change));
    }
  }
  for (std::size_t index = 0; index < problem.expectations().size(); ++index) {
    const auto output = problem.expectations()[index].output;
    const auto& one = problem.buffers()[output];
    if (one.count == 0) continue;
    for (std::size_t k = 0; k < kRandomSlices + kPoisonSlices; ++k) {
      const auto width = std::min(kSliceElements, one.count);
      const auto first = draw(one.count - width + 1);
      slices.push_back({index, first, width});
      if (k >= kPoisonSlices || one.role == buffer_role::in_out) continue;
      std::vector<std::byte> bytes(width * one.type.size);
      fill_poison(data_.poison(output), bytes.data(), width);
      writes.push_back({set, output, first, std::move(bytes)});
    }
  }
  std::sort(slices.begin(), slices.end());
  slices.erase(std::unique(slices.begin(), slices.end()), slices.end());
}

std::optional<judgement> timed_sets::poke(const std::vector<contestant*>& all, double patience) {
  at_fault_ = nullptr;
  std::vector<write> writes;
  first_round_begin_ = overlays_.front().size();
  for (std::size_t set = 0; set < count(); ++set) draw_set(set, writes);
  for (auto* one : all) {
    auto& arena = one->arena();
    std::size_t bytes = 0;
    for (const auto& write : writes) bytes += (write.bytes.size() + 15) / 16 * 16;
    if (!arena.grow(bytes)) return harness_trouble("there is not enough host memory for the timed buffers");
    auto list = json::array();
    std::size_t at = 0;
    for (const auto& write : writes) {
      std::copy(write.bytes.begin(), write.bytes.end(), arena.data() + at);
      const auto size = asked().buffers()[write.buffer].type.size;
      list.push_back({{"set", write.set},
                      {"buffer", write.buffer},
                      {"bytes", write.bytes.size()},
                      {"arena", at},
                      {"offset", data_.pointer_offset(write.buffer) + write.element * size}});
      at += (write.bytes.size() + 15) / 16 * 16;
    }
    one->send({{"op", op::kPoke}, {"arena_bytes", arena.size()}, {"writes", std::move(list)}},
              seconds(patience));
    // One after the other: two processes that copy at the same time make the GPU change contexts all the while.
    if (auto found = wait_for_all({one}, "between timed runs", patience)) return found;
  }
  return std::nullopt;
}

void timed_sets::apply(std::size_t set) {
  auto& overlay = overlays_[set];
  // Forwards and backwards: an element that was changed twice ends as it began.
  for (auto& change : overlay) data_.change(change.buffer, change.element, change.bytes);
}

std::optional<judgement> timed_sets::fetch(contestant& one, const std::vector<std::size_t>& buffers,
                                           const std::vector<std::size_t>& first,
                                           const std::vector<std::size_t>& elements, std::size_t set,
                                           std::vector<std::size_t>& places, double patience) {
  auto& arena = one.arena();
  auto reads = json::array();
  std::size_t at = 0;
  for (std::size_t k = 0; k < buffers.size(); ++k) {
    const auto size = asked().buffers()[buffers[k]].type.size;
    reads.push_back({{"set", set},
                     {"buffer", buffers[k]},
                     {"offset", data_.pointer_offset(buffers[k]) + first[k] * size},
                     {"bytes", elements[k] * size},
                     {"arena", at}});
    places.push_back(at);
    at += (elements[k] * size + 15) / 16 * 16;
  }
  if (!arena.grow(at)) return harness_trouble("there is not enough host memory to check the outputs");
  const auto answer = one.ask(
      {{"op", op::kFetch}, {"arena_bytes", arena.size()}, {"reads", std::move(reads)}}, seconds(patience));
  if (answer.ok()) return std::nullopt;
  at_fault_ = &one;
  return diagnose_silence(answer, one.worker(), "after a timed run", patience);
}

std::optional<judgement> timed_sets::wrong_at_this_size(contestant& one, const mismatches& wrong,
                                                        std::size_t output) {
  if (wrong.none()) return std::nullopt;
  at_fault_ = &one;
  auto found = diagnose_mismatch(wrong, asked().buffers()[output].name);
  if (found.cause == cause::mismatch) found.cause = cause::wrong_at_timed_size;
  found.headline =
      fmt::format("right at the small sizes, wrong at the timed one ({}): {}", name_, found.headline);
  return found;
}

std::optional<judgement> timed_sets::verify(contestant& one, std::size_t launches, double patience) {
  at_fault_ = nullptr;
  for (std::size_t set = 0; set < std::min(count(), launches); ++set) {
    const auto& slices = to_check_[set];
    std::vector<std::size_t> buffers, first, elements, places;
    for (const auto& part : slices) {
      buffers.push_back(asked().expectations()[part.expectation].output);
      first.push_back(part.first);
      elements.push_back(part.count);
    }
    if (auto found = fetch(one, buffers, first, elements, set, places, patience)) return found;
    apply(set);
    std::optional<judgement> found;
    for (std::size_t k = 0; k < slices.size() && !found; ++k) {
      mismatches wrong(data_.geometry(buffers[k], 0));
      data_.compare_part(slices[k].expectation, one.arena().data() + places[k], slices[k].first,
                         slices[k].count, wrong);
      found = wrong_at_this_size(one, wrong, buffers[k]);
    }
    std::reverse(overlays_[set].begin(), overlays_[set].end());
    apply(set);
    std::reverse(overlays_[set].begin(), overlays_[set].end());
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<judgement> timed_sets::verify_whole(contestant& one, std::size_t set, double patience,
                                                  const json& body, const device_report& report) {
  at_fault_ = nullptr;
  std::vector<std::size_t> buffers, first, elements, places;
  for (std::size_t index = 0; index < asked().buffers().size(); ++index) {
    const auto& buffer = asked().buffers()[index];
    if (!buffer.is_written() || buffer.count == 0) continue;
    buffers.push_back(index);
    first.push_back(0);
    elements.push_back(buffer.count);
  }
  if (auto found = fetch(one, buffers, first, elements, set, places, patience)) return found;
  std::vector<const void*> outputs(asked().buffers().size());
  for (std::size_t k = 0; k < buffers.size(); ++k) outputs[buffers[k]] = one.arena().data() + places[k];
  apply(set);
  std::optional<judgement> found;
  const std::size_t block = report.launches().empty() ? 0 : report.launches().back().block;
  for (std::size_t index = 0; index < asked().expectations().size() && !found; ++index) {
    const auto& expectation = asked().expectations()[index];
    if (expectation.expected == reference_answer() || !outputs[expectation.output]) continue;
    mismatches wrong(data_.geometry(expectation.output, block));
    data_.compare_some(index, outputs[expectation.output], random_(), wrong);
    found = wrong_at_this_size(one, wrong, expectation.output);
  }
  if (!found && body.is_object()) {
    const auto inputs = data_.inputs();
    const observed seen{inputs, outputs, number_of(body, "event_seconds"),
                        report.present() ? &report : nullptr};
    for (const auto& holds : asked().properties()) {
      auto sentence = holds(seen);
      if (sentence.empty()) continue;
      at_fault_ = &one;
      found.emplace();
      found->outcome = verdict::wrong_result;
      found->cause = cause::wrong_at_timed_size;
      found->headline = fmt::format("at the timed size ({}): {}", name_, sentence);
      break;
    }
  }
  std::reverse(overlays_[set].begin(), overlays_[set].end());
  apply(set);
  std::reverse(overlays_[set].begin(), overlays_[set].end());
  return found;
}

}  // namespace course
