// Collects complaints, at most a few lines of each kind.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/tiles/tile_series.h"

namespace tilescope::test {

class Complaints {
public:
    /// Notes a broken rule unless `holds`.
    template <class... Args>
    void expect(bool holds, const char* rule, fmt::format_string<Args...> format, Args&&... args) {
        constexpr int most = 3;
        if (!holds && ++counts_[rule] <= most)
            lines_.push_back(std::string(rule) + ": " +
                             fmt::format(format, std::forward<Args>(args)...));
    }

    /// Every value positive, every tile on the device.
    void expectSound(const TileSeries& series, std::int32_t tiles, const std::string& what) {
        for (const TileRun& run : series.runs()) {
            expect(run.value > 0, "no negative bytes, cycles or counts", "{} has {} on tile {}",
                   what, run.value, run.first);
            expect(run.first >= 0 && run.end <= tiles, "tiles exist", "{} lies on tiles {} to {}",
                   what, run.first, run.end);
        }
    }

    [[nodiscard]] std::vector<std::string> take() { return std::move(lines_); }

private:
    std::map<std::string, int> counts_;
    std::vector<std::string> lines_;
};

} // namespace tilescope::test
