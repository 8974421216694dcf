/// @file
/// A PTX module made ready to run: registers numbered, control flow resolved, every instruction decoded to a
/// function and its operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simgpu/observe/observer.hpp"
#include "simgpu/ptx/module.hpp"

namespace simgpu::lower {

struct Code;  ///< decoded instructions of all functions of a module; defined in lower/code.hpp, private to
              ///< lower and exec

/// A kernel parameter's place in the parameter space.
struct Parameter {
  std::size_t offset = 0, bytes = 0, align = 0;
};

/// One `.entry`.
struct Kernel {
  std::string name;  ///< mangled
  std::vector<Parameter> parameters;
  std::size_t parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0;  ///< up to where dynamic shared memory begins
  std::vector<observe::SharedVariable> shared_variables;
  std::uint32_t local_bytes = 0;                               ///< `.local` depot a thread, calls included
  std::optional<observe::Dim3> max_threads, required_threads;  ///< `.maxntid`, `.reqntid`
  std::optional<observe::Dim3> required_cluster;
  std::uint64_t address = 0;  ///< of kernels that launch it
  std::uint32_t entry = 0;    ///< index in `Code::kernels`
  const Code* code = nullptr;
};

/// A module, ready. Kernels whose code holds an unknown instruction are still listed: the error comes when it
/// is executed.
class Program {
 public:
  Program();
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  const Kernel* kernel(std::string_view mangled_name) const noexcept;
  const std::vector<Kernel>& kernels() const noexcept { return kernels_; }
  const std::vector<observe::Site>& sites() const noexcept { return sites_; }

 private:
  friend struct Builder;
  std::vector<Kernel> kernels_;
  std::vector<observe::Site> sites_;
  std::unique_ptr<Code> code_;
};

/// Why a module cannot be made ready.
struct LowerError {
  std::string message;
  std::uint32_t ptx_line = 0;
};

/// Gives the device address of a module-scope variable (allocated beforehand by whoever loads the module).
using AddressOf = std::function<std::uint64_t(std::string_view symbol)>;

struct LowerResult {
  std::optional<Program> program;
  std::optional<LowerError> error;
};

/// The value of a function's address in device code; for initialisers of variables that hold function
/// pointers.
/// @return 0 if @p module has no function of that name.
std::uint64_t function_address(const ptx::Module& module, std::string_view name);

/// @param module kept alive by the caller only during the call.
LowerResult lower(const ptx::Module& module, const AddressOf& address_of);

}  // namespace simgpu::lower
