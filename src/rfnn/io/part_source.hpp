#pragma once

// Private header. One of several parts of a file of text (TableFormat::part).

#include <cstddef>
#include <memory>
#include <string>

#include "rfnn/io/source.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::io {

/// The part's lines as a table, below the header of the file where it has one. Parts are of about as many bytes and
/// begin where lines do; a line end inside quotes is taken for one. InputError where the file is no plain text, or can
/// only be read from front to back.
std::unique_ptr<TableReader> open_part(std::unique_ptr<ByteSource> source, const std::string& path, std::size_t threads,
                                       const TableFormat& format);

}  // namespace rfnn::io
