#include "rfnn/io/draws_json.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace rfnn::io {

Json draws_json(const std::vector<const ChainDraws*>& chains) {
  const auto number = [](const std::optional<double>& value) {
    return value && std::isfinite(*value) ? Json(*value) : Json();
  };
  Json list = Json::array();
  for (const DrawStatistic& statistic : draw_statistics(chains))
    list.push_back({{"block", statistic.block},
                    {"quantity", std::string(name_of(statistic.quantity))},
                    {"mean", number(statistic.mean)},
                    {"sd", number(statistic.sd)},
                    {"r_hat", number(statistic.r_hat)},
                    {"effective_samples", number(statistic.samples)}});
  return {{"chains", chains.size()}, {"draws", chains.front()->count()}, {"statistics", std::move(list)}};
}

}  // namespace rfnn::io
