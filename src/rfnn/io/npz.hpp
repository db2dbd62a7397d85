#pragma once

// Private header: archives of arrays as numpy.savez writes them.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rfnn/io/safetensors.hpp"
#include "rfnn/io/source.hpp"
#include "rfnn/io/table.hpp"

namespace rfnn::io {

/// Is it a zip archive whose first file is an array? Takes no bytes.
bool is_npz(ByteSource& source);

/// The arrays of an archive side by side, in their order: a 1-d array is a column of its name, a 2-d one several, `X1`,
/// `X2`, …; one 2-d array alone is a table without names. All have as many rows. They are unpacked into memory.
/// InputError: damaged, encrypted or compressed in another way than by deflating, arrays that are no numbers or of
/// different lengths.
std::unique_ptr<TableReader> open_npz(std::unique_ptr<ByteSource> source, const TableFormat& format = {});
/// The same from bytes owned by someone who outlives the reader.
std::unique_ptr<TableReader> open_npz_bytes(std::string_view bytes, std::string origin = "bytes");

/// The arrays as an archive of their names, not compressed; the same arrays give the same bytes. InputError where they
/// are more than such an archive can hold.
std::string npz_bytes(const std::vector<TensorToWrite>& arrays);

}  // namespace rfnn::io
