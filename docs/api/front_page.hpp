/// @file
/// The front page of the interfaces. Nobody includes this file: it is their table of contents, in one place where it can be reviewed.

/// @mainpage Interfaces
/// What is written in code and read from there.
///
/// Judging an exercise: what its test is written with.
///
/// - @ref exercise.hpp : the exercise itself, its cases and its benchmarks
/// - @ref facts.hpp : what a size may depend on
/// - @ref problem.hpp : the buffers and calls of a case, and what they hold
/// - @ref element.hpp : the types of elements, records among them
/// - @ref oracle.hpp : what the right answer is, and @ref tolerance.hpp how near it must be met
/// - @ref values.hpp : values that make an index error show
/// - @ref metrics.hpp : what can be counted, and @ref gates.hpp : what decides beside the answer
/// - @ref verdict.hpp : verdicts and causes
///
/// The simulated GPU: functions beyond the CUDA runtime's own.
///
/// - @ref simgpu.h
///
/// Contracts: what a student's file must provide, one header an exercise. They are among the [files](files.html).
