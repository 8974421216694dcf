/// @file
/// Starts a process of the judge's own: a worker, or the simulated device. One place, since what a child inherits is what it can reach: the
/// descriptors that it is given, the variables that it is given, a process group of its own, and nothing else.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace course {

/// A descriptor of the judge's, and the number under which the child finds it.
struct passed_descriptor {
  int ours = -1;  ///< stays open here; below 0: none is passed
  int theirs = -1;
};

/// Starts @p program, with nothing to read on its standard input.
/// @param variables its whole environment, as NAME=VALUE
/// @param process the child's; -1 when there is none
/// @return an empty text or one sentence.
std::string spawn(const std::filesystem::path& program, std::vector<std::string> arguments,
                  std::vector<std::string> variables, const std::vector<passed_descriptor>& descriptors,
                  pid_t& process);

/// Adds those of @p names that the judge has itself to the variables of a child.
void inherit(std::vector<std::string>& variables, std::initializer_list<const char*> names);

}  // namespace course
