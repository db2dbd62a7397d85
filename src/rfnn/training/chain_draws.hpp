#pragma once

// Private header. Preset paper: networks drawn from the chains (model/draws.hpp), and error bars by what they disagree
// about.

#include <cstdint>
#include <functional>
#include <vector>

#include "rfnn/training/network_training.hpp"
#include "rfnn/training/run.hpp"

namespace rfnn::training {

/// Fills `draws` of the run's model, whose blocks are final, and its `uncertainty`. `rows`: as they are before any
/// block; `rows_of`: those of a block (from 1). A warning says where there are none, or fewer than asked for, or where
/// no rows are held out to judge them by.
void draw_from_chains(Run& run, const TrainedNetwork& trained, const NetworkRows& rows,
                      const std::function<std::vector<std::size_t>(std::int64_t)>& rows_of, rows::RowWork& work);

}  // namespace rfnn::training
