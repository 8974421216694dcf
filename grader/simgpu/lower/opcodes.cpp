/// @file
/// Look-ups in the opcode table and the lists of type and special-register names.
#include <string>
#include <unordered_map>

#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {
namespace {

constexpr Class fp32 = Class::fp32, fp64 = Class::fp64, integer = Class::integer, multiply = Class::multiply,
                divide = Class::divide, special = Class::special, conversion = Class::conversion,
                memory = Class::memory, control = Class::control, shuffle = Class::shuffle,
                tensor = Class::tensor, other = Class::other;

const OpInfo kTable[] = {
#define OP(id, spellings, signature, cls, latency, unwritten) {#id, spellings, signature, cls, latency},
#include "simgpu/lower/opcodes.def"
#undef OP
};

std::unordered_map<std::string_view, Op> make_spellings() {
  std::unordered_map<std::string_view, Op> map;
  for (std::size_t i = 0; i < kOpCount; ++i) {
    std::string_view rest = kTable[i].spellings;
    while (!rest.empty()) {
      const std::size_t space = rest.find(' ');
      map.emplace(rest.substr(0, space), static_cast<Op>(i));
      rest = space == std::string_view::npos ? std::string_view{} : rest.substr(space + 1);
    }
  }
  return map;
}

struct SpecialName {
  const char* name;
  Special special;
  unsigned bytes;
};
constexpr SpecialName kSpecials[] = {
    {"%tid.x", Special::tid_x, 4},
    {"%tid.y", Special::tid_y, 4},
    {"%tid.z", Special::tid_z, 4},
    {"%ntid.x", Special::ntid_x, 4},
    {"%ntid.y", Special::ntid_y, 4},
    {"%ntid.z", Special::ntid_z, 4},
    {"%ctaid.x", Special::ctaid_x, 4},
    {"%ctaid.y", Special::ctaid_y, 4},
    {"%ctaid.z", Special::ctaid_z, 4},
    {"%nctaid.x", Special::nctaid_x, 4},
    {"%nctaid.y", Special::nctaid_y, 4},
    {"%nctaid.z", Special::nctaid_z, 4},
    {"%tid.w", Special::zero, 4},
    {"%ntid.w", Special::zero, 4},
    {"%ctaid.w", Special::zero, 4},
    {"%nctaid.w", Special::zero, 4},
    {"%laneid", Special::laneid, 4},
    {"%warpid", Special::warpid, 4},
    {"%nwarpid", Special::nwarpid, 4},
    {"%smid", Special::smid, 4},
    {"%nsmid", Special::nsmid, 4},
    {"%gridid", Special::gridid, 8},
    {"%lanemask_eq", Special::lanemask_eq, 4},
    {"%lanemask_le", Special::lanemask_le, 4},
    {"%lanemask_lt", Special::lanemask_lt, 4},
    {"%lanemask_ge", Special::lanemask_ge, 4},
    {"%lanemask_gt", Special::lanemask_gt, 4},
    {"%clock", Special::clock, 4},
    {"%clock_hi", Special::clock_hi, 4},
    {"%clock64", Special::clock64, 8},
    {"%globaltimer", Special::globaltimer, 8},
    {"%globaltimer_lo", Special::globaltimer_lo, 4},
    {"%globaltimer_hi", Special::globaltimer_hi, 4},
    {"%dynamic_smem_size", Special::dynamic_smem_size, 4},
    {"%total_smem_size", Special::total_smem_size, 4},
    {"%aggr_smem_size", Special::aggr_smem_size, 4},
    {"%reserved_smem_offset_begin", Special::reserved_smem_begin, 4},
    {"%reserved_smem_offset_0", Special::reserved_smem_begin, 4},
    {"%reserved_smem_offset_1", Special::reserved_smem_begin, 4},
    {"%reserved_smem_offset_end", Special::reserved_smem_end, 4},
    {"%reserved_smem_offset_cap", Special::reserved_smem_size, 4},
    {"%clusterid.x", Special::clusterid_x, 4},
    {"%clusterid.y", Special::clusterid_y, 4},
    {"%clusterid.z", Special::clusterid_z, 4},
    {"%nclusterid.x", Special::nclusterid_x, 4},
    {"%nclusterid.y", Special::nclusterid_y, 4},
    {"%nclusterid.z", Special::nclusterid_z, 4},
    {"%cluster_ctaid.x", Special::cluster_ctaid_x, 4},
    {"%cluster_ctaid.y", Special::cluster_ctaid_y, 4},
    {"%cluster_ctaid.z", Special::cluster_ctaid_z, 4},
    {"%cluster_nctaid.x", Special::cluster_nctaid_x, 4},
    {"%cluster_nctaid.y", Special::cluster_nctaid_y, 4},
    {"%cluster_nctaid.z", Special::cluster_nctaid_z, 4},
    {"%cluster_ctarank", Special::cluster_ctarank, 4},
    {"%cluster_nctarank", Special::cluster_nctarank, 4},
    {"%is_explicit_cluster", Special::is_explicit_cluster, 0},
    {"%envreg1", Special::envreg1, 4},
    {"%envreg2", Special::envreg2, 4},
    {"%current_graph_exec", Special::current_graph_exec, 8},
};

}  // namespace

const OpInfo& info_of(Op op) {
  return kTable[static_cast<std::size_t>(op)];
}

Op op_by_spelling(std::string_view spelling) {
  static const auto map = make_spellings();
  const auto it = map.find(spelling);
  return it == map.end() ? Op::count : it->second;
}

bool number_type_from(std::string_view word, NumberType& type) {
  static const std::unordered_map<std::string_view, NumberType> map = {
      {"b8", NumberType::b8},     {"b16", NumberType::b16},       {"b32", NumberType::b32},
      {"b64", NumberType::b64},   {"b128", NumberType::b128},     {"u8", NumberType::u8},
      {"u16", NumberType::u16},   {"u32", NumberType::u32},       {"u64", NumberType::u64},
      {"s8", NumberType::s8},     {"s16", NumberType::s16},       {"s32", NumberType::s32},
      {"s64", NumberType::s64},   {"f16", NumberType::f16},       {"f16x2", NumberType::f16x2},
      {"bf16", NumberType::bf16}, {"bf16x2", NumberType::bf16x2}, {"f32", NumberType::f32},
      {"f64", NumberType::f64}};
  const auto it = map.find(word);
  if (it == map.end()) return false;
  type = it->second;
  return true;
}

Special special_from(std::string_view name) {
  for (const SpecialName& s : kSpecials)
    if (name == s.name) return s.special;
  return Special::count;
}

bool holds_accesses_back(Op op) {
  switch (op) {
    case Op::bar_sync:
    case Op::bar_arrive:
    case Op::bar_red:
    case Op::bar_warp_sync:
    case Op::barrier_cluster_arrive:
    case Op::barrier_cluster_wait:
    case Op::fence:
    case Op::call:
    case Op::nanosleep:
      return true;
    default:
      return false;
  }
}

bool is_clock(Special s) {
  return s >= Special::clock && s <= Special::globaltimer_hi;
}

unsigned special_bytes(Special special_register) {
  for (const SpecialName& s : kSpecials)
    if (s.special == special_register) return s.bytes;
  return 4;
}

}  // namespace simgpu::lower
