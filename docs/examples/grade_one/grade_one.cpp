/// @file
/// Grades one file as one exercise from C++, and prints what came out.
///
///     grade_one BUILD_FOLDER EXERCISE FILE [DEVICE]
///
/// Exit code: 0 it passes, 1 it does not, 2 it could not be graded.
#include <course/course.hpp>
#include <iostream>

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: grade_one BUILD_FOLDER EXERCISE FILE [auto|gpu|sim]\n";
    return 2;
  }
  try {
    const course::grader grade(argv[1]);
    course::submission handed_in;
    handed_in.exercise = argv[2];
    handed_in.file = argv[3];
    if (argc > 4) handed_in.device = argv[4];

    const course::grade found = grade(handed_in);
    std::cout << handed_in.exercise << ": " << found.verdict << '\n';
    if (!found.sentence.empty()) std::cout << "  " << found.sentence << '\n';
    if (found.line > 0) std::cout << "  at " << found.file << ':' << found.line << '\n';
    if (found.speed > 0)
      std::cout << "  " << found.speed << " of the reference's speed" << (found.modelled ? ", modelled" : "")
                << '\n';
    return found.passed() ? 0 : 1;
  } catch (const course::cannot_grade& problem) {
    std::cerr << problem.what() << '\n';
    return 2;
  }
}
