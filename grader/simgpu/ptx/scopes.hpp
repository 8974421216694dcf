/// @file
/// Which declaration a name means, inside the nested `{ }` of a function.
///
/// A function's registers and variables come out as one flat list, so a name that is declared again in
/// another scope gets a name of its own ("param0$scope3"). Labels may be used before they stand, so they are
/// settled when the function ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simgpu/ptx/cursor.hpp"
#include "simgpu/ptx/module.hpp"

namespace simgpu::ptx {

/// Names of one function. String views point into the text, which outlives this.
class Scopes {
 public:
  Scopes() { open(); }

  void open();
  void close();
  std::size_t depth() const noexcept { return open_.size(); }
  std::uint32_t current() const noexcept { return open_.back().id; }

  /// Declares a register, a run of @p count registers (0: a single one) or a variable.
  /// @return the name to use for it (the prefix of a run). @throws Failure if this scope already has it.
  std::string declare(std::string_view name, std::uint32_t count, bool is_register, Cursor& cursor);

  /// What a used name stands for.
  struct Meaning {
    bool is_register = false;
    std::string name;
  };
  Meaning look_up(std::string_view name) const;

  /// Declares a label. @return its name in the flat list. @throws Failure if this scope already has it.
  std::string declare_label(std::string_view name, Cursor& cursor);

  /// Renames uses of labels whose name stands more than once, once all are known.
  /// @param scope_of_instruction the scope in which each instruction was written.
  void settle_labels(std::vector<Instruction>& instructions,
                     const std::vector<std::uint32_t>& scope_of_instruction) const;
  /// @return the flat name of a label used by name in @p scope; @p name itself if there is no such label.
  std::string label_seen_from(const std::string& name, std::uint32_t scope) const;
  bool any_label_renamed() const noexcept { return label_renamed_; }

 private:
  struct Binding {
    std::uint32_t scope = 0;
    std::uint32_t count = 0;
    bool is_register = false;
    bool renamed = false;
    std::string flat;
  };
  struct Open {
    std::uint32_t id = 0;
    std::vector<std::string_view> declared;
  };
  const Binding* innermost(std::string_view name) const;
  const Binding* run_holding(std::string_view name) const;
  void settle(Operand& operand, std::uint32_t scope) const;

  std::vector<Open> open_;
  std::vector<std::uint32_t> parent_;  ///< of each scope id; a scope opened later has the greater id
  std::unordered_map<std::string_view, std::vector<Binding>> bindings_;
  std::unordered_set<std::string_view> ever_declared_;
  std::uint32_t renamed_open_ = 0;  ///< renamed bindings of open scopes: while 0, a %name means itself
  std::unordered_map<std::string, std::unordered_map<std::uint32_t, std::string>>
      labels_;  ///< flat name by name and scope
  bool label_renamed_ = false;
};

}  // namespace simgpu::ptx
