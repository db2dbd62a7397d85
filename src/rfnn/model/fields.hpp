#pragma once

// Private header. What networks and their records are made of, for core/archive.hpp.

#include "rfnn/core/archive.hpp"
#include "rfnn/model/history.hpp"
#include "rfnn/model/law.hpp"
#include "rfnn/model/model.hpp"
#include "rfnn/model/network.hpp"

namespace rfnn {

template <class Archive>
void fields(Archive& archive, FrequencyLaw::Part& part) {
  archive(part.strength, part.smooth, part.rough, part.order, part.centre, part.radial);
}
template <class Archive>
void fields(Archive& archive, FrequencyLaw& law) {
  archive(law.parts, law.map);
}
template <class Archive>
void fields(Archive& archive, Windows& windows) {
  archive(windows.low, windows.high, windows.scale, windows.rows);
}
template <class Archive>
void fields(Archive& archive, ClosedForm& form) {
  archive(form.law, form.centres, form.coefficients, form.windows);
}
template <class Archive>
void fields(Archive& archive, Branch& branch) {
  archive(branch.kind, branch.frequencies, branch.amplitudes, branch.lattice, branch.closed_form, branch.trend);
}
template <class Archive>
void fields(Archive& archive, Block& block) {
  archive(block.branches);
}
template <class Archive>
void fields(Archive& archive, Scaler& scaler) {
  archive(scaler.input_mean, scaler.input_sd, scaler.output_mean, scaler.output_sd, scaler.input_log_from);
}

template <class Archive>
void fields(Archive& archive, Histogram& histogram) {
  archive(histogram.variable, histogram.low, histogram.high, histogram.counts);
}
template <class Archive>
void fields(Archive& archive, BranchRecord& record) {
  archive(record.kind, record.proposed, record.accepted, record.accepted_frequencies);
}
template <class Archive>
void fields(Archive& archive, TracePoint& point) {
  archive(point.iteration, point.loss, point.frequency, point.amplitude);
}
template <class Archive>
void fields(Archive& archive, BlockRecord& record) {
  archive(record.member, record.block, record.method, record.width, record.rows, record.proposal_rows,
          record.iterations, record.complete, record.ridge, record.train_mse, record.validation_mse, record.condition,
          record.solves, record.solver_fallbacks, record.seconds, record.branches, record.trace);
}

}  // namespace rfnn
