// What stands out in a profile: its cost, the numbers that show it, and what would change it.
#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "core/table/unit.h"
#include "core/view/profile_view.h"
#include "core/view/thing.h"

namespace tilescope {

/// What an insight costs, which decides its rank.
enum class InsightKind { Time, Memory, Values };
template <>
inline constexpr auto enumNames<InsightKind> = std::to_array<std::string_view>({"time", "memory",
                                                                                "values"});

enum class InsightLevel { Good, Note, Warning, Problem };
template <>
inline constexpr auto enumNames<InsightLevel> =
    std::to_array<std::string_view>({"good", "note", "warning", "problem"});

/// Cycles, bytes or elements of tensors that an insight is about.
struct InsightCost {
    /// Of the last run, on the IPU in question; of one execution of each step where nothing ran.
    std::int64_t cycles = 0;
    std::int64_t bytes = 0;
    /// Of the run's cycles, of the memory of the tiles in question or of the elements that were
    /// looked at; 0 where nothing ran.
    double share = 0;
    std::int64_t elements = 0; ///< of tensors at sampled iterations, or of their channels
    bool ofOneTile = false;    ///< bytes and share are of a tile's memory, not of all tiles'
};
/// What `share` is a share of: "the run", "a tile's memory", "all memory" or "those looked at".
std::string_view wholeOf(const InsightCost& cost);
/// "12,345 cycles, 6.3 % of the run", "1.50 MiB, 12.3 % of a tile's memory" or "34 elements, 1.2 %
/// of those looked at".
std::string formatCost(const InsightCost& cost);

/// A number that supports an insight.
struct Evidence {
    std::string label;
    double value = 0;
    Unit unit = Unit::Count;
    TileId tile; ///< the tile that the number belongs to, if any
    OperationId operation;
    std::string text; ///< instead of a value, for Unit::None: "[N][C/16][HW][16]"
};
/// Its value or its text; cycles also as time at a clock (Hz).
Cell cellOf(const Evidence& evidence, double clockHz = 0);

/// Something to try: an option, or a change of the model.
struct Advice {
    enum class Direction { Lower, Raise, Set, Change };
    /// The model's "option".
    static constexpr const char* model = "model";

    std::string option; ///< key of the run option table, or `model`
    Direction direction = Direction::Change;
    std::string value;   ///< to try; empty if no value can be recommended
    std::string instead; ///< what is in force; may be empty
    std::string effect;  ///< "moves weights less often"; whole sentences for changes of the model
    /// Cycles of the run that it is predicted to save at most, for as many samples; 0 if this
    /// cannot be predicted.
    std::int64_t gain = 0;
    std::map<std::string, std::string> with = {}; ///< options that it needs as well, by key
};
template <>
inline constexpr auto enumNames<Advice::Direction> =
    std::to_array<std::string_view>({"lower", "raise", "set", "change"});
/// "--batch-size 8", with all options that it sets; for the model, its sentences.
std::string changeOf(const Advice& advice);
/// "A higher --batch-size (64 instead of 32) moves weights less often."
std::string sentenceOf(const Advice& advice);

/// Where in the reports to look.
struct InsightLink {
    std::string report; ///< section of `tilescope report`: "memory", "liveness", "trace", ...
    std::vector<std::string> also = {}; ///< further sections that show the same place
    Things things;                      ///< what is selected there
};

struct Insight {
    InsightKind kind = InsightKind::Memory; ///< of its rule
    std::string rule;                       ///< name of the rule that found it: "worstTiles"
    InsightLevel level = InsightLevel::Note;
    InsightCost cost;
    std::string title;          ///< one line
    std::string reason;         ///< explanation, in sentences; may be empty
    std::vector<Advice> advice; ///< what to change, most effective first
    std::vector<Evidence> evidence;
    InsightLink link;
};
/// The reason, and the advice in sentences; may be empty.
std::string adviceText(const Insight& insight);

/// Runs shorter than this are moved element by element.
inline constexpr std::int64_t shortRunBytes = 8;

/// All insights that apply, by cost: a model that does not fit, then numbers that are lost, then
/// time before memory (memory before time in a model that does not fit), each with the largest
/// share first. Without a trace, insights about a run are left out.
std::vector<Insight> findInsights(const ProfileView& profile, const std::stop_token& stop = {});
std::vector<Insight> findInsights(const Profile& profile);

} // namespace tilescope
