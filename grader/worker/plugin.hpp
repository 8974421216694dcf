/// @file
/// A student's compiled exercise: loading it, finding its functions, calling them with arguments that arrive as data.
#pragma once

#include <ffi.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace course::worker {

/// A loaded plugin. Never unloaded: its destructors run when the process ends, if ever.
class plugin {
 public:
  /// @return an empty text, or the loader's message. What a constructor throws comes out of here.
  std::string load(const std::string& path);

  /// @return the address of @p name, null if the plugin has no such function.
  void* find(const std::string& name) const;

 private:
  void* handle_ = nullptr;
};

/// What a function returns.
enum class result_kind { nothing, status, handle, size };

/// A parameter's type and value. Values live in 64 bits.
struct parameter {
  enum class kind { pointer, i32, u32, i64, u64, f32, f64 };
  kind type = kind::pointer;
  std::uint64_t bits = 0;
};

/// One call, prepared once and made as often as wanted. Values live at stable addresses inside, so that libffi can point at them.
class prepared_call {
 public:
  /// @return false when libffi cannot make such a call.
  bool prepare(void* function, result_kind returns, const std::vector<parameter>& parameters);

  /// Makes the call. @return what the function returned: a status sign-extended, a pointer, a size; 0 for nothing.
  std::uint64_t operator()();

 private:
  void* function_ = nullptr;
  result_kind returns_ = result_kind::nothing;
  ffi_cif interface_{};
  std::vector<ffi_type*> types_;
  std::deque<std::uint64_t> storage_;
  std::vector<void*> values_;
};

}  // namespace course::worker
