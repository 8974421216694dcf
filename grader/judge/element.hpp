/// @file
/// What a buffer is made of: scalars of every width, the two 16-bit floats, vectors, and records with named fields. The judge
/// includes no CUDA header, so half, bfloat16 and vectors have types of their own here, of the same size and alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace course {

/// Types of single numbers.
enum class scalar { i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };

/// IEEE half precision: 5 bits of exponent, 10 of mantissa. Stands for CUDA's `__half` in contracts.
struct half {
  std::uint16_t bits = 0;
  half() = default;
  explicit half(float value);       ///< rounds to nearest, ties to even
  explicit operator float() const;  ///< exact
  bool operator==(const half&) const = default;
};

/// The upper half of a float: 8 bits of exponent, 7 of mantissa. Stands for CUDA's `__nv_bfloat16`.
struct bfloat16 {
  std::uint16_t bits = 0;
  bfloat16() = default;
  explicit bfloat16(float value);   ///< rounds to nearest, ties to even
  explicit operator float() const;  ///< exact
  bool operator==(const bfloat16&) const = default;
};

/// A vector of two or four numbers, aligned to its size as CUDA's are: `vec<float, 4>` stands for float4.
template <class T, std::size_t N>
struct alignas(sizeof(T) * N) vec {
  T at[N] = {};
  T& operator[](std::size_t index) { return at[index]; }
  const T& operator[](std::size_t index) const { return at[index]; }
  bool operator==(const vec&) const = default;
};

/// @return bytes of one number.
constexpr std::size_t size_of(scalar type) {
  switch (type) {
    case scalar::i8:
    case scalar::u8:
      return 1;
    case scalar::i16:
    case scalar::u16:
    case scalar::f16:
    case scalar::bf16:
      return 2;
    case scalar::i32:
    case scalar::u32:
    case scalar::f32:
      return 4;
    case scalar::i64:
    case scalar::u64:
    case scalar::f64:
      return 8;
  }
  return 1;
}

/// @return true for the four floating-point types.
constexpr bool is_floating(scalar type) {
  return type == scalar::f16 || type == scalar::bf16 || type == scalar::f32 || type == scalar::f64;
}

/// Calls @p f with a value of the C++ type of @p type.
template <class F>
decltype(auto) with_type(scalar type, F&& f) {
  switch (type) {
    case scalar::i8:
      return f(std::int8_t{});
    case scalar::u8:
      return f(std::uint8_t{});
    case scalar::i16:
      return f(std::int16_t{});
    case scalar::u16:
      return f(std::uint16_t{});
    case scalar::i32:
      return f(std::int32_t{});
    case scalar::u32:
      return f(std::uint32_t{});
    case scalar::i64:
      return f(std::int64_t{});
    case scalar::u64:
      return f(std::uint64_t{});
    case scalar::f16:
      return f(half{});
    case scalar::bf16:
      return f(bfloat16{});
    case scalar::f32:
      return f(float{});
    case scalar::f64:
      break;
  }
  return f(double{});
}

/// @return @p value as a number of type T; the two 16-bit floats round twice, over float.
template <class T>
T scalar_from(double value) {
  if constexpr (std::is_class_v<T>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

/// @return the number at @p from as a double. 64-bit integers beyond 2^53 lose their low bits.
double load_scalar(scalar type, const void* from);
/// Stores @p value, converted.
void store_scalar(scalar type, void* to, double value);

/// One number of an element. A plain number's only field has no name.
struct field {
  std::string_view name;
  scalar type = scalar::f32;
  std::size_t offset = 0;  ///< bytes from the element's start
};

/// What one element of a buffer is. Refers to data with static storage.
struct element_type {
  std::string_view name;
  std::size_t size = 0;  ///< bytes
  std::span<const field> fields;

  bool is_number() const { return fields.size() == 1 && fields[0].name.empty(); }
  bool operator==(const element_type& other) const { return name == other.name && size == other.size; }
  /// True if the element is nothing but equal numbers side by side, so that an array of it is an array of numbers.
  bool is_flat() const;
};

/// element_of<T>::value describes T, for every type that a buffer can hold. COURSE_RECORD adds a struct.
template <class T>
struct element_of;

namespace detail {
template <class T>
constexpr scalar scalar_of() {
  if constexpr (std::is_same_v<T, half>) {
    return scalar::f16;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return scalar::bf16;
  } else if constexpr (std::is_same_v<T, float>) {
    return scalar::f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return scalar::f64;
  } else {
    static_assert(std::is_integral_v<T>,
                  "numbers, half and bfloat16 can be elements; for a struct write COURSE_RECORD");
    constexpr bool sign = std::is_signed_v<T>;
    return sizeof(T) == 1   ? (sign ? scalar::i8 : scalar::u8)
           : sizeof(T) == 2 ? (sign ? scalar::i16 : scalar::u16)
           : sizeof(T) == 4 ? (sign ? scalar::i32 : scalar::u32)
                            : (sign ? scalar::i64 : scalar::u64);
  }
}
}  // namespace detail

#define COURSE_NUMBER(type)                                                 \
  template <>                                                               \
  struct element_of<type> {                                                 \
    static constexpr field fields[] = {{"", detail::scalar_of<type>(), 0}}; \
    static constexpr element_type value{#type, sizeof(type), fields};       \
  };
COURSE_NUMBER(std::int8_t)
COURSE_NUMBER(std::uint8_t)
COURSE_NUMBER(std::int16_t)
COURSE_NUMBER(std::uint16_t)
COURSE_NUMBER(std::int32_t)
COURSE_NUMBER(std::uint32_t)
COURSE_NUMBER(std::int64_t)
COURSE_NUMBER(std::uint64_t)
COURSE_NUMBER(half)
COURSE_NUMBER(bfloat16)
COURSE_NUMBER(float)
COURSE_NUMBER(double)
#undef COURSE_NUMBER

template <class T>
struct element_of<vec<T, 2>> {
  static constexpr field fields[] = {{"x", detail::scalar_of<T>(), 0},
                                     {"y", detail::scalar_of<T>(), sizeof(T)}};
  static constexpr element_type value{"vec2", 2 * sizeof(T), fields};
};
template <class T>
struct element_of<vec<T, 4>> {
  static constexpr field fields[] = {{"x", detail::scalar_of<T>(), 0},
                                     {"y", detail::scalar_of<T>(), sizeof(T)},
                                     {"z", detail::scalar_of<T>(), 2 * sizeof(T)},
                                     {"w", detail::scalar_of<T>(), 3 * sizeof(T)}};
  static constexpr element_type value{"vec4", 4 * sizeof(T), fields};
};

/// A record's field, for COURSE_RECORD.
#define COURSE_FIELD(record, member)                                                             \
  ::course::field {                                                                              \
#member, ::course::detail::scalar_of < decltype(record::member)>(), offsetof(record, member) \
  }

/// Makes a contract's struct an element type: `COURSE_RECORD(Particle, COURSE_FIELD(Particle, x), COURSE_FIELD(Particle, y));`, at
/// global scope. All fields are named, so that a mismatch can say "out[7].vx".
#define COURSE_RECORD(record, ...)                                                  \
  template <>                                                                       \
  struct course::element_of<record> {                                               \
    static constexpr ::course::field fields[] = {__VA_ARGS__};                      \
    static constexpr ::course::element_type value{#record, sizeof(record), fields}; \
  }

}  // namespace course
