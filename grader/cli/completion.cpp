/// @file
/// `course completion`: the scripts for shells lie in completion/. The launcher prints them without this program.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "records/files.hpp"

namespace course::cli {

int completion(const build_folder& build, const std::string& shell) {
  const auto script = read_file(build.source_dir() / "grader/cli/completion" / ("course." + shell));
  if (!script)
    throw environment_error(fmt::format("There is no completion for {}: bash and zsh have one.", shell));
  fmt::print("{}", *script);
  return 0;
}

}  // namespace course::cli
