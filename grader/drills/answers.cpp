/// @file
/// See answers.hpp.
#include "drills/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "drills/sheet.hpp"

namespace course::drills {
namespace {

/// Longest number that anybody could mean.
constexpr std::size_t kDigits = 9;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.size() <= kDigits &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// As much of a line as fits into a sentence, without anything that a terminal would obey.
std::string quoted(std::string_view line) {
  std::string text(line.substr(0, 40));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return text + (line.size() > 40 ? "..." : "");
}

struct line_of_file {
  int number = 0;
  std::string_view key, value;
};

/// Reads a file's lines one after another, and stops at the first that is wrong.
class reader {
 public:
  explicit reader(const drill& of) : of_(of) {}

  std::optional<complaint> take(const line_of_file& line) {
    if (line.key == "drill") return take_drill(line);
    if (line.key == "number") return take_number(line);
    return take_answer(line);
  }

  std::variant<answers, complaint> finish() {
    if (!named_) return complaint{fmt::format("The line `drill: {}` is missing.", of_.word), 0};
    if (!number_)
      return complaint{"The line `number: N` is missing: it says which questions these are answers to.", 0};
    answers found{*number_, {}};
    found.given.resize(std::max(kSheet, answers_.size()));
    const std::vector<question> questions = draw(of_, *number_, found.given.size());
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      const line_of_file& line = answers_[i];
      found.given[i].line = line.number;
      if (line.value.empty()) continue;
      const auto values = read_numbers(line.value);
      const std::size_t wanted = questions[i].asks.size();
      if (!values)
        return complaint{fmt::format("`{}` is no answer to question {}: write whole numbers, as digits.",
                                     quoted(line.value), i + 1),
                         line.number};
      if (values->size() != wanted)
        return complaint{
            fmt::format("Question {} asks for {} number{} ({}), and the line holds {}.", i + 1, wanted,
                        wanted == 1 ? "" : "s", fmt::join(questions[i].asks, ", "), values->size()),
            line.number};
      found.given[i].values = *values;
    }
    return found;
  }

 private:
  std::optional<complaint> take_drill(const line_of_file& line) {
    if (named_)
      return complaint{"There are two lines `drill:`. One answers file holds one drill: delete one of them.",
                       line.number};
    if (line.value != of_.word)
      return complaint{
          fmt::format(
              "These are answers to the drill `{}`, and the drill here is {}: write `drill: {}`, or hand the "
              "file in where it belongs.",
              quoted(line.value), of_.word, of_.word),
          line.number};
    named_ = true;
    return std::nullopt;
  }

  std::optional<complaint> take_number(const line_of_file& line) {
    if (number_)
      return complaint{"There are two lines `number:`. The questions come from one: delete the other.",
                       line.number};
    number_ = read_draw_number(line.value);
    if (!number_)
      return complaint{fmt::format("`{}` is no number of a draw: write a whole number from 0 to {}.",
                                   quoted(line.value), kHighestNumber),
                       line.number};
    return std::nullopt;
  }

  std::optional<complaint> take_answer(const line_of_file& line) {
    if (!is_digits(line.key))
      return complaint{
          fmt::format("`{}` is neither `drill`, `number` nor the number of a question.", quoted(line.key)),
          line.number};
    const std::size_t question = *read_draw_number(line.key);
    if (question == 0 || question > kLimitMark)
      return complaint{
          fmt::format("There is no question {}: a hand-in answers 1 to {}, or on to {} for the limit mark.",
                      question, kSheet, kLimitMark),
          line.number};
    if (question <= answers_.size())
      return complaint{
          fmt::format("Question {} is answered a second time (first in line {}): delete one of the two.",
                      question, answers_[question - 1].number),
          line.number};
    if (question > answers_.size() + 1)
      return complaint{
          fmt::format(
              "Question {} is missing before question {}: keep them in order, and leave an answer blank "
              "(`{}:`) if you have none.",
              answers_.size() + 1, question, answers_.size() + 1),
          line.number};
    answers_.push_back(line);
    return std::nullopt;
  }

  const drill& of_;
  bool named_ = false;
  std::optional<std::uint32_t> number_;
  std::vector<line_of_file> answers_;
};

}  // namespace

bool answers::all_blank() const {
  return std::all_of(given.begin(), given.end(), [](const given_answer& one) { return one.values.empty(); });
}

std::optional<numbers> read_numbers(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  std::istringstream in(spaced);
  numbers values;
  for (std::string word; in >> word;) {
    if (!is_digits(word)) return std::nullopt;
    values.push_back(std::stoll(word));
  }
  if (values.empty()) return std::nullopt;
  return values;
}

std::optional<std::uint32_t> read_draw_number(std::string_view text) {
  if (!is_digits(text)) return std::nullopt;
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::variant<answers, complaint> read_answers(const drill& of, std::string_view text) {
  if (text.find('\0') != std::string_view::npos)
    return complaint{"This is no text: an answers file holds lines like `1: 4`.", 0};
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  reader lines(of);
  bool any = false;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    any = true;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos)
      return complaint{fmt::format("`{}` has no colon: an answer is written `1: 4`, a remark begins with #.",
                                   quoted(line)),
                       number};
    if (auto wrong = lines.take({number, trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1))}))
      return *wrong;
  }
  if (!any)
    return complaint{
        fmt::format("There is nothing in the file: `./course drill {} --template` writes one to fill in.",
                    of.word),
        0};
  return lines.finish();
}

std::string write_answers(const drill& of, std::uint32_t number, const std::vector<question>& questions,
                          const std::vector<numbers>& filled, bool with_reasons) {
  const auto commented = [](std::string_view text) {
    std::istringstream in{std::string(text)};
    std::string result;
    for (std::string line; std::getline(in, line);) result += line.empty() ? "#\n" : "# " + line + "\n";
    return result;
  };
  std::string text = commented(fmt::format("{}: {}\n\n{}\n", of.exercise, of.about, of.rules));
  text += fmt::format("\ndrill: {}\nnumber: {}\n", of.word, number);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const question& q = questions[i];
    text += fmt::format("\n# --- Question {} ---\n#\n{}", i + 1, commented(q.text));
    if (with_reasons) text += "#\n" + commented(q.why);
    if (q.asks.size() > 1)
      text += fmt::format("# ({} numbers: {})\n", q.asks.size(), fmt::join(q.asks, ", "));
    text += fmt::format("{}:", i + 1);
    if (i < filled.size() && !filled[i].empty()) text += fmt::format(" {}", fmt::join(filled[i], " "));
    text += '\n';
  }
  return text;
}

}  // namespace course::drills
