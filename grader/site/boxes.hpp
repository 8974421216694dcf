/// @file
/// Boxes of a page: quiz, predictions, hints. Each is readable text with folded answers; docs/site/boxes.js makes it answer.
#pragma once

#include <string>
#include <string_view>

namespace course::site {

/// @param json a chapter's quiz.json.
/// @throws environment_error with a sentence if it is not of the schema course.quiz/1.
std::string quiz_box(std::string_view json, const std::string& file);

/// @param json an exercise's predict.json.
/// @throws environment_error with a sentence if a question lacks what the box shows.
std::string predict_box(std::string_view json, const std::string& exercise, const std::string& file);

/// A figure that computes: `figure banks stride=33` becomes an element that docs/site/figures.js fills; up to `end figure` stands what is
/// shown without scripts.
std::string figure_box(std::string_view marker);

}  // namespace course::site
