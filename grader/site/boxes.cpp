#include "site/boxes.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "records/files.hpp"
#include "site/html.hpp"
#include "site/markdown.hpp"

namespace course::site {
namespace {

using nlohmann::json;

json parse(std::string_view text, const std::string& file) {
  json content = json::parse(text, nullptr, false);
  if (content.is_discarded() || !content.contains("questions") || !content["questions"].is_array())
    throw environment_error(
        fmt::format("{} is no list of questions: it needs an object with \"questions\".", file));
  return content;
}

/// A text of a question, or a sentence on what is missing.
std::string text_of(const json& question, const char* key, const std::string& file) {
  if (!question.is_object() || !question.contains(key) || !question[key].is_string())
    throw environment_error(fmt::format("{}: a question lacks \"{}\".", file, key));
  return question[key].get<std::string>();
}

char letter(std::size_t choice) {
  return static_cast<char>('A' + choice);
}

}  // namespace

std::string quiz_box(std::string_view text, const std::string& file) {
  const json quiz = parse(text, file);
  std::string html =
      fmt::format("<div class=\"quiz\" data-quiz=\"{}\">\n<ol>\n", escape(quiz.value("chapter", "")));
  for (const json& question : quiz["questions"]) {
    const std::size_t answer = question.value("answer", std::size_t{99});
    const json choices = question.value("choices", json::array());
    if (answer >= choices.size())
      throw environment_error(
          fmt::format("{}: the answer of {} is none of its choices.", file, question.value("id", "?")));
    html += fmt::format(
        "<li data-id=\"{}\" data-answer=\"{}\" data-section=\"{}\">\n<div class=\"question\">{}</div>\n<ol "
        "class=\"choices\">\n",
        escape(text_of(question, "id", file)), answer, escape(question.value("section", "")),
        render_inline(text_of(question, "question", file)));
    for (const json& choice : choices)
      html += fmt::format("<li>{}</li>\n", render_inline(choice.get<std::string>()));
    html += fmt::format(
        "</ol>\n<details class=\"why\"><summary>Answer</summary><p><strong>{}.</strong> "
        "{}</p></details>\n</li>\n",
        letter(answer), render_inline(text_of(question, "why", file)));
  }
  return html + "</ol>\n</div>\n";
}

std::string predict_box(std::string_view text, const std::string& exercise, const std::string& file) {
  const json content = parse(text, file);
  std::string html = fmt::format("<div class=\"predict\" data-exercise=\"{}\">\n<ol>\n", escape(exercise));
  for (const json& question : content["questions"]) {
    const std::string id = escape(text_of(question, "id", file));
    html += fmt::format(
        "<li data-id=\"{0}\">\n<label for=\"predict-{0}\">{1}</label>\n<p class=\"scripted\"><input "
        "id=\"predict-{0}\" type=\"number\" step=\"any\" "
        "inputmode=\"decimal\"> <span "
        "class=\"unit\">{2}</span></p>\n<details><summary>Compare</summary><p>{3}</p></details>\n</li>\n",
        id, render_inline(text_of(question, "text", file)), escape(question.value("unit", "")),
        render_inline(text_of(question, "explanation", file)));
  }
  return html + fmt::format(
                    "</ol>\n<p class=\"scripted note\">Your numbers stay in this browser. In the terminal, "
                    "<code>./course predict {}</code> "
                    "shows them beside what was counted.</p>\n</div>\n",
                    escape(exercise));
}

std::string figure_box(std::string_view marker) {
  std::istringstream words{std::string(marker)};
  std::string word, name;
  words >> word >> name;
  std::string html = fmt::format("<div class=\"computes\" data-figure=\"{}\"", escape(name));
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos)
      html += fmt::format(" data-{}=\"{}\"", escape(word.substr(0, equals)), escape(word.substr(equals + 1)));
  }
  return html + ">\n<div>\n";
}

}  // namespace course::site
