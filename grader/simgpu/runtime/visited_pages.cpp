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

#include "simgpu/memory/shared_pages.hpp"

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
  constexpr std::uint64_t kAtOnce = 8192, kPagesOfAPiece = kVisitBytes / kHostPage;
  static auto& words = *new std::vector<std::uint64_t>(kAtOnce);
  const std::size_t before = all.size();
  const std::uint64_t first = begin / kHostPage, end = (begin + bytes + kHostPage - 1) / kHostPage;
  for (std::uint64_t page = first; page < end;) {
    const std::uint64_t wanted = std::min(kAtOnce, end - page);
    const ssize_t got = ::pread(page_table(), words.data(), wanted * sizeof(std::uint64_t),
                                static_cast<off_t>(page * sizeof(std::uint64_t)));
    if (got < static_cast<ssize_t>(sizeof(std::uint64_t))) break;
    const std::uint64_t count = static_cast<std::uint64_t>(got) / sizeof(std::uint64_t);
    for (std::uint64_t i = 0; i < count;) {
      if ((words[i] >> 63) == 0) {
        ++i;
        continue;
      }
      const std::uint64_t piece = (page + i) / kPagesOfAPiece * kPagesOfAPiece;
      const std::uint64_t from = std::max(piece, first), upto = std::min(piece + kPagesOfAPiece, end);
      if (all.size() > before && all.back().address + all.back().bytes == from * kHostPage) {
        all.back().bytes += (upto - from) * kHostPage;
      } else {
        all.push_back({from * kHostPage, (upto - from) * kHostPage});
      }
      i = upto - page;
    }
    // A piece may end behind what was read: what is known of it is known.
    page += count;
    if (all.size() > before) page = std::max(page, (all.back().address + all.back().bytes) / kHostPage);
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
