/// @file
/// See unpack.hpp.
#include "simgpu/container/unpack.hpp"

#include <dlfcn.h>

#include <climits>
#include <optional>

namespace simgpu::container {
namespace {

// The two functions' types are those of <lz4.h> and <zstd.h>; both are part of a stable ABI.
using Lz4Decompress = int (*)(const char* from, char* to, int from_bytes, int to_bytes);
using ZstdDecompress = std::size_t (*)(void* to, std::size_t to_bytes, const void* from,
                                       std::size_t from_bytes);
using ZstdIsError = unsigned (*)(std::size_t code);

template <class Function>
Function look_up(const char* library, const char* name) {
  // Never closed: the library stays for the life of the process, as if it had been linked.
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle, name));
}

Unpacked missing(const char* library) {
  return {{},
          std::string("The embedded PTX is compressed with ") + library +
              ": rebuild with nvcc --no-compress (or install lib" + library + ")."};
}

Unpacked finish(std::string text, std::optional<std::size_t> got) {
  if (!got) return {{}, "The embedded PTX does not unpack; the object file is damaged. Rebuild it."};
  text.resize(*got);
  return {std::move(text), {}};
}

Unpacked unpack_lz4(std::string_view packed, std::uint64_t most) {
  static const auto decompress = look_up<Lz4Decompress>("liblz4.so.1", "LZ4_decompress_safe");
  if (decompress == nullptr) return missing("lz4");
  if (packed.size() > INT_MAX || most > INT_MAX) return finish({}, std::nullopt);
  std::string text(most, '\0');
  const int got =
      decompress(packed.data(), text.data(), static_cast<int>(packed.size()), static_cast<int>(text.size()));
  return finish(std::move(text), got < 0 ? std::nullopt : std::optional<std::size_t>(got));
}

Unpacked unpack_zstd(std::string_view packed, std::uint64_t most) {
  static const auto decompress = look_up<ZstdDecompress>("libzstd.so.1", "ZSTD_decompress");
  static const auto is_error = look_up<ZstdIsError>("libzstd.so.1", "ZSTD_isError");
  if (decompress == nullptr || is_error == nullptr) return missing("zstd");
  std::string text(most, '\0');
  const std::size_t got = decompress(text.data(), text.size(), packed.data(), packed.size());
  return finish(std::move(text), is_error(got) != 0 ? std::nullopt : std::optional<std::size_t>(got));
}

}  // namespace

Unpacked unpack(Packing packing, std::string_view packed, std::uint64_t most) {
  return packing == Packing::lz4 ? unpack_lz4(packed, most) : unpack_zstd(packed, most);
}

}  // namespace simgpu::container
