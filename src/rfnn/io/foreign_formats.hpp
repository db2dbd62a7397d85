#pragma once

// Private header: files of other kinds that people have tables in, told by their first bytes.

#include "rfnn/io/source.hpp"

namespace rfnn::io {

/// Throws InputError with the one line that converts the file when it is Parquet, Arrow, Feather, a spreadsheet,
/// HDF5, SQLite, a pickle or JSON. Takes no bytes.
void refuse_foreign_formats(ByteSource& source);

}  // namespace rfnn::io
