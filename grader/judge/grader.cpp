/// @file
/// See grader.hpp.
#include "judge/grader.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <sstream>

#include "judge/bandwidth.hpp"
#include "judge/contestant.hpp"
#include "judge/correctness.hpp"
#include "judge/explain.hpp"
#include "records/plugin_record.hpp"
#include "records/run_id.hpp"
#include "records/tree.hpp"

namespace course {
namespace {

constexpr std::size_t kLogLines = 40;

void adopt(result& to, const judgement& found) {
  set_verdict(to, found.outcome, found.cause, found.headline);
  to.at = found.at;
  to.details.insert(to.details.begin(), found.details.begin(), found.details.end());
  if (!found.findings.empty()) to.findings = found.findings;
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
    const std::time_t now = std::time(nullptr);
    out_.started_at = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
    // The record is read before the seed is drawn: a plugin cannot have been made for its inputs.
    record_ = record_of(task, here, here.tree_id);
    out_.seed = here.seed ? here.seed : protocol::random_bits();
    out_.source = record_.source;
    out_.source_sha256 = record_.source_sha256;
    // Whoever looks after a judge that was stopped, or fell over, finds this instead of nothing or of an older verdict.
    result unfinished = out_;
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

  // Decides between gpu and sim. @return false when the wanted device is not there; the verdict is then set.
  bool choose_device(contestant& on_gpu) {
    if (here_.device != device_choice::sim) {
      const auto trouble = on_gpu.start(here_.worker_gpu);
      if (!trouble && on_gpu.device().present) {
        gpu_ = true;
      } else if (here_.device == device_choice::gpu) {
        out_.device = "gpu";
        if (trouble) {
          adopt(out_, *trouble);
        } else {
          set_verdict(out_, verdict::unsupported_device, cause::no_device,
                      "no GPU can be used: " + on_gpu.device().reason);
        }
        return false;
      }
    }
    out_.device = gpu_ ? "gpu" : "sim";
    if (gpu_) {
      out_.device_name = on_gpu.device().name;
      out_.driver = on_gpu.device().driver;
    }
    return true;
  }
  bool on_gpu() const { return gpu_; }

  // Starts the simulated device's worker with @p plugin.
  std::optional<judgement> start_sim(contestant& who, const std::filesystem::path& plugin) {
    if (auto found = who.start(here_.worker_sim)) return found;
    if (!who.device().present) {
      judgement found;
      found.outcome = verdict::harness_error;
      found.headline = "the simulated GPU does not start: " + who.device().reason;
      return found;
    }
    if (!gpu_) {
      out_.device_name = who.device().name;
      out_.modelled = true;
    }
    return who.load(plugin, functions());
  }

  std::vector<std::string> functions() const {
    return functions_of(
        task_.what.asks(task_.what.cases.empty() ? task_.what.timed_on_sim : task_.what.cases.front()));
  }

 private:
  const grading_task& task_;
  const environment& here_;
  std::chrono::steady_clock::time_point begin_;
  result out_;
  plugin_record record_;
  bool gpu_ = false;
};

}  // namespace

result grade_correctness(const grading_task& task, const environment& here) {
  grading run(task, here, "correctness");
  if (!run.has_plugin()) return run.done();
  contestant gpu;
  if (!run.choose_device(gpu)) return run.done();

  // The simulated GPU first: it names lines.
  {
    contestant sim;
    auto found = run.start_sim(sim, run.plugin());
    if (!found) {
      found = run_cases(task.what, sim, run.seed(), run.out(),
                        [&](contestant& another) { return run.start_sim(another, run.plugin()); });
    }
    if (found && !(run.on_gpu() && found->outcome == verdict::unsupported_feature)) return run.done(*found);
    if (found) run.out().details.push_back("Not checked on the simulated GPU: " + found->headline);
    sim.worker().finish();
  }
  if (run.on_gpu()) {
    auto found = gpu.load(run.plugin(), run.functions());
    if (!found) {
      found = run_cases(task.what, gpu, run.seed() + 1, run.out(), [&](contestant& another) {
        auto trouble = another.start(here.worker_gpu);
        return trouble ? trouble : another.load(run.plugin(), run.functions());
      });
    }
    if (found) return run.done(*found);
    gpu.worker().finish();
  }
  const auto count = run.out().cases.size();
  set_verdict(run.out(), verdict::pass, cause::none,
              run.on_gpu() ? fmt::format("right in all {} cases, on the GPU and on the simulated one", count)
                           : fmt::format("right in all {} cases, each twice with new data and once with "
                                         "blocks and warps in reverse order",
                                         count));
  return run.done();
}

result grade_bandwidth(const grading_task& task, const environment& here) {
  grading run(task, here, "bandwidth");
  if (!run.has_plugin()) return run.done();
  const auto reference_record = record_of(task, here, kSolutions);
  if (reference_record.status != "ok") {
    set_verdict(run.out(), verdict::harness_error, cause::none,
                fmt::format("there is no plugin of the reference ({}): run the build test first",
                            reference_record.message));
    return run.done();
  }
  contestant student_gpu;
  if (!run.choose_device(student_gpu)) return run.done();

  // Counts, and on a machine without a GPU the modelled time.
  device_report report;
  {
    contestant student, reference;
    auto found = run.start_sim(student, run.plugin());
    if (!found && !run.on_gpu()) {
      if (auto broken = run.start_sim(reference, here.plugins / reference_record.plugin)) {
        broken->outcome = verdict::harness_error;
        broken->headline = "the reference cannot be run: " + broken->headline;
        found = broken;
      }
    }
    if (!found)
      found = model_on_sim(task.what, student, run.on_gpu() ? nullptr : &reference, run.seed(), run.out(),
                           report);
    if (found && !(run.on_gpu() && found->outcome == verdict::unsupported_feature)) return run.done(*found);
    if (found)
      run.out().details.push_back("Idea gates could not be evaluated on the simulated GPU: " +
                                  found->headline);
    student.worker().finish();
    reference.worker().finish();
  }
  if (run.on_gpu()) {
    contestant reference_gpu;
    auto found = reference_gpu.start(here.worker_gpu);
    if (!found) found = reference_gpu.load(here.plugins / reference_record.plugin, run.functions());
    if (found) {
      found->outcome = verdict::harness_error;
      found->headline = "the reference cannot be run: " + found->headline;
      return run.done(*found);
    }
    found = student_gpu.load(run.plugin(), run.functions());
    if (!found) {
      found = measure_on_gpu(task.what, {student_gpu, reference_gpu}, run.seed() + 2,
                             std::filesystem::temp_directory_path(), run.out());
    }
    if (found) return run.done(*found);
    student_gpu.worker().finish();
    reference_gpu.worker().finish();
  }

  const auto counted = task.what.asks(task.what.timed_on_sim);
  std::optional<judgement> wasteful;
  const auto speed = judge_speed(task.what, counted, report, run.out());
  if (report.present()) wasteful = judge_ideas(task.what, counted, report, run.out());
  // Too slow is said first, but an idea gate knows the reason better.
  if (speed && speed->outcome == verdict::too_slow && wasteful) {
    auto both = *speed;
    const auto waste = wasteful->headline.substr(wasteful->headline.find(": ") + 2);
    if (both.headline.find(waste) == std::string::npos)
      both.details.insert(both.details.begin(), "also " + waste);
    if (both.cause == cause::unknown_bottleneck) {
      both.cause = wasteful->cause;
      both.at = wasteful->at;
    }
    return run.done(both);
  }
  if (speed) return run.done(*speed);
  if (wasteful) return run.done(*wasteful);
  set_verdict(run.out(), verdict::pass, cause::none,
              fmt::format("{:.0f} % of the reference's bandwidth{}, {:.0f} % are needed",
                          100 * run.out().measured.ratio.ratio, run.out().modelled ? " (modelled)" : "",
                          100 * task.what.gates.pass.at_least.value));
  return run.done();
}

}  // namespace course
