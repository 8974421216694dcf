/// @file
/// Texture fetches and surface accesses, lane by lane: which texels, with which weights, and their values.
///
/// Weights have 8 fractional bits, as on hardware. Accesses of images are told to observers as texels, not as loads: races and
/// uninitialised reads of arrays are not looked for.
#include <algorithm>
#include <cmath>
#include <limits>

#include "simgpu/exec/half.hpp"
#include "simgpu/exec/lanes.hpp"
#include "simgpu/exec/nans.hpp"
#include "simgpu/memory/textures.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

using lower::TextureOp;
using memory::AddressMode;
using memory::ChannelKind;
using memory::Image;
using memory::Sampler;
using memory::Texture;

/// Four values as they stand in registers.
struct Texel {
  u32 bits[4];
};

/// Addresses of all texels that a warp touches.
struct Touched {
  u64 at[1024], place[1024];
  u8 lane[1024];
  u32 count = 0;
  u8 bytes = 4;
  u32 filtered = 0;  ///< lanes
  bool gathers = false, surface = false, by_number = false;
  u8 dimensions = 2;
  u8 asking = 0;  ///< the lane whose texels are added at present
  void add(const Image& image, u64 address) {
    bytes = static_cast<u8>(image.format.bytes());
    by_number = image.linear;
    if (count == 1024) return;
    at[count] = image.counted_address(address);
    place[count] = address;
    lane[count++] = asking;
  }
};

void tell_texture(Warp& w, const Ins& i, u32 mask, observe::AccessKind kind, const Touched& touched) {
  const Machine& machine = *w.machine;
  if (!machine.any_observer) return;
  observe::TextureAccess access;
  access.site = machine.site_of(i);
  access.warp = &w.id;
  access.kind = kind;
  access.bytes = touched.bytes;
  access.mask = mask;
  access.filtered = touched.filtered;
  access.gathers = touched.gathers;
  access.surface = touched.surface;
  access.by_number = touched.by_number;
  access.dimensions = touched.dimensions;
  access.texels = touched.count;
  access.address = touched.at;
  access.place = touched.place;
  access.lane = touched.lane;
  access.cost = machine.cost;
  for (observe::Observer* o : machine.observers) o->texture(access);
}

void handle_fault(Warp& w, const Ins& i, u32 lane, u64 handle, const char* what) {
  Machine& machine = *w.machine;
  const bool known = machine.memory.textures().was_known(handle);
  machine.fault(w, i, known ? observe::FindingKind::use_after_free : observe::FindingKind::out_of_bounds,
                lane,
                Machine::who(w, lane) + " uses a " + what +
                    (known ? " object that has been destroyed, or that is of the other sort."
                           : " object that was never created: its handle is " + std::to_string(handle) + "."),
                observe::Memory::texture, handle);
}

bool freed_fault(Warp& w, const Ins& i, u32 lane, const Image& image, const char* what) {
  if (image.allocation->live) return false;
  w.machine->fault(w, i, observe::FindingKind::use_after_free, lane,
                   Machine::who(w, lane) + " reads a " + what + " whose memory has been freed.",
                   observe::Memory::texture, image.base);
  return true;
}

float srgb_to_linear(float v) {
  return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

/// One channel as a number or as bits, as the sampler says.
u32 channel(const Image& image, const Sampler& s, const std::byte* at, u32 c) {
  const memory::TexelFormat f = image.format;
  if (f.channel_bytes == 4) {
    u32 v;
    std::memcpy(&v, at + 4 * c, 4);
    return v;
  }
  u32 raw = 0;
  std::memcpy(&raw, at + f.channel_bytes * c, f.channel_bytes);
  if (f.kind == ChannelKind::floating) return std::bit_cast<u32>(from_half(static_cast<u16>(raw)));
  const bool is_signed = f.kind == ChannelKind::signed_;
  const s32 wide = f.channel_bytes == 1 ? static_cast<signed char>(raw) : static_cast<s16>(raw);
  if (!s.normalized_float) return is_signed ? static_cast<u32>(wide) : raw;
  if (is_signed) {
    const float v = static_cast<float>(wide) / (f.channel_bytes == 1 ? 127.0f : 32767.0f);
    return std::bit_cast<u32>(v);  // the least is below -1: filters see it so
  }
  float v = static_cast<float>(raw) / (f.channel_bytes == 1 ? 255.0f : 65535.0f);
  if (s.srgb && f.channel_bytes == 1 && c < 3) v = from_bfloat(to_bfloat(srgb_to_linear(v)));
  return std::bit_cast<u32>(v);
}

bool yields_floats(const Image& image, const Sampler& s) {
  return image.format.kind == ChannelKind::floating || (s.normalized_float && image.format.channel_bytes < 4);
}

Texel read_texel(const Image& image, const Sampler& s, u64 address) {
  Texel t{{0, 0, 0, 0}};  // channels that the image does not have read as 0, the fourth, too
  const std::byte* at = image.at(address);
  for (u32 c = 0; c < image.format.channels; ++c) t.bits[c] = channel(image, s, at, c);
  return t;
}

Texel border_texel(const Image& image, const Sampler& s) {
  Texel t{{0, 0, 0, 0}};
  const memory::TexelFormat f = image.format;
  const bool is_signed = f.kind == ChannelKind::signed_;
  for (u32 c = 0; c < f.channels; ++c) {
    u32 bits = std::bit_cast<u32>(s.border[c]);
    if (f.kind != ChannelKind::floating && f.channel_bytes < 4) {
      if (s.normalized_float && !(s.srgb && c < 3)) {  // as the format can hold it
        const float most = is_signed ? (f.channel_bytes == 1 ? 127.0f : 32767.0f)
                                     : (f.channel_bytes == 1 ? 255.0f : 65535.0f);
        const float low = is_signed ? -1.0f : 0.0f;
        const float v = std::fmin(std::fmax(s.border[c], low), 1.0f);
        bits = std::bit_cast<u32>(std::nearbyint(v * most) / most);
      } else if (s.normalized_float) {
        bits = std::bit_cast<u32>(std::fmin(std::fmax(s.border[c], 0.0f), 1.0f));
      } else {  // its bits, as if they were an integer
        bits &= (1u << 8 * f.channel_bytes) - 1;
        const u32 sign = 1u << (8 * f.channel_bytes - 1);
        if (is_signed && (bits & sign)) bits |= ~(2 * sign - 1);
      }
    }
    t.bits[c] = bits;
  }
  return t;
}

/// Texel index after address mode @p mode. @return false: outside, the border's colour.
bool apply_mode(AddressMode mode, s64& i, s64 n) {
  switch (mode) {
    case AddressMode::wrap:
      i %= n;
      if (i < 0) i += n;
      return true;
    case AddressMode::mirror:
      i %= 2 * n;
      if (i < 0) i += 2 * n;
      if (i >= n) i = 2 * n - 1 - i;
      return true;
    case AddressMode::clamp:
      i = i < 0 ? 0 : i >= n ? n - 1 : i;
      return true;
    case AddressMode::border:
      return i >= 0 && i < n;
  }
  return false;
}

/// Coordinates beyond this are all alike, and stay clear of overflow.
constexpr float kFar = 1e9f;

s64 floor_index(float x) {
  if (x != x) return 0;
  if (!(x > -kFar)) return static_cast<s64>(-kFar);
  if (x > kFar) return static_cast<s64>(kFar);
  return static_cast<s64>(std::floor(x));
}

struct Axis {
  s64 first = 0;   ///< texel
  s32 weight = 0;  ///< of the texel after it [1/256]
};

/// Where a coordinate lies between two texels.
Axis between(float x) {
  if (x != x) x = 0;
  if (!(x > -kFar)) x = -kFar;
  if (x > kFar) x = kFar;
  const double at = static_cast<double>(x) - 0.5;
  const s64 fixed = static_cast<s64>(std::floor(at * 256.0 + 0.5));  // 8 fractional bits, nearest
  Axis axis;
  axis.first = fixed >> 8;
  axis.weight = static_cast<s32>(fixed & 255);
  return axis;
}

/// Weights of the corners of a cell, in 256ths, of which they use up all: bit d of a corner says which side of dimension d.
/// Products are rounded to 256ths, as the hardware does it (exactly so in one and two dimensions; in three, up to a 256th).
void weigh(const Axis* axis, u32 dimensions, s32* weights) {
  const s32 a = axis[0].weight;
  if (dimensions == 1) {
    weights[0] = 256 - a, weights[1] = a;
    return;
  }
  const s32 b = axis[dimensions == 2 ? 1 : 2].weight, both = (a * b + 128) >> 8;
  const s32 plane[4] = {256 - a - b + both, a - both, b - both, both};
  if (dimensions == 2) return std::copy(plane, plane + 4, weights), void();
  for (u32 k = 0; k < 4; ++k) {  // of x and z; y comes last
    const s32 upper = (plane[k] * axis[1].weight + 128) >> 8;
    const u32 corner = (k & 1) | (k >> 1) << 2;
    weights[corner] = plane[k] - upper;
    weights[corner | 2] = upper;
  }
}

/// Filters see 8- and 16-bit texels that are read as numbers as 16-bit integers.
bool in_fixed_point(const Image& image, const Sampler& s, u32 c) {
  return image.format.kind != ChannelKind::floating && !(s.srgb && c < 3);
}
double fixed_16(const Image& image, float v) {
  const bool is_signed = image.format.kind == ChannelKind::signed_;
  if (!is_signed) return std::nearbyint(v * 65535.0);
  if (image.format.channel_bytes == 2) return std::nearbyint(v * 32767.0);
  const auto raw = static_cast<s32>(std::nearbyint(v * 127.0f));
  return std::max(raw * 258 + (raw >= 64) - (raw < -64), -32767);
}
float from_fixed_16(const Image& image, double k) {
  return static_cast<float>(k / (image.format.kind == ChannelKind::signed_ ? 32767.0 : 65535.0));
}

/// To nearest, halves away from zero; the NaN of f32.
float nearest_float(double v) {
  if (v != v) return std::bit_cast<float>(kNan32);
  const float near = static_cast<float>(v);
  const double rest = v - static_cast<double>(near);
  if (rest == 0 || std::isinf(near)) return near;
  const float other = std::nextafter(near, rest > 0 ? HUGE_VALF : -HUGE_VALF);
  const bool tie = std::fabs(static_cast<double>(other) - v) == std::fabs(rest);
  return tie && std::fabs(other) > std::fabs(near) ? other : near;
}

/// What a filter's mean of floats comes out as: below the smallest normal number 0, with its sign (seen on an H200).
float flushed(float v) {
  return std::fabs(v) < std::numeric_limits<float>::min() ? std::copysign(0.0f, v) : v;
}

/// As nearest_float(), of a half.
u16 nearest_half(double v) {
  u16 near = to_half(v, NarrowMode::zero);
  const u16 away = static_cast<u16>(near + 1);
  const double a = from_half(near), b = from_half(away);
  if (v == v && (near & 0x7C00) != 0x7C00 && std::fabs(v - a) >= std::fabs(b - v)) near = away;
  return near;
}

class Fetch {
 public:
  Fetch(const Texture& texture, const TextureOp& op, Touched& touched)
      : texture_(texture), op_(op), s_(texture.sampler), touched_(touched) {}

  /// @param x coordinates, those of missing dimensions 0. @param layer of a layered image, not clamped yet.
  Texel at(const float* x, s64 layer, float level) {
    if (texture_.levels.size() == 1) return at_level(texture_.levels[0], x, layer);
    const float top = static_cast<float>(texture_.levels.size() - 1);
    level += s_.level_bias;
    level = std::fmin(std::fmax(level, s_.level_min), std::fmin(s_.level_max, top));
    if (!(level > 0)) level = 0;
    if (!s_.linear_between_levels)
      return at_level(texture_.levels[static_cast<std::size_t>(level + 0.5f)], x, layer);
    const auto lower_level = static_cast<std::size_t>(level);
    const double weight = std::floor((level - static_cast<float>(lower_level)) * 256.0f + 0.5f) / 256.0;
    Texel a = at_level(texture_.levels[lower_level], x, layer);
    if (weight == 0 || lower_level + 1 >= texture_.levels.size()) return a;
    const Texel b = at_level(texture_.levels[lower_level + 1], x, layer);
    for (u32 c = 0; c < 4; ++c)
      a.bits[c] = std::bit_cast<u32>(nearest_float((1 - weight) * std::bit_cast<float>(a.bits[c]) +
                                                   weight * std::bit_cast<float>(b.bits[c])));
    return a;
  }

  /// Whether at() interpolates: a linear filter, of values that read as floats.
  bool filters() const { return s_.linear_filter && op_.gather < 0 && yields_floats(texture_.levels[0], s_); }

  /// By texel index, without filter.
  Texel at_index(const s64* x, s64 layer) {
    const Image& image = texture_.levels[0];
    const u32 size[3] = {image.width, image.height, image.depth};
    s64 i[3] = {x[0], x[1], x[2]};
    for (u32 d = 0; d < image.dimensions; ++d) {
      // Outside is 0, whatever the mode.
      if (i[d] < 0 || i[d] >= size[d]) return Texel{{0, 0, 0, 0}};
    }
    return not_below_one(image, texel(image, i, layer));
  }

 private:
  /// A texel as a program sees it: signed ones that are read as numbers end at -1.
  Texel not_below_one(const Image& image, Texel t) const {
    if (image.format.kind == ChannelKind::signed_ && yields_floats(image, s_))
      for (u32& bits : t.bits)
        if (std::bit_cast<float>(bits) < -1.0f) bits = std::bit_cast<u32>(-1.0f);
    return t;
  }
  AddressMode mode(u32 d) const {
    const AddressMode m = s_.address[d];
    // Wrap and mirror are for normalised coordinates; without them, the hardware clamps.
    if (!s_.normalized_coordinates && (m == AddressMode::wrap || m == AddressMode::mirror))
      return AddressMode::clamp;
    return m;
  }
  Texel texel(const Image& image, const s64* i, s64 layer) {
    u32 z = image.dimensions == 3 ? static_cast<u32>(i[2]) : 0;
    if (image.layered || image.cube) {
      const s64 last = static_cast<s64>(image.layers) - 1;
      z = static_cast<u32>(layer < 0 || layer > last ? last : layer);  // a negative one is a large one
    }
    const u64 address =
        image.address(static_cast<u32>(i[0]), image.dimensions > 1 ? static_cast<u32>(i[1]) : 0, z);
    touched_.add(image, address);
    return read_texel(image, s_, address);
  }
  /// A texel by unclamped indices.
  Texel pick(const Image& image, s64 x, s64 y, s64 z, s64 layer) {
    s64 i[3] = {x, y, z};
    const u32 size[3] = {image.width, image.height, image.depth};
    for (u32 d = 0; d < image.dimensions; ++d)
      if (!apply_mode(op_.cube && s_.seamless ? AddressMode::clamp : mode(d), i[d], size[d]))
        return border_texel(image, s_);
    return texel(image, i, layer);
  }
  Texel at_level(const Image& image, const float* coordinate, s64 layer) {
    float x[3] = {coordinate[0], coordinate[1], coordinate[2]};
    if (op_.cube) {
      const s64 last = static_cast<s64>(image.layers) / 6 - 1;
      if (!op_.layered) layer = 0;
      layer = 6 * (layer < 0 || layer > last ? last : layer) + face_of(coordinate, x);
    }
    const u32 size[3] = {image.width, image.height, image.depth};
    if (s_.normalized_coordinates || op_.cube)
      for (u32 d = 0; d < image.dimensions; ++d) {
        // Only the place within the period matters: large coordinates would lose it.
        if (!op_.cube && mode(d) == AddressMode::wrap)
          x[d] -= std::floor(x[d]);
        else if (!op_.cube && mode(d) == AddressMode::mirror)
          x[d] -= 2 * std::floor(x[d] / 2);
        x[d] *= static_cast<float>(size[d]);
      }
    if (op_.gather >= 0) {
      const Axis ax = between(x[0]), ay = between(x[1]);
      const auto c = static_cast<std::size_t>(op_.gather);
      const s64 i = ax.first, j = ay.first;
      Texel t{{pick(image, i, j + 1, 0, layer).bits[c], pick(image, i + 1, j + 1, 0, layer).bits[c],
               pick(image, i + 1, j, 0, layer).bits[c], pick(image, i, j, 0, layer).bits[c]}};
      if (yields_floats(image, s_) && in_fixed_point(image, s_, op_.gather))
        for (u32& bits : t.bits)
          bits = std::bit_cast<u32>(from_fixed_16(image, fixed_16(image, std::bit_cast<float>(bits))));
      return t;
    }
    if (!s_.linear_filter || !yields_floats(image, s_))
      return not_below_one(image,
                           pick(image, floor_index(x[0]), floor_index(x[1]), floor_index(x[2]), layer));
    return filtered(image, x, layer);
  }
  /// The weighted mean of the texels around a place.
  Texel filtered(const Image& image, const float* x, s64 layer) {
    Axis axis[3];
    for (u32 d = 0; d < image.dimensions; ++d) axis[d] = between(x[d]);
    // To the hardware, a row is the only row of a plane: with a border, half of what it reads lies in the border above.
    const bool border_above = image.dimensions == 1 && !image.layered && s_.address[1] == AddressMode::border;
    const u32 dimensions = border_above ? 2 : image.dimensions;
    if (border_above) axis[1] = {-1, 128};
    s32 weights[8];
    weigh(axis, dimensions, weights);
    const bool is_signed = image.format.kind == ChannelKind::signed_;
    const double most_16 = is_signed ? 32767 : 65535;
    const double most = image.format.channel_bytes == 2 ? most_16 : is_signed ? 127 : 255;
    double sums[4] = {-0.0, -0.0, -0.0, -0.0};  // which is the neutral element
    for (u32 corner = 0; corner < 1u << dimensions; ++corner) {
      if (weights[corner] == 0) continue;  // an infinity there does not count
      s64 i[3] = {};
      for (u32 d = 0; d < dimensions; ++d) i[d] = axis[d].first + (corner >> d & 1);
      const Texel t = border_above && i[1] != 0 ? border_texel(image, s_)
                      : op_.cube && s_.seamless ? around_edge(image, i[0], i[1], layer)
                                                : pick(image, i[0], i[1], i[2], layer);
      for (u32 c = 0; c < 4; ++c) {
        const float v = std::bit_cast<float>(t.bits[c]);
        sums[c] += weights[corner] *
                   (in_fixed_point(image, s_, c) ? std::nearbyint(v * most) : static_cast<double>(v));
      }
    }
    Texel out;
    for (u32 c = 0; c < 4; ++c) {
      if (in_fixed_point(image, s_, c))
        out.bits[c] =
            std::bit_cast<u32>(from_fixed_16(image, std::floor(sums[c] / 256 * most_16 / most + 0.5)));
      else
        out.bits[c] =
            std::bit_cast<u32>(image.format.channel_bytes == 2 && image.format.kind == ChannelKind::floating
                                   ? from_half(nearest_half(sums[c] / 256))
                                   : flushed(nearest_float(sums[c] / 256)));
    }
    return out;
  }
  /// The direction that face_of() turns into place (s, t) of @p face; both in [-1, 1], or a little beyond.
  static void direction_of(s64 face, float s, float t, float* v) {
    const float all[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
    std::copy(all[face], all[face] + 3, v);
  }
  /// Texel (x, y) of a cube's face, which may lie one texel beyond one of its edges: on the next face. Beyond a corner there
  /// is none: the mean of the three at the corner.
  Texel around_edge(const Image& image, s64 x, s64 y, s64 layer) {
    const s64 n = image.width, face = layer % 6;
    const bool beyond_x = x < 0 || x >= n, beyond_y = y < 0 || y >= n;
    const s64 near_x = std::clamp<s64>(x, 0, n - 1), near_y = std::clamp<s64>(y, 0, n - 1);
    if (!beyond_x && !beyond_y) return texel_of(image, x, y, layer);
    if (beyond_x && beyond_y) {
      const Texel a = texel_of(image, near_x, near_y, layer), b = around_edge(image, x, near_y, layer),
                  c = around_edge(image, near_x, y, layer);
      Texel mean;
      for (u32 k = 0; k < 4; ++k)
        mean.bits[k] = std::bit_cast<u32>((std::bit_cast<float>(a.bits[k]) + std::bit_cast<float>(b.bits[k]) +
                                           std::bit_cast<float>(c.bits[k])) /
                                          3);
      return mean;
    }
    float v[3], st[3];
    const auto place = [&](s64 i) { return (static_cast<float>(i) + 0.5f) * 2 / static_cast<float>(n) - 1; };
    direction_of(face, place(x), place(y), v);
    const s64 other = face_of(v, st);
    const auto index = [&](float at) {
      return std::clamp<s64>(floor_index(at * static_cast<float>(n)), 0, n - 1);
    };
    return texel_of(image, index(st[0]), index(st[1]), layer - face + other);
  }
  Texel texel_of(const Image& image, s64 x, s64 y, s64 layer) {
    const s64 i[3] = {x, y, 0};
    return texel(image, i, layer);
  }
  /// Face of a cube map that a direction points to. @param st place on it, [0, 1].
  static s64 face_of(const float* v, float* st) {
    const float x = v[0], y = v[1], z = v[2], ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    s64 face;
    float m, s, t;
    if (az >= ax && az >= ay) {
      face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
    } else if (ay >= ax) {
      face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
    } else {
      face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
    }
    st[0] = m == 0 ? 0.5f : (s / m + 1) * 0.5f;
    st[1] = m == 0 ? 0.5f : (t / m + 1) * 0.5f;
    st[2] = 0;
    return face;
  }

  const Texture& texture_;
  const TextureOp& op_;
  const Sampler& s_;
  Touched& touched_;
};

std::string shape_of(const Image& image) {
  return std::to_string(image.dimensions) + "D" +
         (image.cube      ? " cube map"
          : image.layered ? " layered"
                          : "");
}

void tex(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  const TextureOp& op = w.machine->code.texture_ops[i.aux2];
  const u64* handles = w.row<u64>(i.d);
  const Operand rows[4] = {i.a, i.b, i.c, i.e};
  const u32 count = op.layered + (op.cube ? 3u : op.dimensions);
  Texel out[32];
  Touched touched;
  touched.gathers = op.gather >= 0;
  touched.dimensions = op.dimensions;
  const Texture* texture = nullptr;
  u64 handle = 0;
  for (u32 rest = mask; rest; rest &= rest - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(rest));
    if (!texture || handles[l] != handle) {
      handle = handles[l];
      texture = w.machine->memory.textures().texture(handle);
      if (!texture) return handle_fault(w, i, l, handle, "texture");
      const Image& image = texture->levels[0];
      if (freed_fault(w, i, l, image, "texture")) return;
      if (image.dimensions != op.dimensions || image.layered != op.layered || image.cube != op.cube) {
        return w.machine->fault(
            w, i, observe::FindingKind::illegal_instruction, l,
            Machine::who(w, l) + " fetches from a texture of another shape: it is " + shape_of(image) + ".",
            observe::Memory::texture, handle);
      }
    }
    u32 raw[4] = {};
    for (u32 c = 0; c < count; ++c) raw[c] = w.row<u32>(rows[c])[l];
    const s64 layer = op.layered ? static_cast<s64>(static_cast<s32>(raw[0])) : 0;
    touched.asking = static_cast<u8>(l);
    Fetch fetch(*texture, op, touched);
    if (op.integer_coordinates) {
      s64 x[3] = {};
      for (u32 d = 0; d < op.dimensions; ++d) x[d] = static_cast<s32>(raw[op.layered + d]);
      out[l] = fetch.at_index(x, layer);
    } else {
      float x[3] = {};
      for (u32 d = 0; d + op.layered < count; ++d) x[d] = std::bit_cast<float>(raw[op.layered + d]);
      const float level = op.has_level ? w.row<float>(i.f)[l] : 0.0f;
      touched.filtered |= static_cast<u32>(fetch.filters()) << l;
      out[l] = fetch.at(x, layer, level);
    }
  }
  tell_texture(w, i, mask, observe::AccessKind::load, touched);
  for (u32 c = 0; c < 4; ++c) {
    u32* row = w.row<u32>(m.registers[c]);
    each_lane(mask, [&](u32 l) { row[l] = out[l].bits[c]; });
  }
}

/// log2 of the longer gradient, in texels of the finest level.
void gradient_level(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  const u32 dimensions = m.count / 2u;
  const u64* handles = w.row<u64>(i.a);
  float* out = w.row<float>(i.d);
  each_lane(mask, [&](u32 l) {
    const Texture* texture = w.machine->memory.textures().texture(handles[l]);
    float longest = 0;
    if (texture) {
      const Image& image = texture->levels[0];
      const u32 size[3] = {image.width, image.height, image.depth};
      for (u32 which = 0; which < 2; ++which) {
        float square = 0;
        for (u32 d = 0; d < dimensions; ++d) {
          float g = w.row<float>(m.registers[which * dimensions + d])[l];
          if (texture->sampler.normalized_coordinates) g *= static_cast<float>(size[d]);
          square += g * g;
        }
        longest = std::fmax(longest, std::sqrt(square));
      }
    }
    out[l] = longest > 0 ? std::log2(longest) : -128.0f;
  });
}

/// A 32-bit value in the image's format.
void convert_to(const memory::TexelFormat& f, lower::NumberType type, u32 value, std::byte* to) {
  if (f.kind == ChannelKind::floating && f.channel_bytes == 2) {
    u16 h = to_half(std::bit_cast<float>(value), NarrowMode::zero);
    if ((value & 0x7FFF'FFFFu) > 0x7F80'0000u) h = static_cast<u16>(value >> 16 | 0x7FFF);
    std::memcpy(to, &h, 2);
    return;
  }
  if (type == lower::NumberType::b32)
    type = f.kind == ChannelKind::signed_ ? lower::NumberType::s32 : lower::NumberType::u32;
  if (f.channel_bytes < 4 && type == lower::NumberType::s32) {
    const s32 most = f.kind == ChannelKind::signed_ ? (f.channel_bytes == 1 ? 127 : 32767)
                                                    : (f.channel_bytes == 1 ? 255 : 65535);
    const s32 least = f.kind == ChannelKind::signed_ ? -most - 1 : 0;
    const s32 v = static_cast<s32>(value);
    value = static_cast<u32>(v < least ? least : v > most ? most : v);
  } else if (f.channel_bytes < 4 && type == lower::NumberType::u32) {
    const u32 most = f.channel_bytes == 1 ? 255 : 65535;
    value = value > most ? most : value;
  }
  std::memcpy(to, &value, f.channel_bytes);
}

template <bool is_load>
void surface(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  const TextureOp& op = w.machine->code.texture_ops[i.aux2];
  const u64* handles = w.row<u64>(i.d);
  const Operand rows[4] = {i.a, i.b, i.c, i.e};
  const u32 count = op.layered + op.dimensions;
  Touched touched;
  touched.surface = true;
  std::byte* host[32] = {};  // null: outside
  const Image* image = nullptr;
  u64 handle = 0;
  for (u32 rest = mask; rest; rest &= rest - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(rest));
    if (!image || handles[l] != handle) {
      handle = handles[l];
      image = w.machine->memory.textures().surface(handle);
      if (!image) return handle_fault(w, i, l, handle, "surface");
      if (freed_fault(w, i, l, *image, "surface")) return;
      const bool layered = image->layered || image->cube;
      if (image->dimensions != op.dimensions || layered != op.layered)
        return w.machine->fault(
            w, i, observe::FindingKind::illegal_instruction, l,
            Machine::who(w, l) + " uses a surface of another shape: it is " + shape_of(*image) + ".",
            observe::Memory::texture, handle);
    }
    s64 x[4] = {};
    for (u32 c = 0; c < count; ++c) x[c] = static_cast<s32>(w.row<u32>(rows[c])[l]);
    const s64 layer = op.layered ? x[0] : 0;
    const s64* at = x + op.layered;
    // .b addresses bytes along x, .p texels.
    const u32 unit = op.formatted ? 1 : m.total_bytes;
    const u32 texel = image->format.bytes();
    const s64 row = op.formatted ? image->width : static_cast<s64>(image->width) * texel;
    if (!op.formatted && at[0] % unit != 0) {
      if (!w.machine->passes(w, i, observe::FindingKind::misaligned, l,
                             Machine::who(w, l) + " accesses a surface at byte " + std::to_string(at[0]) +
                                 " of its row, which is not a multiple of " + std::to_string(unit) +
                                 ": the x coordinate of surface functions counts bytes.",
                             observe::Memory::texture, handle))
        return;
      if (is_load) host[l] = w.machine->nowhere(l);
      continue;
    }
    const s64 size[3] = {row - unit + 1, image->height, image->depth};
    s64 inside[3] = {at[0], op.dimensions > 1 ? at[1] : 0, op.dimensions > 2 ? at[2] : 0};
    s64 z = layer;
    bool outside = op.layered && (layer < 0 || layer >= image->layers);
    for (u32 d = 0; d < op.dimensions; ++d) outside |= inside[d] < 0 || inside[d] >= size[d];
    if (outside) {
      // No texel is near enough to be taken for one that is wider than the whole row.
      const bool too_wide = op.outside == TextureOp::Outside::clamp && size[0] <= 0;
      if (op.outside == TextureOp::Outside::trap || too_wide) {
        std::string where = std::to_string(at[0]);
        for (u32 d = 1; d < op.dimensions; ++d) where += ", " + std::to_string(at[d]);
        if (op.layered) where += ", layer " + std::to_string(layer);
        if (!w.machine->passes(w, i, observe::FindingKind::out_of_bounds, l,
                               Machine::who(w, l) + (is_load ? " reads" : " writes") + " a surface at (" +
                                   where + "), outside its " + std::to_string(row) +
                                   (op.formatted ? " texels" : " bytes") + " x " +
                                   std::to_string(image->height) + " x " +
                                   std::to_string(op.layered ? image->layers : image->depth) +
                                   ". The x coordinate of surface functions counts bytes.",
                               observe::Memory::texture, handle))
          return;
        if (is_load) host[l] = w.machine->nowhere(l);
        continue;
      }
      if (op.outside == TextureOp::Outside::zero) continue;
      for (u32 d = 0; d < op.dimensions; ++d)
        inside[d] = inside[d] < 0 ? 0 : inside[d] >= size[d] ? size[d] - 1 : inside[d];
      z = z < 0 || z >= image->layers ? image->layers - 1 : z;
      inside[0] -= inside[0] % unit;
    }
    if (op.dimensions == 3) z = inside[2];
    const u64 address = image->base + static_cast<u64>(z) * image->slice +
                        static_cast<u64>(inside[1]) * image->pitch +
                        static_cast<u64>(inside[0]) * (op.formatted ? texel : 1);
    touched.asking = static_cast<u8>(l);
    touched.add(*image, address);
    host[l] = image->at(address);
    if (!is_load && op.reduces) {
      const u64 by = m.element_bytes == 8 ? w.row<u64>(m.registers[0])[l] : w.row<u32>(m.registers[0])[l];
      combine_elements(host[l], reinterpret_cast<const std::byte*>(&by), m.element_bytes,
                       reduction(m.atomic, m.type));
    } else if (!is_load && op.formatted)
      for (u32 c = 0; c < image->format.channels && c < m.count; ++c)
        convert_to(image->format, m.type, w.row<u32>(m.registers[c])[l],
                   host[l] + c * image->format.channel_bytes);
  }
  touched.bytes = op.formatted && image ? static_cast<u8>(image->format.bytes()) : m.total_bytes;
  tell_texture(w, i, mask, is_load ? observe::AccessKind::load : observe::AccessKind::store, touched);
  if (!is_load && (op.formatted || op.reduces)) return;
  for (u32 k = 0; k < m.count; ++k)
    each_lane(mask, [&](u32 l) {
      const bool wide = m.registers_wide >> k & 1;
      if (is_load) {
        u64 v = 0;
        if (host[l]) std::memcpy(&v, host[l] + k * m.element_bytes, m.element_bytes);
        if (wide)
          w.row<u64>(m.registers[k])[l] = v;
        else
          w.row<u32>(m.registers[k])[l] = static_cast<u32>(v);
      } else if (host[l]) {
        const u64 v = wide ? w.row<u64>(m.registers[k])[l] : w.row<u32>(m.registers[k])[l];
        std::memcpy(host[l] + k * m.element_bytes, &v, m.element_bytes);
      }
    });
}

void image_query(Warp& w, const Ins& i, u32 mask) {
  const u64* handles = w.row<u64>(i.a);
  u32* d = w.row<u32>(i.d);
  each_lane(mask, [&](u32 l) {
    if (w.machine->stop) return;
    const memory::TextureTable& table = w.machine->memory.textures();
    const Texture* texture = i.aux ? nullptr : table.texture(handles[l]);
    const Image* image = i.aux ? table.surface(handles[l]) : texture ? &texture->levels[0] : nullptr;
    if (!image) return handle_fault(w, i, l, handles[l], i.aux ? "surface" : "texture");
    // A dimension that it does not have is 0; layers count as depth.
    const u32 depth = image->layered || image->cube ? image->layers
                      : image->dimensions > 2       ? image->depth
                                                    : 0;
    const u32 answers[5] = {image->width, image->dimensions > 1 || texture ? image->height : 0, depth,
                            image->layered ? image->layers : 0,
                            texture ? static_cast<u32>(texture->levels.size()) : 1};
    d[l] = answers[i.imm];
  });
}

}  // namespace

void register_texture(Table& t) {
  t[Op::tex] = tex;
  t[Op::tex_gradient_level] = gradient_level;
  t[Op::image_query] = image_query;
  t[Op::surface_load] = surface<true>;
  t[Op::surface_store] = surface<false>;
}

}  // namespace simgpu::exec::SIMGPU_ISA
