// The points of a sweep: the cross product of its axes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/sweep/axis.h"

namespace tilescope {

/// Points are numbered from 0; the last axis changes fastest.
class SweepGrid {
public:
    /// Throws UserError: no axis, one key on two axes, more than mostSweepPoints points.
    explicit SweepGrid(std::vector<SweepAxis> axes);

    [[nodiscard]] const std::vector<SweepAxis>& axes() const { return axes_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    /// The values at a point, one for each axis.
    [[nodiscard]] std::vector<std::string> valuesAt(std::size_t point) const;
    /// "batchSize=2, availableMemoryProportion=0.1".
    [[nodiscard]] std::string nameOf(std::size_t point) const;
    /// Which value of an axis a point has.
    [[nodiscard]] std::size_t positionOn(std::size_t axis, std::size_t point) const;

private:
    std::vector<SweepAxis> axes_;
    std::vector<std::size_t> strides_; ///< points between two neighbours on an axis
    std::size_t size_ = 1;
};

using OptionValues = std::map<std::string, std::string>; ///< option key to value

/// The options of a point: those of the job, overridden by the point's own.
OptionValues optionsAt(const SweepGrid& grid, std::size_t point, const OptionValues& job);

/// Checks that every value of every axis is possible at least at some point: tilesPerIpu=1472 is,
/// even if only some of the targets have so many tiles. Throws the UserError of the first that is
/// not.
void checkPoints(const SweepGrid& grid, const OptionValues& job);

/// Options that the job sets, apart from the axes, to other than the default, in one spelling, so
/// that two ways to write one job compare equal. The points must have passed checkPoints().
OptionValues fixedOptions(const SweepGrid& grid, const OptionValues& job);

} // namespace tilescope
