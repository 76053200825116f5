#include "core/analysis/accounting/operation_memory.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/analysis/liveness/liveness.h"

namespace tilescope {
namespace {

/// The sum of many series, whose runs are visited once.
TileSeries totalOf(const std::vector<TileSeries>& all) {
    std::vector<std::pair<std::int32_t, std::int64_t>> changes; ///< of the sum, by tile
    for (const TileSeries& series : all)
        for (const TileRun& run : series.runs()) {
            changes.emplace_back(run.first, run.value);
            changes.emplace_back(run.end, -run.value);
        }
    std::sort(changes.begin(), changes.end());
    TileSeries total;
    std::int64_t value = 0;
    std::int32_t tile = 0;
    for (const auto& [at, change] : changes) {
        total.append(tile, at, value);
        value += change;
        tile = at;
    }
    return total;
}

bool isBefore(const std::pair<IpuId, OperationBytes>& of, IpuId ipu) {
    return of.first < ipu;
}

class Maker {
public:
    Maker(const ProfileView& profile, const std::stop_token& stop)
        : profile_(profile)
        , stop_(stop)
        , operations_(profile.operations(stop)->size())
        , ipus_(static_cast<std::size_t>(std::max(1, profile.machine().ipus)))
        , tilesPerIpu_(std::max(1, profile.machine().tilesPerIpu)) {
        made_.byOperation.resize(operations_);
        made_.withoutOperation.resize(ipus_);
        made_.sharedVertexCode.assign(ipus_, 0);
        made_.half.assign(operations_, false);
    }

    MemoryByOperation make() {
        addVariables();
        addPrograms();
        addVertices();
        return std::move(made_);
    }

private:
    /// Adds a series to a figure of an operation, IPU by IPU.
    void add(OperationId operation, const TileSeries& bytes, std::int64_t OperationBytes::*figure) {
        forIpus(bytes, [&](std::size_t ipu, std::int64_t sum) {
            bytesOf(operation, IpuId(ipu)).*figure += sum;
        });
    }

    OperationBytes& bytesOf(OperationId operation, IpuId ipu) {
        if (!known(operation))
            return made_.withoutOperation[ipu.index()];
        BytesByIpu& all = made_.byOperation[operation.index()];
        auto at = std::lower_bound(all.begin(), all.end(), ipu, isBefore);
        if (at == all.end() || at->first != ipu)
            at = all.insert(at, {ipu, {}});
        return at->second;
    }

    [[nodiscard]] bool known(OperationId id) const {
        return id.valid() && id.index() < operations_;
    }
    /// visit(ipu, sum) of the parts of each run, so that IPUs without a value take no time.
    template <class Visit> void forIpus(const TileSeries& series, const Visit& visit) const {
        for (const TileRun& run : series.runs())
            for (std::int32_t first = run.first; first < run.end;) {
                const std::int32_t ipu = first / tilesPerIpu_;
                if (static_cast<std::size_t>(ipu) >= ipus_)
                    return;
                const std::int32_t end = std::min(run.end, (ipu + 1) * tilesPerIpu_);
                visit(static_cast<std::size_t>(ipu), run.value * (end - first));
                first = end;
            }
    }

    void addVariables() {
        const auto variables = profile_.variables(stop_);
        const std::vector<bool> live = liveAtPeak();
        for (const Variable& variable : *variables) {
            if (variable.category != MemoryCategory::Variable &&
                variable.category != MemoryCategory::Constant)
                continue;
            const bool atPeak = !variable.alwaysLive && variable.liveness.valid() &&
                                variable.liveness.index() < live.size() &&
                                live[variable.liveness.index()];
            forIpus(variable.bytes, [&](std::size_t ipu, std::int64_t sum) {
                OperationBytes& bytes = bytesOf(variable.operation, IpuId(ipu));
                bytes.variables += sum;
                bytes.alwaysLive += variable.alwaysLive ? sum : 0;
                bytes.atPeak += atPeak ? sum : 0;
            });
            if (known(variable.operation) && variable.type == "half")
                made_.half[variable.operation.index()] = true;
        }
    }

    /// By class of liveness: whether it is live at the step with the most live bytes.
    [[nodiscard]] std::vector<bool> liveAtPeak() const {
        std::vector<bool> live;
        const StepId peak = livenessOf(profile_, TileSelection::all(), stop_).peakStep;
        if (!peak.valid())
            return live;
        for (const LivenessClass& one : *profile_.livenessClasses(stop_))
            live.push_back(one.contains(peak));
        return live;
    }

    // Steps may share an exchange, whose code exists only once.
    void addPrograms() {
        for (const Program& program : *profile_.programs(stop_))
            add(program.operation, program.controlCode, &OperationBytes::controlCode);
        for (const Exchange& exchange : *profile_.exchanges(stop_))
            add(exchange.operation, exchange.codeBytes, &OperationBytes::exchangeCode);
    }

    void addVertices() {
        const auto types = profile_.vertexTypes(stop_);
        // How often each operation has a codelet on each tile, by codelet.
        std::map<VertexTypeId, std::map<OperationId, TileSeries>> uses;
        for (const ComputeSet& set : *profile_.computeSets(stop_))
            for (const VertexInstances& vertices : set.vertices) {
                add(set.operation, vertices.stateBytes, &OperationBytes::vertexState);
                if (vertices.type.valid() && vertices.type.index() < types->size())
                    uses[vertices.type][known(set.operation) ? set.operation : OperationId()] +=
                        vertices.count;
            }
        for (std::size_t i = 0; i < types->size(); ++i)
            addCode((*types)[VertexTypeId(i)].codeBytes, uses[VertexTypeId(i)]);
    }

    void addCode(const TileSeries& code, const std::map<OperationId, TileSeries>& uses) {
        const auto one = [](std::int64_t count) { return count > 0 ? 1 : 0; };
        const auto where = [](std::int64_t bytes, std::int64_t wanted) {
            return wanted == 1 ? bytes : 0;
        };
        std::vector<TileSeries> onTiles;
        for (const auto& [operation, count] : uses)
            onTiles.push_back(count.mapped(one));
        const TileSeries users = totalOf(onTiles);
        const TileSeries alone = TileSeries::zip(code, users, where);
        auto onTile = onTiles.begin();
        for (const auto& [operation, count] : uses)
            add(operation, TileSeries::zip(alone, *onTile++, where), &OperationBytes::vertexCode);
        const TileSeries shared = TileSeries::zip(
            code, users, [](std::int64_t bytes, std::int64_t n) { return n > 1 ? bytes : 0; });
        forIpus(shared,
                [&](std::size_t ipu, std::int64_t sum) { made_.sharedVertexCode[ipu] += sum; });
        // A measured machine has codelets that no compute set runs.
        const TileSeries unused = TileSeries::zip(
            code, users, [](std::int64_t bytes, std::int64_t n) { return n == 0 ? bytes : 0; });
        add(OperationId(), unused, &OperationBytes::vertexCode);
    }

    const ProfileView& profile_;
    const std::stop_token& stop_;
    std::size_t operations_;
    std::size_t ipus_;
    std::int32_t tilesPerIpu_;
    MemoryByOperation made_;
};

} // namespace

OperationBytes& OperationBytes::operator+=(const OperationBytes& other) {
    vertexCode += other.vertexCode;
    vertexState += other.vertexState;
    exchangeCode += other.exchangeCode;
    controlCode += other.controlCode;
    alwaysLive += other.alwaysLive;
    atPeak += other.atPeak;
    variables += other.variables;
    return *this;
}

OperationBytes MemoryByOperation::of(OperationId operation, IpuId ipu) const {
    const BytesByIpu& all = byOperation.at(operation.index());
    const auto at = std::lower_bound(all.begin(), all.end(), ipu, isBefore);
    return at != all.end() && at->first == ipu ? at->second : OperationBytes{};
}

std::shared_ptr<const MemoryByOperation> memoryByOperation(const ProfileView& profile,
                                                           const std::stop_token& stop) {
    return profile.derived<MemoryByOperation>([&] { return Maker(profile, stop).make(); });
}

} // namespace tilescope
