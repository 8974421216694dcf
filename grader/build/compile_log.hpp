/// @file
/// Reads what nvcc and its helpers print: which line failed and why, in the student's own file names, and the
/// resources that ptxas reports.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace course {

/// The first error in a compiler's output.
struct compile_problem {
  std::string file;     ///< as rewritten by readable_log; empty where no place is named (ptxas, the linker)
  int line = 0;         ///< 1-based, 0 if unknown
  std::string message;  ///< without place and without the word "error"
};

/// How a log is rewritten.
struct log_names {
  std::string staging;      ///< folder in which the compiler ran
  std::string staged_name;  ///< name of the hand-in there, e.g. block_reduction.cu
  std::string
      shown_name;  ///< what to call it, e.g. chapter2_shared_memory/block_reduction/block_reduction.cu
  /// Whether a file that a message is about may be quoted: the hand-in, the contract, the toolkit. With
  /// #include and #line a message can be about any file of the machine.
  std::function<bool(const std::string& file)> may_quote;
};

/// Output for a student: staging paths replaced, `x.cu(41): error` written as `x.cu:41: error`, ptxas's
/// resource lines left out, nothing of foreign files but their names and lines, cut to a size that can be
/// read.
/// @param[in] output of nvcc.
/// @param[in] limit_bytes longest result.
std::string readable_log(std::string_view output, const log_names& names, std::size_t limit_bytes = 16384);

/// First error in a log made by readable_log.
std::optional<compile_problem> first_error(std::string_view readable);

/// The lines of `ptxas -v` about one architecture.
/// @param[in] architecture e.g. sm_90.
std::string resource_lines(std::string_view output, const std::string& architecture);

}  // namespace course
