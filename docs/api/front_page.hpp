/// @file
/// The front page of the interfaces. Nobody includes this file: it is their table of contents, in one place where it can be reviewed.

/// @mainpage Interfaces
/// What is written in code and read from there.
///
/// Judging an exercise: what its test is written with.
///
/// - @ref exercise.hpp : the exercise itself, its cases and its benchmarks
/// - @ref problem.hpp : the buffers of a case, and what they hold
/// - @ref oracle.hpp : what the right answer is, and @ref tolerance.hpp how near it must be met
/// - @ref values.hpp : values that make an index error show
/// - @ref gates.hpp : what decides beside the answer
/// - @ref verdict.hpp : verdicts and causes
///
/// The simulated GPU: functions beyond the CUDA runtime's own.
///
/// - @ref simgpu.h
///
/// Contracts: what a student's file must provide, one header an exercise. They are among the [files](files.html).
