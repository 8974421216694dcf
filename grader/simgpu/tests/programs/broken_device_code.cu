/// @file
/// Device code that cannot run: each piece gets an error and a sentence, and the program goes on.
#include <string>

#include "program.hpp"

namespace {

const std::string kHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

std::string kernel(const std::string& body) {
  return kHead + ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n" + body +
         "ret;\n}\n";
}

cudaError_t load(const std::string& code) {
  cudaLibrary_t library = nullptr;
  return cudaLibraryLoadData(&library, code.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
}

void refused(const char* what, const std::string& code) {
  const cudaError_t error = load(code);
  if (error == cudaSuccess) std::printf("accepted: %s\n", what);
  EXPECT(error != cudaSuccess);
  cudaGetLastError();
}

}  // namespace

int main() {
  int* cell = nullptr;
  CHECK(cudaMalloc(&cell, sizeof *cell));

  refused("an empty text", "");
  refused("no PTX at all", "hello");
  refused("a text that ends early", kernel("add.u32 %r1, ").substr(0, 120));
  refused("an instruction without its semicolon", kernel("mov.u32 %r1, 7\n"));
  refused("more shared memory than there is",
          kernel(".shared .b8 big[4294967296];\nst.shared.u32 [big], 1;\n"));
  refused("more local memory than there is", kernel(".local .b8 big[4294967296];\n"));
  refused("more global memory than there is",
          kHead + ".global .b8 big[1099511627776];\n" + kernel("").substr(kHead.size()));
  refused("machine code",
          "\x7f"
          "ELF\x02\x01\x01"
          "A");
  refused("32-bit code", ".version 8.0\n.target sm_90\n.address_size 32\n.entry k() { ret; }\n");

  // And good code still runs: it follows a pointer that its module writes down byte by byte.
  cudaLibrary_t library = nullptr;
  cudaKernel_t k = nullptr;
  std::string bytes;
  for (int byte = 0; byte < 8; ++byte)
    bytes += (byte ? ", 0xFF" : "0xFF") + std::string(2 * static_cast<std::size_t>(byte), '0') + "(cell)";
  const std::string globals =
      ".global .align 4 .u32 cell = 42;\n.global .align 8 .b8 pointer[8] = {" + bytes + "};\n";
  const std::string good = kHead + globals +
                           kernel(
                               "ld.param.u64 %rd1, [p];\nld.global.u64 %rd2, [pointer];\n"
                               "ld.global.u32 %r1, [%rd2];\nst.global.u32 [%rd1], %r1;\n")
                               .substr(kHead.size());
  CHECK(cudaLibraryLoadData(&library, good.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cudaLibraryGetKernel(&k, library, "k"));
  void* arguments[] = {&cell};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(k), dim3(1), dim3(1), arguments, 0, nullptr));
  int value = 0;
  CHECK(cudaMemcpy(&value, cell, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 42);
  CHECK(cudaFree(cell));
  return ok();
}
