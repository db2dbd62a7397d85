#pragma once

// The names a user needs, in reading order.

#include "rfnn/core/error.hpp"               // Error, UsageError, InputError, NumericalError
#include "rfnn/core/matrix.hpp"              // Matrix, MatrixView, ConstMatrixView
#include "rfnn/core/version.hpp"             // version()
#include "rfnn/options/options.hpp"          // Options, preset_options
#include "rfnn/options/table.hpp"            // set_option, options_to_json
#include "rfnn/data/columns.hpp"             // ColumnView, Columns
#include "rfnn/data/dataset.hpp"             // Dataset, DatasetView
#include "rfnn/data/targets.hpp"             // generate: the paper's functions
#include "rfnn/model/model.hpp"              // Model
#include "rfnn/rows/predict.hpp"             // predict
#include "rfnn/diagnostics/scores.hpp"       // ScoreSum
#include "rfnn/diagnostics/spectrum.hpp"     // spectrum
#include "rfnn/diagnostics/law_density.hpp"  // laws
#include "rfnn/diagnostics/trend.hpp"        // trends
#include "rfnn/training/fit.hpp"             // fit, Observer
#include "rfnn/io/model_file.hpp"            // save_model, load_model
#include "rfnn/io/table.hpp"                 // open_table, create_table
