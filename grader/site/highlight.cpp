#include "site/highlight.hpp"

#include <cctype>
#include <set>

#include "site/html.hpp"

namespace course::site {
namespace {

const std::set<std::string_view>& keywords() {
  static const std::set<std::string_view> kWords = {"alignas",
                                                    "auto",
                                                    "bool",
                                                    "break",
                                                    "case",
                                                    "char",
                                                    "class",
                                                    "const",
                                                    "constexpr",
                                                    "continue",
                                                    "default",
                                                    "delete",
                                                    "do",
                                                    "double",
                                                    "else",
                                                    "enum",
                                                    "extern",
                                                    "false",
                                                    "float",
                                                    "for",
                                                    "if",
                                                    "inline",
                                                    "int",
                                                    "long",
                                                    "namespace",
                                                    "new",
                                                    "noexcept",
                                                    "nullptr",
                                                    "operator",
                                                    "private",
                                                    "public",
                                                    "return",
                                                    "short",
                                                    "signed",
                                                    "sizeof",
                                                    "static",
                                                    "static_assert",
                                                    "static_cast",
                                                    "reinterpret_cast",
                                                    "struct",
                                                    "switch",
                                                    "template",
                                                    "this",
                                                    "throw",
                                                    "true",
                                                    "try",
                                                    "typedef",
                                                    "typename",
                                                    "union",
                                                    "unsigned",
                                                    "using",
                                                    "void",
                                                    "volatile",
                                                    "while",
                                                    "__global__",
                                                    "__device__",
                                                    "__host__",
                                                    "__shared__",
                                                    "__constant__",
                                                    "__restrict__",
                                                    "__launch_bounds__"};
  return kWords;
}

/// Walks over the text and wraps what it recognises.
class painter {
 public:
  explicit painter(std::string_view text) : text_(text) {}

  std::string c_family() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (starts("//")) {
        span('c', text_.find('\n', at_));
      } else if (starts("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        span('c', end == std::string_view::npos ? end : end + 2);
      } else if (c == '"' || (c == '\'' && !after_digit())) {
        span('s', end_of_string(c));
      } else if (c == '#' && line_is_blank_so_far()) {
        span('p', end_of_directive());
      } else if (is_digit(c)) {
        span('n', end_while([](char x) {
               return std::isalnum(static_cast<unsigned char>(x)) != 0 || x == '.' || x == '\'';
             }));
      } else if (is_word(c)) {
        const std::size_t end = end_while(is_word);
        if (keywords().contains(text_.substr(at_, end - at_))) {
          span('k', end);
        } else {
          plain(end);
        }
      } else {
        plain(at_ + 1);
      }
    }
    return std::move(out_);
  }

  std::string shell() {
    while (at_ < text_.size()) {
      const bool begins = at_ == 0 || std::isspace(static_cast<unsigned char>(text_[at_ - 1])) != 0;
      if (text_[at_] == '#' && begins) {
        span('c', text_.find('\n', at_));
      } else {
        plain(at_ + 1);
      }
    }
    return std::move(out_);
  }

 private:
  static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  bool starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  bool after_digit() const { return at_ > 0 && is_digit(text_[at_ - 1]); }

  bool line_is_blank_so_far() const {
    for (std::size_t i = at_; i > 0 && text_[i - 1] != '\n'; --i) {
      if (text_[i - 1] != ' ') return false;
    }
    return true;
  }

  /// A directive ends with its line, or where its comment begins.
  std::size_t end_of_directive() const {
    const std::size_t line = std::min(text_.find('\n', at_), text_.size());
    return std::min(line, text_.find("//", at_));
  }

  std::size_t end_of_string(char quote) const {
    std::size_t i = at_ + 1;
    while (i < text_.size() && text_[i] != quote && text_[i] != '\n') i += text_[i] == '\\' ? 2 : 1;
    return i + 1;
  }

  template <class Predicate>
  std::size_t end_while(Predicate holds) const {
    std::size_t end = at_;
    while (end < text_.size() && holds(text_[end])) ++end;
    return end;
  }

  void plain(std::size_t end) {
    out_ += escape(text_.substr(at_, end - at_));
    at_ = end;
  }

  void span(char kind, std::size_t end) {
    out_ += std::string("<span class=\"") + kind + "\">";
    plain(std::min(end, text_.size()));
    out_ += "</span>";
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string highlight(std::string_view code, std::string_view language) {
  if (language == "cpp" || language == "cuda" || language == "c" || language == "cu" || language == "c++")
    return painter(code).c_family();
  if (language == "sh" || language == "bash" || language == "cmake") return painter(code).shell();
  return escape(code);
}

std::string_view language_of(std::string_view file_name) {
  for (const char* end : {".cu", ".cuh", ".cpp", ".hpp", ".h"}) {
    if (file_name.ends_with(end)) return "cpp";
  }
  if (file_name.ends_with(".sh") || file_name.ends_with("CMakeLists.txt") || file_name.ends_with(".cmake"))
    return "sh";
  return "";
}

}  // namespace course::site
