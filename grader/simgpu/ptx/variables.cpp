/// @file
/// Variables, parameters and initialisers.
#include <algorithm>
#include <bit>
#include <cstring>

#include "simgpu/ptx/reader.hpp"

namespace simgpu::ptx {
namespace {

// A variable's type, and how its array is laid out.
struct Shape {
  std::size_t element_bytes = 0;
  std::vector<std::uint64_t> dimensions;  // outermost first; 0: `[]`
};

std::size_t read_alignment(Cursor& cursor) {
  const std::uint32_t align = cursor.small_integer("an alignment");
  if (!std::has_single_bit(align) || align > 4096)
    cursor.fail("an alignment must be a power of two up to 4096");
  return align;
}

// Reads `.align 16 .v4 .f32` and what else may stand before the name. @return how many components a vector
// has.
std::size_t read_type(Cursor& cursor, Variable& variable) {
  std::size_t components = 1;
  bool opaque = false;
  while (cursor.peek() == '.') {
    const std::string_view word = cursor.directive();
    if (word == "align") {
      variable.align = read_alignment(cursor);
    } else if (word == "v2" || word == "v4" || word == "v8") {
      components = static_cast<std::size_t>(word[1] - '0');
    } else if (word == "attribute") {
      cursor.expect('(', "after .attribute");
      do {
        if (cursor.directive() == "managed") variable.managed = true;
        if (cursor.accept('(')) {  // .unified(uuid1, uuid2)
          do cursor.number();
          while (cursor.accept(','));
          cursor.expect(')', "after the values of an attribute");
        }
      } while (cursor.accept(','));
      cursor.expect(')', "after .attribute(");
    } else if (word == "texref" || word == "samplerref" || word == "surfref") {
      opaque = true;
    } else if (word == "ptr") {
      // `.ptr .global .align 16` says what a pointer parameter points to; the parameter's own type stands
      // before it.
      while (cursor.peek() == '.') {
        const std::string_view about = cursor.directive();
        if (about == "align") {
          read_alignment(cursor);
        } else if (space_from(about) == Space::none) {
          cursor.fail("'." + std::string(about) + "' does not belong after .ptr");
        }
      }
    } else if (const Type type = type_from(word); type != Type::none) {
      variable.type = type;
    } else {
      cursor.fail("'." + std::string(word) + "' is not a type");
    }
  }
  if (variable.type == Type::none && !opaque)
    cursor.fail("a declaration has no type before " + cursor.describe_next());
  const std::size_t bytes = opaque ? 8 : components * std::max<std::size_t>(size_of(variable.type), 1);
  if (variable.align == 0) variable.align = bytes;
  return bytes;
}

std::uint64_t total_bytes(Cursor& cursor, const Shape& shape) {
  std::uint64_t total = shape.element_bytes;
  bool empty = false;
  for (const std::uint64_t dimension : shape.dimensions) {
    empty = empty || dimension == 0;
    if (__builtin_mul_overflow(total, std::max<std::uint64_t>(dimension, 1), &total) ||
        total > kMostVariable) {
      cursor.fail("a variable is larger than any device's memory");
    }
  }
  return empty ? 0 : total;
}

class InitializerReader {
 public:
  InitializerReader(Cursor& cursor, const Shape& shape, Initializer& into, std::size_t& budget)
      : cursor_(cursor), shape_(shape), into_(into), budget_(budget) {}

  // Reads one level: an element, or a brace list of the next dimension. @return bytes from @p offset to the
  // end of it.
  std::size_t level(std::size_t dimension, std::size_t offset) {
    if (dimension >= shape_.dimensions.size() && cursor_.peek() != '{') {
      element(offset);
      return shape_.element_bytes;
    }
    if (dimension > shape_.dimensions.size()) cursor_.fail("an initialiser has more braces than dimensions");
    cursor_.expect('{', "before the values of an array");
    std::size_t used = 0;
    if (cursor_.accept('}')) return used;
    const std::size_t inner = inner_bytes(dimension);
    do {
      // A nested list that is shorter than its dimension leaves zeros behind it.
      const std::size_t got = level(dimension + 1, offset + used);
      used += std::max(got, inner);
      if (used > kMostVariable) cursor_.fail("an initialiser is larger than any device's memory");
      if (dimension < shape_.dimensions.size() && shape_.dimensions[dimension] != 0 &&
          used > shape_.dimensions[dimension] * inner) {
        cursor_.fail("an initialiser has more values than its array");
      }
    } while (cursor_.accept(','));
    cursor_.expect('}', "or ',' in an initialiser");
    return used;
  }

 private:
  std::size_t inner_bytes(std::size_t dimension) const {
    std::size_t bytes = shape_.element_bytes;
    for (std::size_t i = dimension + 1; i < shape_.dimensions.size(); ++i) bytes *= shape_.dimensions[i];
    return bytes;
  }

  std::byte* room(std::size_t offset, std::size_t bytes) {
    if (offset + bytes > into_.bytes.size()) {
      const std::size_t more = offset + bytes - into_.bytes.size();
      if (more > budget_) cursor_.fail("initialised variables are too large");
      budget_ -= more;
      into_.bytes.resize(offset + bytes);
    }
    return into_.bytes.data() + offset;
  }

  void address(std::size_t offset, std::string_view name, bool generic, std::uint32_t shift,
               std::size_t size) {
    Initializer::Relocation relocation;
    relocation.byte_offset = offset;
    relocation.size = size;
    relocation.symbol = name;
    relocation.generic = generic;
    relocation.shift = shift;
    into_.relocations.push_back(std::move(relocation));
  }

  // symbol | generic(symbol), each with + or - integers behind it.
  void symbol(std::size_t offset, std::uint32_t shift) {
    bool generic = false;
    std::string_view name = cursor_.name();
    if (name == "generic" && cursor_.accept('(')) {
      generic = true;
      name = cursor_.name();
      cursor_.expect(')', "after generic(");
    }
    if (name.empty()) cursor_.fail("expected a value, found " + cursor_.describe_next());
    address(offset, name, generic, shift, std::min<std::size_t>(shape_.element_bytes, 8));
    if (cursor_.peek() == '+' || cursor_.peek() == '-')
      into_.relocations.back().addend = read_integer(cursor_);
  }

  void element(std::size_t offset) {
    std::byte* const place = room(offset, shape_.element_bytes);
    const char next = cursor_.peek();
    if (!(cursor_.number_next() || next == '-' || next == '+' || next == '~' || next == '(')) {
      symbol(offset, 0);
      return;
    }
    Number number = read_signed_number(cursor_);
    if (number.floating_bytes == 0 && cursor_.peek() == '(' && number.bits != 0) {
      // 0xFF00(symbol): the byte of an address that the mask selects.
      const int shift = std::countr_zero(number.bits);
      if (shift % 8 != 0 || number.bits >> shift != 0xFF)
        cursor_.fail("the mask of an address must select one whole byte");
      cursor_.accept('(');
      symbol(offset, static_cast<std::uint32_t>(shift));
      cursor_.expect(')', "after the address that a mask is applied to");
      return;
    }
    if (number.floating_bytes == 8 && shape_.element_bytes == 4) {
      number.bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(number.bits)));
    }
    std::memcpy(place, &number.bits, std::min<std::size_t>(shape_.element_bytes, 8));
  }

  Cursor& cursor_;
  const Shape& shape_;
  Initializer& into_;
  std::size_t& budget_;
};

void read_dimensions(Cursor& cursor, Variable& variable, Shape& shape) {
  while (cursor.accept('[')) {
    variable.is_array = true;
    if (shape.dimensions.size() >= 16) cursor.fail("an array has too many dimensions");
    std::uint64_t length = 0;
    if (cursor.peek() != ']') {
      const std::int64_t value = read_integer(cursor);
      if (value < 0) cursor.fail("an array has a negative length");
      length = static_cast<std::uint64_t>(value);
    } else if (!shape.dimensions.empty()) {
      cursor.fail("only the first dimension of an array may be left open");
    }
    shape.dimensions.push_back(length);
    cursor.expect(']', "after the length of an array");
  }
}

}  // namespace

Space space_from(std::string_view word) noexcept {
  if (word == "reg") return Space::reg;
  if (word == "sreg") return Space::sreg;
  if (word == "param") return Space::param;
  if (word == "global") return Space::global;
  if (word == "shared") return Space::shared;
  if (word == "local") return Space::local;
  if (word == "const") return Space::constant;
  return Space::none;
}

std::vector<Variable> read_variables(Cursor& cursor, Space space, Scopes* scopes, std::size_t& budget) {
  std::vector<Variable> result;
  Variable common;
  common.space = space;
  Shape shape;
  shape.element_bytes = read_type(cursor, common);
  do {
    Variable variable = common;
    variable.ptx_line = cursor.line();
    const std::string_view name = cursor.name();
    if (name.empty()) cursor.fail("expected the name of a variable, found " + cursor.describe_next());
    variable.ptx_line = cursor.line();
    variable.name =
        scopes != nullptr ? scopes->declare(name, 0, space == Space::reg, cursor) : std::string(name);
    shape.dimensions.clear();
    read_dimensions(cursor, variable, shape);
    variable.bytes = total_bytes(cursor, shape);
    if (cursor.accept('=')) {
      Initializer initializer;
      const std::size_t used = InitializerReader(cursor, shape, initializer, budget).level(0, 0);
      if (!shape.dimensions.empty() && shape.dimensions[0] == 0) {
        variable.bytes = used;
      } else if (used > variable.bytes) {
        cursor.fail("an initialiser has more values than its variable");
      }
      if (variable.bytes > initializer.bytes.size()) {
        const std::size_t more = variable.bytes - initializer.bytes.size();
        if (more > budget) cursor.fail("initialised variables are too large");
        budget -= more;
      }
      initializer.bytes.resize(variable.bytes);
      variable.initializer = std::move(initializer);
    }
    result.push_back(std::move(variable));
  } while (cursor.accept(','));
  cursor.expect(';', "after a variable");
  return result;
}

Variable read_parameter(Cursor& cursor, Scopes* scopes) {
  Variable variable;
  const std::string_view word = cursor.directive();
  variable.space = space_from(word);
  if (variable.space != Space::param && variable.space != Space::reg) {
    cursor.fail("expected .param or .reg, found " +
                (word.empty() ? cursor.describe_next() : "'." + std::string(word) + "'"));
  }
  Shape shape;
  shape.element_bytes = read_type(cursor, variable);
  const std::string_view name = cursor.name();
  if (name.empty()) cursor.fail("expected the name of a parameter, found " + cursor.describe_next());
  variable.ptx_line = cursor.line();
  variable.name = scopes != nullptr && name != "_"
                      ? scopes->declare(name, 0, variable.space == Space::reg, cursor)
                      : std::string(name);
  read_dimensions(cursor, variable, shape);
  variable.bytes = total_bytes(cursor, shape);
  return variable;
}

}  // namespace simgpu::ptx
