/// @file
/// Writes a module back as PTX, so that tests can ask two judges whether the parser kept everything: the
/// parser itself (reading what was written must give the same text again) and, where it is installed, ptxas.
#pragma once

#include <cstdio>
#include <string>

#include "simgpu/ptx/module.hpp"

namespace simgpu::ptx::testing {

inline std::string hex(std::uint64_t bits, int digits) {
  char text[24];
  std::snprintf(text, sizeof(text), "%0*llX", digits, static_cast<unsigned long long>(bits));
  return text;
}

inline std::string write(const Operand& operand);

inline std::string write_all(const std::vector<Operand>& operands) {
  std::string result;
  for (const Operand& operand : operands) result += (result.empty() ? "" : ", ") + write(operand);
  return result;
}

inline std::string offset_of(const Operand& operand) {
  return operand.offset == 0 ? "" : "+" + std::to_string(operand.offset);
}

inline std::string write(const Operand& operand) {
  const std::string pipe = operand.pipe.empty() ? "" : "|" + operand.pipe;
  switch (operand.kind) {
    case Operand::Kind::reg:
      return (operand.negated ? "!" : "") + operand.name + pipe;
    case Operand::Kind::integer:
      return std::to_string(static_cast<std::int64_t>(operand.bits));
    case Operand::Kind::floating:
      return operand.floating_bytes == 4 ? "0f" + hex(operand.bits, 8) : "0d" + hex(operand.bits, 16);
    case Operand::Kind::symbol:
      return operand.name + offset_of(operand);
    case Operand::Kind::address:
      return "[" +
             (operand.name.empty() ? std::to_string(operand.offset) : operand.name + offset_of(operand)) +
             "]";
    case Operand::Kind::vector:
      return "{" + write_all(operand.elements) + "}" + pipe;
    case Operand::Kind::texture:
      return "[" + operand.name + ", " + (operand.pipe.empty() ? "" : operand.pipe + ", ") + "{" +
             write_all(operand.elements) + "}]";
    case Operand::Kind::list:
      return "(" + write_all(operand.elements) + ")";
    case Operand::Kind::discard:
      return "_" + pipe;
  }
  return "?";
}

inline std::string write(const Instruction& instruction) {
  std::string result =
      instruction.guard.empty() ? "" : (instruction.guard_negated ? "@!" : "@") + instruction.guard + " ";
  return result + instruction.full_name() + (instruction.operands.empty() ? "" : " ") +
         write_all(instruction.operands) + ";\n";
}

inline const char* word(Space space) {
  constexpr const char* kWords[] = {"", "reg", "sreg", "param", "global", "shared", "local", "const"};
  return kWords[static_cast<std::size_t>(space)];
}

inline std::string write(const Variable& variable) {
  std::string result = std::string(".") + word(variable.space);
  if (variable.managed) result += " .attribute(.managed)";
  if (variable.space != Space::reg) result += " .align " + std::to_string(variable.align);
  result += " ." + std::string(name_of(variable.type)) + " " + variable.name;
  const std::size_t element = std::max<std::size_t>(size_of(variable.type), 1);
  if (variable.is_array || variable.bytes > element) {
    result += "[" + (variable.bytes == 0 ? "" : std::to_string(variable.bytes / element)) + "]";
  }
  if (!variable.initializer) return result;
  std::string values;
  for (std::size_t at = 0; at < variable.bytes; at += element) {
    std::string value;
    for (const auto& relocation : variable.initializer->relocations) {
      if (relocation.byte_offset != at) continue;
      value = relocation.generic ? "generic(" + relocation.symbol + ")" : relocation.symbol;
      if (relocation.addend != 0) value += "+" + std::to_string(relocation.addend);
      if (relocation.size == 1) value = "0xFF" + std::string(relocation.shift / 4, '0') + "(" + value + ")";
    }
    if (value.empty()) {
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < element; ++i) {
        bits |= std::uint64_t{std::to_integer<unsigned>(variable.initializer->bytes[at + i])} << (8 * i);
      }
      value = variable.type == Type::f32   ? "0f" + hex(bits, 8)
              : variable.type == Type::f64 ? "0d" + hex(bits, 16)
                                           : std::to_string(bits);
    }
    values += (values.empty() ? "" : ", ") + value;
  }
  return result + " = " + (variable.is_array ? "{" + values + "}" : values);
}

inline std::string write_all(const std::vector<Variable>& parameters) {
  std::string result;
  for (const Variable& parameter : parameters) result += (result.empty() ? "" : ", ") + write(parameter);
  return "(" + result + ")";
}

template <class Three>
std::string write_three(const char* word, const Three& values) {
  if (!values[0]) return "";
  return std::string(word) + std::to_string(*values[0]) + ", " + std::to_string(*values[1]) + ", " +
         std::to_string(*values[2]) + "\n";
}

inline std::string write(const Function& function) {
  std::string result;
  if (function.visible) result += ".visible ";
  if (function.is_extern) result += ".extern ";
  if (function.weak) result += ".weak ";
  result += function.is_entry ? ".entry " : ".func ";
  if (!function.results.empty()) result += write_all(function.results) + " ";
  result += function.name + write_all(function.parameters) + "\n";
  if (function.noreturn) result += ".noreturn\n";
  if (!function.has_body) return result + ";\n";
  result += write_three(".maxntid ", function.maxntid) + write_three(".reqntid ", function.reqntid);
  if (function.explicit_cluster) result += ".explicitcluster\n";
  result += write_three(".reqnctapercluster ", function.reqnctapercluster);
  if (function.minnctapersm) result += ".minnctapersm " + std::to_string(*function.minnctapersm) + "\n";
  if (function.maxnreg) result += ".maxnreg " + std::to_string(*function.maxnreg) + "\n";
  result += "{\n";
  for (const RegisterDeclaration& declaration : function.registers) {
    result += ".reg ." + std::string(name_of(declaration.type)) + " " + declaration.name;
    if (declaration.count != 0) result += "<" + std::to_string(declaration.count) + ">";
    result += ";\n";
  }
  for (const Variable& variable : function.variables) result += write(variable) + ";\n";
  for (const NamedList& list : function.lists) {
    result += list.label + ": ." + list.directive + " ";
    if (list.directive == "callprototype") {
      result += list.results.empty() ? "" : write_all(list.results) + " ";
      result += "_ " + write_all(list.parameters);
    }
    for (std::size_t i = 0; i < list.names.size(); ++i) result += (i == 0 ? "" : ", ") + list.names[i];
    result += ";\n";
  }
  std::size_t label = 0;
  for (std::size_t i = 0; i <= function.instructions.size(); ++i) {
    for (; label < function.labels.size() && function.labels[label].instruction == i; ++label) {
      result += function.labels[label].name + ":\n";
    }
    if (i == function.instructions.size()) break;
    if (function.instructions[i].no_unroll) result += ".pragma \"nounroll\";\n";
    result += write(function.instructions[i]);
  }
  return result + "}\n";
}

inline std::string write(const Module& module) {
  std::string result = ".version " + std::to_string(module.version_major) + "." +
                       std::to_string(module.version_minor) + "\n.target " + module.target +
                       "\n.address_size " + std::to_string(module.address_size) + "\n";
  // Functions may be named by initialisers, and variables by functions.
  for (const Function& function : module.functions) {
    if (function.is_entry || !function.has_body) continue;
    Function prototype = function;
    prototype.has_body = false;
    result += write(prototype);
  }
  for (const Variable& variable : module.variables) {
    result += std::string(variable.visible ? ".visible " : "") + (variable.is_extern ? ".extern " : "") +
              (variable.weak ? ".weak " : "") + write(variable) + ";\n";
  }
  for (const Function& function : module.functions) result += write(function);
  return result;
}

}  // namespace simgpu::ptx::testing
