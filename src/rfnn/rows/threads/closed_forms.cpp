// The passes of closed forms: pairs of rows, a block of rows by a group of others at a time.
#include <algorithm>
#include <vector>

#include "rfnn/features/law_kernels.hpp"
#include "rfnn/features/matrix_kernels.hpp"
#include "rfnn/rows/law_terms.hpp"
#include "rfnn/rows/threads/kernel_triangle.hpp"
#include "rfnn/rows/threads/threaded_work.hpp"

namespace rfnn::rows {
namespace {

using Triangle = dense::Triangle<double>;

/// Rows of a block: as many whole stripes of a triangle as fit into a tile. Others a group is made of, and how many of
/// them at a time, so that their columns stay in the cache.
constexpr std::size_t block_rows = tile_rows / Triangle::width * Triangle::width;
constexpr std::size_t group_rows = 4 * Triangle::width, together = Triangle::width;
/// Rows whose kernels with all centres are held at a time: some stripes of them stay in the cache.
constexpr std::size_t gram_batch = 8 * group_rows;

/// Columns of a tile for `together` centres.
template <class T>
struct PanelColumns {
  AlignedNumbers<T> values = AlignedNumbers<T>(together * tile_rows);
  std::vector<T*> columns;
  std::vector<const T*> readable;

  PanelColumns() {
    for (std::size_t i = 0; i < together; ++i) columns.push_back(values.data() + i * tile_rows);
    readable.assign(columns.begin(), columns.end());
  }
};

/// The parts of a lower triangle that are tasks of their own: a block of rows, a group of columns.
struct PairTask {
  std::size_t block, group;
};
std::vector<PairTask> pair_tasks(std::size_t rows) {
  std::vector<PairTask> tasks;
  for (std::size_t block = 0; block * block_rows < rows; ++block)
    for (std::size_t group = 0; group * group_rows < std::min(rows, (block + 1) * block_rows); ++group)
      tasks.push_back({block, group});
  return tasks;
}

/// Calls with(stripe, row of the tile, column) for the stripes of a block that reach a column.
template <class With>
void each_stripe(std::size_t size, std::size_t block, std::size_t column, const With& with) {
  const std::size_t first = block * block_rows / Triangle::width;
  const std::size_t last =
      std::min((size + Triangle::width - 1) / Triangle::width, first + block_rows / Triangle::width);
  for (std::size_t s = std::max(first, column / Triangle::width); s < last; ++s) with(s, (s - first) * Triangle::width);
}

double total(const AlignedNumbers<double>& lanes, std::size_t i) {
  const double* const own = lanes.data() + i * features::law_lanes<double>;
  return ((own[0] + own[4]) + (own[2] + own[6])) + ((own[1] + own[5]) + (own[3] + own[7]));
}

/// The sums of one task.
struct SlopeSums {
  AlignedNumbers<double> strength, slope, curvature, of_mapped, map;

  explicit SlopeSums(const features::LawView<double>& law) {
    constexpr std::size_t lanes = features::law_lanes<double>;
    strength.assign(law.parts * lanes, 0.0);
    slope.assign(law.variables * law.parts * lanes, 0.0);
    curvature.assign(law.variables * law.parts * lanes, 0.0);
    of_mapped.assign(law.mapped * law.parts * lanes, 0.0);
    map.assign(law.mapped * law.variables * lanes, 0.0);
  }
  features::LawSums<double> view() {
    return {strength.data(), slope.data(), curvature.data(), of_mapped.data(), map.data()};
  }
  void add_to(const features::LawView<double>& law, KernelSlopes& slopes) const {
    for (std::size_t p = 0; p < law.parts; ++p) slopes.strength(static_cast<Eigen::Index>(p)) += total(strength, p);
    const AlignedNumbers<double>& squares = law.mapped > 0 ? of_mapped : curvature;
    for (std::size_t k = 0; k < law.variables; ++k)
      for (std::size_t p = 0; p < law.parts; ++p) {
        const auto variable = static_cast<Eigen::Index>(k), part = static_cast<Eigen::Index>(p);
        slopes.slope(variable, part) += total(slope, k * law.parts + p);
        slopes.curvature(variable, part) += total(squares, k * law.parts + p);
      }
    for (std::size_t j = 0; j < law.mapped; ++j)
      for (std::size_t k = 0; k < law.variables; ++k)
        slopes.map(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k)) += total(map, j * law.variables + k);
  }
};

}  // namespace

bool kernel_triangle(const features::LawKernels<double>& level, const LawTerms<double>& terms, const Matrix& at,
                     Triangle& kernel, Workers& workers, Interrupt& interrupt) {
  const std::size_t size = at.rows();
  if (kernel.size() != size) kernel = Triangle(size);
  const Centres<double> points(terms, at);
  const std::vector<PairTask> tasks = pair_tasks(size);
  std::vector<std::unique_ptr<PanelColumns<double>>> scratch(workers.threads());
  return workers.run(
      tasks.size(), true,
      [&](std::size_t task, std::size_t worker) {
        if (!interrupt.proceed()) return;
        if (!scratch[worker]) scratch[worker] = std::make_unique<PanelColumns<double>>();
        PanelColumns<double>& panel = *scratch[worker];
        const auto [block, group] = tasks[task];
        TilePoints<double> tile;
        tile.place(terms, points, block * block_rows);
        const std::size_t last = std::min({size, (group + 1) * group_rows, (block + 1) * block_rows});
        for (std::size_t first = group * group_rows; first < last; first += together) {
          const std::size_t count = std::min(together, last - first);
          level.panel(terms.view(), tile.columns(), points.from(first), count, panel.columns.data());
          for (std::size_t j = first; j < first + count; ++j)
            each_stripe(size, block, j, [&](std::size_t stripe, std::size_t row) {
              const std::size_t inside = std::min(Triangle::width, size - stripe * Triangle::width);
              std::copy_n(panel.columns[j - first] + row, inside, kernel.stripe(stripe) + j * Triangle::width);
            });
        }
      },
      interrupt);
}

bool ThreadedWork::kernel_matrix(const RowState& rows, const FrequencyLaw& law, Triangle& kernel,
                                 Interrupt& interrupt) {
  return kernel_triangle(*features::law_kernels<double>(kernels_.name), LawTerms<double>(law),
                         variables_of(rows, law.variables()), kernel, workers_, interrupt);
}

bool ThreadedWork::kernel_slopes(const RowState& rows, const FrequencyLaw& law, const Triangle& q, KernelSlopes& slopes,
                                 Interrupt& interrupt) {
  const std::size_t size = rows.count();
  const LawTerms<double> terms(law);
  const Centres<double> points(terms, variables_of(rows, law.variables()));
  const std::vector<PairTask> tasks = pair_tasks(size);
  const features::LawKernels<double>& level = *features::law_kernels<double>(kernels_.name);
  const features::LawView<double> view = terms.view();
  std::vector<std::unique_ptr<PanelColumns<double>>> scratch(workers_.threads());
  std::vector<std::unique_ptr<SlopeSums>> sums(tasks.size());
  const bool done = workers_.run(
      tasks.size(), true,
      [&](std::size_t task, std::size_t worker) {
        if (!interrupt.proceed()) return;
        if (!scratch[worker]) scratch[worker] = std::make_unique<PanelColumns<double>>();
        PanelColumns<double>& weights = *scratch[worker];
        const auto [block, group] = tasks[task];
        sums[task] = std::make_unique<SlopeSums>(view);
        TilePoints<double> tile;
        tile.place(terms, points, block * block_rows);
        const std::size_t last = std::min({size, (group + 1) * group_rows, (block + 1) * block_rows});
        for (std::size_t first = group * group_rows; first < last; first += together) {
          const std::size_t count = std::min(together, last - first);
          std::fill(weights.values.begin(), weights.values.end(), 0.0);
          for (std::size_t j = first; j < first + count; ++j)
            each_stripe(size, block, j, [&](std::size_t stripe, std::size_t row) {
              const std::size_t begin = stripe * Triangle::width, inside = std::min(Triangle::width, size - begin);
              const std::size_t above = j > begin ? j - begin : 0;  // of the diagonal
              std::copy(q.stripe(stripe) + j * Triangle::width + above, q.stripe(stripe) + j * Triangle::width + inside,
                        weights.columns[j - first] + row + above);
            });
          level.gradient(view, tile.columns(), points.from(first), count, weights.readable.data(), sums[task]->view());
        }
      },
      interrupt);
  if (!done) return false;
  const auto variables = static_cast<Eigen::Index>(view.variables), parts = static_cast<Eigen::Index>(view.parts);
  slopes.strength = Eigen::VectorXd::Zero(parts);
  slopes.slope = slopes.curvature = Eigen::MatrixXd::Zero(variables, parts);
  slopes.map = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(view.mapped), variables);
  for (const auto& own : sums) own->add_to(view, slopes);
  return true;
}

// Rows are taken some hundred at a time: their kernels with all centres, then what these add to every part of the sum.
bool ThreadedWork::kernel_gram(const RowState& rows, const FrequencyLaw& law, const Matrix& centres, Triangle& gram,
                               Interrupt& interrupt) {
  constexpr std::size_t width = Triangle::width;
  const std::size_t size = centres.rows(), stripes = (size + width - 1) / width;
  const std::size_t blocks = (size + block_rows - 1) / block_rows, stripes_of_block = block_rows / width;
  gram = Triangle(size);
  const LawTerms<double> terms(law);
  const Centres<double> places(terms, centres), points(terms, variables_of(rows, law.variables()));
  const features::LawKernels<double>& level = *features::law_kernels<double>(kernels_.name);
  const features::MatrixKernels<double>& product = *features::matrix_kernels<double>(kernels_.name);
  // Stripe s: the kernels of its centres and row n of the batch are at [n · width].
  std::vector<AlignedNumbers<double>> made(stripes, AlignedNumbers<double>(gram_batch * width, 0.0));
  std::vector<std::unique_ptr<PanelColumns<double>>> scratch(workers_.threads());
  for (std::size_t begin = 0; begin < rows.count(); begin += gram_batch) {
    const std::size_t batch = std::min(gram_batch, rows.count() - begin);
    const auto make = [&](std::size_t task, std::size_t worker) {
      if (!interrupt.proceed()) return;
      if (!scratch[worker]) scratch[worker] = std::make_unique<PanelColumns<double>>();
      PanelColumns<double>& panel = *scratch[worker];
      const std::size_t block = task % blocks, part = task / blocks;
      TilePoints<double> tile;
      tile.place(terms, places, block * block_rows);
      const std::size_t last = std::min(batch, (part + 1) * group_rows);
      for (std::size_t first = part * group_rows; first < last; first += together) {
        const std::size_t count = std::min(together, last - first);
        level.panel(terms.view(), tile.columns(), points.from(begin + first), count, panel.columns.data());
        for (std::size_t n = first; n < first + count; ++n) {
          const double root = rows.weighted() ? rows.root()(begin + n, 0) : 1.0;
          for (std::size_t s = block * stripes_of_block; s < std::min(stripes, (block + 1) * stripes_of_block); ++s) {
            const double* const from = panel.columns[n - first] + (s * width - block * block_rows);
            const std::size_t inside = std::min(width, size - s * width);
            for (std::size_t r = 0; r < inside; ++r) made[s][n * width + r] = root * from[r];
          }
        }
      }
    };
    const auto add = [&](std::size_t task, std::size_t) {
      if (!interrupt.proceed()) return;
      const std::size_t s = stripes - 1 - task;  // the longest first
      for (std::size_t other = 0; other <= s; ++other)
        for (std::size_t row = 0; row < width; row += features::block_columns)
          product.add(gram.stripe(s) + (other * width + row) * width, made[s].data(), made[other].data() + row, batch);
    };
    if (!workers_.run(blocks * ((batch + group_rows - 1) / group_rows), true, make, interrupt)) return false;
    if (!workers_.run(stripes, true, add, interrupt)) return false;
  }
  return true;
}

}  // namespace rfnn::rows
