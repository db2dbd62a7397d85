#pragma once

// Private header.

#include "rfnn/core/communicator.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/rows/ranks/piece_holder.hpp"
#include "rfnn/training/ranks/records.hpp"

namespace rfnn::training {

/// Of all ranks at once: hands the records, which are in order from rank to rank, to those that hold them while they
/// are fitted to, cut into pieces and standardised by the model's scaler. The records are gone then. `weighted`: the
/// rows do not all count alike. `storage`: where those of this rank are to lie.
rows::SpreadRows place_records(Records& records, const RecordShape& shape, const Model& model, bool weighted,
                               rows::Storage storage, Communicator& ranks);

}  // namespace rfnn::training
