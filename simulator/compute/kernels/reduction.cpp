#include "simulator/compute/kernels/reduction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulator/compute/kernels/broadcast.h"
#include "simulator/compute/kernels/row_loops.h"

namespace tilescope::sim {
namespace {

/// Dimensions of one kind, outermost first.
struct ReductionDims {
    std::vector<std::int64_t> sizes, steps;

    [[nodiscard]] std::int64_t count() const { return elementsOf(sizes); }
    /// Where the n-th element begins.
    [[nodiscard]] std::int64_t offset(std::int64_t n) const {
        std::int64_t sum = 0;
        for (std::size_t d = sizes.size(); d-- > 0;) {
            sum += n % sizes[d] * steps[d];
            n /= sizes[d];
        }
        return sum;
    }
};

/// Kept and reduced dimensions, neighbours of a kind joined. `run`: the last dimension, contiguous
/// in memory, which is left out of its kind.
struct ReductionPlan {
    ReductionDims kept, reduced;
    std::int64_t run = 1;
    bool runIsReduced = true;
};

ReductionPlan planOf(const Shape& shape, const std::vector<std::int64_t>& axes) {
    struct Part {
        std::int64_t size, step;
        bool reduced;
    };
    std::vector<Part> parts;
    std::int64_t step = elementsOf(shape);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        step /= shape[d];
        if (shape[d] == 1)
            continue;
        const bool reduced =
            std::binary_search(axes.begin(), axes.end(), static_cast<std::int64_t>(d));
        if (!parts.empty() && parts.back().reduced == reduced) {
            parts.back().size *= shape[d];
            parts.back().step = step;
        } else {
            parts.push_back({shape[d], step, reduced});
        }
    }
    ReductionPlan plan;
    if (!parts.empty()) {
        plan.run = parts.back().size;
        plan.runIsReduced = parts.back().reduced;
        parts.pop_back();
    }
    for (const Part& part : parts) {
        ReductionDims& dims = part.reduced ? plan.reduced : plan.kept;
        dims.sizes.push_back(part.size);
        dims.steps.push_back(part.step);
    }
    return plan;
}

/// How values are reduced: the start value, adding an element, joining two partial results.
struct Sum {
    static constexpr double start = 0;
    TILESCOPE_INLINE static double join(double a, double b) { return a + b; }
    TILESCOPE_INLINE static double add(double a, double x) { return a + x; }
};
struct SquareSum : Sum {
    TILESCOPE_INLINE static double add(double a, double x) { return a + x * x; }
};
struct Product {
    static constexpr double start = 1;
    TILESCOPE_INLINE static double join(double a, double b) { return a * b; }
    TILESCOPE_INLINE static double add(double a, double x) { return a * x; }
};
struct Largest {
    static constexpr double start = -std::numeric_limits<double>::infinity();
    TILESCOPE_INLINE static double join(double a, double b) { return a > b || a != a ? a : b; }
    TILESCOPE_INLINE static double add(double a, double x) { return join(a, x); }
};
struct Smallest {
    static constexpr double start = std::numeric_limits<double>::infinity();
    TILESCOPE_INLINE static double join(double a, double b) { return a < b || a != a ? a : b; }
    TILESCOPE_INLINE static double add(double a, double x) { return join(a, x); }
};

/// Reduces contiguous elements to one value.
template <class F, class T> TILESCOPE_INLINE double runBody(const T* values, std::int64_t count) {
    constexpr std::int64_t lanes = 16;
    double sums[lanes];
    for (double& sum : sums)
        sum = F::start;
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            sums[lane] = F::add(sums[lane], static_cast<double>(values[i + lane]));
    double sum = F::start;
    for (; i < count; ++i)
        sum = F::add(sum, static_cast<double>(values[i]));
    for (const double part : sums)
        sum = F::join(sum, part);
    return sum;
}

/// Adds each of the contiguous elements to a value of its own.
template <class F, class T>
TILESCOPE_INLINE void columnsBody(const T* values, double* sums, std::int64_t count) {
    TILESCOPE_VECTOR_LOOP
    for (std::int64_t i = 0; i < count; ++i)
        sums[i] = F::add(sums[i], static_cast<double>(values[i]));
}

#if defined(__x86_64__)
template <class F, class T>
__attribute__((target("avx2,fma"))) double runWide(const T* values, std::int64_t count) {
    return runBody<F>(values, count);
}
template <class F, class T>
__attribute__((target("avx2,fma"))) void columnsWide(const T* values, double* sums,
                                                     std::int64_t count) {
    columnsBody<F>(values, sums, count);
}
#endif

template <class F, class T> double reducedRun(const T* values, std::int64_t count) {
#if defined(__x86_64__)
    if (hasWideVectors())
        return runWide<F>(values, count);
#endif
    return runBody<F>(values, count);
}
template <class F, class T> void reducedColumns(const T* values, double* sums, std::int64_t count) {
#if defined(__x86_64__)
    if (hasWideVectors())
        return columnsWide<F>(values, sums, count);
#endif
    columnsBody<F>(values, sums, count);
}

/// The last dimension is reduced: one value for each kept element; long runs are split into parts.
template <class F, class T>
void reduceRuns(const ReductionPlan& plan, const T* data, std::vector<double>& results) {
    const std::int64_t kept = plan.kept.count();
    const std::int64_t runs = plan.reduced.count();
    const std::int64_t partsOfRun = ceilDiv(plan.run, computeBlock);
    const std::int64_t runsOfPart = std::max<std::int64_t>(1, computeBlock / plan.run);
    const std::int64_t partsOfRuns = ceilDiv(runs, runsOfPart);
    const std::int64_t parts = partsOfRun * partsOfRuns;
    std::vector<double> partial(static_cast<std::size_t>(kept * parts));
    const std::int64_t work = std::min(plan.run, computeBlock) * std::min(runs, runsOfPart);
    inBlocks(kept * parts, std::max<std::int64_t>(1, computeBlock / work),
             [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                     const std::int64_t part = i % parts;
                     const std::int64_t left = part % partsOfRun * computeBlock;
                     const std::int64_t first = part / partsOfRun * runsOfPart;
                     const T* base = data + plan.kept.offset(i / parts) + left;
                     double sum = F::start;
                     for (std::int64_t r = first; r < std::min(first + runsOfPart, runs); ++r)
                         sum = F::join(sum, reducedRun<F>(base + plan.reduced.offset(r),
                                                          std::min(computeBlock, plan.run - left)));
                     partial[static_cast<std::size_t>(i)] = sum;
                 }
             });
    for (std::int64_t k = 0; k < kept; ++k) {
        double sum = F::start;
        for (std::int64_t part = 0; part < parts; ++part)
            sum = F::join(sum, partial[static_cast<std::size_t>(k * parts + part)]);
        results[static_cast<std::size_t>(k)] = sum;
    }
}

/// The last dimension is kept: rows are added up by column; many rows are split into parts.
template <class F, class T>
void reduceColumns(const ReductionPlan& plan, const T* data, std::vector<double>& results) {
    constexpr std::int64_t columnsAtOnce = 1024;
    const std::int64_t outer = plan.kept.count();
    const std::int64_t rows = plan.reduced.count();
    const std::int64_t width = std::min(plan.run, columnsAtOnce);
    const std::int64_t columnParts = ceilDiv(plan.run, width);
    // Few parts, since the sums of each take as much memory as a row.
    const std::int64_t rowsOfPart =
        std::max<std::int64_t>({16, ceilDiv(rows, 16), 4 * computeBlock / width});
    const std::int64_t rowParts = ceilDiv(rows, rowsOfPart);
    const std::int64_t total = outer * plan.run;
    std::vector<double> partial(static_cast<std::size_t>(total * rowParts), F::start);
    inBlocks(outer * columnParts * rowParts, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t rowPart = i % rowParts;
            const std::int64_t left = i / rowParts % columnParts * width;
            const std::int64_t block = i / rowParts / columnParts;
            const T* base = data + plan.kept.offset(block) + left;
            double* sums = partial.data() + rowPart * total + block * plan.run + left;
            const std::int64_t first = rowPart * rowsOfPart;
            for (std::int64_t r = first; r < std::min(first + rowsOfPart, rows); ++r)
                reducedColumns<F>(base + plan.reduced.offset(r), sums,
                                  std::min(width, plan.run - left));
        }
    });
    std::copy_n(partial.begin(), total, results.begin());
    for (std::int64_t part = 1; part < rowParts; ++part)
        for (std::int64_t k = 0; k < total; ++k) {
            double& sum = results[static_cast<std::size_t>(k)];
            sum = F::join(sum, partial[static_cast<std::size_t>(part * total + k)]);
        }
}

template <class F, class T>
void reduceAll(const ReductionPlan& plan, const T* data, std::vector<double>& results) {
    if (plan.runIsReduced)
        reduceRuns<F>(plan, data, results);
    else
        reduceColumns<F>(plan, data, results);
}

/// Calls use(k, value, n) for each kept element k and all elements reduced to it, in order.
template <class T, class Begin, class Use, class End>
void forEachReduced(const ReductionPlan& plan, const T* data, const Begin& begin, const Use& use,
                    const End& end) {
    const std::int64_t outer = plan.kept.count();
    const std::int64_t inner = plan.reduced.count();
    const std::int64_t keptRun = plan.runIsReduced ? 1 : plan.run;
    const std::int64_t reducedRun = plan.runIsReduced ? plan.run : 1;
    const std::int64_t work = inner * reducedRun;
    inBlocks(outer * keptRun, std::max<std::int64_t>(1, computeBlock / work),
             [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t k = first; k < last; ++k) {
                     const T* base = data + plan.kept.offset(k / keptRun) + k % keptRun;
                     auto state = begin(k);
                     for (std::int64_t r = 0; r < inner; ++r)
                         for (std::int64_t i = 0; i < reducedRun; ++i)
                             use(state, base[plan.reduced.offset(r) + i], r * reducedRun + i);
                     end(k, state);
                 }
             });
}

template <class T>
void reduceLogarithms(const ReductionPlan& plan, const T* data, std::vector<double>& results) {
    reduceAll<Largest>(plan, data, results);
    const auto at = [&](std::int64_t k) -> double& { return results[static_cast<std::size_t>(k)]; };
    struct State {
        double base, sum;
    };
    forEachReduced(
        plan, data,
        [&](std::int64_t k) {
            return State{std::isfinite(at(k)) ? at(k) : 0.0, 0.0};
        },
        [](State& state, T value, std::int64_t) {
            state.sum += std::exp(static_cast<double>(value) - state.base);
        },
        [&](std::int64_t k, const State& state) { at(k) = state.base + std::log(state.sum); });
}

/// The index of the first extreme value.
template <class T>
void reduceToIndex(const ReductionPlan& plan, const T* data, bool largest,
                   std::vector<double>& results) {
    struct State {
        T best;
        std::int64_t index;
    };
    forEachReduced(
        plan, data,
        [](std::int64_t) {
            return State{T{}, -1};
        },
        [&](State& state, T value, std::int64_t n) {
            const bool better = largest ? value > state.best : value < state.best;
            if (state.index < 0 || better)
                state = {value, n};
        },
        [&](std::int64_t k, const State& state) {
            results[static_cast<std::size_t>(k)] = static_cast<double>(state.index);
        });
}

template <class T>
void reduceBy(ReduceFunction function, const ReductionPlan& plan, const T* data,
              std::vector<double>& results) {
    switch (function) {
    case ReduceFunction::Add:
    case ReduceFunction::Mean:
        return reduceAll<Sum>(plan, data, results);
    case ReduceFunction::Max:
        return reduceAll<Largest>(plan, data, results);
    case ReduceFunction::Min:
        return reduceAll<Smallest>(plan, data, results);
    case ReduceFunction::Multiply:
        return reduceAll<Product>(plan, data, results);
    case ReduceFunction::SquareAdd:
        return reduceAll<SquareSum>(plan, data, results);
    case ReduceFunction::LogAdd:
        return reduceLogarithms(plan, data, results);
    case ReduceFunction::ArgMax:
    case ReduceFunction::ArgMin:
        return reduceToIndex(plan, data, function == ReduceFunction::ArgMax, results);
    }
}

} // namespace

void reduceInto(TensorData& result, const TensorData& data, ReduceFunction function,
                const std::vector<std::int64_t>& axes, double scale) {
    const ReductionPlan plan = planOf(data.shape(), axes);
    std::vector<double> results(static_cast<std::size_t>(result.elements()));
    if (data.isReal())
        reduceBy(function, plan, data.reals().data(), results);
    else if (data.type() == DataType::UInt32)
        reduceBy(function, plan, reinterpret_cast<const std::uint32_t*>(data.ints().data()),
                 results);
    else
        reduceBy(function, plan, data.ints().data(), results);
    if (function == ReduceFunction::Mean)
        scale *= static_cast<double>(result.elements()) / static_cast<double>(data.elements());
    if (result.isReal()) // halves are rounded where all results are
        std::transform(results.begin(), results.end(), result.reals().begin(),
                       [scale](double sum) { return static_cast<float>(sum * scale); });
    else
        for (std::size_t k = 0; k < results.size(); ++k)
            result.setNumber(static_cast<std::int64_t>(k), results[k] * scale);
}

void compute(const ReduceAttributes& reduce, KernelCall& call) {
    reduceInto(call.make(), call.inputs.at(0), reduce.function, reduce.axes, reduce.scale);
}

void compute(const JointReduceAttributes& joint, KernelCall& call) {
    for (std::size_t i = 0; i < joint.functions.size(); ++i)
        reduceInto(call.make(i), call.inputs.at(i), joint.functions[i], joint.axes,
                   joint.scales.empty() ? 1 : joint.scales.at(i));
}

} // namespace tilescope::sim
