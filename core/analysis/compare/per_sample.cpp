#include <cmath>

#include "core/analysis/compare/comparison.h"
#include "core/analysis/compare/table_builder.h"
#include "core/profile/run_samples.h"

namespace tilescope {
namespace {

/// Divisors for the values of source and target.
struct Divisors {
    double source = 1;
    double target = 1;
};

class Samples {
public:
    explicit Samples(const Comparison& comparison)
        : batch_{atLeastOne(static_cast<double>(comparison.source.batchSize)),
                 atLeastOne(static_cast<double>(comparison.target.batchSize))}
        , run_{atLeastOne(samplesOfRun(comparison.source)),
               atLeastOne(samplesOfRun(comparison.target))} {}

    [[nodiscard]] Divisors of(Unit unit, bool ofTile) const {
        if (ofTile)
            return {};
        switch (unit) {
        case Unit::Bytes:
            return batch_;
        case Unit::Cycles:
        case Unit::Seconds:
            return run_;
        case Unit::None:
        case Unit::Count:
        case Unit::Share:
        case Unit::Flops:
        case Unit::Rate:
            break;
        }
        return {};
    }

private:
    static double atLeastOne(double value) { return value > 0 ? value : 1; }
    Divisors batch_;
    Divisors run_;
};

void divide(std::int64_t& value, double divisor) {
    value = std::llround(static_cast<double>(value) / divisor);
}

void divide(std::optional<std::int64_t>& value, double divisor) {
    if (value)
        divide(*value, divisor);
}

void divide(CauseList& list, const Divisors& divisors) {
    divide(list.before, divisors.source);
    divide(list.after, divisors.target);
    for (Cause& cause : list.causes) {
        divide(cause.before, divisors.source);
        divide(cause.after, divisors.target);
    }
    sortByChange(list);
}

} // namespace

double samplesOfRun(const ProfileInfo& info) {
    return info.has(ProfilePart::Run) ? static_cast<double>(runSamplesOf(info).samples()) : 0;
}

Comparison perSample(Comparison comparison) {
    const Samples samples(comparison);
    comparison.perSample = true;
    for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
        const Divisors by = samples.of(allMetrics()[i].unit, allMetrics()[i].ofTile);
        ComparedMetric& metric = comparison.metrics[i];
        if (metric.source)
            *metric.source /= by.source;
        if (metric.target)
            *metric.target /= by.target;
    }
    const Divisors bytes = samples.of(Unit::Bytes, false);
    const Divisors cycles = samples.of(Unit::Cycles, false);
    divide(comparison.memory, bytes);
    divide(comparison.cycles, cycles);
    for (ComparedTable& table : comparison.tables) {
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const Divisors by = samples.of(table.columns[i].unit, table.columns[i].ofTile);
            for (ComparedRow& row : table.rows) {
                divide(row.before[i], by.source);
                divide(row.after[i], by.target);
            }
        }
        sortByChange(table);
    }
    for (AlignedOperation& operation : comparison.aligned) {
        divide(operation.liveBefore, bytes.source);
        divide(operation.liveAfter, bytes.target);
        divide(operation.cyclesBefore, cycles.source);
        divide(operation.cyclesAfter, cycles.target);
    }
    return comparison;
}

} // namespace tilescope
