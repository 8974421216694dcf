/// @file
/// Name lookup, see scopes.hpp.
#include "simgpu/ptx/scopes.hpp"

#include <charconv>

namespace simgpu::ptx {
namespace {

// Splits "%r12" into "%r" and 12. @return false if there are no digits, or they are not written as a run's
// would be.
bool split_run(std::string_view name, std::string_view& prefix, std::uint32_t& index) {
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  if (begin == name.size() || begin == 0) return false;
  if (name[begin] == '0' && begin + 1 != name.size()) return false;
  prefix = name.substr(0, begin);
  return std::from_chars(name.data() + begin, name.data() + name.size(), index).ec == std::errc{};
}

}  // namespace

void Scopes::open() {
  const auto id = static_cast<std::uint32_t>(parent_.size());
  parent_.push_back(open_.empty() ? 0 : open_.back().id);
  open_.push_back({id, {}});
}

void Scopes::close() {
  for (const std::string_view name : open_.back().declared) {
    auto& stack = bindings_[name];
    if (stack.back().renamed) --renamed_open_;
    stack.pop_back();
  }
  open_.pop_back();
}

const Scopes::Binding* Scopes::innermost(std::string_view name) const {
  const auto found = bindings_.find(name);
  return found == bindings_.end() || found->second.empty() ? nullptr : &found->second.back();
}

const Scopes::Binding* Scopes::run_holding(std::string_view name) const {
  std::string_view prefix;
  std::uint32_t index = 0;
  if (!split_run(name, prefix, index)) return nullptr;
  const auto found = bindings_.find(prefix);
  if (found == bindings_.end()) return nullptr;
  for (auto binding = found->second.rbegin(); binding != found->second.rend(); ++binding) {
    if (binding->is_register && index < binding->count) return &*binding;
  }
  return nullptr;
}

std::string Scopes::declare(std::string_view name, std::uint32_t count, bool is_register, Cursor& cursor) {
  const std::uint32_t scope = current();
  if (const Binding* const same = innermost(name); same != nullptr && same->scope == scope) {
    cursor.fail("'" + std::string(name) + "' is declared twice in the same scope");
  }
  bool taken = !ever_declared_.insert(name).second;
  if (open_.size() > 1) {
    // A single name may lie in a run of another scope, and the other way round.
    taken = taken || run_holding(name) != nullptr;
    for (std::uint32_t i = 0; !taken && i < count && i < 256; ++i) {
      taken = ever_declared_.contains(std::string(name) + std::to_string(i));
    }
  }
  Binding binding{scope, count, is_register, taken, std::string(name)};
  if (taken) {
    binding.flat += "$scope" + std::to_string(scope);
    if (count != 0) binding.flat += '$';  // so that a run's number does not grow the scope's
    ++renamed_open_;
  }
  open_.back().declared.push_back(name);
  return bindings_[name].emplace_back(std::move(binding)).flat;
}

Scopes::Meaning Scopes::look_up(std::string_view name) const {
  const bool percent = name.front() == '%';
  if (percent && renamed_open_ == 0) return {true, std::string(name)};
  const Binding* const single = innermost(name);
  const Binding* const run = run_holding(name);
  if (run != nullptr && (single == nullptr || run->scope > single->scope)) {
    if (!run->renamed) return {true, std::string(name)};
    std::string_view prefix;
    std::uint32_t index = 0;
    split_run(name, prefix, index);
    return {true, run->flat + std::to_string(index)};
  }
  if (single != nullptr) return {single->is_register, single->flat};
  return {percent, std::string(name)};
}

std::string Scopes::declare_label(std::string_view name, Cursor& cursor) {
  auto& places = labels_[std::string(name)];
  if (places.contains(current())) {
    cursor.fail("label '" + std::string(name) + "' is defined twice in the same scope");
  }
  std::string flat(name);
  if (!places.empty()) {
    flat += "$scope" + std::to_string(current());
    label_renamed_ = true;
  }
  places.emplace(current(), flat);
  return flat;
}

std::string Scopes::label_seen_from(const std::string& name, std::uint32_t scope) const {
  const auto found = labels_.find(name);
  if (found == labels_.end()) return name;
  while (true) {
    if (const auto place = found->second.find(scope); place != found->second.end()) return place->second;
    if (scope == 0) return name;
    scope = parent_[scope];
  }
}

void Scopes::settle(Operand& operand, std::uint32_t scope) const {
  if (operand.kind == Operand::Kind::symbol) operand.name = label_seen_from(operand.name, scope);
  for (Operand& element : operand.elements) settle(element, scope);
}

void Scopes::settle_labels(std::vector<Instruction>& instructions,
                           const std::vector<std::uint32_t>& scope_of_instruction) const {
  if (!label_renamed_) return;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    for (Operand& operand : instructions[i].operands) settle(operand, scope_of_instruction[i]);
  }
}

}  // namespace simgpu::ptx
