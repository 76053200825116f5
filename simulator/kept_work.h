// Work that one simulation leaves for the next of the same model with a few other options. A search
// runs many of them; work that an option does not affect is not repeated.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/options/run_options.h"
#include "core/profile/profile.h"
#include "simulator/graph/graph.h"
#include "simulator/import_model.h"
#include "simulator/planner/plan_table.h"

namespace tilescope::sim {

/// The last value that was made, and its key.
template <class Key, class Value> class Kept {
public:
    /// The value for a key; made now, replacing the previous one, unless that had the same key.
    template <class Make> Value& valueFor(const Key& key, Make&& make) {
        if (!entry_ || !(entry_->first == key)) {
            entry_.reset();
            entry_.emplace(key, make());
        }
        return entry_->second;
    }
    [[nodiscard]] bool has(const Key& key) const { return entry_ && entry_->first == key; }

private:
    std::optional<std::pair<Key, Value>> entry_;
};

/// Kept from one simulation for the next; see simulateModel(). Only the last of each kind, so that
/// memory does not grow with the points of a search; points that share most are consecutive.
struct KeptWork {
    /// Everything that a prepared graph depends on.
    struct Preparation {
        ModelSource source; ///< a file is read once: it does not change meanwhile
        RunOptions options; ///< with defaults for those that only plans depend on
        friend bool operator==(const Preparation&, const Preparation&) = default;
    };
    /// Everything that a lowered and placed program depends on.
    struct Compilation {
        Preparation preparation;
        PlanTable plans;
        friend bool operator==(const Compilation&, const Compilation&) = default;
    };
    struct Program {
        Profile profile;            ///< lowered and placed; nothing of the run is in it
        std::optional<Trace> trace; ///< once it was timed
    };

    Kept<ModelSource, std::string> content; ///< ExecutableCache::contentOf()
    Kept<ModelSource, Graph> imported;
    Kept<Preparation, Graph> prepared;
    Kept<Compilation, Program> compiled;
    PlanMemory plans;
};

/// True for the key of an option that changes the lowered program only by changing plans. Points of
/// a search that differ in such options alone may share all their work.
bool changesPlansOnly(std::string_view optionKey);

/// The options with defaults for those that changesPlansOnly() names; all as they are where plans
/// decide how the graph is prepared.
RunOptions withoutPlanOptions(const RunOptions& options);

} // namespace tilescope::sim
