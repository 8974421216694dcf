/// @file
/// A student's compiled exercise: loading it, finding its functions, calling them with arguments that arrive
/// as data.
#pragma once

#include <ffi.h>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace course::worker {

/// A loaded plugin. Never unloaded: its destructors run when the process ends, if ever.
class plugin {
 public:
  /// @return an empty text, or the loader's message.
  std::string load(const std::string& path);

  /// @return the address of @p name, null if the plugin has no such function.
  void* find(const std::string& name) const;

 private:
  void* handle_ = nullptr;
};

/// One call, prepared once and made as often as wanted. Values live at stable addresses inside, so that
/// libffi can point at them.
class prepared_call {
 public:
  /// @param function   address to call.
  /// @param description {returns: "void" | "status", arguments: [{kind, value}]} (protocol/messages.md).
  /// @param pointers   what a buffer's index stands for.
  /// @param stream     what "stream" stands for.
  /// @return false when the description makes no sense.
  bool prepare(void* function, const nlohmann::json& description, const std::vector<void*>& pointers,
               void* stream);

  /// Makes the call. @return what the function returned, 0 for void.
  int operator()();

 private:
  void* function_ = nullptr;
  bool returns_status_ = false;
  ffi_cif interface_{};
  std::vector<ffi_type*> types_;
  std::deque<std::uint64_t> storage_;
  std::vector<void*> values_;
};

}  // namespace course::worker
