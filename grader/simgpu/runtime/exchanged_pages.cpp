/// @file
/// See exchanged_pages.hpp. The new pages are filled elsewhere and then moved to their place in one step, so that other threads see the
/// old ones or the new ones and never none.
#include "simgpu/runtime/exchanged_pages.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "simgpu/memory/shared_pages.hpp"
#include "simgpu/runtime/host_fault.hpp"

namespace simgpu::runtime {
namespace {

// What is being exchanged. Nothing on the heap or among the program's variables may change meanwhile by this thread; these are the
// library's, on pages of its own.
std::atomic<std::uint64_t> exchange_begin{0}, exchange_end{0};
std::atomic<bool> ever_exchanged{false};
std::atomic<std::uint64_t> exchanges{0};  ///< that have ended
/// The last fault for which nothing was being exchanged: where, and behind which exchange.
std::atomic<std::uint64_t> tried_again{0};
ExchangedPages* exchanged = nullptr;  ///< of the process that forks

std::uint64_t page_of(std::uint64_t address) {
  return address / memory::kHostPage * memory::kHostPage;
}
std::uint64_t page_behind(std::uint64_t address) {
  return (address + memory::kHostPage - 1) / memory::kHostPage * memory::kHostPage;
}
void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

void* plain_pages(std::uint64_t bytes) {
  return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/// Puts @p fresh, which is mapped elsewhere, in the place of [begin, end), with what that holds. @return whether it went well; else all
/// is as it was, and @p fresh still there.
bool replace(std::uint64_t begin, std::uint64_t end, void* fresh) {
  const std::uint64_t bytes = end - begin;
  // Who has a handler of its own would take a thread that writes for a lost one.
  const bool guarded = host_faults_come_here();
  if (guarded) {
    ever_exchanged = true;
    exchange_begin = begin;
    exchange_end = end;
    ::mprotect(pointer(begin), bytes, PROT_READ);
  }
  std::memcpy(fresh, pointer(begin), bytes);
  const bool done =
      ::mremap(fresh, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pointer(begin)) != MAP_FAILED;
  if (guarded) {
    if (!done) ::mprotect(pointer(begin), bytes, PROT_READ | PROT_WRITE);
    ++exchanges;
    exchange_end = 0;
  }
  return done;
}

/// Why a mapping cannot be exchanged, as the system lists it; empty: it can.
std::string objection(const char* access, const char* name) {
  if (access[3] == 's') return "it is shared with a file or with another process already";
  if (access[0] != 'r' || access[1] != 'w') return "it cannot be written";
  if (access[2] == 'x') return "it can be executed";
  if (std::strncmp(name, "[stack", 6) == 0) return "it is a thread's stack";
  if (std::strncmp(name, "/dev/", 5) == 0 && std::strcmp(name, "/dev/zero") != 0) return "it is a driver's";
  return {};
}

/// The calling thread's stack must not stand still.
bool is_own_stack(std::uint64_t begin, std::uint64_t end) {
  const char here = 0;
  auto low = reinterpret_cast<std::uint64_t>(&here), high = low + 1;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) == 0) {
    void* start = nullptr;
    std::size_t size = 0;
    if (::pthread_attr_getstack(&attributes, &start, &size) == 0) {
      low = reinterpret_cast<std::uint64_t>(start);
      high = low + size;
    }
    ::pthread_attr_destroy(&attributes);
  }
  return begin < high && low < end;
}

std::string why_not(std::uint64_t begin, std::uint64_t end) {
  if (is_own_stack(begin, end)) return "it is a thread's stack";
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return "the system does not tell what it is (/proc/self/maps)";
  std::string why;
  char line[512];
  std::uint64_t next = begin;
  while (next < end && why.empty() && std::fgets(line, sizeof line, maps) != nullptr) {
    std::uint64_t from = 0, to = 0;
    char access[5] = "", name[256] = "";
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %255[^\n]", &from, &to, access, name) < 3)
      continue;
    if (to <= next) continue;
    if (from > next) break;
    why = objection(access, name);
    next = to;
  }
  std::fclose(maps);
  if (why.empty() && next < end) return "not all of it is there";
  return why;
}

}  // namespace

/// Calls run(begin, end) for each run of pages that no registered memory holds.
template <typename Do>
void ExchangedPages::each_run_alone(std::uint64_t begin, std::uint64_t end, const Do& run) const {
  std::uint64_t next = begin;
  for (const auto& [from, to] : registered_) {
    if (to <= next || from >= end) continue;
    if (from > next) run(next, from);
    next = std::max(next, to);
  }
  if (next < end) run(next, end);
}

ExchangedPages::~ExchangedPages() {
  while (!registered_.empty()) {
    const auto [begin, end] = *registered_.begin();
    give_back(begin, end - begin);
  }
  if (exchanged == this) exchanged = nullptr;
}

std::string ExchangedPages::exchange(std::uint64_t address, std::uint64_t bytes) {
  if (address + bytes < address || address + bytes > memory::SharedPages::kBytes)
    return "not all of it is there";
  const std::uint64_t begin = page_of(address), end = page_behind(address + bytes);
  std::string why;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> done;
  each_run_alone(begin, end, [&](std::uint64_t from, std::uint64_t to) {
    if (why.empty()) why = why_not(from, to);
  });
  each_run_alone(begin, end, [&](std::uint64_t from, std::uint64_t to) {
    if (!why.empty()) return;
    std::byte* const fresh = pages_.map(from, to - from, PROT_READ | PROT_WRITE);
    if (fresh != nullptr && replace(from, to, fresh)) return done.emplace_back(from, to), void();
    why = std::string("the system says: ") + std::strerror(errno);
    if (fresh != nullptr) ::munmap(fresh, to - from);
  });
  if (why.empty()) {
    static const int watched = ::pthread_atfork(nullptr, nullptr, in_child);
    static_cast<void>(watched);
    exchanged = this;
    registered_.emplace(begin, end);
  } else {
    for (const auto& [from, to] : done) make_plain(from, to);
  }
  return why;
}

void ExchangedPages::give_back(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t begin = page_of(address), end = page_behind(address + bytes);
  const auto [first, last] = registered_.equal_range(begin);
  const auto mine = std::find_if(first, last, [&](const auto& each) { return each.second == end; });
  if (mine == last) return;
  registered_.erase(mine);
  each_run_alone(begin, end, [&](std::uint64_t from, std::uint64_t to) { make_plain(from, to); });
}

void ExchangedPages::make_plain(std::uint64_t begin, std::uint64_t end) const {
  if (!is_mapped(begin, end - begin)) return;  // what is left of them stays shared
  void* const plain = plain_pages(end - begin);
  if (plain == MAP_FAILED) return;  // they stay shared, which nobody sees
  if (replace(begin, end, plain)) {
    pages_.give_back(begin, end - begin);
  } else {
    ::munmap(plain, end - begin);
  }
}

/// Only this thread is there, and what the other process writes from here on is its own. The child has nothing registered.
void ExchangedPages::in_child() {
  if (exchanged == nullptr) return;
  std::uint64_t next = 0;
  for (const auto& [begin, end] : exchanged->registered_) {
    const std::uint64_t from = std::max(begin, next);
    next = std::max(next, end);
    if (from >= end || !is_mapped(from, end - from)) continue;
    void* const plain = plain_pages(end - from);
    if (plain == MAP_FAILED) continue;
    std::memcpy(plain, pointer(from), end - from);
    ::mremap(plain, end - from, end - from, MREMAP_MAYMOVE | MREMAP_FIXED, pointer(from));
  }
  exchanged->registered_.clear();
}

bool is_mapped(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t begin = page_of(address), end = page_behind(address + bytes);
  std::vector<unsigned char> resident((end - begin) / memory::kHostPage);
  return ::mincore(pointer(begin), end - begin, resident.data()) == 0 || errno != ENOMEM;
}

bool wait_for_exchange(std::uint64_t address) noexcept {
  if (!ever_exchanged) return false;
  if (address < exchange_begin || address >= exchange_end) {
    // If it has ended since, the instruction goes through when it is tried again. What faults there once more, with no exchange in
    // between, has a fault of its own.
    const std::uint64_t now = address ^ exchanges << 48;
    return tried_again.exchange(now) != now;
  }
  while (address >= exchange_begin && address < exchange_end) ::sched_yield();
  return true;
}

}  // namespace simgpu::runtime
