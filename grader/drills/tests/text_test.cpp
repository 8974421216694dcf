/// @file
/// Answers as a student does, from nothing but a question's text: reads the code or the table, and works out the answer, and
/// those of the usual mistakes, with formulas of this file alone. So the text asks what is marked, the lesson's formula gets
/// all ten, and a mistake is what it is called.
#include <gtest/gtest.h>

#include <array>
#include <regex>
#include <set>

#include "drills/registry.hpp"
#include "drills/sheet.hpp"

namespace course::drills {
namespace {

const numbers& by_mistake(const drill& d, const question& q, std::string_view name) {
  for (std::size_t i = 0; i < d.mistakes.size(); ++i) {
    if (d.mistakes[i].name == name) return q.by_mistake[i];
  }
  throw std::logic_error("no such mistake");
}

// --- sectors -----------------------------------------------------------------------------------------------------------

/// A warp's access as its text shows it. [bytes]
struct shown_access {
  std::int64_t width = 0, offset = 0, stride = 0;
  std::set<int> lanes;
};

shown_access read_access(const std::string& text) {
  static const std::regex kDeclaration(R"(^([a-z0-9 ]+)\* a;  // (\d+) bytes? an element\n)");
  static const std::regex kSame(R"(a\[(\d+)\])");
  static const std::regex kIndex(R"(a\[(?:(\d+) ([+-]) )?(?:(\d+) \* )?lane\])");
  static const std::regex kCondition(R"(if \((.*)\) (?:x|a))");
  std::smatch match;
  shown_access found;
  if (!std::regex_search(text, match, kDeclaration)) throw std::logic_error(text);
  found.width = std::stoll(match[2]);
  if (std::regex_search(text, match, kSame)) {
    found.offset = found.width * std::stoll(match[1]);
  } else {
    if (!std::regex_search(text, match, kIndex)) throw std::logic_error(text);
    if (match[1].matched) found.offset = found.width * std::stoll(match[1]);
    found.stride = found.width * (match[3].matched ? std::stoll(match[3]) : 1);
    if (match[2] == "-") found.stride = -found.stride;
  }
  const std::string condition = std::regex_search(text, match, kCondition) ? match[1].str() : "";
  int a = 0, b = 0;
  for (int lane = 0; lane < 32; ++lane) {
    bool takes_part = true;
    if (std::sscanf(condition.c_str(), "lane %% %d == %d", &a, &b) == 2)
      takes_part = lane % a == b;
    else if (std::sscanf(condition.c_str(), "lane %% %d < %d", &a, &b) == 2)
      takes_part = lane % a < b;
    else if (std::sscanf(condition.c_str(), "lane < %d || lane >= %d", &a, &b) == 2)
      takes_part = lane < a || lane >= b;
    else if (std::sscanf(condition.c_str(), "lane < %d", &a) == 1)
      takes_part = lane < a;
    else if (std::sscanf(condition.c_str(), "lane >= %d", &a) == 1)
      takes_part = lane >= a;
    else if (!condition.empty())
      throw std::logic_error(condition);
    if (takes_part) found.lanes.insert(lane);
  }
  return found;
}

/// Distinct values of address / unit over all lanes and all bytes of the access.
std::int64_t units(const shown_access& a, std::int64_t unit, std::int64_t shift = 0) {
  std::set<std::int64_t> touched;
  for (const int lane : a.lanes) {
    for (std::int64_t byte = 0; byte < a.width; ++byte)
      touched.insert((a.offset - shift + a.stride * lane + byte + 128'000) / unit);
  }
  return static_cast<std::int64_t>(touched.size());
}

TEST(sectors_drill, is_answered_from_its_text) {
  const drill& d = *find_drill("sectors");
  for (std::uint32_t number = 0; number < 300; ++number) {
    for (const question& q : draw(d, number)) {
      SCOPED_TRACE(q.text);
      const shown_access a = read_access(q.text);
      EXPECT_EQ(q.right, numbers{units(a, 32)});
      EXPECT_EQ(by_mistake(d, q, "counts_lines"), numbers{units(a, 128)});
      EXPECT_EQ(by_mistake(d, q, "takes_base_as_aligned"), numbers{units(a, 32, a.offset % 128)});
      EXPECT_EQ(by_mistake(d, q, "one_sector_a_lane"), numbers{static_cast<std::int64_t>(a.lanes.size())});
      EXPECT_EQ(by_mistake(d, q, "bytes_over_32"), numbers{(units(a, 1) + 31) / 32});
    }
  }
}

TEST(sectors_drill, draws_what_it_asks) {
  for (std::uint32_t number = 0; number < 100; ++number) {
    for (const question& q : draw(*find_drill("sectors"), number)) {
      SCOPED_TRACE(q.text);
      const shown_access a = read_access(q.text);
      std::smatch match;
      ASSERT_TRUE(std::regex_search(q.text, match, std::regex(R"(byte (\d+))")));
      const std::int64_t first = std::stoll(match[1]);
      ASSERT_TRUE(std::regex_search(q.text, match, std::regex(R"(\|([-=#.]{32})\|([-=#.]{32})\|)")));
      const std::string shown = match[1].str() + match[2].str();
      for (std::int64_t at = 0; at < 64; ++at) {
        bool named = false, asked = false;
        for (int lane = 0; lane < 32; ++lane) {
          const std::int64_t begin = a.offset + a.stride * lane;
          if (first + at < begin || first + at >= begin + a.width) continue;
          named = true;
          asked |= a.lanes.contains(lane);
        }
        const char mark = shown[static_cast<std::size_t>(at)];
        EXPECT_EQ(mark == '#' || mark == '=', asked);
        EXPECT_EQ(mark == '.', !named);
      }
    }
  }
}

// --- occupancy ---------------------------------------------------------------------------------------------------------

/// The numbers of a table's line that begins so.
numbers row(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("    " + name + " ");
  if (at == std::string::npos) throw std::logic_error(text);
  std::istringstream in(text.substr(at + 4 + name.size(), text.find('\n', at) - at - 4 - name.size()));
  numbers values;
  for (std::int64_t value = 0; in >> value;) values.push_back(value);
  return values;
}

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

TEST(occupancy_drill, is_answered_from_its_text) {
  const drill& d = *find_drill("occupancy");
  const std::int64_t threads = row(d.rules, "threads")[0], blocks = row(d.rules, "blocks")[0],
                     registers = row(d.rules, "registers")[0],
                     shared = row(d.rules, "bytes of shared memory")[0];
  int asked = 0;
  for (std::uint32_t number = 0; number < 300; ++number) {
    for (const question& q : draw(d, number)) {
      if (q.asks.front().find("blocks") == std::string::npos) continue;  // the article's two
      SCOPED_TRACE(q.text);
      const numbers t = row(q.text, "threads a block"), r = row(q.text, "registers a thread"),
                    s = row(q.text, "bytes of shared memory a block");
      numbers right, by_threads, exact, free_of_charge;
      for (std::size_t i = 0; i < t.size(); ++i) {
        const std::int64_t warps = (t[i] + 31) / 32;
        const std::int64_t of_warp = round_up(32 * r[i], 256);
        by_threads.push_back(threads / (32 * warps));
        right.push_back(std::min(
            {threads / (32 * warps), blocks, registers / (of_warp * warps), shared / (s[i] + 1024)}));
        exact.push_back(std::min(
            {threads / (32 * warps), blocks, registers / (32 * r[i] * warps), shared / (s[i] + 1024)}));
        free_of_charge.push_back(std::min(
            {threads / (32 * warps), blocks, registers / (of_warp * warps), s[i] ? shared / s[i] : blocks}));
      }
      EXPECT_EQ(q.right, right);
      EXPECT_EQ(by_mistake(d, q, "thread_limit_alone"), by_threads);
      EXPECT_EQ(by_mistake(d, q, "registers_not_rounded"), exact);
      EXPECT_EQ(by_mistake(d, q, "no_reserve"), free_of_charge);
      ++asked;
    }
  }
  EXPECT_EQ(asked, 300 * 8);
}

}  // namespace
}  // namespace course::drills
