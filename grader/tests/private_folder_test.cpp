/// @file
/// What judges that were killed have left in the folder for temporary files goes; what belongs to others stays.
#include "judge/private_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <tuple>

namespace {

namespace fs = std::filesystem;
using course::private_folder;

class private_folder_test : public testing::Test {
 protected:
  private_folder_test() {
    std::string name = (fs::temp_directory_path() / "private-folder-XXXXXX").string();
    place_ = ::mkdtemp(name.data());
    ::setenv("TMPDIR", place_.c_str(), 1);
  }
  ~private_folder_test() override {
    was_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", was_.c_str(), 1);
    fs::remove_all(place_);
  }

  fs::path old_folder(const char* name) const {
    fs::create_directory(place_ / name);
    std::ignore = std::system(("touch -d '1 hour ago' " + (place_ / name).string()).c_str());
    return place_ / name;
  }

  std::string was_ = std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "";
  fs::path place_;
};

TEST_F(private_folder_test, what_is_left_behind_goes_and_all_else_stays) {
  const fs::path left = old_folder("course-worker-left"), anothers = old_folder("something-else"),
                 held = old_folder("course-worker-held"), young = place_ / "course-worker-young";
  fs::create_directory(young);
  fs::create_directory_symlink(anothers, place_ / "course-worker-link");
  const int holder = ::open(held.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(holder, LOCK_SH), 0);
  fs::path mine;
  {
    private_folder folder;
    ASSERT_EQ(folder.make(), "");
    mine = folder.path();
    EXPECT_TRUE(fs::is_directory(mine));
    EXPECT_FALSE(fs::exists(left));
    for (const fs::path& kept : {anothers, held, young}) EXPECT_TRUE(fs::exists(kept)) << kept;
  }
  EXPECT_FALSE(fs::exists(mine));
  ::close(holder);
}

TEST_F(private_folder_test, a_place_that_cannot_be_written_is_named) {
  fs::remove_all(place_);
  ::setenv("TMPDIR", "/proc", 1);
  private_folder folder;
  const std::string why = folder.make();
  EXPECT_NE(why.find("/proc"), std::string::npos) << why;
  EXPECT_NE(why.find("set TMPDIR"), std::string::npos) << why;
}

}  // namespace
