/// @file
/// Sizes beyond which a module is refused, with a sentence. The first three are a GPU's own (CUDA C++ Programming Guide,
/// compute capability 9.0; ptxas refuses them too). The others keep a hostile text from using up the machine, and are far
/// above what compilers write.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simgpu::lower {

inline constexpr std::uint64_t kMostKernelParameterBytes = 32764;
inline constexpr std::uint64_t kMostSharedBytes = 227 * 1024;  ///< of a block, static
inline constexpr std::uint64_t kMostLocalBytes = 512 * 1024;   ///< of a thread

inline constexpr std::uint64_t kMostFrameParameterBytes =
    64 * 1024;                                               ///< of a function and its calls, of a thread
inline constexpr std::uint64_t kMostFrameBytes = 1 << 20;    ///< live registers of a function, of a warp
inline constexpr std::size_t kMostPoolWords = 1 << 26;       ///< different literals, 16 or 32 words each
inline constexpr std::size_t kMostInstructions = 8'000'000;  ///< decoded, over all kernels
inline constexpr std::size_t kMostTargets = 1 << 22;         ///< of all `brx.idx`, over all kernels
/// Steps after which an exact analysis of a function's control flow or liveness gives way to a safe guess.
inline constexpr std::size_t kMostFlowSteps = 300'000'000;
inline constexpr std::size_t kMostLivenessWords = 1 << 24;

}  // namespace simgpu::lower
