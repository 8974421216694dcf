/// @file
/// The plugin builder through its real door: a small course of one exercise in a temporary folder, with a
/// blank in its path, and hand-ins that are sound or wrong in one way each.
#include "build/plugin_builder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <nlohmann/json.hpp>

#include "records/files.hpp"

namespace course {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContract = R"(#pragma once
#include <cstddef>
typedef struct CUstream_st* cudaStream_t;
/// The old name twice_go( was dropped.
extern "C" void twice_run(const float* in, float* out, std::size_t n, cudaStream_t stream);
)";

constexpr const char* kSound = R"(#include "twice.cuh"
__global__ void twice(const float* in, float* out, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
extern "C" void twice_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n > 0) twice<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(in, out, n);
}
)";

class plugin_builder : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("course builder " + unique_suffix());
    put("exercises/chapter1_test/twice/twice.cuh", kContract);
    configure(COURSE_TEST_NVCC, COURSE_TEST_NVCC_VERSION);
    fs::create_directories(root_ / "build/bin");
    fs::create_directories(root_ / "hand in");
    fs::copy_file(COURSE_TEST_CUDART, root_ / "build/bin/libcudart.so.13");
  }
  void TearDown() override { fs::remove_all(root_); }

  void put(const std::string& file, const std::string& text) { write_file_atomically(root_ / file, text); }

  void configure(const std::string& nvcc, const std::string& version) {
    const nlohmann::json config = {
        {"version", "0"},
        {"source_dir", ".."},
        {"nvcc", nvcc},
        {"nvcc_version", version},
        {"cuda_version", "13.0"},
        {"cudart", "libcudart.so.13"},
        {"flags",
         {"-shared", "-Xcompiler=-fPIC", "-cudart=none", "-O3", "-std=c++17", "-lineinfo", "--no-compress",
          "-Xptxas=-v", "-DNVTX_DISABLE"}},
        {"architectures", {"90"}},
        {"exercises",
         {{{"chapter", "chapter1_test"}, {"label", "chapter1"}, {"name", "twice"}, {"minimum_arch", 0}}}}};
    put("build/course.json", config.dump());
  }

  /// Grades a text as the exercise of the tree "hand in".
  plugin_record build(const std::string& source, const build_options& options = {}) {
    put("hand in/chapter1_test/twice/twice.cu", source);
    return build(options);
  }
  plugin_record build(const build_options& options = {}) {
    const build_folder folder(root_ / "build");
    const tree graded = resolve_tree(folder, (root_ / "hand in").string());
    const exercise_id& exercise = *folder.find("chapter1", "twice");
    const plugin_record record = build_plugin(folder, graded, exercise, options);
    const auto stored = read_record(folder.plugins(), graded.id, exercise);
    EXPECT_TRUE(stored.has_value());
    if (stored) {
      EXPECT_EQ(to_json(*stored), to_json(record));
    }
    return record;
  }
  void expect_refused(const plugin_record& record, const std::string& cause, const std::string& words) {
    EXPECT_EQ(record.status, "compile_error") << record.message;
    EXPECT_EQ(record.cause, cause) << record.message;
    EXPECT_NE(record.message.find(words), std::string::npos) << record.message;
    EXPECT_EQ(record.plugin, "");
  }

  fs::path root_;
};

TEST_F(plugin_builder, makes_a_plugin_once_and_then_needs_no_compiler) {
  const plugin_record first = build(kSound);
  ASSERT_EQ(first.status, "ok") << first.message << first.log;
  EXPECT_FALSE(first.cache_hit);
  const fs::path plugin = root_ / "build/plugins" / first.plugin;
  ASSERT_TRUE(fs::exists(plugin));
  const auto resources = read_file(plugin.string() + ".resources.txt");
  ASSERT_TRUE(resources.has_value());
  EXPECT_NE(resources->find("Used "), std::string::npos);
  EXPECT_TRUE(fs::is_empty(root_ / "build/plugins/staging"));

  configure("/nowhere/nvcc", COURSE_TEST_NVCC_VERSION);
  const auto start = std::chrono::steady_clock::now();
  const plugin_record second = build();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(second.status, "ok");
  EXPECT_TRUE(second.cache_hit);
  EXPECT_EQ(second.plugin, first.plugin);
  EXPECT_LT(seconds, 0.1);
}

TEST_F(plugin_builder, takes_the_content_and_not_the_time_of_a_file) {
  const plugin_record first = build(kSound);
  std::string changed = kSound;
  changed.replace(changed.find("2 * in"), 6, "3 * in");
  put("hand in/chapter1_test/twice/twice.cu", changed);
  fs::last_write_time(root_ / "hand in/chapter1_test/twice/twice.cu",
                      fs::file_time_type::clock::now() - std::chrono::hours(24 * 365));
  const plugin_record second = build();
  EXPECT_EQ(second.status, "ok");
  EXPECT_NE(second.plugin, first.plugin);
  EXPECT_NE(second.source_sha256, first.source_sha256);
}

TEST_F(plugin_builder, takes_headers_of_the_chapter_and_notices_their_changes) {
  put("exercises/chapter1_test/shared.cuh", "#pragma once\nconstexpr float factor = 2;\n");
  put("exercises/chapter1_test/twice/twice.cuh", std::string(kContract) + "#include \"shared.cuh\"\n");
  std::string source = kSound;
  source.replace(source.find("2 * in"), 6, "factor * in");
  const plugin_record first = build(source);
  EXPECT_EQ(first.status, "ok") << first.message;
  put("exercises/chapter1_test/shared.cuh", "#pragma once\nconstexpr float factor = 3;\n");
  const plugin_record second = build();
  EXPECT_EQ(second.status, "ok") << second.message;
  EXPECT_NE(second.plugin, first.plugin);
  // What lies further up is nobody's contract.
  put("exercises/far.cuh", "#pragma once\n");
  expect_refused(build(std::string("#include \"../far.cuh\"\n") + source), "forbidden_include", "far.cuh");
}

TEST_F(plugin_builder, finds_another_compiler_when_the_configured_one_is_gone) {
  configure("/nowhere/nvcc", "0.0.0");
  const plugin_record record = build(kSound);
  EXPECT_EQ(record.status, "ok") << record.message;
  EXPECT_EQ(record.nvcc_version, COURSE_TEST_NVCC_VERSION);
}

TEST_F(plugin_builder, says_which_line_does_not_compile) {
  std::string broken = kSound;
  broken.replace(broken.find("2 * in[i]"), 9, "2 * inn[i]");
  const plugin_record record = build(broken);
  expect_refused(record, "", "twice.cu:4: ");
  EXPECT_EQ(record.location_line, 4);
  EXPECT_EQ(record.log.find((root_ / "build").string()), std::string::npos) << record.log;
  EXPECT_NE(record.log.find("chapter1_test/twice/twice.cu:4"), std::string::npos) << record.log;
}

TEST_F(plugin_builder, refuses_files_from_outside) {
  put("solutions/chapter1_test/twice/twice.cu", kSound);
  // The starter lies beside the contract.
  put("exercises/chapter1_test/twice/other.cu", kSound);
  const std::string solution = (root_ / "solutions/chapter1_test/twice/twice.cu").string();
  const std::string assembler = std::string(kSound) + "\nasm(\".pushsection .rodata\\n.inc\" \"bin \\\"" +
                                solution + "\\\"\\n.popsection\");\n";
  // As on a kernel with Landlock and as on one without.
  for (const build_options& options : {build_options{.confined = true}, build_options{.confined = false}}) {
    expect_refused(build(fmt::format("#include \"{}\"\n", solution), options), "forbidden_include",
                   "solutions");
    // By the assembler, under a name that no search for ".incbin" finds.
    expect_refused(build(assembler, options), "forbidden_include", "solutions");
  }
  // By a relative way through the contract's folder, which is on the include path.
  expect_refused(build("#include \"../../../solutions/chapter1_test/twice/twice.cu\"\n"), "forbidden_include",
                 "solutions");
  expect_refused(build("#include \"other.cu\"\n"), "forbidden_include", "other.cu");
}

TEST_F(plugin_builder, quotes_no_line_of_foreign_files) {
  put("secret.txt", "the_password hunter2\n");
  const std::string secret = (root_ / "secret.txt").string();
  for (const std::string& source : {fmt::format("#include \"{}\"\n{}", secret, kSound),
                                    // The host compiler reads the file that is named here, to show the line.
                                    fmt::format("#line 1 \"{}\"\n#error \"as if there\"\n{}", secret, kSound),
                                    fmt::format("{}\nasm(\".include \\\"{}\\\"\");\n", kSound, secret)}) {
    for (const build_options& options : {build_options{.confined = true}, build_options{.confined = false}}) {
      const plugin_record record = build(source, options);
      EXPECT_EQ(record.status, "compile_error");
      EXPECT_EQ(to_json(record).dump().find("hunter2"), std::string::npos) << record.log;
      EXPECT_EQ(to_json(record).dump().find("the_password"), std::string::npos) << record.log;
    }
  }
}

TEST_F(plugin_builder, follows_no_links_below_the_tree) {
  const fs::path file = root_ / "hand in/chapter1_test/twice/twice.cu";
  put("solutions/chapter1_test/twice/twice.cu", kSound);
  fs::create_directories(file.parent_path());
  fs::create_symlink(root_ / "solutions/chapter1_test/twice/twice.cu", file);
  expect_refused(build(), "not_text", "link");
  fs::remove_all(root_ / "hand in/chapter1_test");
  fs::create_directory_symlink(root_ / "solutions/chapter1_test", root_ / "hand in/chapter1_test");
  expect_refused(build(), "not_text", "link");
  // The tree itself may be named by a link: whoever grades has chosen it.
  fs::create_directory_symlink(root_ / "solutions", root_ / "link to a tree");
  const build_folder folder(root_ / "build");
  const tree linked = resolve_tree(folder, (root_ / "link to a tree").string());
  EXPECT_EQ(build_plugin(folder, linked, *folder.find("chapter1", "twice")).status, "ok");
}

TEST_F(plugin_builder, does_not_wait_for_a_pipe) {
  const fs::path file = root_ / "hand in/chapter1_test/twice/twice.cu";
  fs::create_directories(file.parent_path());
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  expect_refused(build(), "not_text", "not a file");
}

TEST_F(plugin_builder, refuses_what_reaches_out_of_the_plugin) {
  const auto with = [](const std::string& text) { return kSound + text; };
  expect_refused(
      build(with("#include <dlfcn.h>\nvoid* f() { return dlsym(nullptr, \"simgpu_configure\"); }\n")),
      "forbidden_symbol", "dlsym");
  // A weak reference links without anybody defining the name.
  expect_refused(build(with("extern \"C\" __attribute__((weak)) int simgpu_configure(const char*);\n"
                            "int f() { return simgpu_configure ? simgpu_configure(\"{}\") : 0; }\n")),
                 "forbidden_symbol", "simgpu_configure");
  expect_refused(build(with("#include <link.h>\nvoid* f() { return &_r_debug; }\n")), "forbidden_symbol",
                 "_r_debug");
}

TEST_F(plugin_builder, compiles_what_the_toolkit_brings) {
  const plugin_record record = build(std::string(R"(#include <cooperative_groups.h>
#include <thrust/device_ptr.h>
#include <exception>
#include <memory>
#include <thread>
)") + kSound + R"(
__global__ void rank(float* out) {
  *out = cooperative_groups::this_grid().thread_rank();
}
void f(float* out) {
  try {
    const auto shared = std::make_shared<int>(0);
    std::thread([shared] { ++*shared; }).join();
    rank<<<1, 1>>>(thrust::raw_pointer_cast(thrust::device_pointer_cast(out)));
  } catch (const std::exception&) {
  }
}
)");
  EXPECT_EQ(record.status, "ok") << record.message << record.log;
}

TEST_F(plugin_builder, does_not_see_headers_beside_the_hand_in) {
  put("hand in/chapter1_test/twice/twice.cuh", "#error a contract of the student's own\n");
  EXPECT_EQ(build(kSound).status, "ok");
  put("hand in/chapter1_test/twice/mine.cuh", "\n");
  expect_refused(build(std::string("#include \"mine.cuh\"\n") + kSound), "", "one .cu file");
}

TEST_F(plugin_builder, refuses_stand_ins_for_cuda_and_missing_functions) {
  expect_refused(build(std::string(kSound) +
                       "extern \"C\" int cudaEventElapsedTime(float*, void*, void*) { return 0; }\n"),
                 "", "");
  expect_refused(build(std::string(kSound) +
                       "extern \"C\" int cudaEventElapsedTime_v2(float*, void*, void*) { return 0; }\n"),
                 "forbidden_symbol", "cudaEventElapsedTime_v2");
  expect_refused(build(std::string(kSound) + "extern \"C\" void* simgpu_take_report() { return nullptr; }\n"),
                 "forbidden_symbol", "simgpu_take_report");
  expect_refused(build(std::string(kSound) + "int main() { return 0; }\n"), "forbidden_symbol", "main");
  expect_refused(build("#include \"twice.cuh\"\n"), "missing_function", "twice_run");
  expect_refused(build("#include \"twice.cuh\"\nvoid twice_run(float* in) { *in = 1; }\n"),
                 "missing_function", "parameters");
  expect_refused(
      build(std::string("void nobody_has_this();\n") + kSound + "void f() { nobody_has_this(); }\n"),
      "undefined_symbol", "nobody_has_this");
  expect_refused(build(std::string("extern \"C\" int cuMemAlloc_v2(void*, unsigned long);\n") + kSound +
                       "void f() { cuMemAlloc_v2(nullptr, 1); }\n"),
                 "undefined_symbol", "cudaGetDriverEntryPoint");
}

TEST_F(plugin_builder, says_what_to_do_in_place_of_the_tools_words) {
  std::string other = kSound;
  other.replace(other.find("std::size_t n, cudaStream_t"), 27, "int n, cudaStream_t");
  expect_refused(build(other), "missing_function",
                 "twice_run has other parameters than twice.cuh asks for: copy its line: extern \"C\" void "
                 "twice_run(const float* in, float* out, std::size_t n, cudaStream_t stream);");

  std::string large = kSound;
  large.replace(large.find("if (i < n)"), 10,
                "__shared__ float tile[20000]; tile[i] = i; __syncthreads(); "
                "out[i] = tile[n - i]; if (i < n)");
  const plugin_record shared = build(large);
  expect_refused(shared, "", "twice declares 80000 bytes of shared memory, and 49152 are the most");
  EXPECT_EQ(shared.message.find("0x"), std::string::npos);

  std::string host = kSound;
  host.replace(host.find("__global__ "), 11, "");
  expect_refused(build(host), "", "a function that is launched by <<< >>> must be __global__");
}

TEST_F(plugin_builder, allows_the_standard_libraries) {
  const std::string source =
      std::string(
          "#include <cmath>\n#include <cstdio>\n#include <string>\n#include <thread>\n#include <vector>\n") +
      kSound +
      "void f(int n) { std::vector<std::string> v(n); std::thread([] { std::puts(\"x\"); }).join(); "
      "std::printf(\"%f\", std::exp(n)); }\n";
  const plugin_record record = build(source);
  EXPECT_EQ(record.status, "ok") << record.message << record.log;
}

TEST_F(plugin_builder, says_what_is_wrong_with_odd_files) {
  EXPECT_EQ(build().status, "missing");
  expect_refused(build(" \n\n"), "empty_file", "empty");
  expect_refused(build(std::string("\x7f"
                                   "ELF\0\0",
                                   6)),
                 "not_text", "source");
  expect_refused(build(std::string("\xff\xfei\0n\0t\0", 8)), "not_text", "save it as UTF-8");
  expect_refused(build(std::string(kLargestSourceBytes + 1, ' ')), "too_large", "KiB");
  fs::remove(root_ / "hand in/chapter1_test/twice/twice.cu");
  fs::create_directory(root_ / "hand in/chapter1_test/twice/twice.cu");
  expect_refused(build(), "not_text", "not a file");
}

TEST_F(plugin_builder, tells_of_a_folder_it_cannot_write) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const plugin_record first = build(kSound);
  fs::permissions(root_ / "build/plugins/staging", fs::perms::owner_read | fs::perms::owner_exec);
  const plugin_record record = build(std::string(kSound) + "\n");
  fs::permissions(root_ / "build/plugins/staging", fs::perms::owner_all);
  EXPECT_EQ(record.status, "harness_error");
  EXPECT_EQ(record.cause, "not_writable");
}

TEST_F(plugin_builder, may_run_several_times_at_once) {
  put("hand in/chapter1_test/twice/twice.cu", kSound);
  std::vector<std::future<plugin_record>> builders;
  for (int i = 0; i < 3; ++i) {
    builders.push_back(std::async(std::launch::async, [this] {
      const build_folder folder(root_ / "build");
      return build_plugin(folder, resolve_tree(folder, (root_ / "hand in").string()),
                          *folder.find("chapter1", "twice"));
    }));
  }
  for (auto& builder : builders) EXPECT_EQ(builder.get().status, "ok");
  EXPECT_TRUE(fs::is_empty(root_ / "build/plugins/staging"));
}

TEST_F(plugin_builder, names_trees) {
  const build_folder folder(root_ / "build");
  fs::create_directories(root_ / "solutions");
  EXPECT_EQ(resolve_tree(folder, "").id, "exercises");
  EXPECT_EQ(resolve_tree(folder, "solutions").id, "solutions");
  EXPECT_EQ(resolve_tree(folder, (root_ / "hand in/../solutions").string()).id, "solutions");
  fs::create_directories(root_ / "other");
  const std::string id = resolve_tree(folder, (root_ / "other").string()).id;
  EXPECT_TRUE(id.starts_with("other-"));
  EXPECT_EQ(id.size(), 6u + 8u);
  EXPECT_THROW(resolve_tree(folder, "nothing here"), environment_error);
}

}  // namespace
}  // namespace course
