/// @file
/// The front page and the groups of the interfaces. Nobody includes this file: it is their table of contents, in one place where it can be
/// reviewed.

/// @mainpage Interfaces
/// What is written in code and read from there.
///
/// - @ref contracts : what a student's file must provide, exercise by exercise
/// - @ref judging : what an exercise's test is written with
/// - @ref simgpu : functions of the simulated GPU beyond the CUDA runtime's own

/// @defgroup contracts Contracts
/// What a student's file must provide, exercise by exercise: read by students, never edited.

/// @defgroup judging Judging an exercise
/// What an exercise's test is written with: cases, values, oracles, gates, verdicts.

/// @defgroup simgpu Simulated GPU
/// The functions of the simulated GPU beyond the CUDA runtime's own.
