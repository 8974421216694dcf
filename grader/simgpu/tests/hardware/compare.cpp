/// @file
/// Compares two outputs of `instructions`, case by case: compare CASES OURS CARD
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>

#include "comparison.hpp"

namespace {
std::string text_of(const char* path) {
  std::ifstream in(path);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}
}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: compare CASES OURS CARD\n");
    return 2;
  }
  try {
    const auto ours = hardware::read_output(text_of(argv[2])), card = hardware::read_output(text_of(argv[3]));
    int differ = 0, cases = 0;
    for (const hardware::Case& c : hardware::read_cases(argv[1])) {
      const auto a = ours.find(c.text), b = card.find(c.text);
      if (a == ours.end() || b == card.end()) {
        std::printf("%u: %s: only one of the two ran it\n", c.line, c.text.c_str());
        ++differ;
        continue;
      }
      ++cases;
      const std::string d = hardware::difference(c, a->second, b->second);
      if (!d.empty()) ++differ, std::printf("%u: %s: %s\n", c.line, c.text.c_str(), d.c_str());
      if (c.tolerance || c.difference > 0)
        std::printf("   (%s: at most %ld units in the last place)\n", c.text.c_str(),
                    hardware::distance(c, a->second, b->second));
    }
    std::printf("%d cases, %d differ\n", cases, differ);
    return differ ? 1 : 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
