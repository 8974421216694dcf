/// @file
/// Cases for single PTX instructions: lines of a text file, each a template that stands for many instructions, made into
/// kernels that run alike on a real GPU and on the simulated one.
///
/// A line, continued by a backslash at its end:
///
///     ~2 ex2.approx(|.ftz).f32 <=f32>, <f32>;
///
/// `~2`: results may differ by 2 units in the last place from what the card printed; `~2^-21`: by so much. `@` at the start of
/// a line: the kernel runs as a cluster of one block. `(a|b)`: one instruction for each choice. `<f32>`: a register that holds
/// an input of this class, `<=f32>` one that gives a result; `$0`, `$1`, ... name them again. At hand besides: %t %lane %warp,
/// %ga (the thread's own 64 bytes of global memory), %s0 (the block's shared memory), %sa (the thread's 32 bytes of it), %sw
/// (its warp's 1024), `loc` (64 bytes, local), `con` (64 bytes, constant: 0, 1, 2, ...), and registers %h %r %d %f %g %q %x (16,
/// 32, 64 bits, f32, f64, predicate, 128 bits), each 0 to 9. `# text` is a comment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hardware {

/// Threads of the one block that runs a case; each has inputs of its own.
inline constexpr unsigned kThreads = 256;

/// What the register of a placeholder holds.
struct Placeholder {
  std::string type;  ///< b16 b32 b64 b128 f32 f64 f16 bf16 f16x2 bf16x2 pred, n (a small number)
  bool result = false;
};

/// One instruction, or a few that belong together.
struct Case {
  std::string text;       ///< as expanded from the line, with its placeholders
  bool cluster = false;   ///< runs as a cluster of one block
  int tolerance = 0;      ///< [units in the last place]
  double difference = 0;  ///< allowed besides
  unsigned line = 0;      ///< of the file, counted from 1
  std::vector<Placeholder> placeholders;

  std::size_t inputs() const;
  std::size_t results() const;
};

/// @return all cases of a file. Throws std::runtime_error with file and line where it cannot be read.
std::vector<Case> read_cases(const std::string& path);

/// @return a PTX module with the kernels k0, k1, ... for @p cases, each with parameters (inputs, results, scratch): arrays of
/// 64-bit words, that of the k-th input or result of thread t at k * kThreads + t; scratch holds 64 bytes a thread.
std::string module_for(const std::vector<Case>& cases);

/// @return inputs() * kThreads words, the same on every machine. A b128 input takes two rows.
std::vector<std::uint64_t> inputs_for(const Case& c);

/// Words a thread that a placeholder takes: 2 for b128.
unsigned words_of(const Placeholder& p);

}  // namespace hardware
