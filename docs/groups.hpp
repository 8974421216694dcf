/// @file
/// The groups of the documentation. Nobody includes this file: it is the site's table of contents, in one place where it can be
/// reviewed.

/// @defgroup contracts Contracts
/// What a student's file must provide, exercise by exercise: read by students, never edited.

/// @defgroup judging Judging an exercise
/// The headers that an exercise's test is written with. The page "Judging an exercise" (docs/pages/judging.md) lists them by what you want
/// to say, with an example.

/// @defgroup simgpu Simulated GPU
/// The functions of the simulated GPU beyond the CUDA runtime's own.
