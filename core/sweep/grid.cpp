#include "core/sweep/grid.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/base/error.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"

namespace tilescope {
namespace {

RunOptions parsedAt(const SweepGrid& grid, std::size_t point, const OptionValues& job) {
    RunOptions options;
    setRunOptions(options, optionsAt(grid, point, job));
    validate(options);
    return options;
}

/// The error of a point's options; "" if they are valid.
std::string complaintAt(const SweepGrid& grid, std::size_t point, const OptionValues& job) {
    try {
        parsedAt(grid, point, job);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

} // namespace

SweepGrid::SweepGrid(std::vector<SweepAxis> axes)
    : axes_(std::move(axes))
    , strides_(axes_.size(), 1) {
    if (axes_.empty())
        throw UserError("a sweep needs an option to vary: --vary KEY=A:B:STEP, such as "
                        "--vary batchSize=2:24:2");
    for (std::size_t i = axes_.size(); i-- > 0;) {
        const SweepAxis& axis = axes_[i];
        const auto same = std::count_if(axes_.begin(), axes_.end(), [&](const SweepAxis& other) {
            return other.key == axis.key;
        });
        if (same > 1)
            throw UserError(fmt::format("option --vary {}: the key is varied twice; put all its "
                                        "values into one --vary",
                                        axis.key));
        if (axis.values.empty())
            throw UserError(fmt::format("option --vary {}: there are no values", axis.key));
        strides_[i] = size_;
        if (axis.values.size() > mostSweepPoints / size_)
            throw UserError(fmt::format("option --vary {}: with its {} values the sweep has more "
                                        "than {} points; take larger steps or fewer axes",
                                        axis.key, axis.values.size(), mostSweepPoints));
        size_ *= axis.values.size();
    }
}

std::size_t SweepGrid::positionOn(std::size_t axis, std::size_t point) const {
    return point / strides_[axis] % axes_[axis].values.size();
}

std::vector<std::string> SweepGrid::valuesAt(std::size_t point) const {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < axes_.size(); ++i)
        values.push_back(axes_[i].values[positionOn(i, point)]);
    return values;
}

std::string SweepGrid::nameOf(std::size_t point) const {
    std::string name;
    const std::vector<std::string> values = valuesAt(point);
    for (std::size_t i = 0; i < axes_.size(); ++i)
        name += fmt::format("{}{}={}", i == 0 ? "" : ", ", axes_[i].key, values[i]);
    return name;
}

OptionValues optionsAt(const SweepGrid& grid, std::size_t point, const OptionValues& job) {
    OptionValues options = job;
    for (std::size_t i = 0; i < grid.axes().size(); ++i) {
        const SweepAxis& axis = grid.axes()[i];
        options[axis.key] = axis.values[grid.positionOn(i, point)];
    }
    return options;
}

void checkPoints(const SweepGrid& grid, const OptionValues& job) {
    struct Verdict {
        bool possible = false;
        std::optional<std::size_t> wrongPoint;
    };
    std::vector<std::vector<Verdict>> verdicts;
    for (const SweepAxis& axis : grid.axes())
        verdicts.emplace_back(axis.values.size());
    for (std::size_t point = 0; point < grid.size(); ++point) {
        const bool good = complaintAt(grid, point, job).empty();
        for (std::size_t i = 0; i < verdicts.size(); ++i) {
            Verdict& verdict = verdicts[i][grid.positionOn(i, point)];
            verdict.possible |= good;
            if (!good && !verdict.wrongPoint)
                verdict.wrongPoint = point;
        }
    }
    for (const auto& axis : verdicts)
        for (const Verdict& verdict : axis)
            if (!verdict.possible && verdict.wrongPoint)
                parsedAt(grid, *verdict.wrongPoint, job); // throws what is wrong
}

OptionValues fixedOptions(const SweepGrid& grid, const OptionValues& job) {
    std::size_t point = 0;
    while (point + 1 < grid.size() && !complaintAt(grid, point, job).empty())
        ++point;
    const RunOptions options = parsedAt(grid, point, job);
    OptionValues fixed;
    for (const OptionSpec& spec : runOptionTable()) {
        const bool varied =
            std::any_of(grid.axes().begin(), grid.axes().end(),
                        [&](const SweepAxis& axis) { return axis.key == spec.key; });
        // Where compiled programs are kept does not affect results.
        if (varied || spec.key == "executableCache" || !job.contains(spec.key))
            continue;
        if (std::string value = spec.get(options); value != spec.defaultValue)
            fixed[spec.key] = std::move(value);
    }
    return fixed;
}

} // namespace tilescope
