/// @file
/// See comparison.hpp.
#include "comparison.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>

namespace hardware {
namespace {

std::vector<std::string> words(const std::string& text, char separator) {
  std::vector<std::string> all;
  std::stringstream in(text);
  for (std::string word; std::getline(in, word, separator);)
    if (!word.empty()) all.push_back(word);
  return all;
}

struct Format {
  unsigned bits, exponent;  ///< of one value
  unsigned values = 1;      ///< in a register
};
bool format_of(const std::string& type, Format& f) {
  if (type == "f32") return f = {32, 8}, true;
  if (type == "f64") return f = {64, 11}, true;
  if (type == "f16") return f = {16, 5}, true;
  if (type == "bf16") return f = {16, 8}, true;
  if (type == "f16x2") return f = {16, 5, 2}, true;
  if (type == "bf16x2") return f = {16, 8, 2}, true;
  return false;
}

/// Steps between two floats of a format, from -infinity to infinity; -1 if one is a NaN and they differ.
long steps(std::uint64_t a, std::uint64_t b, const Format& f) {
  if (a == b) return 0;
  const std::uint64_t sign = 1ull << (f.bits - 1);
  const std::uint64_t infinity = ((1ull << f.exponent) - 1) << (f.bits - 1 - f.exponent);
  if ((a & (sign - 1)) > infinity || (b & (sign - 1)) > infinity) return -1;
  auto place = [&](std::uint64_t v) {
    const auto m = static_cast<std::int64_t>(v & (sign - 1));
    return v & sign ? -m : m;
  };
  const std::int64_t d = place(a) - place(b);
  return static_cast<long>(d < 0 ? -d : d);
}

/// Distance of one thread's results, written as "a,b,c".
long distance_of(const Case& c, const std::string& ours, const std::string& card) {
  if (ours == card) return 0;
  const std::vector<std::string> a = words(ours, ','), b = words(card, ',');
  if (a.size() != b.size() || a.size() != c.results()) return -1;
  long most = 0;
  std::size_t k = 0;
  for (const Placeholder& p : c.placeholders) {
    if (!p.result) continue;
    for (unsigned word = 0; word < words_of(p); ++word, ++k) {
      const std::uint64_t x = std::strtoull(a[k].c_str(), nullptr, 16),
                          y = std::strtoull(b[k].c_str(), nullptr, 16);
      Format f{};
      if (x == y) continue;
      if (!format_of(p.type, f)) return -1;
      for (unsigned v = 0; v < f.values; ++v) {
        const std::uint64_t mask = f.bits == 64 ? ~0ull : (1ull << f.bits) - 1;
        const long d = steps(x >> v * f.bits & mask, y >> v * f.bits & mask, f);
        if (d < 0) return -1;
        most = std::max(most, d);
      }
    }
  }
  return most;
}

/// Whether single f32 results differ by no more than the case's absolute tolerance.
bool close(const Case& c, const std::string& ours, const std::string& card) {
  const float x = std::bit_cast<float>(static_cast<std::uint32_t>(std::strtoul(ours.c_str(), nullptr, 16)));
  const float y = std::bit_cast<float>(static_cast<std::uint32_t>(std::strtoul(card.c_str(), nullptr, 16)));
  return std::fabs(double{x} - double{y}) <= c.difference;
}

}  // namespace

std::map<std::string, std::string> read_output(const std::string& text) {
  std::map<std::string, std::string> all;
  std::stringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.rfind(" : ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    all[line.substr(0, colon)] = line.substr(colon + 3);
  }
  return all;
}

std::string difference(const Case& c, const std::string& ours, const std::string& card) {
  if (ours == card) return "";
  const std::vector<std::string> a = words(ours, ' '), b = words(card, ' ');
  const bool refused = ours.find("refused") != std::string::npos || card.find("refused") != std::string::npos;
  if (refused || a.size() != b.size())
    return "\"" + ours.substr(0, 60) + "\", the card says \"" + card.substr(0, 60) + "\"";
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (a[t] == b[t]) continue;
    if (a[t][0] == '#') return "a thread beyond the first 32 differs (compare the dumps)";
    const long d = distance_of(c, a[t], b[t]);
    if (c.difference > 0 && close(c, a[t], b[t])) continue;
    if (d < 0 || d > c.tolerance)
      return "thread " + std::to_string(t) + ": " + a[t] + ", the card says " + b[t];
  }
  return "";
}

long distance(const Case& c, const std::string& ours, const std::string& card) {
  const std::vector<std::string> a = words(ours, ' '), b = words(card, ' ');
  if (a.size() != b.size()) return -1;
  long most = 0;
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (a[t][0] == '#') continue;
    const long d = distance_of(c, a[t], b[t]);
    if (d < 0) return -1;
    most = std::max(most, d);
  }
  return most;
}

}  // namespace hardware
