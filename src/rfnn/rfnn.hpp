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
#include "rfnn/uncertainty/error_bars.hpp"   // ErrorBars
#include "rfnn/uncertainty/coverage.hpp"     // CoverageSum
#include "rfnn/training/fit.hpp"             // fit, Observer
#include "rfnn/sensitivity/gradients.hpp"    // gradients, GradientPredictor
#include "rfnn/sensitivity/indices.hpp"      // sensitivity_indices, main_effects, energy_by_scale
#include "rfnn/sensitivity/optimum.hpp"      // find_optimum
#include "rfnn/io/model_file.hpp"            // save_model, load_model
#include "rfnn/io/table.hpp"                 // open_table, create_table
#include "rfnn/export/export.hpp"            // export_model
