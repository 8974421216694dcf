/// @file
/// Operands and constant expressions.
#include <string>
#include <utility>

#include "simgpu/ptx/reader.hpp"

namespace simgpu::ptx {
namespace {

// Binary operators by how tightly they bind, loosest first.
struct BinaryOperator {
  char first, second;  // second 0: one character
  int level;
};
constexpr BinaryOperator kOperators[] = {{'|', 0, 0}, {'^', 0, 1}, {'&', 0, 2}, {'<', '<', 3}, {'>', '>', 3},
                                         {'+', 0, 4}, {'-', 0, 4}, {'*', 0, 5}, {'/', 0, 5},   {'%', 0, 5}};
constexpr int kTightest = 5;

std::uint64_t evaluate(Cursor& cursor, int level, std::size_t depth);

std::uint64_t evaluate_unary(Cursor& cursor, std::size_t depth) {
  if (depth > kMostNesting) cursor.fail("an expression is nested too deeply");
  if (cursor.accept('-')) return std::uint64_t{0} - evaluate_unary(cursor, depth + 1);
  if (cursor.accept('+')) return evaluate_unary(cursor, depth + 1);
  if (cursor.accept('~')) return ~evaluate_unary(cursor, depth + 1);
  if (cursor.accept('!')) return evaluate_unary(cursor, depth + 1) == 0 ? 1 : 0;
  if (cursor.accept('(')) {
    const std::uint64_t value = evaluate(cursor, 0, depth + 1);
    cursor.expect(')', "after an expression in brackets");
    return value;
  }
  const Number number = cursor.number();
  if (number.floating_bytes != 0) cursor.fail("expected an integer, found a floating-point number");
  return number.bits;
}

std::uint64_t apply(Cursor& cursor, char operation, std::uint64_t left, std::uint64_t right) {
  const auto signed_left = static_cast<std::int64_t>(left);
  const auto signed_right = static_cast<std::int64_t>(right);
  switch (operation) {
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    case '&':
      return left & right;
    case '<':
      return right > 63 ? 0 : left << right;
    case '>':
      return static_cast<std::uint64_t>(signed_left >> (right > 63 ? 63 : right));
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    default:
      break;
  }
  if (right == 0) cursor.fail("a constant expression divides by zero");
  if (signed_right == -1)
    return operation == '/' ? std::uint64_t{0} - left : 0;  // INT64_MIN / -1 overflows in C++
  return static_cast<std::uint64_t>(operation == '/' ? signed_left / signed_right
                                                     : signed_left % signed_right);
}

const BinaryOperator* operator_next(Cursor& cursor, int level) {
  const char first = cursor.peek();
  for (const BinaryOperator& candidate : kOperators) {
    if (candidate.level != level || candidate.first != first) continue;
    if (candidate.second != 0 && cursor.ahead(1) != candidate.second) continue;
    // `5 %r1` is not a remainder.
    if (first == '%' && is_word_character(cursor.ahead(1)) &&
        !(cursor.ahead(1) >= '0' && cursor.ahead(1) <= '9'))
      continue;
    return &candidate;
  }
  return nullptr;
}

// Goes on from a left-hand side that was already read.
std::uint64_t evaluate_from(Cursor& cursor, std::uint64_t left, int level, std::size_t depth) {
  for (int tighter = kTightest; tighter >= level; --tighter) {
    while (const BinaryOperator* const found = operator_next(cursor, tighter)) {
      cursor.accept(found->first);
      if (found->second != 0) cursor.accept(found->second);
      const std::uint64_t right =
          tighter == kTightest ? evaluate_unary(cursor, depth + 1) : evaluate(cursor, tighter + 1, depth + 1);
      left = apply(cursor, found->first, left, right);
    }
  }
  return left;
}

std::uint64_t evaluate(Cursor& cursor, int level, std::size_t depth) {
  if (depth > kMostNesting) cursor.fail("an expression is nested too deeply");
  return evaluate_from(cursor, evaluate_unary(cursor, depth + 1), level, depth);
}

Operand read(Cursor& cursor, const Scopes& scopes, bool in_call, std::size_t depth);

// A name with what may hang on it: `.x` of a special or vector register, `.b0` of a video instruction.
std::string read_full_name(Cursor& cursor, const Scopes& scopes, bool& is_register) {
  const std::string_view name = cursor.name();
  if (name.empty()) cursor.fail("expected an operand, found " + cursor.describe_next());
  Scopes::Meaning meaning = scopes.look_up(name);
  is_register = meaning.is_register;
  while (cursor.here() == '.') {
    meaning.name += '.';
    meaning.name += cursor.directive();
  }
  return std::move(meaning.name);
}

std::int64_t read_offsets(Cursor& cursor) {
  std::uint64_t offset = 0;
  while (true) {
    if (cursor.accept('+')) {
      offset += evaluate(cursor, kTightest, 0);
    } else if (cursor.accept('-')) {
      offset -= evaluate(cursor, kTightest, 0);
    } else {
      return static_cast<std::int64_t>(offset);
    }
  }
}

void read_elements(Cursor& cursor, const Scopes& scopes, char closing, Operand& into, std::size_t depth) {
  if (cursor.accept(closing)) return;
  do {
    into.elements.push_back(read(cursor, scopes, false, depth + 1));
  } while (cursor.accept(','));
  cursor.expect(closing, "or ',' in a list of operands");
}

Operand read_address(Cursor& cursor, const Scopes& scopes, std::size_t depth) {
  Operand operand;
  operand.kind = Operand::Kind::address;
  const char next = cursor.peek();
  if (cursor.number_next() || next == '-' || next == '(' || next == '~') {
    operand.offset = read_integer(cursor);
  } else {
    bool is_register = false;
    operand.name = read_full_name(cursor, scopes, is_register);
    operand.offset = read_offsets(cursor);
  }
  if (cursor.accept(',')) {
    operand.kind = Operand::Kind::texture;
    if (cursor.peek() != '{') {
      // Either a sampler in front of the coordinates, or a single coordinate without braces.
      Operand single = read(cursor, scopes, false, depth + 1);
      if (cursor.accept(',')) {
        operand.pipe = std::move(single.name);
      } else {
        operand.elements.push_back(std::move(single));
      }
    }
    if (operand.elements.empty()) {
      cursor.expect('{', "before the coordinates of a texture");
      read_elements(cursor, scopes, '}', operand, depth);
    }
  }
  cursor.expect(']', "at the end of an address");
  return operand;
}

Operand read_named(Cursor& cursor, const Scopes& scopes) {
  Operand operand;
  operand.negated = cursor.accept('!');
  bool is_register = false;
  operand.name = read_full_name(cursor, scopes, is_register);
  if (operand.name == "_") {
    operand.name.clear();
    operand.kind = Operand::Kind::discard;
  } else if (operand.name == "WARP_SZ") {
    operand.name.clear();
    operand.kind = Operand::Kind::integer;
    operand.bits = 32;
  } else {
    operand.kind = is_register ? Operand::Kind::reg : Operand::Kind::symbol;
  }
  if (operand.kind == Operand::Kind::symbol) operand.offset = read_offsets(cursor);
  return operand;
}

Operand read(Cursor& cursor, const Scopes& scopes, bool in_call, std::size_t depth) {
  if (depth > kMostNesting) cursor.fail("operands are nested too deeply");
  Operand operand;
  const char next = cursor.peek();
  if (next == '{') {
    cursor.accept('{');
    operand.kind = Operand::Kind::vector;
    read_elements(cursor, scopes, '}', operand, depth);
  } else if (next == '[') {
    cursor.accept('[');
    return read_address(cursor, scopes, depth);
  } else if (next == '(' && in_call) {
    cursor.accept('(');
    operand.kind = Operand::Kind::list;
    read_elements(cursor, scopes, ')', operand, depth);
    return operand;
  } else if (cursor.number_next() || next == '-' || next == '+' || next == '~' || next == '(') {
    const Number number = read_signed_number(cursor);
    operand.kind = number.floating_bytes != 0 ? Operand::Kind::floating : Operand::Kind::integer;
    operand.floating_bytes = number.floating_bytes;
    operand.bits = number.bits;
    return operand;
  } else {
    operand = read_named(cursor, scopes);
  }
  if (cursor.accept('|')) {
    bool is_register = false;
    operand.pipe = read_full_name(cursor, scopes, is_register);
  }
  return operand;
}

}  // namespace

std::int64_t read_integer(Cursor& cursor) {
  return static_cast<std::int64_t>(evaluate(cursor, 0, 0));
}

Number read_signed_number(Cursor& cursor) {
  // A floating literal stands alone, with at most signs in front; anything else is an integer expression.
  bool negative = false;
  std::size_t signs = 0;
  while (true) {
    if (cursor.peek() == '-') {
      cursor.accept('-');
      negative = !negative;
    } else if (cursor.peek() == '+') {
      cursor.accept('+');
    } else {
      break;
    }
    if (++signs > kMostNesting) cursor.fail("a number has too many signs");
  }
  Number number;
  if (cursor.number_next()) {
    number = cursor.number();
    if (number.floating_bytes != 0) {
      if (negative) number.bits ^= std::uint64_t{1} << (8 * number.floating_bytes - 1);
      return number;
    }
  } else {
    number.bits = evaluate_unary(cursor, 0);
  }
  if (negative) number.bits = std::uint64_t{0} - number.bits;
  number.bits = evaluate_from(cursor, number.bits, 0, 0);
  return number;
}

Operand read_operand(Cursor& cursor, const Scopes& scopes, bool in_call) {
  return read(cursor, scopes, in_call, 0);
}

}  // namespace simgpu::ptx
