/// @file
/// The pieces of grammar that parser.cpp puts together: operands and variables.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simgpu/ptx/cursor.hpp"
#include "simgpu/ptx/module.hpp"
#include "simgpu/ptx/scopes.hpp"

namespace simgpu::ptx {

/// Limits that keep a hostile text from using up the machine. Far above what compilers write.
inline constexpr std::size_t kMostText = std::size_t{1} << 28;  ///< bytes of PTX
inline constexpr std::size_t kMostScopes = 64;                  ///< `{ }` inside each other
inline constexpr std::size_t kMostNesting = 32;                 ///< brackets inside each other in an operand
inline constexpr std::uint32_t kMostRegisters = std::uint32_t{1} << 22;  ///< of one function
inline constexpr std::size_t kMostInitialized = std::size_t{1}
                                                << 28;  ///< bytes of initialised variables, all together
inline constexpr std::uint64_t kMostVariable = std::uint64_t{1} << 40;  ///< bytes of one variable

inline constexpr std::uint32_t kMostTargets = 1 << 20;  ///< named by runs of labels (`L<9>`), all together

/// Reads a constant integer expression: literals, brackets, `+ - * / % << >> & ^ |` and the unary `- + ~ !`.
std::int64_t read_integer(Cursor& cursor);

/// Reads a literal with its sign, floating or integer; an integer may go on as an expression.
Number read_signed_number(Cursor& cursor);

/// Reads one operand.
/// @param in_call `( ... )` is a list of arguments.
Operand read_operand(Cursor& cursor, const Scopes& scopes, bool in_call);

/// Reads variables of one declaration, from behind the state-space word up to and including the `;`.
/// @param scopes of the function that holds it; nullptr at module scope.
/// @param budget bytes that initialisers may still take; lowered by what was used.
std::vector<Variable> read_variables(Cursor& cursor, Space space, Scopes* scopes, std::size_t& budget);

/// Reads one parameter of an `.entry`, `.func` or `.callprototype`, from its state-space word.
Variable read_parameter(Cursor& cursor, Scopes* scopes);

/// @return the space that a word names; `Space::none` if it names none.
Space space_from(std::string_view word) noexcept;

}  // namespace simgpu::ptx
