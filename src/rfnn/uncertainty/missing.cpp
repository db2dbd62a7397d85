#include "rfnn/uncertainty/missing.hpp"

namespace rfnn::uncertainty {

Missing why_missing(const Model& model) {
  switch (model.stop_reason) {
    case StopReason::constant_target:
      return {"The target is constant: there are no errors to learn from.", "Train on rows whose target varies."};
    case StopReason::no_inputs:
      return {"No input varies: there was nothing to train.", "Train on rows whose inputs vary."};
    default:
      break;
  }
  if (model.facts.count(went_on) > 0)
    return {"It went on from another model, whose blocks may have seen the rows held out.",
            "Train it in one go on all rows, without --from."};
  if (model.blocks() == 0)
    return {"It has no blocks.", "Train it with some: leave out blocks 0, or give it more time."};
  if (model.options.preset == Preset::paper)
    return {"Preset paper learns that from draws of its chains alone.",
            "Train it again with draws 100, say, or with preset auto."};
  if (model.options.validation_fraction == 0.0)
    return {"No rows were held out to learn that from.", "Train it again without validation-fraction 0."};
  switch (model.stop_reason) {
    case StopReason::out_of_time:
    case StopReason::interrupted:
      return {"Training was cut short before it was learnt.", "Train it again with more time."};
    default:
      return {"There were no rows that its networks had not seen.",
              "Train it again on more rows: preset auto learns that from rows held out."};
  }
}

}  // namespace rfnn::uncertainty
