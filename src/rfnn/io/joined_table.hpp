#pragma once

// Private header: several files as one table.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "rfnn/io/table.hpp"

namespace rfnn::io {

/// Files one below the other, two or more (io/table.hpp: open_tables).
std::unique_ptr<TableReader> open_joined(const std::vector<std::string>& paths, std::size_t threads,
                                         const TableFormat& format);

}  // namespace rfnn::io
