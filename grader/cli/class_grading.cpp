/// @file
/// Implementation of class_grading.hpp.
#include "cli/class_grading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "build/plugin_builder.hpp"
#include "cli/ctest_runner.hpp"
#include "cli/device.hpp"
#include "cli/selection.hpp"
#include "grading/grade_exercise.hpp"
#include "grading/hand_in_tree.hpp"
#include "records/files.hpp"
#include "records/quantities.hpp"
#include "records/sha256.hpp"
#include "records/verdict.hpp"
#include "reports/text.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;
using reports::outcome;
using reports::terminal;

/// Calls work(0) to work(count - 1), at most @p jobs at once. What one of them throws does not reach the others, nor us.
void at_once(std::size_t count, int jobs, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  const std::size_t wanted = std::min<std::size_t>(static_cast<std::size_t>(jobs), count);
  for (std::size_t t = 0; t < wanted; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i; (i = next++) < count;) work(i);
    });
  }
  for (std::thread& one : threads) one.join();
}

outcome without_judge(const exercise_id& exercise, verdict what, std::string_view why, std::string sentence) {
  outcome found;
  found.exercise = exercise;
  found.verdict = name_of(what);
  found.cause = why;
  found.headline = std::move(sentence);
  found.complete = true;
  return found;
}

/// What a verdict depends on besides the hand-in: the programs that grade, the reference, the contract, the device.
std::string fingerprint_of(const build_folder& build, const exercise_id& exercise,
                           const std::string& device) {
  sha256 digest;
  digest.update_field(build.config().version);
  digest.update_field(build.config().nvcc_version);
  digest.update_field(device);
  for (const auto& list : {build.config().flags, build.config().architectures})
    for (const std::string& word : list) digest.update_field(word);
  const fs::path reference = reference_tree(build, exercise).source(exercise);
  auto files = build.contract_headers(exercise);
  for (const fs::path& file :
       {build.bin() / "judges" / exercise.judge(), build.bin() / "worker-gpu", build.bin() / "worker-sim",
        build.bin() / "libsimcudart.so", build.bin() / "simgpu-dropin" / "simgpu-device", reference,
        reference.parent_path() / "plain.cu"})
    files.push_back(file);
  for (const fs::path& file : files) digest.update_field(sha256_hex(read_file(file).value_or("")));
  return digest.hex_digest();
}

std::string key_of(const std::string& fingerprint, const course::hand_in& file) {
  sha256 digest;
  digest.update_field(fingerprint);
  digest.update_field(std::to_string(static_cast<int>(file.status)));
  digest.update_field(file.text);
  return digest.hex_digest();
}

/// What may be different the next time without any file having changed.
bool is_lasting(const outcome& found) {
  return !found.verdict.empty() && found.complete && found.verdict != name_of(verdict::harness_error) &&
         found.verdict != name_of(verdict::inconclusive) &&
         found.verdict != name_of(verdict::unsupported_device);
}

/// One hand-in that is to be graded.
struct task {
  class_row* row;
  class_entry* entry;
  course::hand_in file;
};

class class_run {
 public:
  class_run(const build_folder& build, const graded_class& of, const class_options& options,
            const std::string& device, const terminal& out)
      : build_(build), class_(of), options_(options), device_(device), out_(out) {
    // "auto" today and tomorrow need not be the same device.
    std::string name = device;
    if (device == "auto") {
      const driver_answer answer = ask_driver();
      name = answer.has_gpu ? "gpu " + answer.name : "sim";
    }
    for (const exercise_id& exercise : of.exercises)
      if (!exercise.is_drill()) fingerprints_[exercise.judge()] = fingerprint_of(build, exercise, name);
  }

  /// A verdict of an earlier grading, where nothing changed that it depends on.
  bool take_earlier(const task& one) const {
    const exercise_id& exercise = one.entry->graded.exercise;
    if (options_.again || exercise.is_drill())
      return false;  // a drill costs nothing, and its number may be another
    if (read_file(key_file(one)).value_or("") != key(one)) return false;
    const tree graded = resolve_tree(build_, folder_of(one).string());
    outcome found = reports::join_results(
        exercise, reports::read_results(build_.results() / graded.id / exercise.chapter), "");
    if (!is_lasting(found)) return false;
    one.entry->graded = std::move(found);
    one.entry->graded_before = true;
    return true;
  }

  void grade(const task& one, std::size_t total) {
    const auto start = std::chrono::steady_clock::now();
    const exercise_id exercise = one.entry->graded.exercise;
    const auto fault = [&](const char* what) {
      one.entry->graded = without_judge(exercise, verdict::harness_error, cause::none, what);
    };
    try {
      std::error_code error;
      fs::remove(key_file(one), error);
      hand_in_tree own(build_, folder_of(one));
      own.put(exercise, one.file);
      one.entry->graded = grade_exercise(build_, own.graded(), exercise, device_);
      if (is_lasting(one.entry->graded) && !exercise.is_drill())
        write_file_atomically(key_file(one), key(one));
    } catch (const std::exception& problem) {
      fault(problem.what());
    }
    if (options_.require_measured) reports::refuse_modelled_speed(one.entry->graded);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::lock_guard lock(mutex_);
    const std::string& word = one.entry->graded.verdict;
    fmt::print("[{}/{}] {:<20} {:<20} {}  {}\n", ++done_, total, one.row->who.name, exercise.name,
               out_.verdict(word, fmt::format("{:<18}", word)), out_.dim(seconds_text(seconds)));
    constexpr std::size_t kIndent = 6;
    if (const std::string why =
            reports::reason_line(one.entry->graded, static_cast<std::size_t>(out_.width()) - kIndent);
        !why.empty())
      fmt::print("{:{}}{}\n", "", kIndent, why);
    std::fflush(stdout);
  }

 private:
  fs::path folder_of(const task& one) const { return class_.kept / "trees" / one.row->who.key; }
  fs::path key_file(const task& one) const {
    return class_.kept / "graded" / one.row->who.key / one.entry->graded.exercise.judge();
  }
  std::string key(const task& one) const {
    return key_of(fingerprints_.at(one.entry->graded.exercise.judge()), one.file);
  }

  const build_folder& build_;
  const graded_class& class_;
  const class_options& options_;
  const std::string& device_;
  const terminal& out_;
  std::map<std::string, std::string> fingerprints_;  // by judge
  std::mutex mutex_;
  std::size_t done_ = 0;
};

/// The folder of what is kept of a class: one for each folder of hand-ins.
fs::path kept_folder(const build_folder& build, const fs::path& folder) {
  return build.root() / "classes" /
         fmt::format("{}-{}", tame_name(folder.filename().string()),
                     sha256_hex(folder.string()).substr(0, 8));
}

}  // namespace

graded_class grade_hand_ins(const build_folder& build, const class_options& options,
                            const std::string& device, const terminal& out) {
  graded_class all;
  all.exercises = select_exercises(build, options.words);
  const std::vector<student> students = students_in(options.folder);
  for (const student& who : students) {
    const bool is_chapter = std::any_of(build.config().exercises.begin(), build.config().exercises.end(),
                                        [&](const exercise_id& one) { return one.chapter == who.folder; });
    if (is_chapter)
      throw environment_error(fmt::format(
          "{0} holds {1}, so it is one person's tree: grade it with --tree {0}, or name the folder above it.",
          shown_text(options.folder), who.name));
  }
  std::error_code error;
  all.folder = fs::canonical(options.folder, error);
  all.kept = kept_folder(build, all.folder);

  // Rows first: tasks point into them.
  for (const student& who : students) {
    class_row row{who, {}};
    for (const exercise_id& exercise : all.exercises) {
      row.entries.emplace_back();
      row.entries.back().graded.exercise = exercise;
    }
    all.students.push_back(std::move(row));
  }
  std::vector<task> tasks;
  for (class_row& row : all.students) {
    for (class_entry& entry : row.entries) {
      const exercise_id exercise = entry.graded.exercise;
      found_hand_in found = find_hand_in(all.folder, row.who, exercise);
      entry.at = found.at;
      entry.beside = std::move(found.beside);
      if (found.file.status == hand_in_status::missing) {
        entry.graded = without_judge(exercise, verdict::missing, cause::none, "Not handed in.");
      } else {
        tasks.push_back({&row, &entry, std::move(found.file)});
      }
    }
  }
  for (const exercise_id& exercise : all.exercises) {
    const bool wanted = std::any_of(tasks.begin(), tasks.end(), [&](const task& one) {
      return one.entry->graded.exercise.judge() == exercise.judge();
    });
    if (wanted && !is_built(build, exercise)) {
      throw environment_error(fmt::format(
          "The judge of {0} is not built yet: run ./course grade {0}, which builds it.", exercise.name));
    }
  }

  class_run run(build, all, options, device, out);
  std::vector<task*> open;
  for (task& one : tasks) {
    if (!run.take_earlier(one)) {
      open.push_back(&one);
    } else if (options.require_measured) {
      reports::refuse_modelled_speed(one.entry->graded);
    }
  }
  const int jobs = options.jobs > 0 ? options.jobs : available_cores();
  // Each reference once, before everybody wants it.
  std::vector<const exercise_id*> used;
  for (const exercise_id& exercise : all.exercises) {
    const bool wanted = std::any_of(open.begin(), open.end(), [&](const task* one) {
      return one->entry->graded.exercise.judge() == exercise.judge();
    });
    if (wanted && !exercise.is_drill()) used.push_back(&exercise);
  }
  at_once(used.size(), jobs, [&](std::size_t i) {
    try {
      build_plugin(build, reference_tree(build, *used[i]), *used[i]);
    } catch (const std::exception&) {
      // The grading meets it again, and tells.
    }
  });
  at_once(open.size(), jobs, [&](std::size_t i) { run.grade(*open[i], open.size()); });
  return all;
}

}  // namespace course::cli
