/// @file
/// See grader.hpp.
#include "judge/grader.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <sstream>

#include "judge/bandwidth.hpp"
#include "judge/contestant.hpp"
#include "judge/correctness.hpp"
#include "judge/counts.hpp"
#include "judge/device_lock.hpp"
#include "judge/gate_check.hpp"
#include "judge/plan.hpp"
#include "records/plugin_record.hpp"
#include "records/quantities.hpp"
#include "records/run_id.hpp"
#include "records/tree.hpp"

namespace course {
namespace {

constexpr std::size_t kLogLines = 40;

void adopt(result& to, const judgement& found) {
  set_verdict(to, found.outcome, found.cause, found.headline);
  to.at = found.at;
  to.details.insert(to.details.begin(), found.details.begin(), found.details.end());
  if (!found.findings->empty()) to.findings = found.findings;
}

// What the builder says of @p tree_id's plugin; without a status where it says nothing.
plugin_record record_of(const grading_task& task, const environment& here, const std::string& tree_id) {
  return read_record(here.plugins, tree_id, {.chapter = task.chapter, .label = {}, .name = task.name})
      .value_or(plugin_record{});
}

class grading {
 public:
  grading(const grading_task& task, const environment& here, const char* kind)
      : task_(task), here_(here), begin_(std::chrono::steady_clock::now()) {
    out_.chapter = task.chapter;
    out_.exercise = task.name;
    out_.kind = kind;
    out_.tree = here.tree_folder.string();
    out_.tree_id = here.tree_id;
    out_.course_version = here.course_version;
    out_.cuda_version = here.cuda_version;
    out_.run = run_id_of_ctest();
    out_.started_at = time_text();
    // The record is read before the seed is drawn: a plugin cannot have been made for its inputs.
    record_ = record_of(task, here, here.tree_id);
    out_.seed = here.seed ? here.seed : protocol::random_bits();
    out_.source = record_.source;
    out_.source_sha256 = record_.source_sha256;
    // Whoever looks after a judge that was stopped, or fell over, finds this instead of nothing or of an older verdict.
    // Without the seed: the student's process may find a way to read it.
    result unfinished = out_;
    unfinished.seed = 0;
    set_verdict(unfinished, verdict::harness_error, cause::no_result,
                "the judge ended before it had a verdict: grade again, and report it if that does not help");
    write_result(unfinished, here.results);
  }

  result& out() { return out_; }
  std::uint64_t seed() const { return out_.seed; }
  std::filesystem::path plugin() const { return here_.plugins / record_.plugin; }

  result done() {
    out_.duration_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    return std::move(out_);
  }
  result done(const judgement& found) {
    adopt(out_, found);
    return done();
  }

  // True if there is a plugin to grade; otherwise the verdict is set.
  bool has_plugin() {
    if (record_.status == "ok") return true;
    if (record_.status == "missing") {
      set_verdict(out_, verdict::missing, cause::none,
                  record_.message.empty() ? "the tree has no such exercise" : record_.message);
    } else if (record_.status == "compile_error") {
      set_verdict(out_, verdict::compile_error, record_.cause,
                  record_.message.empty() ? "the program does not compile" : record_.message);
      out_.at = {record_.location_file, static_cast<unsigned>(record_.location_line)};
      std::istringstream log(record_.log);
      std::size_t lines = 0;
      for (std::string line; std::getline(log, line) && lines < kLogLines; ++lines)
        out_.details.push_back(line);
    } else {
      set_verdict(out_, verdict::harness_error, cause::none,
                  !record_.message.empty()
                      ? record_.message
                      : fmt::format("there is no plugin record of {} for tree {}: run the build test first "
                                    "(ctest -R {}, or ./course grade {})",
                                    task_.name, here_.tree_id, task_.name, task_.name));
    }
    return false;
  }

  // Decides between gpu and sim. @return false when the wanted device is not there, or cannot run this exercise; the verdict is then set.
  // @param another is started beside the first, where two will be needed: a driver's start takes long.
  bool choose_device(contestant& on_gpu, contestant* another = nullptr) {
    if (here_.device != device_choice::sim) {
      const start_options with{nullptr, task_.what.measures_link, {}, {}};
      auto trouble = on_gpu.launch(here_.worker_gpu, with);
      if (another && !trouble) trouble = another->launch(here_.worker_gpu, with);
      if (!trouble) trouble = on_gpu.greet();
      if (!trouble && on_gpu.device().present) {
        gpu_ = true;
      } else if (here_.device == device_choice::gpu) {
        out_.device = "gpu";
        if (trouble) {
          adopt(out_, *trouble);
        } else {
          set_verdict(
              out_, verdict::unsupported_device, cause::no_device,
              fmt::format("no GPU can be used here: grade with --device sim, or where there is one ({})",
                          on_gpu.device().reason));
        }
        return false;
      }
    }
    out_.device = gpu_ ? "gpu" : "sim";
    if (!gpu_) return true;
    out_.device_name = on_gpu.device().name;
    out_.driver = on_gpu.device().driver;
    return suffices(on_gpu.device());
  }

  // True if a device has what the exercise was registered to need; otherwise the verdict is set.
  bool suffices(const device_properties& device) {
    const auto& needs = here_.needs;
    const auto refuse = [&](const std::string& has, const std::string& wants) {
      set_verdict(out_, verdict::unsupported_device, cause::device_lacks,
                  fmt::format("this exercise needs {}, and {} has {}: grade it on the simulated GPU "
                              "(--device sim), where everything works",
                              wants, device.name, has));
      return false;
    };
    const int have = device.known.compute_capability, want = needs.compute_capability;
    if (have < want)
      return refuse(fmt::format("{}.{}", have / 10, have % 10),
                    fmt::format("compute capability {}.{}", want / 10, want % 10));
    if (device.known.devices < needs.devices)
      return refuse(fmt::format("{}", device.known.devices), fmt::format("{} devices", needs.devices));
    for (const auto& name : needs.attributes) {
      const auto found = device.known.attributes.find(name);
      if (found == device.known.attributes.end() || found->second == 0)
        return refuse("none of it", "the device attribute " + name);
    }
    return true;
  }
  bool on_gpu() const { return gpu_; }

  // Starts the simulated device's worker with @p plugin.
  std::optional<judgement> start_sim(contestant& who, const std::filesystem::path& plugin) {
    start_options with{nullptr, task_.what.measures_link, here_.sim_device, plugin};
    if (here_.needs.devices > 1) with.simulator = nlohmann::json{{"devices", here_.needs.devices}};
    if (auto found = who.start(here_.worker_sim, with)) return found;
    if (!who.device().present)
      return harness_trouble("the simulated GPU does not start: " + who.device().reason);
    // An older card may be simulated (course grade --card).
    const int have = who.device().known.compute_capability, want = here_.needs.compute_capability;
    if (have < want) {
      judgement found;
      found.outcome = verdict::unsupported_device;
      found.cause = cause::device_lacks;
      found.headline = fmt::format(
          "this exercise needs compute capability {}.{}, and {} has {}.{}: grade it without --card",
          want / 10, want % 10, who.device().name, have / 10, have % 10);
      return found;
    }
    return load(who, plugin);
  }

  // Starts one more worker on the GPU with @p plugin.
  std::optional<judgement> start_gpu(contestant& who, const std::filesystem::path& plugin) {
    auto trouble = who.start(here_.worker_gpu, {nullptr, task_.what.measures_link, {}, {}});
    return trouble ? trouble : load(who, plugin);
  }
  std::optional<judgement> load(contestant& who, const std::filesystem::path& plugin) {
    auto found = who.load(plugin, functions_of(task_.what, who.device().known));
    note_device(who);
    return found;
  }

  // The plugin that times are compared with; empty, and the verdict set, when there is none.
  std::filesystem::path baseline_plugin(baseline_kind kind) {
    const auto record = record_of(task_, here_, kind == baseline_kind::plain ? kPlain : kSolutions);
    if (record.status == "ok") return here_.plugins / record.plugin;
    const char* const name = kind == baseline_kind::plain ? "plain solution" : "reference";
    set_verdict(out_, verdict::harness_error, cause::none,
                record.status == "missing"
                    ? fmt::format("the course's own {} is missing: bring the folder solutions/ back, e.g. by "
                                  "git checkout",
                                  name)
                    : fmt::format("there is no plugin of the {}: run the build test first. {}", name,
                                  record.message));
    return {};
  }

 private:
  void note_device(const contestant& who) {
    out_.hardening = who.device().hardening;
    out_.device_hardening = who.device_hardening();
    if (gpu_) return;
    out_.device_name = who.device().name;
    out_.modelled = true;
  }

  const grading_task& task_;
  const environment& here_;
  std::chrono::steady_clock::time_point begin_;
  result out_;
  plugin_record record_;
  bool gpu_ = false;
};

}  // namespace

std::string time_text() {
  const std::time_t now = std::time(nullptr);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

std::vector<gate> all_gates(const grading_task& task) {
  auto gates = task.what.gates;
  const auto label = task.chapter.substr(0, task.chapter.find('_'));
  const bool own_kernels = label == "chapter1" || label == "chapter2" || label == "chapter3";
  if (own_kernels && !task.what.libraries_welcome && !task.what.benchmarks.empty())
    gates.push_back(idea(metrics::own_lines, at_least(0.9)));
  return gates;
}

result grade_correctness(const grading_task& task, const environment& here) {
  grading run(task, here, "correctness");
  if (!run.has_plugin()) return run.done();
  contestant gpu;
  if (!run.choose_device(gpu)) return run.done();
  const auto reference = [&](auto start) {
    return [&run, start](contestant& who) -> std::optional<judgement> {
      const auto plugin = run.baseline_plugin(baseline_kind::reference);
      return plugin.empty() ? harness_trouble(run.out().headline) : start(who, plugin);
    };
  };

  // The simulated GPU first: it names lines.
  {
    contestant sim;
    auto found = run.start_sim(sim, run.plugin());
    if (!found) {
      const auto start = [&](contestant& who, const std::filesystem::path& plugin) {
        return run.start_sim(who, plugin);
      };
      found = run_cases({task.what, sim, run.seed(),
                         [&](contestant& another) { return start(another, run.plugin()); }, reference(start)},
                        run.out().cases, run.out().printed);
    }
    if (found && !(run.on_gpu() && found->outcome == verdict::unsupported_feature)) return run.done(*found);
    if (found) run.out().details.push_back("Not checked on the simulated GPU: " + found->headline);
    sim.finish();
  }
  if (run.on_gpu()) {
    // Others may check their results beside us, unless ours are times.
    const device_lock lock(std::filesystem::temp_directory_path(), gpu.device().uuid,
                           compares_figures(task.what, gpu.device().known) ? device_lock::mode::exclusive
                                                                           : device_lock::mode::shared);
    auto found = run.load(gpu, run.plugin());
    if (!found) {
      const auto start = [&](contestant& who, const std::filesystem::path& plugin) {
        return run.start_gpu(who, plugin);
      };
      found = run_cases({task.what, gpu, run.seed() + 1,
                         [&](contestant& another) { return start(another, run.plugin()); }, reference(start)},
                        run.out().cases, run.out().printed);
    }
    if (found) return run.done(*found);
    gpu.finish();
  }
  const auto count = run.out().cases.size();
  set_verdict(run.out(), verdict::pass, cause::none,
              run.on_gpu() ? fmt::format("right in all {} cases, on the GPU and on the simulated one", count)
                           : fmt::format("right in all {} cases, each twice with new data and once with "
                                         "blocks and warps in reverse order",
                                         count));
  return run.done();
}

namespace {

// True if speed is asked of a benchmark, so that it is worth timing on a real device.
bool is_timed(const exercise& what, const benchmark& of) {
  return std::any_of(what.gates.begin(), what.gates.end(), [&](const gate& one) {
    return one.measures == &metrics::speed && (one.on.empty() || one.on == of.name);
  });
}

// Counts of all benchmarks, and on a machine without a GPU their modelled times.
std::optional<judgement> count_all(grading& run, const grading_task& task, std::vector<benchmark_run>& runs) {
  contestant student, reference, plain;
  if (auto found = run.start_sim(student, run.plugin())) return found;
  for (std::size_t index = 0; index < task.what.benchmarks.size(); ++index) {
    const auto& of = task.what.benchmarks[index];
    contestant* baseline = nullptr;
    if (!run.on_gpu() && is_timed(task.what, of)) {
      const auto plugin = run.baseline_plugin(of.baseline);
      if (plugin.empty()) return harness_trouble(run.out().headline);
      baseline = plugin == run.plugin()                ? &student
                 : of.baseline == baseline_kind::plain ? &plain
                                                       : &reference;
      if (!baseline->device().present) {
        if (auto broken = run.start_sim(*baseline, plugin))
          return harness_trouble("the reference cannot be run: " + broken->headline);
      }
    }
    if (auto found =
            model_on_sim(task.what, of, student, baseline, run.seed() + index, runs[index], run.out()))
      return found;
  }
  for (auto* one : {&student, &reference, &plain}) one->finish();
  return std::nullopt;
}

std::optional<judgement> measure_all(grading& run, const grading_task& task, contestant& student,
                                     contestant& reference, std::vector<benchmark_run>& runs) {
  if (auto found = run.load(student, run.plugin())) return found;
  contestant plain;
  bool reference_ready = false;
  for (std::size_t index = 0; index < task.what.benchmarks.size(); ++index) {
    const auto& of = task.what.benchmarks[index];
    if (!is_timed(task.what, of)) continue;
    auto& baseline = of.baseline == baseline_kind::plain ? plain : reference;
    const auto plugin = run.baseline_plugin(of.baseline);
    if (plugin.empty()) return harness_trouble(run.out().headline);
    std::optional<judgement> broken;
    if (&baseline == &plain && !plain.device().present) {
      broken = run.start_gpu(plain, plugin);
    } else if (&baseline == &reference && !reference_ready) {
      broken = run.load(reference, plugin);
      reference_ready = true;
    }
    if (broken) return harness_trouble("the reference cannot be run: " + broken->headline);
    auto& m = runs[index].measured.emplace();
    auto found = measure_on_gpu(task.what, of, {student, baseline}, pass_threshold(task.what, of),
                                run.seed() + 2 + index, m, run.out());
    if (found) return found;
  }
  for (auto* one : {&student, &reference, &plain}) one->finish();
  return std::nullopt;
}

std::string passed_text(const result& what) {
  std::string text;
  for (const auto& gate : what.gates) {
    if (gate.kind != "pass") continue;
    std::string needed = whole_percent_text(gate.threshold) + " are needed";
    if (gate.toothless) {
      needed = fmt::format("the gate of {} has no teeth on this card and does not count",
                           whole_percent_text(gate.threshold));
    } else if (gate.value < gate.threshold) {
      needed += ": confirm on a GPU";  // passed all the same: the modelled clock cannot judge it
    }
    text += fmt::format("{}{}{} of the {}'s speed{}, {}", text.empty() ? "" : "; ",
                        gate.benchmark.empty() ? "" : gate.benchmark + " ",
                        whole_percent_text_beside(gate.value, gate.threshold),
                        gate.unit.starts_with("of the ") ? gate.unit.substr(7) : gate.unit,
                        what.modelled ? " (modelled)" : "", needed);
  }
  if (!text.empty()) return text;
  const auto ideas = std::count_if(what.gates.begin(), what.gates.end(),
                                   [](const gate_result& one) { return one.kind == "idea"; });
  return ideas == 1 ? "its idea gate is met" : fmt::format("all {} idea gates are met", ideas);
}

}  // namespace

result grade_bandwidth(const grading_task& task, const environment& here) {
  grading run(task, here, "bandwidth");
  if (!run.has_plugin()) return run.done();
  contestant student_gpu, reference_gpu;
  if (!run.choose_device(student_gpu, &reference_gpu)) return run.done();

  std::vector<benchmark_run> runs(task.what.benchmarks.size());
  if (auto found = count_all(run, task, runs)) {
    // What the simulated GPU cannot run can still be measured; its gates then stay open.
    if (!(run.on_gpu() && found->outcome == verdict::unsupported_feature)) return run.done(*found);
    run.out().details.push_back("Not counted on the simulated GPU: " + found->headline);
  }
  if (run.on_gpu()) {
    if (auto broken = reference_gpu.greet())
      return run.done(harness_trouble("the reference cannot be run: " + broken->headline));
    const device_lock lock(std::filesystem::temp_directory_path(), student_gpu.device().uuid,
                           device_lock::mode::exclusive);
    if (auto found = measure_all(run, task, student_gpu, reference_gpu, runs)) return run.done(*found);
  }
  for (std::size_t index = 0; index < runs.size(); ++index) {
    const auto& one = runs[index];
    if (one.measured) run.out().measured.push_back(*one.measured);
    if (one.counted)
      run.out().counts->push_back(counts_json(task.what, task.what.benchmarks[index], one, task.name));
  }
  auto without_teeth = run.on_gpu() ? here.no_teeth : std::vector<toothless_gate>();
  std::erase_if(without_teeth,
                [&](const toothless_gate& one) { return one.card != student_gpu.device().name; });
  if (auto missed = check_gates(task.what, all_gates(task), runs, task.name, run.out(), without_teeth))
    return run.done(*missed);
  set_verdict(run.out(), verdict::pass, cause::none, passed_text(run.out()));
  return run.done();
}

}  // namespace course
