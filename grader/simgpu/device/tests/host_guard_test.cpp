/// @file
/// Which pages are closed to the host, and when the client hears of it.
#include "simgpu/device/host_guard.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "simgpu/memory/shared_pages.hpp"

namespace simgpu::device {
namespace {

using Ranges = std::vector<queue::Closed::Range>;

class Guard : public testing::Test {
 protected:
  Guard() { use(nullptr); }
  void use(const memory::SharedPages* pages) {
    memory_.emplace(1ull << 30, pages);
    guard_.emplace(*memory_);
    guard_->say_to([this](const queue::Closed& now) { said_.push_back(now.ranges); });
  }
  const memory::Allocation& take(std::uint64_t bytes) {
    return *memory_->allocate(bytes, memory::AllocationKind::managed);
  }
  static observe::Touched writes(const memory::Allocation& a) {
    observe::Touched touched;
    touched.writes = observe::ByteSet::of(a.base, a.bytes);
    return touched;
  }
  static queue::Closed::Range whole(HostGuard::Id id, const memory::Allocation& a, bool written = true) {
    return {id, a.base, a.base + (a.bytes + 4095) / 4096 * 4096, written};
  }
  /// What was said since the last call.
  std::vector<Ranges> said() { return std::exchange(said_, {}); }
  using Said = std::vector<Ranges>;

  std::optional<memory::DeviceMemory> memory_;
  std::optional<HostGuard> guard_;
  std::vector<Ranges> said_;
};

TEST_F(Guard, ClosesWholePagesOfMemoryOfBothSides) {
  const auto &p = take(5000), &q = take(8192);
  observe::Touched touched = writes(p);
  touched.reads = observe::ByteSet::of(q.base + 1, 8000);
  EXPECT_TRUE(guard_->close(3, touched));
  EXPECT_EQ(said(), Said{Ranges({whole(3, p)})}) << "of the other no page is used as a whole";
  touched.reads = observe::ByteSet::of(q.base, q.bytes);
  EXPECT_TRUE(guard_->close(4, touched));
  EXPECT_EQ(said(), Said{Ranges({whole(4, p), whole(4, q, false)})}) << "the last to use it says most";
  const auto* const device = memory_->allocate(8192, memory::AllocationKind::device);
  EXPECT_FALSE(guard_->close(5, writes(*device)));
  EXPECT_EQ(said(), Said{});
  guard_->forget(p.base, p.bytes);
  EXPECT_EQ(said(), Said{Ranges({whole(4, q, false)})});
  EXPECT_TRUE(guard_->touched(4, q.base, true));
  EXPECT_EQ(said(), Said{Ranges{}});
  guard_->open(4);
  EXPECT_EQ(said(), Said{}) << "nothing has changed";
}

/// A structure: its page is closed for any member, and only who touches that one is told.
TEST_F(Guard, KnowsWhichPartOfASmallAllocationIsUsed) {
  const auto& p = take(64);
  observe::Touched touched;
  touched.reads = observe::ByteSet::of(p.base, 8);
  touched.writes = observe::ByteSet::of(p.base + 16, 4);
  for (const bool used : {false, true}) {
    EXPECT_TRUE(guard_->close(1, touched));
    EXPECT_EQ(said(), Said{Ranges({whole(1, p)})});
    EXPECT_EQ(guard_->touched(1, p.base + (used ? 19 : 20), false), used);
    EXPECT_EQ(said(), Said{Ranges{}});
  }
  guard_->close(1, touched);
  EXPECT_FALSE(guard_->touched(1, p.base + 4, false)) << "both read it";
  guard_->close(1, touched);
  EXPECT_TRUE(guard_->touched(1, p.base + 4, true));
  guard_->close(1, touched);
  touched.reads = observe::ByteSet::of(p.base + 32, 8);
  touched.writes = {};
  guard_->close(2, touched);
  EXPECT_TRUE(guard_->touched(1, p.base + 16, false)) << "who only reads says less";
  guard_->close(2, touched);
  touched.writes = observe::ByteSet::of(p.base + 40, 8);
  guard_->close(3, touched);
  EXPECT_TRUE(guard_->touched(3, p.base + 40, false));
}

/// Around what the program registers lies more of the program's.
TEST_F(Guard, ClosesNoNeighboursOfRegisteredMemory) {
  alignas(4096) static char own[4 * 4096];
  const auto* const a = memory_->adopt(own + 8, 3 * 4096, memory::AllocationKind::registered);
  const std::uint64_t page = (a->base + 4095) / 4096 * 4096;
  EXPECT_TRUE(guard_->close(1, writes(*a)));
  EXPECT_EQ(said(), Said{Ranges({{1, page, page + 2 * 4096, true}})});
}

TEST_F(Guard, WithOneMappingAllIsOpenWhileTheDeviceWorks) {
  const auto& p = take(8192);
  guard_->suspend();
  guard_->close(1, writes(p));
  EXPECT_EQ(said(), Said{});
  guard_->resume();
  EXPECT_EQ(said(), Said{Ranges({whole(1, p)})});
  guard_->suspend();
  guard_->suspend();
  EXPECT_EQ(said(), Said{Ranges{}});
  guard_->resume();
  EXPECT_EQ(said(), Said{});
  guard_->resume();
  EXPECT_EQ(said(), Said{Ranges({whole(1, p)})});
}

TEST_F(Guard, WithItsOwnMappingTheDeviceNeedsNoneOpen) {
  const auto pages = memory::SharedPages::make();
  ASSERT_TRUE(pages);
  use(&*pages);
  const auto& p = take(8192);
  guard_->suspend();
  guard_->close(1, writes(p));
  guard_->close(2, writes(p));
  guard_->resume();
  EXPECT_EQ(said(), Said{Ranges({whole(2, p)})}) << "changes come together";
  guard_->suspend();
  guard_->resume();
  EXPECT_EQ(said(), Said{});
}

TEST_F(Guard, AFunctionOfTheHostsFindsClosedWhatIsStillUsed) {
  const auto& p = take(8192);
  const auto& other = take(8192);
  guard_->close(1, writes(p));
  guard_->close(2, writes(other));
  said();
  guard_->suspend();
  EXPECT_EQ(said(), Said{Ranges{}}) << "one mapping for both";
  guard_->open(2);  // its stream has waited for this
  {
    const HostGuard::HostActs acts(*guard_);
    EXPECT_EQ(said(), Said{Ranges({whole(1, p)})});
  }
  EXPECT_EQ(said(), Said{Ranges{}}) << "the device goes on";
  guard_->resume();
  EXPECT_EQ(said(), Said{Ranges({whole(1, p)})});
}

TEST_F(Guard, AFunctionOfTheHostsIsToldBeforeTheDeviceGoesOn) {
  const auto pages = memory::SharedPages::make();
  ASSERT_TRUE(pages);
  use(&*pages);
  const auto& p = take(8192);
  guard_->close(1, writes(p));
  said();
  guard_->suspend();
  guard_->open(1);
  EXPECT_EQ(said(), Said{}) << "changes come together";
  {
    const HostGuard::HostActs acts(*guard_);
    EXPECT_EQ(said(), Said{Ranges{}}) << "but the function comes after that work";
  }
  EXPECT_EQ(said(), Said{});
  guard_->resume();
}

TEST_F(Guard, WithoutAClientNothingIsClosed) {
  const auto& p = take(8192);
  guard_->say_to({});
  EXPECT_FALSE(guard_->close(1, writes(p)));
}

}  // namespace
}  // namespace simgpu::device
