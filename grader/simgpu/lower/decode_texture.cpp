/// @file
/// Decoding of texture fetches and surface accesses.
#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {

/// @return false if @p word names no geometry.
bool FunctionLowering::texture_geometry(std::string_view word, TextureOp& t) const {
  struct Geometry {
    const char* name;
    std::uint8_t dimensions;
    bool layered, cube;
  };
  constexpr Geometry kAll[] = {{"1d", 1, false, false}, {"2d", 2, false, false}, {"3d", 3, false, false},
                               {"a1d", 1, true, false}, {"a2d", 2, true, false}, {"cube", 2, false, true},
                               {"acube", 2, true, true}};
  for (const Geometry& g : kAll)
    if (word == g.name) {
      t.dimensions = g.dimensions;
      t.layered = g.layered;
      t.cube = g.cube;
      return true;
    }
  return false;
}

/// Handle into `d`, coordinates into `a`, `b`, `c`, `e`.
void FunctionLowering::coordinates(const ptx::Operand& o, const TextureOp& t) {
  if (o.kind != ptx::Operand::Kind::texture) fail("its texture operand has an unexpected form");
  if (!o.pipe.empty()) fail("separate samplers are not simulated");
  const std::int64_t handle = find_register(o.name);
  if (handle < 0 || registers_[handle].width != 8)
    fail("texture references are not simulated: its handle is not a 64-bit register");
  set(kFieldD, static_cast<Operand>(handle), kUse);
  const std::size_t count = t.layered + (t.cube ? 3u : t.dimensions);
  if (o.elements.size() < count) fail("it has too few coordinates");
  constexpr Field kFields[] = {kFieldA, kFieldB, kFieldC, kFieldE};
  for (std::size_t i = 0; i < count; ++i) {
    const bool floating = !t.integer_coordinates && !(t.layered && i == 0);
    set(kFields[i], source(o.elements[i], 4, floating), kUse);
  }
}

void FunctionLowering::decode_texture() {
  TextureOp t;
  MemoryOp m;
  m.kind = observe::AccessKind::load;
  bool geometry = false, level = false, gradient = false;
  std::vector<NumberType> types;
  for (const std::string& word : in_->modifiers) {
    NumberType type;
    if (texture_geometry(word, t))
      geometry = true;
    else if (word == "level")
      level = true;
    else if (word == "grad")
      gradient = true;
    else if (in_->opcode == "tld4" && word.size() == 1 &&
             std::string_view("rgba").find(word) != std::string_view::npos)
      t.gather = static_cast<std::int8_t>(std::string_view("rgba").find(word));
    else if (number_type_from(word, type))
      types.push_back(type);
    else if (word != "v4" && word != "base")
      fail("the modifier ." + word + " of a texture fetch is not simulated");
  }
  if (!geometry || types.size() != 2 || !has("v4")) fail("this form of texture fetch is not simulated");
  if (bytes_of(types[0]) != 4) fail("texture fetches into 16-bit registers are not simulated");
  if (in_->opcode == "tld4" && (t.gather < 0 || t.dimensions != 2 || t.cube))
    fail("this gather is not simulated");
  t.integer_coordinates = types[1] == NumberType::s32;
  if (!t.integer_coordinates && types[1] != NumberType::f32) fail("its coordinates are neither f32 nor s32");
  const ptx::Operand& to = operand(0);
  const ptx::Operand& texture = operand(1);
  if (to.kind != ptx::Operand::Kind::vector || to.elements.size() != 4)
    fail("its destination is not four registers");

  coordinates(texture, t);
  ins_.cls = Class::memory;
  if (level || gradient) {
    t.has_level = true;
    if (level) {
      if (t.integer_coordinates)
        set(kFieldF, source(operand(2), 4), kUse);
      else
        set(kFieldF, source(operand(2), 4, true), kUse);
    } else {
      // The level is computed first, from both gradients: up to three values each.
      const std::size_t count = t.cube ? 3u : t.dimensions;
      MemoryOp g;
      g.kind = observe::AccessKind::store;
      g.count = static_cast<std::uint8_t>(2 * count);
      for (std::size_t which = 0; which < 2; ++which) {
        const ptx::Operand& v = operand(2 + which);
        if (v.kind != ptx::Operand::Kind::vector && count > 1) fail("its gradient is not a vector");
        for (std::size_t i = 0; i < count; ++i) {
          if (v.kind == ptx::Operand::Kind::vector && v.elements.size() <= i)
            fail("its gradient is too short");
          g.registers[which * count + i] =
              source(v.kind == ptx::Operand::Kind::vector ? v.elements[i] : v, 4, true);
        }
      }
      Ins compute;
      compute.op = Op::tex_gradient_level;
      compute.cls = Class::memory;
      compute.flags = kVector;
      compute.a = ins_.d;
      compute.uses = kFieldA;
      compute.d = temporary(4);
      compute.defs = kFieldD;
      compute.aux = static_cast<std::uint32_t>(code_.memory_ops.size());
      code_.memory_ops.push_back(g);
      emit_hidden(compute);
      set(kFieldF, compute.d, kUse);
    }
  }
  m.count = 4;
  for (std::size_t i = 0; i < 4; ++i) m.registers[i] = destination(to.elements[i], 4);
  ins_.op = Op::tex;
  ins_.flags |= kVector;
  ins_.aux2 = static_cast<std::uint32_t>(code_.texture_ops.size());
  code_.texture_ops.push_back(t);
  attach_memory(m);
  emit();
}

/// txq and suq: what is known of an image.
void FunctionLowering::decode_image_query() {
  constexpr std::pair<const char*, int> kWhat[] = {
      {"width", 0}, {"height", 1}, {"depth", 2}, {"array_size", 3}, {"num_mipmap_levels", 4}};
  ins_.imm = -1;
  for (const auto& [word, number] : kWhat)
    if (has(word)) ins_.imm = number;
  if (ins_.imm < 0 || in_->modifiers.back() != "b32")
    fail("this query of a texture or surface is not simulated");
  const ptx::Operand& from = operand(1);
  const std::int64_t handle = find_register(from.name);
  if (handle < 0 || registers_[handle].width != 8) fail("texture references are not simulated");
  ins_.op = Op::image_query;
  ins_.cls = Class::memory;
  ins_.aux = in_->opcode == "suq";
  set(kFieldD, destination(operand(0), 4), kDef);
  set(kFieldA, static_cast<Operand>(handle), kUse);
  emit();
}

void FunctionLowering::decode_surface() {
  const bool load = in_->opcode == "suld", reduces = in_->opcode == "sured";
  TextureOp t;
  t.integer_coordinates = true;
  MemoryOp m;
  m.kind = load ? observe::AccessKind::load : observe::AccessKind::store;
  bool geometry = false, typed = false;
  for (const std::string& word : in_->modifiers) {
    NumberType type;
    if (word == "b" || word == "ca" || word == "cg" || word == "cs" || word == "cv" || word == "wb" ||
        word == "wt") {
    } else if (reduces &&
               (word == "add" || word == "min" || word == "max" || word == "and" || word == "or")) {
    } else if (word == "p" && !load)
      t.formatted = true;
    else if (texture_geometry(word, t))
      geometry = true;
    else if (word == "v2")
      m.count = 2;
    else if (word == "v4")
      m.count = 4;
    else if (word == "trap")
      t.outside = TextureOp::Outside::trap;
    else if (word == "clamp")
      t.outside = TextureOp::Outside::clamp;
    else if (word == "zero")
      t.outside = TextureOp::Outside::zero;
    else if (number_type_from(word, type))
      m.type = type, typed = true;
    else
      fail("the modifier ." + word + " of a surface access is not simulated");
  }
  if (!geometry || !typed || t.cube) fail("this form of surface access is not simulated");
  if (reduces) {
    t.reduces = true;
    m.atomic = reduction_from_modifiers();
    if (m.count != 1) fail("this form of surface access is not simulated");
  }
  m.element_bytes = bytes_of(m.type);
  m.total_bytes = static_cast<std::uint8_t>(m.element_bytes * m.count);
  if (m.element_bytes > 8 || m.total_bytes > 16) fail("it is wider than 16 bytes, or one value than 8");
  if (t.formatted && m.element_bytes != 4) fail("formatted stores take 32-bit values");
  const auto data = values(operand(load ? 0 : 1), m.count);
  coordinates(operand(load ? 1 : 0), t);
  for (unsigned i = 0; i < m.count; ++i) {
    const unsigned width = register_width(data[i], m, i);
    m.registers[i] = load ? destination(data[i], width) : source(data[i], width, is_float(m.type));
  }
  ins_.cls = Class::memory;
  ins_.flags |= kVector;
  ins_.op = load ? Op::surface_load : Op::surface_store;
  ins_.aux2 = static_cast<std::uint32_t>(code_.texture_ops.size());
  code_.texture_ops.push_back(t);
  attach_memory(m);
  emit();
}

}  // namespace simgpu::lower
