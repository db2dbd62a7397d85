#include "cli/failure.hpp"

#include <exception>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "rfnn/core/error.hpp"

namespace rfnn::cli {
namespace {

Failure out_of_memory() {
  return {"Out of memory.", "Use fewer rows or columns, a smaller width, or a machine with more memory.",
          ExitCode::numerical};
}

}  // namespace

Failure failure_at_hand() {
  try {
    throw;
  } catch (const UsageError& error) {
    return {error.cause(), error.cure(), ExitCode::usage};
  } catch (const InputError& error) {
    return {error.cause(), error.cure(), ExitCode::input};
  } catch (const NumericalError& error) {
    return {error.cause(), error.cure(), ExitCode::numerical};
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {  // a container larger than memory could ever be
    return out_of_memory();
  } catch (const std::exception& error) {
    return {fmt::format("Internal error: {}.", error.what()), "Please report this with the command line.",
            ExitCode::numerical};
  }
}

}  // namespace rfnn::cli
