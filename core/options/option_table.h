// The options of a run as one table, from which the command line, job files, their JSON schema, the
// manual and the window's dialog are made.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/enum_names.h"

namespace tilescope {

struct RunOptions;

/// Options that belong together in a form, in the order of the form.
enum class OptionTopic {
    Machine,
    BatchAndRun,
    Host,
    Numbers,
    MemoryAndPlanning,
    Replicas,
    SeveralIpus,
    Functions,
    Training,
    ModelAndEngine,
    Compute,
};
inline constexpr auto optionTopics = valuesUpTo<OptionTopic::Compute>;
template <>
inline constexpr auto enumTitles<OptionTopic> = std::to_array<std::string_view>(
    {"Machine", "Batch and run", "Host", "Numbers", "Memory and planning", "Replicas",
     "Several IPUs", "Functions", "Training", "Model and engine", "Values"});

template <>
inline constexpr auto enumNames<OptionTopic> =
    std::to_array<std::string_view>({"machine", "batch", "host", "numbers", "memory", "replicas",
                                     "ipus", "functions", "training", "model", "values"});
/// A one-line description of the options of a topic.
std::string_view topicSummary(OptionTopic topic);

/// Bounds of a number, both allowed.
struct OptionRange {
    double least = 0;
    double most = 0;
};

/// A condition without which an option that differs from its default has no meaning.
struct OptionNeed {
    std::function<bool(const RunOptions&)> isMet;
    std::string problem; ///< why, and what to do instead
};

/// An interface of other software with its own names for options.
enum class Face {
    PopTorch,      ///< poptorch.Options
    PopartSession, ///< PopART's session options (poptorch.Options()._Popart)
    Keras,         ///< IPUConfig and methods of Keras models for the IPU
};
inline constexpr auto faces = valuesUpTo<Face::Keras>;
template <>
inline constexpr auto enumTitles<Face> = std::to_array<std::string_view>({"PopTorch", "PopART",
                                                                          "Keras"});
template <>
inline constexpr auto enumNames<Face> = std::to_array<std::string_view>({"poptorch", "popart",
                                                                         "keras"});

/// The name of an option in a face, whose program makes it a key of a job.
struct OptionFace {
    Face face;
    std::string name; ///< "Training.gradientAccumulation", "numIOTiles"
    /// Values that the face spells in its own way, with ours: {"2", "norm-only"}, {"true", "all"}.
    std::vector<std::pair<std::string, std::string>> values = {};
};

/// A row of the option table. Values are text: flags, job files and dialogs all use it.
struct OptionSpec {
    OptionTopic topic = OptionTopic::Machine;
    std::string key;  ///< "availableMemoryProportion"
    std::string flag; ///< "--available-memory-proportion", made from the key
    enum class Type {
        Integer,
        Number,
        Text,
        Choice,
        Flag,
        Json,
        Proportion,
        Pairs
    } type = Type::Text;
    std::vector<std::string> choices; ///< of a Choice; a Flag is "on" or "off"
    std::string defaultValue;         ///< of a new RunOptions; "" if there is none
    std::string help;
    /// Bounds of a number, which may depend on the target; none of other options.
    std::function<OptionRange(const RunOptions&)> range;
    std::function<void(const OptionSpec&, RunOptions&, const std::string& value)> parse;
    /// The value in force, as text.
    std::function<std::string(const RunOptions&)> get;
    std::vector<OptionNeed> needs; ///< checked in this order
    std::vector<OptionFace> faces;

    /// Parses and stores; throws OptionError that names the key, the value and what is allowed.
    void set(RunOptions& options, const std::string& value) const { parse(*this, options, value); }
    /// Whether it differs from its default.
    [[nodiscard]] bool isGiven(const RunOptions& options) const {
        return get(options) != defaultValue;
    }
    /// The row with an additional need.
    [[nodiscard]] OptionSpec needing(std::function<bool(const RunOptions&)> isMet,
                                     std::string problem) && {
        needs.push_back({std::move(isMet), std::move(problem)});
        return std::move(*this);
    }
    /// The row with its names elsewhere.
    [[nodiscard]] OptionSpec knownAs(std::vector<OptionFace> names) && {
        faces = std::move(names);
        return std::move(*this);
    }
};

/// All options, in the order of the help text.
const std::vector<OptionSpec>& runOptionTable();

/// The row of an option; nullptr for an unknown key.
const OptionSpec* findOption(std::string_view key);

/// Options that differ from their defaults and mean nothing beside the others, by key, with the
/// reason: those that validate() refuses for a need.
std::map<std::string, std::string> idleOptions(const RunOptions& options);

/// Sets an option by key; throws UserError naming the nearest key for an unknown one.
void setRunOption(RunOptions& options, std::string_view key, const std::string& value);

/// Sets several options (key to value) in the order of the table, so that the target is known
/// before its tiles are counted. Throws like setRunOption().
void setRunOptions(RunOptions& options, const std::map<std::string, std::string>& values);

} // namespace tilescope
