/// @file
/// See plugin.hpp.
#include "worker/plugin.hpp"

#include <dlfcn.h>

namespace course::worker {
namespace {

ffi_type* type_of(parameter::kind kind) {
  switch (kind) {
    case parameter::kind::pointer:
      return &ffi_type_pointer;
    case parameter::kind::i32:
      return &ffi_type_sint32;
    case parameter::kind::u32:
      return &ffi_type_uint32;
    case parameter::kind::i64:
      return &ffi_type_sint64;
    case parameter::kind::u64:
      return &ffi_type_uint64;
    case parameter::kind::f32:
      return &ffi_type_float;
    case parameter::kind::f64:
      break;
  }
  return &ffi_type_double;
}

ffi_type* type_of(result_kind kind) {
  switch (kind) {
    case result_kind::nothing:
      return &ffi_type_void;
    case result_kind::status:
      return &ffi_type_sint32;
    case result_kind::handle:
      return &ffi_type_pointer;
    case result_kind::size:
      break;
  }
  return &ffi_type_uint64;
}

}  // namespace

std::string plugin::load(const std::string& path) {
  // Local: nothing of the plugin may stand in for a symbol of the worker. Now: a missing symbol is found here, by name.
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_) return {};
  const char* message = ::dlerror();
  return message ? message : "unknown error of the dynamic loader";
}

void* plugin::find(const std::string& name) const {
  return handle_ ? ::dlsym(handle_, name.c_str()) : nullptr;
}

bool prepared_call::prepare(void* function, result_kind returns, const std::vector<parameter>& parameters) {
  function_ = function;
  returns_ = returns;
  types_.clear();
  storage_.clear();
  values_.clear();
  for (const auto& one : parameters) {
    types_.push_back(type_of(one.type));
    values_.push_back(
        &storage_.emplace_back(one.bits));  // little-endian: a narrow value is the first bytes of a wide one
  }
  return ::ffi_prep_cif(&interface_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()), type_of(returns),
                        types_.data()) == FFI_OK;
}

std::uint64_t prepared_call::operator()() {
  ffi_arg result = 0;
  ::ffi_call(&interface_, FFI_FN(function_), &result, values_.data());
  switch (returns_) {
    case result_kind::nothing:
      return 0;
    case result_kind::status:
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(result)));
    case result_kind::handle:
    case result_kind::size:
      break;
  }
  return result;
}

}  // namespace course::worker
