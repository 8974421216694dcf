/// @file
/// From a 48-bit address to something kept for its 4 KiB page, in three levels of small tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace simgpu::observe {

inline constexpr std::uint64_t kShadowPageBytes = 4096;

/// @tparam Page what is kept; made on demand.
template <class Page>
class PageTable {
 public:
  PageTable() : root_(std::make_unique<Root>()) {}

  static constexpr bool holds(std::uint64_t address) noexcept { return address >> 48 == 0; }

  /// @return the page's entry, or nullptr if nothing was kept for it.
  Page* find(std::uint64_t address) const noexcept {
    if (!holds(address)) return nullptr;
    const Middle* middle = (*root_)[address >> 36].get();
    if (middle == nullptr) return nullptr;
    const Leaf* leaf = (*middle)[address >> 24 & 0xFFF].get();
    return leaf == nullptr ? nullptr : (*leaf)[address >> 12 & 0xFFF].get();
  }

  /// @return the page's entry, made if need be. @p address must be one that holds().
  Page& at(std::uint64_t address) {
    std::unique_ptr<Middle>& middle = (*root_)[address >> 36];
    if (!middle) middle = std::make_unique<Middle>();
    std::unique_ptr<Leaf>& leaf = (*middle)[address >> 24 & 0xFFF];
    if (!leaf) leaf = std::make_unique<Leaf>();
    std::unique_ptr<Page>& page = (*leaf)[address >> 12 & 0xFFF];
    if (!page) {
      page = std::make_unique<Page>();
      ++pages_;
    }
    return *page;
  }

  /// Forgets the page of this address.
  void drop(std::uint64_t address) noexcept {
    if (find(address) == nullptr) return;
    (*(*(*root_)[address >> 36])[address >> 24 & 0xFFF])[address >> 12 & 0xFFF].reset();
    --pages_;
  }

  /// Forgets everything.
  void clear() {
    root_ = std::make_unique<Root>();
    pages_ = 0;
  }

  std::size_t pages() const noexcept { return pages_; }

 private:
  using Leaf = std::array<std::unique_ptr<Page>, 4096>;
  using Middle = std::array<std::unique_ptr<Leaf>, 4096>;
  using Root = std::array<std::unique_ptr<Middle>, 4096>;
  std::unique_ptr<Root> root_;
  std::size_t pages_ = 0;
};

}  // namespace simgpu::observe
