/// @file
/// See private_folder.hpp.
#include "judge/private_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <system_error>

namespace course {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "course-worker-";
constexpr int kOpened = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
/// A folder that is younger may be about to be locked. [s]
constexpr std::time_t kYoung = 60;

/// A folder that this user's judge has left, and no judge holds any more.
bool is_left_behind(int folder) {
  struct stat found {};
  return ::fstat(folder, &found) == 0 && found.st_uid == ::geteuid() &&
         std::time(nullptr) - found.st_mtime > kYoung && ::flock(folder, LOCK_EX | LOCK_NB) == 0;
}

void sweep(const fs::path& place) {
  std::error_code error;
  for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
    if (!it->path().filename().string().starts_with(kName)) continue;
    const int folder = ::open(it->path().c_str(), kOpened);
    if (folder < 0) continue;
    std::error_code ignored;
    if (is_left_behind(folder)) fs::remove_all(it->path(), ignored);
    ::close(folder);
  }
}

}  // namespace

private_folder::~private_folder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(lock_);
}

std::string private_folder::make() {
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  sweep(place);
  std::string name = (place / (std::string(kName) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    return fmt::format("no folder can be made in {} ({}): set TMPDIR to one that can be written",
                       place.empty() ? "." : place.string(), std::strerror(errno));
  path_ = name;
  lock_ = ::open(path_.c_str(), kOpened);
  ::flock(lock_, LOCK_SH | LOCK_NB);
  return {};
}

}  // namespace course
