/// @file
/// See visited_pages.hpp.
#include "simgpu/runtime/visited_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <variant>
#include <vector>

#include "simgpu/memory/device_memory.hpp"

namespace simgpu::runtime {
namespace {

using memory::kHostPage;

/// Bytes by begin. Under the lock of the API; never destroyed, since calls may come during exit.
std::map<std::uint64_t, std::uint64_t>& ranges_looked_at() {
  static auto& ranges = *new std::map<std::uint64_t, std::uint64_t>;
  return ranges;
}

/// A word for each page of this process; bit 63 says that it has touched it. Anybody may ask for his own.
int page_table() {
  static const int descriptor = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  return descriptor;
}

/// Puts what was touched of one range behind @p all.
void look(std::uint64_t begin, std::uint64_t bytes, std::vector<queue::Visited::Run>& all) {
  constexpr std::uint64_t kPagesOfAPiece = memory::kManagedPiece / kHostPage, kAtOnce = 512 * kPagesOfAPiece;
  static auto& words = *new std::vector<std::uint64_t>(kAtOnce);
  const std::size_t before = all.size();
  const std::uint64_t end = (begin + bytes + kHostPage - 1) / kHostPage;
  for (std::uint64_t page = begin / kHostPage; page < end; page += kAtOnce) {
    const std::uint64_t wanted = std::min(kAtOnce, end - page);
    const auto length = static_cast<ssize_t>(wanted * sizeof(std::uint64_t));
    if (::pread(page_table(), words.data(), static_cast<std::size_t>(length),
                static_cast<off_t>(page * sizeof(std::uint64_t))) != length)
      return;
    for (std::uint64_t i = 0; i < wanted; i += kPagesOfAPiece) {
      const std::uint64_t upto = std::min(i + kPagesOfAPiece, wanted);
      if (std::none_of(words.data() + i, words.data() + upto, [](std::uint64_t w) { return w >> 63 != 0; }))
        continue;
      const queue::Visited::Run piece{(page + i) * kHostPage, (upto - i) * kHostPage};
      if (all.size() > before && all.back().address + all.back().bytes == piece.address)
        all.back().bytes += piece.bytes;
      else
        all.push_back(piece);
    }
  }
}

}  // namespace

void watch_visits(std::uint64_t begin, std::uint64_t bytes) {
  ranges_looked_at()[begin] = bytes;
}

void forget_visits(std::uint64_t begin) {
  ranges_looked_at().erase(begin);
}

bool depends_on_visits(const queue::Body& command) noexcept {
  return std::holds_alternative<queue::Launch>(command) || std::holds_alternative<queue::Move>(command) ||
         std::holds_alternative<queue::Copy>(command) || std::holds_alternative<queue::Record>(command) ||
         std::holds_alternative<queue::Synchronise>(command);
}

queue::Visited take_visits() {
  queue::Visited visits;
  if (ranges_looked_at().empty() || page_table() < 0) return visits;
  for (const auto& [begin, bytes] : ranges_looked_at()) {
    look(begin, bytes, visits.runs);
    if (visits.runs.size() >= queue::Visited::kMostRuns) break;
  }
  if (visits.runs.size() > queue::Visited::kMostRuns) visits.runs.resize(queue::Visited::kMostRuns);
  // The pages are the file's: nothing is lost, and a thread that touches one meanwhile finds it there. What one record does not hold
  // is seen the next time.
  for (const queue::Visited::Run& run : visits.runs)
    ::madvise(reinterpret_cast<void*>(run.address), run.bytes, MADV_DONTNEED);
  return visits;
}

}  // namespace simgpu::runtime
