// How the user has arranged the lanes of a plot, and the resulting layout, independent of the plot.
#pragma once

#include <QJsonObject>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tilescope::views {

/// The user's changes to a lane.
struct LaneState {
    bool folded = false; ///< to one row
    bool pinned = false; ///< stays at the top while others scroll
    bool hidden = false;
    int rowHeight = 0; ///< in pixels; 0: as the plot chooses
    friend bool operator==(const LaneState&, const LaneState&) = default;
};

/// Lanes by their keys. Unknown lanes keep their default place after the lane before them.
class LaneArrangement {
public:
    using Keys = std::vector<std::string>;

    [[nodiscard]] LaneState of(const std::string& key) const;
    void set(const std::string& key, const LaneState& state);
    /// Places in `keys` from top to bottom: pinned lanes first, with hidden ones.
    [[nodiscard]] std::vector<std::size_t> order(const Keys& keys) const;
    /// The same without hidden lanes.
    [[nodiscard]] std::vector<std::size_t> shown(const Keys& keys) const;
    /// Puts a lane before another one of `keys`, or last (`before` is their number). Pinned lanes
    /// stay among themselves.
    void moveBefore(const Keys& keys, std::size_t lane, std::size_t before);
    /// Moves a lane past `by` lanes that are shown, up if negative. False if it cannot go further.
    bool moveBy(const Keys& keys, std::size_t lane, int by);
    void showAll();

    [[nodiscard]] QJsonObject toJson() const;
    /// Ignores anything that it does not understand.
    static LaneArrangement fromJson(const QJsonObject& json);
    friend bool operator==(const LaneArrangement&, const LaneArrangement&) = default;

private:
    Keys order_; ///< empty: default order
    std::map<std::string, LaneState> states_;
};

/// Where a lane is, in pixels from the top of the plot.
struct LanePlace {
    std::size_t lane = 0; ///< place in the plot's list of lanes
    std::size_t rows = 1;
    double top = 0;
    double rowHeight = 1;
    bool pinned = false;
    bool folded = false;
    [[nodiscard]] double bottom() const { return top + static_cast<double>(rows) * rowHeight; }
};

/// All lanes that are shown, from top to bottom, scrolled.
struct LaneLayout {
    std::vector<LanePlace> places;
    double pinnedHeight = 0; ///< what is above it never scrolls
    double height = 0;       ///< of all lanes, including pinned ones
    double gap = 0;          ///< below each lane

    [[nodiscard]] const LanePlace* of(std::size_t lane) const;
    /// The lane at a height, including the gap below it; nullptr if there is none.
    [[nodiscard]] const LanePlace* at(double y) const;
    /// Whether a lane is visible in a plot of this height.
    [[nodiscard]] bool inSight(const LanePlace& place, double page) const;
};

/// The rows that a lane has when it is not folded.
struct LaneRows {
    LaneArrangement::Keys keys;
    std::vector<std::size_t> rows;
};

/// The rows of all visible lanes plus the gaps between them, in rows: determines a row's height.
double rowsShown(const LaneArrangement& arrangement, const LaneRows& lanes);

/// Lays lanes out below each other: rows of `rowHeight` pixels unless the user has set another
/// height, those that are not pinned moved up by `scroll`, in a plot of `page` pixels.
LaneLayout layOutLanes(const LaneArrangement& arrangement, const LaneRows& lanes, double rowHeight,
                       double scroll, double page);

/// The gap below a lane, in rows.
inline constexpr double laneGap = 0.6;
/// Of rows, in pixels.
inline constexpr int lowestRowHeight = 4;
inline constexpr int highestRowHeight = 80;

} // namespace tilescope::views
