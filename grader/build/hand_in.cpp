/// @file
/// Implementation of hand_in.hpp. Folder by folder, each opened from the one before: between two calls
/// nobody can put a link in the place of what was looked at.
#include "build/hand_in.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <utility>

namespace course {
namespace fs = std::filesystem;
namespace {

class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

/// Why @p name in @p folder could not be opened.
hand_in_status trouble(int folder, const fs::path& name, int error) {
  struct stat info {};
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    if (S_ISLNK(info.st_mode)) return hand_in_status::link;
    if (error == ENOTDIR) return hand_in_status::missing;  // a file in a folder's place
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return hand_in_status::not_a_file;
    return hand_in_status::unreadable;
  }
  return errno == ENOENT ? hand_in_status::missing : hand_in_status::unreadable;
}

}  // namespace

hand_in read_hand_in(const fs::path& tree, const fs::path& relative, std::size_t limit_bytes) {
  constexpr int kFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;
  descriptor place(::open(tree.c_str(), kFolder));
  if (place.get() < 0) return {};
  for (auto part = relative.begin(); part != relative.end(); ++part) {
    const bool last = std::next(part) == relative.end();
    if (*part == "..") return {};
    // O_NONBLOCK: a pipe must not make us wait for somebody to write.
    const int how = last ? O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC : kFolder;
    descriptor next(::openat(place.get(), part->c_str(), how | O_NOFOLLOW));
    if (next.get() < 0) return {trouble(place.get(), *part, errno), {}};
    place = std::move(next);
  }
  struct stat info {};
  if (::fstat(place.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {hand_in_status::not_a_file, {}};

  hand_in result;
  result.text.resize(limit_bytes + 1);
  std::size_t size = 0;
  while (size < result.text.size()) {
    const ssize_t count = ::read(place.get(), result.text.data() + size, result.text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {hand_in_status::unreadable, {}};
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > limit_bytes) return {hand_in_status::too_large, {}};
  result.text.resize(size);
  result.status = hand_in_status::ok;
  return result;
}

}  // namespace course
