/// @file
/// See environment.hpp.
#include "judge/environment.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace course {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

json read_json(const fs::path& file) {
  std::ifstream in(file);
  return in ? json::parse(in, nullptr, false) : json();
}

std::string text(const json& from, const char* key) {
  if (!from.is_object()) return {};
  const auto found = from.find(key);
  return found != from.end() && found->is_string() ? found->get<std::string>() : std::string();
}

fs::path resolved(const fs::path& path) {
  std::error_code ignored;
  const auto result = fs::weakly_canonical(path, ignored);
  return ignored ? path : result;
}

}  // namespace

environment environment::from_process() {
  environment here;
  std::error_code ignored;
  const auto self = fs::read_symlink("/proc/self/exe", ignored);
  // build/<preset>/bin/judges/<judge>
  here.build_folder = self.parent_path().parent_path().parent_path();
  const auto bin = here.build_folder / "bin";
  here.worker_gpu = bin / "worker-gpu";
  here.worker_sim = bin / "worker-sim";

  const auto config = read_json(here.build_folder / "course.json");
  here.course_version = text(config, "version");
  here.cuda_version = text(config, "cuda_version");
  here.source_folder = resolved(here.build_folder / text(config, "source_dir"));
  if (!fs::exists(here.source_folder / "exercises", ignored)) {
    if (const auto absolute = text(config, "source_dir_absolute"); !absolute.empty())
      here.source_folder = absolute;
  }

  here.tree = variable("COURSE_TREE");
  if (here.tree.empty()) here.tree = "exercises";
  const fs::path asked = here.tree;
  here.tree_folder = asked.is_absolute() ? asked : here.source_folder / asked;
  if (!asked.is_absolute() && !fs::is_directory(here.tree_folder, ignored))
    here.tree_folder = fs::absolute(asked, ignored);
  here.tree_folder = resolved(here.tree_folder);
  here.tree_id = tree_id_of(here.source_folder, here.tree_folder);

  const auto device = variable("COURSE_DEVICE");
  here.device = device == "gpu"   ? device_choice::gpu
                : device == "sim" ? device_choice::sim
                                  : device_choice::automatic;
  here.seed = std::strtoull(variable("COURSE_SEED").c_str(), nullptr, 0);
  return here;
}

std::string tree_id_of(const fs::path& source_folder, const fs::path& tree_folder) {
  const auto tree = resolved(tree_folder);
  for (const char* own : {"exercises", "solutions"}) {
    if (tree == resolved(source_folder / own)) return own;
  }
  return tree.filename().string() + "-" + sha256(tree.string()).substr(0, 8);
}

plugin_record plugin_record::read(const fs::path& build_folder, const std::string& tree_id,
                                  const std::string& chapter, const std::string& exercise) {
  plugin_record record;
  const auto plugins = build_folder / "plugins";
  const auto found = read_json(plugins / "records" / tree_id / chapter / (exercise + ".json"));
  if (text(found, "schema") != "course.plugin/1") return record;
  record.status = text(found, "status");
  record.cause = text(found, "cause");
  record.message = text(found, "message");
  record.log = text(found, "log");
  record.source = text(found, "source");
  record.source_sha256 = text(found, "source_sha256");
  if (const auto plugin = text(found, "plugin"); !plugin.empty()) record.plugin = plugins / plugin;
  return record;
}

std::string ctest_run_id() {
  for (long process = ::getppid(); process > 1;) {
    std::ifstream in("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    if (!std::getline(in, line)) return {};
    // "pid (comm) state ppid ... starttime(22nd) ...": comm may hold anything, so look for its last bracket.
    const auto open = line.find('('), close = line.rfind(')');
    if (open == std::string::npos || close == std::string::npos) return {};
    std::istringstream rest(line.substr(close + 1));
    std::string field, start;
    long parent = 0;
    for (int number = 3; rest >> field; ++number) {
      if (number == 4) parent = std::strtol(field.c_str(), nullptr, 10);
      if (number == 22) {
        start = field;
        break;
      }
    }
    if (line.compare(open + 1, close - open - 1, "ctest") == 0) return std::to_string(process) + "-" + start;
    process = parent;
  }
  return {};
}

}  // namespace course
