#include "tests/support/scope_memory.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "core/analysis/programs/programs.h"

namespace tilescope::test {
namespace {

class ScopeSums {
public:
    ScopeSums(const Profile& profile, std::string_view scope)
        : profile_(profile) {
        for (const Operation& operation : profile.operations)
            members_.push_back(isInScope(operation.name, scope));
    }

    ScopeMemory run() {
        sums_.operations =
            static_cast<std::int32_t>(std::count(members_.begin(), members_.end(), true));
        if (sums_.operations == 0)
            return sums_;
        addVertices();
        for (const Exchange& exchange : profile_.exchanges)
            if (has(exchange.operation))
                sums_.exchangeCode += exchange.codeBytes.sum();
        for (const Program& program : profile_.programs)
            if (has(program.operation) && !isControl(program.kind))
                sums_.controlCode += program.controlCode.sum();
        addVariables();
        return sums_;
    }

private:
    [[nodiscard]] bool has(OperationId id) const {
        return id.valid() && id.index() < members_.size() && members_[id.index()];
    }

    void addVertices() {
        std::map<VertexTypeId, TileSeries> counts;
        for (const ComputeSet& set : profile_.computeSets) {
            if (!has(set.operation))
                continue;
            for (const VertexInstances& use : set.vertices) {
                sums_.vertexState += use.stateBytes.sum();
                counts[use.type] += use.count;
            }
        }
        for (const auto& [type, count] : counts)
            // A damaged file may name a type that it does not have.
            if (type.valid() && type.index() < profile_.vertexTypes.size())
                sums_.vertexCode += TileSeries::zip(count, profile_.vertexTypes[type].codeBytes,
                                                    [](std::int64_t n, std::int64_t code) {
                                                        return n > 0 ? code : 0;
                                                    })
                                        .sum();
    }

    /// Steps from the first to before the last one that the scope's programs run.
    [[nodiscard]] std::optional<StepInterval> steps() const {
        std::optional<StepInterval> range;
        for (std::size_t i = 0; i < profile_.steps.size(); ++i) {
            if (!has(profile_.programs[profile_.steps[StepId(i)]].operation))
                continue;
            if (!range)
                range = StepInterval{StepId(i), StepId(i)};
            range->end = StepId(i + 1);
        }
        return range;
    }

    [[nodiscard]] static bool holdsData(MemoryCategory category) {
        return category == MemoryCategory::Variable || category == MemoryCategory::Constant ||
               category == MemoryCategory::Message;
    }

    void addVariables() {
        const auto range = steps();
        if (!range)
            return;
        const std::size_t first = range->first.index();
        const std::size_t count = range->end.index() - first;
        // What begins and ends at each step of the range.
        std::vector<std::vector<const Variable*>> begins(count), ends(count + 1);
        for (const Variable& variable : profile_.variables) {
            if (!has(variable.operation) || !holdsData(variable.category))
                continue;
            if (variable.alwaysLive) {
                begins[0].push_back(&variable);
                continue;
            }
            if (!variable.liveness.valid())
                continue;
            for (const StepInterval& live : profile_.livenessClasses[variable.liveness].intervals) {
                const std::size_t from = std::max(live.first.index(), first);
                const std::size_t to = std::min(live.end.index(), first + count);
                if (from >= to)
                    continue;
                begins[from - first].push_back(&variable);
                ends[to - first].push_back(&variable);
            }
        }
        sums_.variables = mostOverSteps(begins, ends);
    }

    using Events = std::vector<std::vector<const Variable*>>;
    [[nodiscard]] std::int64_t mostOverSteps(const Events& begins, const Events& ends) const {
        const auto tiles = static_cast<std::size_t>(profile_.info.target.totalTiles());
        std::vector<std::int64_t> live(tiles, 0), most(tiles, 0);
        for (std::size_t step = 0; step < begins.size(); ++step) {
            for (const Variable* variable : ends[step])
                variable->bytes.scaled(-1).addTo(live);
            for (const Variable* variable : begins[step])
                variable->bytes.addTo(live);
            for (std::size_t tile = 0; tile < tiles; ++tile)
                most[tile] = std::max(most[tile], live[tile]);
        }
        std::int64_t sum = 0;
        for (const std::int64_t bytes : most)
            sum += bytes;
        return sum;
    }

    const Profile& profile_;
    std::vector<bool> members_;
    ScopeMemory sums_;
};

} // namespace

bool isInScope(std::string_view name, std::string_view scope) {
    return name.starts_with(scope) && (name.size() == scope.size() || name[scope.size()] == '/');
}

ScopeMemory scopeMemory(const Profile& profile, std::string_view scope) {
    return ScopeSums(profile, scope).run();
}

} // namespace tilescope::test
