#include "rfnn/rows/ranks/pass_log.hpp"

#include <utility>

#include "rfnn/rows/ranks/message.hpp"

namespace rfnn::rows {
namespace {

bool of_chain(Pass pass) {
  return pass == Pass::scale_chain || pass == Pass::drop_chain || pass == Pass::keep || pass == Pass::propose ||
         pass == Pass::accept || pass == Pass::begin_block;
}

/// Behind what a pass that comes to no sum is followed by.
void skip(Pass pass, Reader& in) {
  if (pass == Pass::scale_chain) in.get<double>();
  if (pass == Pass::accept) in.get_list<char>();
  if (pass == Pass::keep || pass == Pass::propose) {
    in.get<std::uint64_t>();
    in.get_matrix();
  }
}

}  // namespace

std::vector<Step> steps_of(std::string_view message) {
  std::vector<Step> steps;
  for (Reader in(message); !in.at_end();) {
    Step& step = steps.emplace_back();
    step.pass = in.get<Pass>();
    if (step.pass == Pass::finish) break;
    step.number = in.get<std::uint64_t>();
    const std::string_view rest = in.rest();
    if (step.pass > Pass::sums) {
      step.bytes = rest;
      break;
    }
    skip(step.pass, in);
    step.bytes = rest.substr(0, rest.size() - in.rest().size());
  }
  return steps;
}

void PassLog::note(std::string_view message) {
  for (const Step& step : steps_of(message)) {
    Reader in(step.bytes);
    switch (step.pass) {
      case Pass::begin_block:
        forget_chain(step.number);
        chains_[step.number];
        entries_.push_back({step.pass, step.number, std::string(step.bytes)});
        break;
      case Pass::drop_chain:
        forget_chain(step.number);
        break;
      case Pass::keep: {
        const auto branch = in.get<std::uint64_t>();
        chains_[step.number].kept[branch] = in.get_matrix();
        break;
      }
      case Pass::propose: {
        Frequencies& chain = chains_[step.number];
        chain.proposed_branch = in.get<std::uint64_t>();
        chain.proposed = in.get_matrix();
        break;
      }
      case Pass::accept: {
        Frequencies& chain = chains_[step.number];
        const std::vector<char> accepted = in.get_list<char>();
        Matrix& kept = chain.kept[chain.proposed_branch];
        for (std::size_t j = 0; j < accepted.size(); ++j)
          for (std::size_t k = 0; accepted[j] && k < kept.cols(); ++k) kept(j, k) = (*chain.proposed)(j, k);
        chain.proposed.reset();
        break;
      }
      case Pass::copy:
      case Pass::drop:
      case Pass::scale_chain:
      case Pass::advance:
        entries_.push_back({step.pass, step.number, std::string(step.bytes)});
        break;
      default:
        break;  // a sum that changes nothing
    }
  }
}

void PassLog::forget_chain(std::uint64_t number) {
  entries_.remove_if([&](const Entry& entry) { return of_chain(entry.pass) && entry.number == number; });
  chains_.erase(number);
}

std::vector<std::string> PassLog::messages() const {
  std::vector<std::string> messages;
  Writer out;
  for (const Entry& entry : entries_) {
    out.put(entry.pass);
    out.put(entry.number);
    out.put_raw(entry.bytes);
    if (entry.pass > Pass::sums) messages.push_back(out.take());
  }
  const auto put = [&](Pass pass, std::uint64_t chain, std::uint64_t branch, const Matrix& frequencies) {
    out.put(pass);
    out.put(chain);
    out.put(branch);
    out.put_matrix(frequencies);
  };
  for (const auto& [number, chain] : chains_) {
    for (const auto& [branch, frequencies] : chain.kept) put(Pass::keep, number, branch, frequencies);
    if (chain.proposed) put(Pass::propose, number, chain.proposed_branch, *chain.proposed);
  }
  if (!out.empty()) messages.push_back(out.take());
  return messages;
}

}  // namespace rfnn::rows
