/// @file
/// See description.hpp.
#include "judge/description.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "judge/plan.hpp"

namespace course {
namespace {

using ordered = nlohmann::ordered_json;

std::string_view name_of(buffer_role role) {
  switch (role) {
    case buffer_role::input:
      return "input";
    case buffer_role::output:
      return "output";
    case buffer_role::in_out:
      return "in_out";
    case buffer_role::figures:
      break;
  }
  return "figures";
}

std::string_view name_of(call_phase phase) {
  return phase == call_phase::before ? "before" : phase == call_phase::timed ? "timed" : "after";
}

std::string_view name_of(call_result result) {
  switch (result) {
    case call_result::nothing:
      return "nothing";
    case call_result::status:
      return "status";
    case call_result::handle:
      return "handle";
    case call_result::size:
      break;
  }
  return "size";
}

std::vector<std::size_t> numbers_of(const shape& sizes) {
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < sizes.dimensions(); ++k) numbers.push_back(sizes[k]);
  return numbers;
}

ordered to_json(const problem& asked) {
  ordered buffers = ordered::array(), calls = ordered::array();
  for (const auto& one : asked.buffers()) {
    buffers.push_back({{"name", one.name},
                       {"role", name_of(one.role)},
                       {"element", one.type.name},
                       {"place", protocol::name_of(one.options.place)},
                       {"student_owns", one.follows == follows_as::pointer},
                       {"alignment_bytes", one.options.alignment},
                       {"ghosts", one.options.ghosts},
                       {"common", one.options.common}});
  }
  for (const auto& one : asked.calls())
    calls.push_back(
        {{"function", one.function}, {"phase", name_of(one.phase)}, {"returns", name_of(one.returns)}});
  return {{"buffers", std::move(buffers)}, {"calls", std::move(calls)}};
}

ordered bound(double value) {
  return std::isfinite(value) ? ordered(value) : ordered(nullptr);
}

ordered to_json(const gate& one) {
  ordered other = ordered::array();
  for (const auto& instead : one.or_else) other.push_back(to_json(instead));
  const auto& m = *one.measures;
  return {{"metric", m.name},
          {"kind", name_of(one.means)},
          {"benchmark", one.on},
          {"at_least", bound(one.within.least)},
          {"at_most", bound(one.within.most)},
          {"wanted", to_string(one.within)},
          {"unit", m.unit},
          {"from", name_of(m.from)},
          {"over", name_of(m.over)},
          {"of_nothing", name_of(m.of_nothing)},
          {"explains", m.explains},
          {"lesson", one.lesson},
          {"or_else", std::move(other)}};
}

}  // namespace

std::string description_of(const grading_task& task) {
  const facts device{.sm_count = 11,
                     .l2_bytes = 5 << 20};  // as the simulated slice of the course's own card has them
  const auto& what = task.what;
  ordered cases = ordered::array(), benchmarks = ordered::array(), gates = ordered::array();
  for (const auto& one : plan_cases(what, device, 1))
    cases.push_back({{"name", one.name}, {"hidden", one.hidden}});
  for (const auto& one : what.benchmarks) {
    const auto asked = ask(what, one, one.on_sim, device);
    benchmarks.push_back({{"name", one.name},
                          {"on_sim", to_string(one.on_sim, what.size_names)},
                          {"clock", one.clock == clock_kind::events ? "events" : "end_to_end"},
                          {"baseline", one.baseline == baseline_kind::reference ? "reference" : "plain"},
                          {"roof", one.roof == roof_kind::dram   ? "dram"
                                   : one.roof == roof_kind::link ? "link"
                                                                 : "none"},
                          {"modelled_time_decides", one.modelled_time_decides},
                          {"bytes_read", asked.bytes_read()},
                          {"bytes_written", asked.bytes_written()},
                          {"amount", asked.amount()},
                          {"unit", asked.unit()}});
  }
  for (const auto& one : all_gates(task)) gates.push_back(to_json(one));
  ordered parts = ordered::array();
  const auto add_part = [&](const std::string& name, const describer& asks, const std::vector<shape>& sizes,
                            bool drawn, bool hidden) {
    ordered listed = ordered::array();
    for (const shape& one : sizes) listed.push_back(numbers_of(one));
    ordered one{{"name", name}, {"sizes", std::move(listed)}, {"drawn", drawn}, {"hidden", hidden}};
    // The last one is large enough to have every buffer in it.
    if (!sizes.empty()) one["problem"] = to_json(asks(sizes.back(), device));
    parts.push_back(std::move(one));
  };
  add_part("", what.asks, what.cases, static_cast<bool>(what.drawn), static_cast<bool>(what.hidden));
  for (const part& one : what.also)
    add_part(one.name, one.asks ? one.asks : what.asks, one.cases, static_cast<bool>(one.drawn),
             static_cast<bool>(one.hidden));
  ordered all{{"schema", "course.exercise/1"},
              {"chapter", task.chapter},
              {"exercise", task.name},
              {"size_names", what.size_names},
              {"listed_cases", what.cases.size()},
              {"cases", std::move(cases)},
              {"benchmarks", std::move(benchmarks)},
              {"gates", std::move(gates)},
              {"parts", std::move(parts)}};
  if (!what.cases.empty()) {
    all["problem"] = to_json(what.asks(what.cases.back(), device));
  } else if (!what.benchmarks.empty()) {
    all["problem"] = to_json(ask(what, what.benchmarks.front(), what.benchmarks.front().on_sim, device));
  }
  return all.dump(1) + "\n";
}

}  // namespace course
