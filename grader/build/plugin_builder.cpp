/// @file
/// Implementation of plugin_builder.hpp.
#include "build/plugin_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <set>

#include "build/compile_log.hpp"
#include "build/compiler_access.hpp"
#include "build/hand_in.hpp"
#include "build/plugin_checks.hpp"
#include "build/process.hpp"
#include "records/files.hpp"
#include "records/sha256.hpp"
#include "records/verdict.hpp"

namespace course {
namespace fs = std::filesystem;
namespace {

/// A compiler that is really there.
struct compiler {
  fs::path nvcc;
  std::string version;
};

std::string version_of(const fs::path& nvcc) {
  process_request request;
  request.command = {nvcc.string(), "--version"};
  request.timeout_seconds = 20;
  const process_result answer = run_process(request);
  std::smatch match;
  static const std::regex kVersion(R"(V(\d+\.\d+\.\d+))");
  return std::regex_search(answer.output, match, kVersion) ? match[1].str() : std::string();
}

/// The nvcc of configure time, or, in a build folder that was carried to another machine, the one that is
/// there.
std::optional<compiler> find_compiler(const configuration& config) {
  if (!find_program(config.nvcc).empty()) return compiler{config.nvcc, config.nvcc_version};
  std::vector<std::string> candidates;
  if (const char* named = std::getenv("CUDACXX")) candidates.emplace_back(named);
  if (const char* root = std::getenv("CUDA_PATH")) candidates.push_back(std::string(root) + "/bin/nvcc");
  candidates.emplace_back("/usr/local/cuda/bin/nvcc");
  candidates.emplace_back("nvcc");
  for (const std::string& candidate : candidates) {
    const fs::path found = find_program(candidate);
    if (found.empty()) continue;
    const std::string version = version_of(found);
    if (!version.empty()) return compiler{found, version};
  }
  return std::nullopt;
}

/// Options that name target architectures: PTX for compute capability 9.0, which the simulated GPU reads, and
/// machine code for 9.0 and for the GPUs that were named at configure time, as far as the exercise's
/// instructions exist there.
std::vector<std::string> architecture_flags(const configuration& config, const exercise_id& exercise,
                                            const std::vector<std::string>& more) {
  std::vector<std::string> flags = {"-gencode=arch=compute_90,code=[compute_90,sm_90]"};
  std::set<std::string> wanted(config.architectures.begin(), config.architectures.end());
  wanted.insert(more.begin(), more.end());
  for (const std::string& architecture : wanted) {
    const int number = std::atoi(architecture.c_str());
    if (architecture == "90" || number < exercise.minimum_arch) continue;
    flags.push_back(fmt::format("-gencode=arch=compute_{0},code=sm_{0}", architecture));
  }
  // A simulated card older than 9.0 takes PTX of its own compute capability, as such a card does (course grade --card).
  const char* const card = std::getenv("COURSE_CARD_ARCH");
  const int number = card == nullptr ? 90 : std::atoi(card);
  if (number != 90 && number >= std::max(50, exercise.minimum_arch))
    flags.push_back(fmt::format("-gencode=arch=compute_{0},code=compute_{0}", number));
  return flags;
}

/// A folder of one compilation, removed at the end.
class staging_folder {
 public:
  explicit staging_folder(const fs::path& parent) : path_(parent / unique_suffix()) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);  // a process of the same number may have died here
    make_folder(path_ / "tmp");
  }
  staging_folder(const staging_folder&) = delete;
  staging_folder& operator=(const staging_folder&) = delete;
  ~staging_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Removes what builders that were killed left behind.
void remove_old_staging(const fs::path& parent) {
  std::error_code error;
  const auto old = fs::file_time_type::clock::now() - std::chrono::minutes(10);
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    if (fs::last_write_time(entry, error) < old && !error) fs::remove_all(entry, error);
  }
}

class builder {
 public:
  builder(const build_folder& build, const tree& graded, const exercise_id& exercise,
          const build_options& options)
      : build_(build), exercise_(exercise), options_(options) {
    record_.tree = graded.path.string();
    record_.tree_id = graded.id;
    record_.chapter = exercise.chapter;
    record_.exercise = exercise.name;
    record_.source = graded.source(exercise).string();
    shown_name_ = fmt::format("{}/{}/{}.cu", exercise.chapter, exercise.name, exercise.name);
    record_.built_at_unix =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
  }

  plugin_record run() {
    try {
      make();
    } catch (const environment_error& problem) {
      const std::string text = problem.what();
      refuse("harness_error",
             text.find("disk is full") != std::string::npos ? cause::disk_full : cause::not_writable, text);
    } catch (const fs::filesystem_error& problem) {
      refuse("harness_error", cause::not_writable,
             fmt::format("The plugin cannot be stored: {}.", problem.what()));
    }
    write_record(build_.plugins(), exercise_, record_);
    return record_;
  }

 private:
  void refuse(std::string status, std::string_view why, std::string message) {
    record_.status = std::move(status);
    record_.cause = why;
    record_.message = std::move(message);
    record_.plugin.clear();
  }

  void make() {
    if (take_compiled_reference() || !read_source() || !read_contract()) return;
    record_.flags = build_.config().flags;
    if (options_.for_release) {
      std::erase(record_.flags, "-lineinfo");
      record_.flags.emplace_back("-Xlinker=-s");
    }
    const auto gencode = architecture_flags(build_.config(), exercise_, options_.more_architectures);
    record_.flags.insert(record_.flags.end(), gencode.begin(), gencode.end());

    record_.nvcc_version = build_.config().nvcc_version;
    record_.hash = hash();
    if (take_from_cache()) return;
    const auto found = find_compiler(build_.config());
    if (!found) {
      refuse("harness_error", cause::no_compiler,
             fmt::format(
                 "nvcc is no longer at {} nor on the PATH: install the CUDA Toolkit {} or set CUDA_PATH.",
                 build_.config().nvcc, build_.config().cuda_version));
      return;
    }
    if (found->version != record_.nvcc_version) {
      record_.nvcc_version = found->version;
      record_.hash = hash();
      if (take_from_cache()) return;
    }
    compile(*found);
  }

  /// A student's copy of the course has its references compiled, and no solutions.
  bool take_compiled_reference() {
    const fs::path compiled = build_.source_dir() / compiled_reference(exercise_, record_.tree_id);
    std::error_code error;
    if ((record_.tree_id != kSolutions && record_.tree_id != kPlain) || fs::exists(record_.source, error))
      return false;
    const auto content = read_file(compiled);
    if (!content) return false;
    record_.hash = sha256_hex(*content).substr(0, 32);
    record_.source.clear();
    if (take_from_cache()) return true;
    remove_old_staging(build_.plugins() / "staging");
    const staging_folder work(build_.plugins() / "staging");
    const fs::path folder = work.path() / "entry";
    write_file_atomically(folder / "plugin.so", *content);
    if (const auto resources = read_file(compiled.string() + ".resources.txt"))
      write_file_atomically(folder / "plugin.so.resources.txt", *resources);
    keep(folder);
    return true;
  }

  bool read_source() {
    hand_in found =
        read_hand_in(record_.tree, fs::path(exercise_.chapter) / exercise_.name / (exercise_.name + ".cu"),
                     kLargestSourceBytes);
    switch (found.status) {
      case hand_in_status::ok:
        break;
      case hand_in_status::missing:
        refuse("missing", cause::none,
               record_.tree_id == kExercises
                   ? gone_text(exercise_.name)
                   : fmt::format("The tree has no file {}: a hand-in belongs there, under that name.",
                                 shown_name_));
        return false;
      case hand_in_status::link:
        refuse("compile_error", cause::not_text,
               fmt::format("{} is reached through a link: hand in the file itself, in real folders.",
                           shown_name_));
        return false;
      case hand_in_status::not_a_file:
        refuse("compile_error", cause::not_text,
               fmt::format("{} is not a file: hand in the kernel's source under that name.", shown_name_));
        return false;
      case hand_in_status::unreadable:
        refuse("compile_error", cause::not_text,
               fmt::format("{} cannot be read: check its permissions.", shown_name_));
        return false;
      case hand_in_status::too_large:
        refuse("compile_error", cause::too_large,
               fmt::format("{} is larger than {} KiB: a hand-in is one kernel file, written by hand.",
                           shown_name_, kLargestSourceBytes / 1024));
        return false;
    }
    source_ = std::move(found.text);
    record_.source_sha256 = sha256_hex(source_);
    write_file_atomically(graded_source_file(build_.plugins(), record_.tree_id, exercise_), source_);
    if (source_.find_first_not_of(" \t\r\n") == std::string::npos) {
      refuse("compile_error", cause::empty_file,
             fmt::format("{} is empty: start again from the starter in exercises/.", shown_name_));
      return false;
    }
    if (source_.starts_with("\xff\xfe") || source_.starts_with("\xfe\xff")) {
      refuse("compile_error", cause::not_text,
             fmt::format("{} is written in UTF-16: let the editor save it as UTF-8, and grade again.",
                         shown_name_));
      return false;
    }
    if (source_.find('\0') != std::string::npos) {
      refuse("compile_error", cause::not_text,
             fmt::format("{} is not a text file: hand in the source, not a compiled program.", shown_name_));
      return false;
    }
    return true;
  }

  bool read_contract() {
    const fs::path folder = build_.exercise_folder(exercise_);
    contract_name_ = exercise_.name + ".cuh";
    auto text = read_file(folder / contract_name_);
    if (!text) {
      refuse("harness_error", cause::no_contract,
             fmt::format("The contract {} is missing: restore the course's own files, e.g. by git checkout.",
                         (folder / contract_name_).string()));
      return false;
    }
    contract_ = std::move(*text);
    headers_ = build_.contract_headers(exercise_);
    return true;
  }

  std::string hash() const {
    sha256 digest;
    digest.update_field("course.plugin/1, checked for symbols that it may not use");
    digest.update_field(exercise_.name);
    digest.update_field(source_);
    for (const fs::path& header : headers_) digest.update_field(read_file(header).value_or(""));
    for (const std::string& flag : record_.flags) digest.update_field(flag);
    digest.update_field(record_.nvcc_version);
    return digest.hex_digest().substr(0, 32);
  }

  fs::path cached() const { return build_.plugins() / "cache" / record_.hash; }

  bool take_from_cache() {
    std::error_code error;
    if (!fs::is_regular_file(cached() / "plugin.so", error)) return false;
    record_.cache_hit = true;
    accept();
    return true;
  }

  void accept() {
    record_.status = "ok";
    record_.cause.clear();
    record_.message.clear();
    record_.log = read_file(cached() / "build.log").value_or("");
    record_.plugin = "cache/" + record_.hash + "/plugin.so";
  }

  void compile(const compiler& found) {
    remove_old_staging(build_.plugins() / "staging");
    const staging_folder work(build_.plugins() / "staging");
    // Nothing but the hand-in lies in the folder the compiler starts from: a header of the student's own
    // beside it, with the name of the contract, would be found before ours.
    const fs::path folder = work.path() / "source";
    const std::string staged_name = exercise_.name + ".cu";
    write_file_atomically(folder / staged_name, source_);

    process_request request;
    request.command = {found.nvcc.string()};
    request.command.insert(request.command.end(), record_.flags.begin(), record_.flags.end());
    for (const fs::path& place : build_.contract_folders(exercise_))
      request.command.push_back("-I" + place.string());
    for (const std::string& word : {std::string("-MD"), std::string("-MF"), std::string("../plugin.d"),
                                    std::string("-o"), std::string("../plugin.so"), staged_name}) {
      request.command.push_back(word);
    }
    // GNU as lists what it reads; clang's own assembler cannot.
    const bool clang = std::any_of(record_.flags.begin(), record_.flags.end(), [](const std::string& flag) {
      return flag.starts_with("-ccbin") && flag.find("clang") != std::string::npos;
    });
    if (!clang) request.command.emplace_back("-Xcompiler=-Xassembler,--MD,-Xassembler,../assembler.d");
    request.folder = folder;
    // A compiler cache that stands in for g++ would want files of its own.
    request.set_variables = {
        {"LC_ALL", "C"}, {"TMPDIR", (work.path() / "tmp").string()}, {"CCACHE_DISABLE", "1"}};
    request.unset_variables = compiler_variables();
    request.cpu_seconds = kCompileProcessorSeconds;
    request.timeout_seconds = kCompileTimeoutSeconds;
    sandbox::file_rules reachable;
    allow_compilation(reachable, {found.nvcc, record_.flags, headers_, work.path()});
    if (options_.confined) request.files = &reachable;
    const process_result nvcc = run_process(request);
    record_.compile_seconds = nvcc.seconds;

    const auto real = [](const fs::path& path) { return fs::weakly_canonical(path); };
    allowed_includes allowed{real(folder), {}, {}};
    for (const fs::path& header : headers_) allowed.contract.push_back(real(header));
    for (const fs::path& place :
         {real(found.nvcc).parent_path().parent_path(), work.path() / "tmp", fs::path("/usr/include"),
          fs::path("/usr/lib"), fs::path("/usr/lib64"), fs::path("/usr/local/include")}) {
      allowed.toolkits.push_back(real(place));
    }
    bool asked = false;  // the host compiler, which may have its headers in another place
    const auto may_use = [&](const std::string& file) {
      if (may_include(file, allowed)) return true;
      if (asked) return false;
      asked = true;
      for (const fs::path& own : host_compiler_folders(found)) allowed.toolkits.push_back(real(own));
      return may_include(file, allowed);
    };
    record_.log = readable_log(nvcc.output, {real(folder).string(), staged_name, shown_name_, may_use});

    if (!nvcc.ok() || !fs::is_regular_file(work.path() / "plugin.so")) {
      explain_failure(nvcc);
      return;
    }
    std::optional<refusal> problem;
    // The assembler tells what it read by itself (.incbin and .include in an asm statement), which the compiler does not know of.
    for (const char* list : {"plugin.d", "assembler.d"}) {
      for (const std::string& file : parse_dependencies(read_file(work.path() / list).value_or(""))) {
        if (!problem && !may_use(file)) problem = forbidden_include(real(folder / file).string());
      }
    }
    if (!problem) {
      problem = check_symbols(work.path() / "plugin.so", contract_functions(contract_, exercise_.name),
                              contract_name_,
                              {build_.bin() / "libsimcudart.so", build_.bin() / build_.config().cudart});
    }
    if (problem) {
      refuse("compile_error", problem->cause, problem->message);
      return;
    }
    store(work.path(), nvcc.output);
  }

  /// What a student's environment could add to the compiler's search paths and flags.
  static std::vector<std::string> compiler_variables() {
    return {"CPATH",        "C_INCLUDE_PATH",     "CPLUS_INCLUDE_PATH",
            "LIBRARY_PATH", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS",
            "LD_PRELOAD"};
  }

  /// Where the host compiler has its own headers and those of the system. Empty if it does not say.
  std::vector<fs::path> host_compiler_folders(const compiler& found) const {
    process_request request;
    request.command = {found.nvcc.string()};
    for (const std::string& flag : record_.flags)
      if (flag.starts_with("-ccbin")) request.command.push_back(flag);
    for (const char* word : {"-E", "-Xcompiler=-v", "-x", "cu", "/dev/null"})
      request.command.emplace_back(word);
    request.set_variables = {{"LC_ALL", "C"}};
    request.unset_variables = compiler_variables();
    request.timeout_seconds = kCompileTimeoutSeconds;
    return parse_search_folders(run_process(request).output);
  }

  void explain_failure(const process_result& nvcc) {
    if (nvcc.output.find("No space left on device") != std::string::npos) {
      refuse("harness_error", cause::disk_full,
             "The compiler ran out of disk space: free some and try again.");
    } else if (!nvcc.started || nvcc.exit_code == 127) {
      refuse("harness_error", cause::no_compiler,
             "nvcc cannot be run: install the CUDA Toolkit or set CUDA_PATH.");
    } else if (nvcc.signal == SIGXCPU || nvcc.exit_code == 128 + SIGXCPU ||
               nvcc.output.find("CPU time limit exceeded") != std::string::npos ||
               nvcc.output.find(fmt::format("died due to signal {}", SIGXCPU)) != std::string::npos) {
      refuse("compile_error", cause::compile_timeout,
             fmt::format("Compiling took longer than {} s of the processor's time and was stopped: look for "
                         "templates or unrolled loops without end.",
                         kCompileProcessorSeconds));
    } else if (nvcc.timed_out) {
      refuse("harness_error", cause::none,
             fmt::format("Compiling was stopped after {:.0f} s: the machine is too busy, so grade again when "
                         "it does less.",
                         kCompileTimeoutSeconds));
    } else if (const auto error = first_error(record_.log)) {
      record_.location_file = fs::path(error->file).filename().string();
      record_.location_line = error->line;
      refuse("compile_error", cause::none,
             error->line > 0 ? fmt::format("{}:{}: {}", record_.location_file, error->line, error->message)
                             : error->message);
      explain_other_parameters(*error);
      explain_own_header(*error);
      explain_foreign_file(*error);
    } else {
      refuse("compile_error", cause::compiler_crashed,
             "The compiler stopped without naming an error; its output is below.");
    }
  }

  /// A contract's function with other parameters is another function to the compiler, of the same name.
  void explain_other_parameters(const compile_problem& error) {
    static const std::regex kOverloaded(
        R"re(more than one instance of overloaded function "(\w+)" has "C" linkage.*)re");
    std::smatch name;
    if (!std::regex_match(error.message, name, kOverloaded)) return;
    const std::string declaration = contract_declaration(contract_, name[1]);
    if (declaration.empty()) return;
    refuse("compile_error", cause::missing_function,
           fmt::format("{}:{}: {} has other parameters than {} asks for: copy its line: {}",
                       record_.location_file, error.line, name[1].str(), contract_name_, declaration));
  }

  /// A header beside the hand-in is the most common cause of "No such file": say why it is not seen.
  void explain_own_header(const compile_problem& error) {
    const std::size_t end = error.message.find(": No such file");
    if (end == std::string::npos) return;
    const fs::path name = error.message.substr(0, end);
    std::error_code ignored;
    if (name == name.filename() && fs::exists(fs::path(record_.source).parent_path() / name, ignored)) {
      record_.message +=
          ". It lies beside your file, but a hand-in is the one .cu file: copy what you need into it";
    }
  }

  /// What lies outside the compiler's allow-list cannot be read.
  void explain_foreign_file(const compile_problem& error) {
    static const std::regex kCompiler(R"((.*): Permission denied)");
    static const std::regex kAssembler(R"((?:file not found: |can't open )(.*?)(?: for reading: .*)?)");
    std::smatch file;
    if (!std::regex_match(error.message, file, kCompiler) &&
        !std::regex_match(error.message, file, kAssembler)) {
      return;
    }
    const refusal problem = forbidden_include(file[1]);
    refuse("compile_error", problem.cause, problem.message);
  }

  void store(const fs::path& work, const std::string& output) {
    const fs::path folder = work / "entry";
    make_folder(folder);
    fs::rename(work / "plugin.so", folder / "plugin.so");
    write_file_atomically(folder / "plugin.so.resources.txt", resource_lines(output, "sm_90"));
    write_file_atomically(folder / "build.log", record_.log);
    keep(folder);
  }

  /// Moves what was made to where its hash says.
  void keep(const fs::path& folder) {
    make_folder(cached().parent_path());
    std::error_code error;
    fs::rename(folder, cached(), error);
    // Another builder was faster with the same content: its plugin is as good as ours.
    if (error && !fs::is_regular_file(cached() / "plugin.so"))
      throw fs::filesystem_error("rename", cached(), error);
    accept();
  }

  const build_folder& build_;
  const exercise_id& exercise_;
  const build_options options_;
  plugin_record record_;
  std::string shown_name_;
  std::string source_;
  std::string contract_;
  std::string contract_name_;
  std::vector<fs::path> headers_;  ///< the contract's, and the chapter's
};

}  // namespace

plugin_record build_plugin(const build_folder& build, const tree& graded, const exercise_id& exercise,
                           const build_options& options) {
  return builder(build, graded, exercise, options).run();
}

}  // namespace course
