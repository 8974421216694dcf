/// @file
/// See variant_source.hpp.
#include "build/variant_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "build/process.hpp"
#include "records/files.hpp"

namespace course {
namespace {

namespace fs = std::filesystem;

/// Removes a folder when it goes.
struct scratch_folder {
  fs::path path = fs::temp_directory_path() / ("course-patch-" + unique_suffix());
  scratch_folder() = default;
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::string variant_source(const fs::path& file, const fs::path& plain) {
  const auto text = read_file(file);
  if (!text) throw environment_error(fmt::format("{} cannot be read.", file.string()));
  if (file.extension() != ".patch") return *text;

  const auto base = read_file(plain);
  if (!base)
    throw environment_error(
        fmt::format("{} is a patch of {}, which cannot be read.", file.string(), plain.string()));
  const auto start = text->find("--- ");
  if (start == std::string::npos)
    throw environment_error(
        fmt::format("{} holds no change: write it with `diff -u plain.cu changed.cu`.", file.string()));

  const scratch_folder scratch;
  const fs::path patched = scratch.path / "variant.cu", rejected = scratch.path / "rejected";
  write_file_atomically(patched, *base);
  process_request request;
  // Exactly: no fuzz. Names in the patch do not matter, and nothing is asked.
  request.command = {"patch",
                     "--batch",
                     "--forward",
                     "--fuzz=0",
                     "--no-backup-if-mismatch",
                     "--reject-file=" + rejected.string(),
                     patched.string(),
                     fs::absolute(file).string()};
  request.folder = scratch.path;
  request.timeout_seconds = 30;
  const process_result applied = run_process(request);
  if (!applied.started)
    throw environment_error(
        "Wrong variants are patches, and the program `patch` is missing: apt-get install patch.");
  if (!applied.ok())
    throw environment_error(fmt::format(
        "{} does not apply to {}: {}. Change a copy of plain.cu, and write the patch anew with `diff -u "
        "plain.cu changed.cu`.",
        file.string(), plain.string(),
        first_line(applied.output.substr(std::min(applied.output.find('\n') + 1, applied.output.size())))));
  return text->substr(0, start) + read_file(patched).value_or("");
}

std::vector<fs::path> variants_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto extension = entry.path().extension();
    if (extension == ".cu" || extension == ".patch") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace course
