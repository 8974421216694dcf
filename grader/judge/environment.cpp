/// @file
/// See environment.hpp.
#include "judge/environment.hpp"

#include <malloc.h>

#include <cstdlib>
#include <string_view>

#include "judge/variables.hpp"
#include "records/build_folder.hpp"
#include "records/device_word.hpp"
#include "records/tree.hpp"

namespace course {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Each case draws its data anew, in blocks that are as large as those of the case before. The C library would give each back to the system,
// and fetch it again page by page.
void keep_freed_memory() {
  constexpr int kLargest = 32 << 20, kKept = 512 << 20;  // bytes: more is refused for the first
  ::mallopt(M_MMAP_THRESHOLD, kLargest);
  ::mallopt(M_TRIM_THRESHOLD, kKept);
}

}  // namespace

environment environment::from_process(const std::string& chapter, const std::string& exercise) {
  keep_freed_memory();
  const auto build = build_folder::of_this_program();
  const auto graded = tree_of_environment(build);
  environment here;
  here.plugins = build.plugins();
  here.results = build.results();
  here.worker_gpu = build.bin() / "worker-gpu";
  here.worker_sim = build.bin() / "worker-sim";
  // `inside` is for who compares the two: it gives the same figures, and a program there can reach its device.
  if (variable("COURSE_SIM_DEVICE") != "inside")
    here.sim_device = build.bin() / "simgpu-dropin" / "simgpu-device";
  here.course_version = build.config().version;
  here.cuda_version = build.config().cuda_version;
  here.tree_id = graded.id;
  here.tree_folder = graded.path;
  here.no_teeth = read_no_teeth(build.source_dir());
  const auto device = device_word({}, "auto");
  here.device = device == "gpu"   ? device_choice::gpu
                : device == "sim" ? device_choice::sim
                                  : device_choice::automatic;
  if (const auto* const registered = build.find(chapter, exercise)) {
    here.needs = {registered->minimum_arch, registered->devices, registered->device_attributes};
  }
  static const auto seed = std::strtoull(variable("COURSE_SEED").c_str(), nullptr, 0);
  here.seed = seed;
  forget_foreign_variables();
  return here;
}

}  // namespace course
