/// @file
/// Bulk copies under way: what was asked for, and when its bytes move.
///
/// Copies into shared memory move when somebody waits for the mbarrier that they complete on and nothing else is
/// missing there; until then their destination is poisoned. Copies out of shared memory read when their thread waits
/// for their group. So a missing wait gives wrong values every time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simgpu/async/mbarrier.hpp"

namespace simgpu::async {

/// Combines @p bytes at @p to with those at @p from; nullptr: plain copy.
using Combine = void (*)(std::byte* to, const std::byte* from, std::uint32_t bytes, std::uint32_t how);

/// Bytes on their way into shared memory.
struct Load {
  struct Piece {
    std::uint32_t to = 0, bytes = 0;  ///< offset in the destination block's shared memory
    const std::byte* from = nullptr;  ///< nullptr: filled with `fill`
  };
  std::uint32_t mbarrier = 0;  ///< offset of the object in the destination block
  std::uint32_t offset = 0,
                bytes = 0;  ///< the bytes of shared memory that it writes, and that the mbarrier counts
  std::uint32_t gaps = 0;   ///< bytes between them that it leaves alone
  std::uint32_t site = 0;
  std::uint64_t fill = 0;  ///< repeated; an element is 1, 2, 4 or 8 bytes
  std::vector<Piece> pieces;
  std::vector<std::byte> data;  ///< st.async: the value itself
  Combine combine = nullptr;
  std::uint32_t how = 0;
  bool to_tf32 = false;                             ///< 32-bit elements are rounded on their way
  std::uint64_t begun_bytes = 0, begun_copies = 0;  ///< into the block until then, this one included
  double lands = 0;                                 ///< by the clock of the warp that began it [cycles]

  /// Bytes from the first to behind the last one written.
  std::uint32_t extent() const noexcept { return bytes + gaps; }
  /// Moves the bytes. @param shared the destination block's shared memory.
  void perform(std::byte* shared) const;
};

/// Bytes on their way from shared to global memory.
struct Store {
  struct Piece {
    std::uint32_t from = 0, bytes = 0;
    std::byte* to = nullptr;
  };
  std::uint32_t lane = 0, group = 0, site = 0;
  std::uint32_t offset = 0, bytes = 0;  ///< the bytes of shared memory that it reads
  std::vector<Piece> pieces;
  std::vector<std::byte> data;  ///< once they are read
  bool read = false;
  Combine combine = nullptr;
  std::uint32_t how = 0;
};

/// The bulk groups of one warp's threads.
class BulkStores {
 public:
  void reset() {
    if (fresh_) return;  // of nearly all warps
    fresh_ = true;
    stores_.clear();
    groups_.fill(0);
  }
  void begin(Store store) {
    fresh_ = false;
    store.group = groups_[store.lane];
    stores_.push_back(std::move(store));
  }
  void commit(std::uint32_t mask) {
    fresh_ = false;
    for (std::uint32_t lane = 0; lane < 32; ++lane) groups_[lane] += mask >> lane & 1;
  }
  /// Lanes @p mask wait until at most @p pending of their newest groups are open.
  /// @param only_read their sources only: `.read`. @param shared of the warp's block.
  /// @return stores that no longer read shared memory, in all.
  std::size_t wait(std::uint32_t mask, std::uint32_t pending, bool only_read, const std::byte* shared);
  /// The block has ended: everything is written.
  void finish(const std::byte* shared);
  /// @return a store that has not read its bytes within [offset, offset + bytes) yet, or nullptr.
  const Store* reading(std::uint64_t offset, std::uint64_t bytes) const;
  /// @return any store that has not read its bytes, or nullptr.
  const Store* unread() const;
  bool empty() const { return stores_.empty(); }

 private:
  bool fresh_ = true;  // nothing was begun or committed since the latest reset()
  std::vector<Store> stores_;
  std::array<std::uint32_t, 32> groups_{};
};

/// Which bytes of a block's shared memory ordinary stores have written that the copy engine cannot see yet, for want
/// of a fence.proxy.async. Kept by 16 bytes, which all bulk copies are aligned to.
class ProxyOrder {
 public:
  void reset(std::uint32_t shared_bytes, std::uint32_t warps);
  void written(std::uint32_t offset, std::uint32_t bytes, std::uint32_t warp);
  /// The copy engine writes there: ordinary stores of before do not matter any more.
  void overwritten(std::uint32_t offset, std::uint32_t bytes);
  void fence(std::uint32_t warp);
  /// The block's threads have met.
  void barrier() { last_barrier_ = ++now_; }
  /// @return the first offset in the range that was written without a fence since, or ~0u.
  std::uint32_t first_unfenced(std::uint32_t offset, std::uint32_t bytes) const;

 private:
  struct Chunk {
    std::uint32_t time = 0, warp = 0;
  };
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> fences_;  // by warp
  std::uint32_t now_ = 0, last_barrier_ = 0, clean_until_ = 0;
};

/// A cp.async.mbarrier.arrive whose copies have not completed.
struct DeferredArrival {
  std::uint32_t mbarrier = 0, warp = 0, lane = 0;
  std::uint64_t copies_until = 0;  ///< copies of that lane begun before this number
};

/// Everything asynchronous that concerns one block's shared memory.
struct BlockAsync {
  MbarrierTable mbarriers;
  std::vector<Load> loads;                          ///< in the order in which they were begun
  std::uint64_t begun_bytes = 0, begun_copies = 0;  ///< by all loads so far
  std::vector<DeferredArrival> arrivals;
  ProxyOrder proxy;
};

}  // namespace simgpu::async
