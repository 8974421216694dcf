/// @file
/// The program behind the target `docs`: course-site SOURCE ASSETS OUT. Exit code 0 well, 1 pages have faults, 2 it could not do its work.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "site/site.hpp"

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr,
               "Say where the course lies, where the site's assets lie, and where the site goes: course-site "
               "SOURCE ASSETS OUT.\n");
    return 2;
  }
  try {
    const auto faults = course::site::build_site(argv[1], argv[2], argv[3]);
    for (const std::string& fault : faults) fmt::print(stderr, "{}\n", fault);
    return faults.empty() ? 0 : 1;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return 2;
  }
}
