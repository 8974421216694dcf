/// @file
/// Small parts of the builder, on texts.
#include "build/plugin_checks.hpp"

#include <gtest/gtest.h>

#include "build/compile_log.hpp"

namespace course {
namespace {

TEST(dependencies, are_read_with_blanks_and_line_ends) {
  const auto words =
      parse_dependencies("../plugin.so : twice.cu \\\n    /usr/include/a.h /opt/my\\ toolkit/b.h\\\n c.h\n");
  EXPECT_EQ(words, (std::vector<std::string>{"twice.cu", "/usr/include/a.h", "/opt/my toolkit/b.h", "c.h"}));
}

TEST(contract, names_its_functions) {
  const auto names = contract_functions(
      "// sum_old(\n/* sum_older( */ extern \"C\" void sum_setup(int);\nextern \"C\" void\nsum_run (int); "
      "int my_sum_run(int);",
      "sum");
  EXPECT_EQ(names, (std::vector<std::string>{"sum_run", "sum_setup"}));
}

TEST(symbols, are_forbidden_by_exact_families) {
  for (const char* name : {"cudaMalloc", "__cudaRegisterFatBinary", "cuMemAlloc_v2", "simgpu_take_report",
                           "ffi_call", "dlsym", "clock_gettime"}) {
    EXPECT_TRUE(is_forbidden_symbol(name)) << name;
  }
  for (const char* name : {"block_reduction_run", "cuda_helper", "cube", "curve", "_Z4copyPf", "my_main"})
    EXPECT_FALSE(is_forbidden_symbol(name)) << name;
}

TEST(compile_log, is_written_in_the_students_names) {
  const std::string output =
      "ptxas info    : 0 bytes gmem\n"
      "k.cu(7): error: identifier \"x\" is undefined\n"
      "/tmp/stage/k.cu:9:10: fatal error: foo.h: No such file or directory\n"
      "1 error detected in the compilation of \"k.cu\".\n";
  const std::string log = readable_log(output, {"/tmp/stage", "k.cu", "chapter1/k/k.cu", {}});
  EXPECT_EQ(log,
            "chapter1/k/k.cu:7: error: identifier \"x\" is undefined\n"
            "chapter1/k/k.cu:9:10: fatal error: foo.h: No such file or directory\n"
            "1 error detected in the compilation of \"k.cu\".\n");
  const auto first = first_error(log);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->line, 7);
  EXPECT_EQ(first->message, "identifier \"x\" is undefined");
  const auto too_much = first_error(
      "ptxas error   : Entry function 'f' uses too much shared data (0x10000 bytes, 0xc000 max)\n");
  ASSERT_TRUE(too_much.has_value());
  EXPECT_EQ(too_much->line, 0);
  EXPECT_TRUE(
      too_much->message.starts_with("f declares 65536 bytes of shared memory, and 49152 are the most"));
  // A file of the compiler's own is no place.
  const auto assembled = first_error(
      "/tmp/x/cc4rAB58.s: Assembler messages:\n/tmp/x/cc4rAB58.s:4: Error: no such instruction: `fly'\n");
  ASSERT_TRUE(assembled.has_value());
  EXPECT_EQ(assembled->file, "");
  EXPECT_EQ(assembled->line, 0);
  EXPECT_EQ(assembled->message, "no such instruction: `fly'");
}

TEST(compile_log, says_what_a_place_is_since_cuda_13) {
  const auto old = first_error(
      "chapter5/k/k.cu:18: error: no suitable constructor exists to convert from \"int\" to "
      "\"cudaMemLocation\"\n");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->line, 18);
  EXPECT_NE(old->message.find("It is cudaMemLocation{cudaMemLocationTypeDevice, device}"), std::string::npos)
      << old->message;
  const auto other =
      first_error("k.cu:3: error: no suitable constructor exists to convert from \"int\" to \"float4\"\n");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->message, "no suitable constructor exists to convert from \"int\" to \"float4\"");
}

TEST(compile_log, tells_of_foreign_files_only_where) {
  const std::string output =
      "In file included from k.cu:1:\n"
      "/etc/secret:1:3: error: 'password' does not name a type\n"
      "    1 | password hunter2\n"
      "      | ^~~~~~~~\n"
      "/etc/secret(2): error: identifier \"token\" is undefined\n"
      "  token abc;\n"
      "  ^\n"
      "\n"
      "k.cu(7): warning #177-D: variable \"x\" was declared but never referenced\n"
      "      int x;\n"
      "          ^\n"
      "/etc/secret: In function 'int pin()':\n"
      "/tmp/k.s: Assembler messages:\n"
      "/etc/secret:3: Error: no such instruction: `hunter3'\n"
      "2 errors detected in the compilation of \"k.cu\".\n";
  const auto may_quote = [](const std::string& file) { return !file.starts_with("/etc"); };
  EXPECT_EQ(readable_log(output, {"/tmp/stage", "k.cu", "chapter1/k/k.cu", may_quote}),
            "In file included from chapter1/k/k.cu:1:\n"
            "/etc/secret:1: error: in a file that is not the hand-in\n"
            "/etc/secret:2: error: in a file that is not the hand-in\n"
            "chapter1/k/k.cu:7: warning #177-D: variable \"x\" was declared but never referenced\n"
            "      int x;\n"
            "          ^\n"
            "/tmp/k.s: Assembler messages:\n"
            "/etc/secret:3: Error: in a file that is not the hand-in\n"
            "2 errors detected in the compilation of \"k.cu\".\n");
}

TEST(symbols, may_be_used_unless_they_reach_out) {
  for (const char* name : {"simgpu_configure", "dlsym", "__libc_dlopen_mode", "_dl_sym", "_rtld_global",
                           "execvp", "posix_spawnp", "process_vm_readv", "syscall"}) {
    EXPECT_NE(why_unusable(name), "") << name;
  }
  for (const char* name :
       {"cudaMalloc", "pthread_create", "__libc_single_threaded", "__tls_get_addr", "_Unwind_Resume", "exit",
        "expf", "exp", "clock_gettime", "getenv", "_ZSt9terminatev", "__gxx_personality_v0", "dlp"}) {
    EXPECT_EQ(why_unusable(name), "") << name;
  }
}

TEST(compile_log, keeps_the_resources_of_one_architecture) {
  const std::string lines = resource_lines(
      "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'a' for 'sm_80'\nptxas info    "
      ": Used 9 registers\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_90'\nptxas info    : Used 8 registers\nwarning\n",
      "sm_90");
  EXPECT_EQ(lines.find("Used 9"), std::string::npos);
  EXPECT_NE(lines.find("Used 8"), std::string::npos);
}

}  // namespace
TEST(parse_search_folders, are_what_the_compiler_says_between_the_marks) {
  const auto folders = parse_search_folders(
      "ignoring nonexistent directory \"/usr/nowhere\"\n"
      "#include \"...\" search starts here:\n"
      "#include <...> search starts here:\n"
      " /opt/gcc/lib/gcc/x86_64-linux-gnu/13/include\n"
      " /usr/include\n"
      "End of search list.\n"
      " /home/student\n");
  ASSERT_EQ(folders.size(), 2u);
  EXPECT_EQ(folders[0], "/opt/gcc/lib/gcc/x86_64-linux-gnu/13/include");
  EXPECT_EQ(folders[1], "/usr/include");
}

}  // namespace course
