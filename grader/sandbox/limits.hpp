/// @file
/// Limits that a process sets itself, and how much private memory it has already: a limit counts from there.
#pragma once

namespace course::sandbox {

/// Sets both the soft and the hard limit, so that it cannot be raised again. @param which RLIMIT_CPU and so on. @param value no more than the
/// hard limit is now
void set_limit(int which, unsigned long value);

/// Bytes of private memory that this process could write, touched or not.
unsigned long data_bytes();

}  // namespace course::sandbox
