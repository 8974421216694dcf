/// @file
/// See plugin.hpp.
#include "worker/plugin.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace course::worker {

std::string plugin::load(const std::string& path) {
  // Local: nothing of the plugin may stand in for a symbol of the worker. Now: a missing symbol is found
  // here, by name.
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_) return {};
  const char* message = ::dlerror();
  return message ? message : "unknown error of the dynamic loader";
}

void* plugin::find(const std::string& name) const {
  return handle_ ? ::dlsym(handle_, name.c_str()) : nullptr;
}

bool prepared_call::prepare(void* function, const nlohmann::json& description,
                            const std::vector<void*>& pointers, void* stream) {
  function_ = function;
  returns_status_ = description.value("returns", "void") == "status";
  types_.clear();
  storage_.clear();
  values_.clear();
  const auto add = [&](ffi_type* type, const auto& value) {
    static_assert(sizeof value <= sizeof(std::uint64_t));
    auto& place = storage_.emplace_back(0);
    std::memcpy(&place, &value, sizeof value);
    types_.push_back(type);
    values_.push_back(&place);
  };
  for (const auto& argument : description.at("arguments")) {
    const auto kind = argument.at("kind").get<std::string>();
    const auto text = argument.value("value", std::string());
    const char* const digits = text.c_str();
    if (kind == "buffer") {
      const auto index = std::strtoull(digits, nullptr, 10);
      if (index >= pointers.size()) return false;
      add(&ffi_type_pointer, pointers[index]);
    } else if (kind == "stream") {
      add(&ffi_type_pointer, stream);
    } else if (kind == "i32") {
      add(&ffi_type_sint32, static_cast<std::int32_t>(std::strtol(digits, nullptr, 10)));
    } else if (kind == "u32") {
      add(&ffi_type_uint32, static_cast<std::uint32_t>(std::strtoul(digits, nullptr, 10)));
    } else if (kind == "i64") {
      add(&ffi_type_sint64, static_cast<std::int64_t>(std::strtoll(digits, nullptr, 10)));
    } else if (kind == "u64") {
      add(&ffi_type_uint64, static_cast<std::uint64_t>(std::strtoull(digits, nullptr, 10)));
    } else if (kind == "f32") {
      add(&ffi_type_float, std::strtof(digits, nullptr));
    } else if (kind == "f64") {
      add(&ffi_type_double, std::strtod(digits, nullptr));
    } else {
      return false;
    }
  }
  ffi_type* const result = returns_status_ ? &ffi_type_sint32 : &ffi_type_void;
  return ::ffi_prep_cif(&interface_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()), result,
                        types_.data()) == FFI_OK;
}

int prepared_call::operator()() {
  ffi_arg status = 0;
  ::ffi_call(&interface_, FFI_FN(function_), &status, values_.data());
  return returns_status_ ? static_cast<int>(status) : 0;
}

}  // namespace course::worker
