#pragma once

// Private header. What the allocator keeps of memory that nobody uses any more.

namespace rfnn {

/// Gives it back to the system: what takes its place is allocated in other sizes.
void give_back_memory();

/// Large arrays go back to the system as soon as they are gone, from now on and in all of the process; else glibc keeps
/// up to 64 MB for the next. Costs a page fault for every page of a new one.
void keep_no_large_arrays();

}  // namespace rfnn
