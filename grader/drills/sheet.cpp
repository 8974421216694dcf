/// @file
/// See sheet.hpp.
#include "drills/sheet.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <stdexcept>

namespace course::drills {
namespace {

/// Mixes what a draw depends on, so that neighbouring numbers have nothing in common.
std::uint64_t mixed(std::uint64_t state, std::uint64_t value) {
  state += value + 0x9E37'79B9'7F4A'7C15ull;
  state = (state ^ (state >> 30)) * 0xBF58'476D'1CE4'E5B9ull;
  state = (state ^ (state >> 27)) * 0x94D0'49BB'1331'11EBull;
  return state ^ (state >> 31);
}

bool is_fair(const drill& from, const std::vector<question>& questions) {
  std::set<std::string> texts;
  std::map<numbers, std::size_t> alike;
  for (const question& one : questions) {
    if (!texts.insert(one.text).second || ++alike[one.right] > kMostAlike) return false;
  }
  for (std::size_t i = 0; i < from.mistakes.size(); ++i) {
    if (right_by_mistake(questions, i) > kMostByOneMistake) return false;
  }
  return true;
}

}  // namespace

std::size_t right_by_mistake(const std::vector<question>& questions, std::size_t mistake) {
  std::size_t right = 0;
  for (const question& one : questions) right += one.by_mistake[mistake] == one.right ? 1 : 0;
  return right;
}

std::vector<question> draw_sheet(const drill& from, std::uint32_t number, unsigned index) {
  std::uint64_t start = mixed(mixed(0, number), index);
  for (const char letter : from.word) start = mixed(start, static_cast<unsigned char>(letter));
  dice random(start);
  for (int attempt = 0; attempt < 20'000; ++attempt) {
    std::vector<question> questions = from.propose(random, index);
    if (is_fair(from, questions)) return questions;
  }
  throw std::logic_error(
      fmt::format("The drill {} finds no fair questions for the number {}.", from.word, number));
}

std::vector<question> draw(const drill& from, std::uint32_t number, std::size_t count) {
  std::vector<question> questions;
  for (unsigned index = 0; questions.size() < count; ++index) {
    for (question& one : draw_sheet(from, number, index)) {
      if (questions.size() < count) questions.push_back(std::move(one));
    }
  }
  return questions;
}

}  // namespace course::drills
