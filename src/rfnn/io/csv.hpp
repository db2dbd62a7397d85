#pragma once

// Private header: the CSV reader. How CSV is understood is written in docs/data-files.md.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "rfnn/io/source.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::io {

/// Nobody's table is wider; a hostile one would cost a name per byte.
inline constexpr std::size_t most_columns = 1'000'000;

/// `threads` parse large files (0: as many as the process may use); `chunk` bytes are read at a time for each of them.
std::unique_ptr<TableReader> open_csv(std::unique_ptr<ByteSource> source, std::size_t threads = 1,
                                      std::size_t chunk = std::size_t{1} << 19U, const TableFormat& format = {});

/// The same from text owned by someone who outlives the reader.
std::unique_ptr<TableReader> open_csv_text(std::string_view text, std::string origin = "text", std::size_t threads = 1,
                                           std::size_t chunk = std::size_t{1} << 19U, const TableFormat& format = {});

}  // namespace rfnn::io
