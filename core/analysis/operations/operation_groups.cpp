#include "core/analysis/operations/operation_groups.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/analysis/operations/operation_repeats.h"
#include "core/analysis/programs/programs.h"
#include "core/base/saturating.h"

namespace tilescope {
namespace {

constexpr std::string_view withoutOperation = "(no operation)";

/// The first `depth` parts of a path.
std::string firstParts(std::string_view path, int depth) {
    std::size_t end = 0;
    for (int i = 0; i < depth && end != std::string_view::npos; ++i)
        end = path.find('/', i == 0 ? 0 : end + 1);
    return std::string(path.substr(0, end));
}

/// Without the number of an exchange: "cs12_conv1/Convolve/ExchangePre", "copy3_Copy_a_to_b/...".
std::string_view withoutNumber(std::string_view name) {
    for (const std::string_view word : {std::string_view("cs"), std::string_view("copy")}) {
        if (!name.starts_with(word))
            continue;
        std::size_t at = word.size();
        while (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0)
            ++at;
        if (at == word.size() || at >= name.size() || name[at] != '_')
            continue;
        name.remove_prefix(at + 1);
        // A copy belongs to what it is for.
        if (const std::size_t to = name.rfind("_to_"); word == "copy" && to != name.npos)
            name.remove_prefix(to + 4);
        break;
    }
    return name;
}

/// The call of a library that a step is part of: "conv1/Conv_7x7/Convolve/ExchangePre" and
/// "conv1/Conv_7x7/Convolve" are both of "conv1/Conv_7x7".
std::string libraryCall(std::string_view step) {
    std::string_view path = withoutNumber(step);
    for (const std::string_view last :
         {std::string_view("/ExchangePre"), std::string_view("/PreArrange-0")})
        if (path.ends_with(last))
            path.remove_suffix(last.size());
    const std::size_t slash = path.rfind('/');
    return std::string(slash == path.npos ? path : path.substr(0, slash));
}

class Grouping {
public:
    Grouping(const GroupSources& from, OperationLayer layer, int depth)
        : from_(from)
        , p_(from.profile)
        , layer_(layer)
        , depth_(depth) {}

    std::vector<OperationGroup> make() {
        if (byOperation())
            for (std::size_t i = 0; i < p_.operations.size(); ++i)
                addOperation(OperationId(i));
        for (std::size_t i = 0; i < p_.programs.size(); ++i)
            addProgram(ProgramId(i));
        if (byOperation())
            addVariables();
        for (std::size_t i = 0; i < groups_.size(); ++i)
            finish(i);
        return std::move(groups_);
    }

private:
    struct Work {
        std::set<OperationId> operations;
        std::map<VertexTypeId, TileSeries> vertices; ///< on which tiles
        std::set<ExchangeId> exchanges;
        std::set<ComputeSetId> computeSets;
        TileSeries tileCycles;     ///< of one execution of each step: where it works
        double allTilesCycles = 0; ///< of all executions in the operation, all tiles
        bool half = false;
    };

    [[nodiscard]] bool byOperation() const { return layer_ < OperationLayer::Library; }
    [[nodiscard]] bool known(OperationId id) const {
        return id.valid() && id.index() < p_.operations.size();
    }

    [[nodiscard]] std::string nameOf(OperationId id) const {
        if (!known(id))
            return std::string(withoutOperation);
        const Operation& operation = p_.operations[id];
        switch (layer_) {
        case OperationLayer::Scope:
            return firstParts(operation.name, depth_);
        case OperationLayer::Type:
            return operation.type.empty() ? std::string(withoutOperation) : operation.type;
        default:
            return operation.name;
        }
    }

    std::size_t groupOf(const std::string& name) {
        const auto [place, isNew] = places_.try_emplace(name, groups_.size());
        if (isNew) {
            groups_.emplace_back().name = name;
            work_.emplace_back();
        }
        return place->second;
    }

    void addOperation(OperationId id) {
        const std::size_t at = groupOf(nameOf(id));
        groups_[at].flops += p_.operations[id].flops;
        work_[at].operations.insert(id);
    }

    void addProgram(ProgramId id) {
        const Program& program = p_.programs[id];
        if (isControl(program.kind)) {
            // Code of the control around an operation's steps, where the group has a place for it.
            if (byOperation() && known(program.operation))
                groups_[groupOf(nameOf(program.operation))].controlCode +=
                    program.controlCode.sum();
            return;
        }
        const std::string name = byOperation()                       ? nameOf(program.operation)
                                 : layer_ == OperationLayer::Library ? libraryCall(program.name)
                                                                     : program.name;
        const std::size_t at = groupOf(name.empty() ? std::string(toString(program.kind)) : name);
        OperationGroup& group = groups_[at];
        group.steps.push_back(id);
        group.controlCode += program.controlCode.sum();
        if (id.index() < from_.executions.size()) {
            group.executions += from_.executions[id.index()].count;
            group.measuredCycles += from_.executions[id.index()].cycles;
        }
        const std::int64_t repeats = repeatsInOperation(p_.programs, id);
        std::int64_t& cycles =
            program.computeSet.valid() ? group.computeCycles : group.exchangeCycles;
        cycles = saturatingSum(
            cycles,
            saturatingProduct(repeats, programCycles(program, p_.computeSets, p_.exchanges)));
        if (known(program.operation))
            work_[at].operations.insert(program.operation);
        addCosts(program, repeats, group, work_[at]);
    }

    // Steps may share a compute set or an exchange: its code and state are there once.
    void addCosts(const Program& program, std::int64_t repeats, OperationGroup& group, Work& work) {
        if (program.computeSet.valid() && program.computeSet.index() < p_.computeSets.size()) {
            const ComputeSet& set = p_.computeSets[program.computeSet];
            work.tileCycles += set.cycles;
            work.allTilesCycles +=
                static_cast<double>(repeats) * static_cast<double>(set.cycles.sum());
            if (work.computeSets.insert(program.computeSet).second)
                for (const VertexInstances& vertices : set.vertices) {
                    group.vertexState += vertices.stateBytes.sum();
                    work.vertices[vertices.type] += vertices.count;
                }
        }
        if (program.exchange.valid() && program.exchange.index() < p_.exchanges.size() &&
            work.exchanges.insert(program.exchange).second)
            group.exchangeCode += p_.exchanges[program.exchange].codeBytes.sum();
    }

    void addVariables() {
        for (const Variable& variable : p_.variables) {
            if (!known(variable.operation) || (variable.category != MemoryCategory::Variable &&
                                               variable.category != MemoryCategory::Constant))
                continue;
            const std::size_t at = groupOf(nameOf(variable.operation));
            groups_[at].variableBytes += variable.bytes.sum();
            work_[at].half = work_[at].half || variable.type == "half";
        }
    }

    void finish(std::size_t at) {
        OperationGroup& group = groups_[at];
        const Work& work = work_[at];
        group.operations = static_cast<std::int32_t>(work.operations.size());
        if (work.operations.size() == 1 && layer_ != OperationLayer::Type)
            group.operation = *work.operations.begin();
        for (const OperationId id : work.operations) {
            const std::string& type = p_.operations[id].type;
            if (group.type.empty())
                group.type = type;
            else if (group.type != type) {
                group.type.clear();
                break;
            }
        }
        if (p_.vertexTypes != nullptr)
            for (const auto& [type, count] : work.vertices)
                if (type.valid() && type.index() < p_.vertexTypes->size())
                    group.vertexCode += TileSeries::zip(count, (*p_.vertexTypes)[type].codeBytes,
                                                        [](std::int64_t n, std::int64_t code) {
                                                            return n > 0 ? code : 0;
                                                        })
                                            .sum();
        setRates(group, work);
    }

    void setRates(OperationGroup& group, const Work& work) const {
        const std::int32_t perIpu = from_.target.tilesPerIpu;
        std::set<std::int32_t> ipus;
        for (const TileRun& run : work.tileCycles.runs())
            for (std::int32_t ipu = run.first / std::max(1, perIpu);
                 ipu <= (run.end - 1) / std::max(1, perIpu); ++ipu)
                ipus.insert(ipu);
        const double tiles = static_cast<double>(ipus.size()) * perIpu;
        if (tiles <= 0)
            return;
        if (group.computeCycles > 0)
            group.balance =
                work.allTilesCycles / (static_cast<double>(group.computeCycles) * tiles);
        group.peakFlops = peakFlopsPerCycle(from_.target, work.half) * tiles *
                          static_cast<double>(group.cycles());
        if (group.peakFlops > 0)
            group.utilisation = group.flops / group.peakFlops;
    }

    const GroupSources& from_;
    const OperationSources& p_;
    OperationLayer layer_;
    int depth_;
    std::unordered_map<std::string, std::size_t> places_;
    std::vector<OperationGroup> groups_;
    std::vector<Work> work_;
};

} // namespace

std::vector<OperationGroup> operationGroups(const GroupSources& sources, OperationLayer layer,
                                            int depth) {
    return Grouping(sources, layer, std::max(1, depth)).make();
}

int scopeDepth(const IdVector<OperationId, Operation>& operations) {
    std::ptrdiff_t depth = 0;
    for (const Operation& operation : operations)
        depth = std::max(depth, 1 + std::count(operation.name.begin(), operation.name.end(), '/'));
    // A choice of levels for people; names in a damaged file may have any number.
    constexpr std::ptrdiff_t deepest = 100;
    return static_cast<int>(std::min(depth, deepest));
}

// A unit takes a vector of input channels in a cycle: four of half precision, one of single. With
// the 16 units of a Mk2 tile 64 and 16 multiply-accumulates, which gives the published 250 and
// 62.5 TFLOPS of a GC200 (1,472 tiles at 1.33 GHz).
double peakFlopsPerCycle(const Target& target, bool half) {
    const double multiplyAccumulates =
        half ? static_cast<double>(target.convUnitsHalfToHalf) * target.convUnitLoadElemsHalf
             : static_cast<double>(target.convUnitsFloatToFloat);
    return 2 * multiplyAccumulates;
}

} // namespace tilescope
