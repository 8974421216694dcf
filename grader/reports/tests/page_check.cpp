/// @file
/// page_check.hpp as a program: `course_page_check FILE` prints what is wrong with a page, and fails if anything is.
#include "reports/tests/page_check.hpp"

#include <iostream>

int main(int argc, char** argv) {
  std::ifstream in(argc > 1 ? argv[1] : "");
  const std::string html{std::istreambuf_iterator<char>(in), {}};
  if (html.empty()) {
    std::cout << "there is no page\n";
    return 2;
  }
  const auto problems = course::reports::problems_of(html);
  for (const std::string& one : problems) std::cout << one << "\n";
  return problems.empty() ? 0 : 1;
}
