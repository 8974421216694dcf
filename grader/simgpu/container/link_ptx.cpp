/// @file
/// Linking of PTX texts, see link_ptx.hpp. A text is split into its statements at the outermost level; inside a function only names, and
/// the numbers of source files, are ever changed.
#include "simgpu/container/link_ptx.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace simgpu::container {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kRuntime = "__cudaCDP2";  // how the names of the device's own runtime begin
constexpr std::string_view kLaunches = "__cudaCDP2GetParameterBufferV2";
constexpr std::array<std::string_view, 5> kOfEveryDevice = {"vprintf", "malloc", "free", "__assertfail",
                                                            "cudaGraphSetConditional"};

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool starts_name(char c) {
  return in_name(c) && std::isdigit(static_cast<unsigned char>(c)) == 0;
}

/// Where the comment or the quoted text that begins at @p at ends; @p at if none begins there.
std::size_t behind_opaque(std::string_view text, std::size_t at) {
  const auto behind = [&](std::string_view end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == text.npos ? text.size() : found + end.size();
  };
  if (text.substr(at, 2) == "//") return behind("\n", at);
  if (text.substr(at, 2) == "/*") return behind("*/", at + 2);
  if (text[at] == '"') return behind("\"", at + 1);
  return at;
}

enum class Kind : std::uint8_t { directive, file, section, variable, function, entry, other };
enum class Linkage : std::uint8_t { local, external, weak, visible };

struct Statement {
  Kind kind = Kind::other;
  Linkage linkage = Linkage::local;
  bool defines = false;  ///< a function with its body, a variable that is not external
  std::string name;
  std::string text;
};

/// The name that a declaration gives: the last word before what cannot belong to it.
std::string last_name(std::string_view head) {
  std::size_t end = head.find_last_not_of(kSpace);
  if (end == head.npos) return {};
  std::size_t begin = ++end;
  while (begin > 0 && in_name(head[begin - 1])) --begin;
  return std::string(head.substr(begin, end - begin));
}

void classify(Statement& s) {
  const std::string_view text = s.text;
  const std::string_view head = text.substr(0, text.find_first_of("{=;"));
  const auto has = [&](std::string_view word) { return head.find(word) != head.npos; };
  for (const std::string_view word : {".version", ".target", ".address_size"})
    if (text.starts_with(word)) {
      s.kind = Kind::directive, s.name = word;
      return;
    }
  if (text.starts_with(".file")) {
    s.kind = Kind::file;
    return;
  }
  if (text.starts_with(".section")) {
    s.kind = Kind::section;
    s.name = text.substr(0, text.find('{'));
    return;
  }
  if (text.starts_with(".alias") || text.starts_with(".pragma")) return;
  s.linkage = has(".extern ")                    ? Linkage::external
              : has(".weak ") || has(".common ") ? Linkage::weak
              : has(".visible ")                 ? Linkage::visible
                                                 : Linkage::local;
  // Dynamic shared memory has no definition anywhere: each file declares its own name for it.
  if (s.linkage == Linkage::external && has(".shared ")) s.linkage = Linkage::local;
  std::size_t at = head.find(".func");
  s.kind = at != head.npos ? Kind::function : has(".entry") ? Kind::entry : Kind::variable;
  if (s.kind == Kind::variable) {
    s.name = last_name(head.substr(0, head.find('[')));
    s.defines = s.linkage != Linkage::external;
    return;
  }
  // "(.param .b32 result) NAME (...)", "NAME(...)"
  std::string_view rest = head.substr(s.kind == Kind::entry ? head.find(".entry") + 6 : at + 5);
  const std::size_t first = rest.find_first_not_of(kSpace);
  if (first != rest.npos && rest[first] == '(') {
    const std::size_t close = rest.find(')');
    rest.remove_prefix(close == rest.npos ? rest.size() : close + 1);
  }
  s.name = last_name(rest.substr(0, rest.find_first_of("(.")));
  s.defines = text.find('{') != text.npos;
}

std::vector<Statement> statements_of(std::string_view text) {
  std::vector<Statement> all;
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && (kSpace.find(text[at]) != kSpace.npos || text[at] == ';')) ++at;
    if (at >= text.size()) return all;
    if (const std::size_t behind = behind_opaque(text, at); behind != at) {
      at = behind;
      continue;
    }
    const std::string_view rest = text.substr(at);
    const bool line = rest.starts_with(".version") || rest.starts_with(".target") ||
                      rest.starts_with(".address_size") || rest.starts_with(".file");
    const bool section = rest.starts_with(".section");
    std::size_t end = at, depth = 0;
    bool body = section;
    for (; end < text.size(); ++end) {
      if (const std::size_t behind = behind_opaque(text, end); behind != end) {
        end = behind - 1;
        if (line && text[end] == '\n') break;
        continue;
      }
      const char c = text[end];
      if (c == '.' && depth == 0)
        body = body || text.substr(end, 5) == ".func" || text.substr(end, 6) == ".entry";
      if (c == '{') ++depth;
      if (c == '}' && depth > 0 && --depth == 0 && body) break;
      if (line ? c == '\n' : c == ';' && depth == 0) break;
    }
    Statement s;
    s.text = std::string(text.substr(at, std::min(end + 1, text.size()) - at));
    classify(s);
    all.push_back(std::move(s));
    at = end + 1;
  }
}

/// Gives @p text's names in @p renamed another ending, and its source files numbers behind @p files.
std::string adapted(std::string_view text, const std::set<std::string, std::less<>>& renamed,
                    const std::string& ending, std::uint32_t files) {
  std::string result;
  bool number_is_file = false;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = behind_opaque(text, at);
    if (end == at) {
      const char c = text[at];
      end = at + 1;
      if (in_name(c)) {
        while (end < text.size() && in_name(text[end])) ++end;
        const std::string_view word = text.substr(at, end - at);
        const bool directive = at > 0 && text[at - 1] == '.';
        if (number_is_file && !starts_name(c)) {
          result += std::to_string(std::strtoul(std::string(word).c_str(), nullptr, 10) + files);
          number_is_file = false;
          at = end;
          continue;
        }
        number_is_file = directive ? word == "loc" || word == "file" : word == "inlined_at";
        result += word;
        if (!directive && starts_name(c) && (at == 0 || text[at - 1] != '%') &&
            (renamed.contains(word) || word.starts_with("$L__info_string")))
          result += ending;
        at = end;
        continue;
      }
    }
    result += text.substr(at, end - at);
    at = end;
  }
  return result;
}

/// A symbol as the source has it: "twice(int)".
std::string as_written(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : symbol;
}

/// Of a version or a target: these compare as numbers.
double number_in(std::string_view text) {
  const std::size_t first = text.find_first_of("0123456789");
  return first == text.npos ? 0 : std::strtod(std::string(text.substr(first)).c_str(), nullptr);
}

class Linker {
 public:
  void add(const std::string& text) {
    std::vector<Statement> all = statements_of(text);
    if (std::any_of(all.begin(), all.end(), [](const Statement& s) {
          return s.defines && s.kind == Kind::function && s.name.starts_with(kRuntime);
        }))
      return;
    ++texts_;
    std::set<std::string, std::less<>> clashes;
    for (const Statement& s : all)
      if (!s.name.empty() && s.linkage == Linkage::local && s.kind != Kind::section &&
          s.kind != Kind::directive && names_.contains(s.name))
        clashes.insert(s.name);
    for (const Statement& s : all) names_.insert(s.name);
    const std::string ending = "$file" + std::to_string(texts_);
    const std::uint32_t files = files_;
    for (Statement& s : all) {
      if (s.kind == Kind::directive) {
        std::string& highest = directives_[s.name];
        if (highest.empty() || number_in(s.text) > number_in(highest)) highest = s.text;
        continue;
      }
      if (s.kind == Kind::file)
        files_ = std::max(files_, files + static_cast<std::uint32_t>(number_in(s.text)));
      s.text = adapted(s.text, clashes, ending, files);
      if (clashes.contains(s.name)) s.name += ending;
      take(std::move(s));
    }
  }

  LinkedPtx result() const {
    LinkedPtx linked;
    for (const auto& [name, text] : needed_) {
      if (defined_.contains(name)) continue;
      if (std::find(kOfEveryDevice.begin(), kOfEveryDevice.end(), name) != kOfEveryDevice.end()) continue;
      if (name.starts_with(kRuntime)) continue;  // what is not simulated is named when it is called
      if (name.starts_with("cudaLaunchDevice")) {
        linked.problem =
            "It was built with relocatable device code (-rdc=true), and its kernels launch kernels as they "
            "did before CUDA 12: "
            "build it with a newer nvcc.";
        return linked;
      }
      if (linked.problem.empty())
        linked.problem =
            "It was built with relocatable device code (-rdc=true), and one file's device code needs " +
            as_written(name) +
            ", which is in the PTX of none: build all files and libraries that hold device code "
            "under simgpu, or with -gencode arch=compute_90,code=compute_90.";
    }
    if (!linked.problem.empty()) return linked;
    for (const std::string_view name : {".version", ".target", ".address_size"})
      if (const auto at = directives_.find(name); at != directives_.end()) linked.text += at->second + '\n';
    for (const auto& [name, text] : needed_)
      if (!defined_.contains(name)) linked.text += text + '\n';
    if (needed_.contains(kLaunches)) linked.text += entries_;
    linked.text += prototypes_ + variables_ + functions_ + others_ + source_files_;
    for (const auto& [head, inside] : sections_) linked.text += head + "{\n" + inside + "}\n";
    return linked;
  }

 private:
  void take(Statement s) {
    if (s.kind == Kind::file || s.kind == Kind::other) {
      (s.kind == Kind::file ? source_files_ : others_) += s.text + '\n';
      return;
    }
    if (s.kind == Kind::section) {
      const std::size_t open = s.text.find('{'), close = s.text.rfind('}');
      if (open != s.text.npos && close != s.text.npos && close > open)
        sections_[s.name] += s.text.substr(open + 1, close - open - 1) + '\n';
      return;
    }
    if (!s.defines) {
      // A function of this program is declared before the first of them; others only where they stay outside.
      if (s.linkage == Linkage::external) needed_.emplace(s.name, s.text);
      return;
    }
    if (!defined_.insert(s.name).second) return;  // a template or inline function that several files hold
    if (s.kind == Kind::variable) {
      variables_ += s.text + '\n';
      return;
    }
    if (s.kind == Kind::function) prototypes_ += s.text.substr(0, s.text.find('{')) + ";\n";
    // A kernel that another one launches may stand behind it.
    if (s.kind == Kind::entry) entries_ += s.text.substr(0, s.text.find(')')) + ");\n";
    functions_ += s.text + '\n';
  }

  int texts_ = 0;
  std::uint32_t files_ = 0;
  std::set<std::string, std::less<>> names_, defined_;
  std::map<std::string, std::string, std::less<>> directives_, needed_, sections_;
  std::string prototypes_, entries_, variables_, functions_, others_, source_files_;
};

}  // namespace

LinkedPtx link_ptx(const std::vector<std::string>& texts) {
  Linker linker;
  for (const std::string& text : texts) linker.add(text);
  return linker.result();
}

}  // namespace simgpu::container
