#include "simulator/offload/remote.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "simulator/outline/sequence.h"
#include "simulator/schedule/reruns.h"

namespace tilescope::sim {
namespace {

constexpr std::int32_t updatePhase = std::numeric_limits<std::int32_t>::max();

/// Without execution phases, the forward and the backward pass are two phases that are too far
/// apart for a tensor to stay.
std::int32_t phaseOf(const Op& op, std::int32_t phasesApart) {
    if (op.pass == Pass::Update)
        return updatePhase;
    if (op.executionPhase >= 0)
        return op.executionPhase;
    return op.pass == Pass::Backward ? phasesApart + 1 : 0;
}

/// An operation that needs a tensor, where it runs.
struct Need {
    std::size_t at = 0; ///< index of the operation before which, or as which, it runs
    std::int32_t phase = 0;
    std::optional<std::size_t> reader; ///< operation that reads the tensor itself
    bool overwrites = false;
};

/// The time that a tensor spends on the chip.
struct Stay {
    std::vector<Need> needs;
    [[nodiscard]] std::int32_t phase() const { return needs.front().phase; }
    [[nodiscard]] const Need* lastOverwrite() const {
        const auto found = std::find_if(needs.rbegin(), needs.rend(),
                                        [](const Need& need) { return need.overwrites; });
        return found == needs.rend() ? nullptr : &*found;
    }
};

/// A tensor on one IPU.
struct Resident {
    RemoteTensor remote;
    std::int32_t ipu = 0;
    std::vector<Stay> stays;
    TensorId landing; ///< its place, made by the first load
    std::int32_t buffer = 0, row = 0;
};

class RemoteInserter {
public:
    RemoteInserter(Graph& graph, const std::vector<RemoteTensor>& tensors, const RemoteTimes& times)
        : graph_(graph)
        , times_(times)
        , producers_(graph.producers())
        , remote_(graph.tensors.size())
        , before_(graph.ops.size())
        , after_(graph.ops.size()) {
        for (const RemoteTensor& tensor : tensors)
            remote_[tensor.tensor.index()] = tensor;
        for (std::size_t i = 0; i < graph.ops.size(); ++i) {
            const std::int32_t phase = phaseOf(graph.ops[OpId(i)], times.phasesApart);
            firstOf_.try_emplace(phase, i);
            lastOf_[phase] = i;
        }
    }

    void run() {
        findNeeds();
        std::vector<Resident> residents;
        for (auto& [key, needs] : needs_)
            residents.push_back(resident(key.first, key.second, std::move(needs)));
        followLandings(residents);
        findClusters(residents);
        for (Resident& resident : residents)
            insert(resident);
        assemble();
    }

private:
    [[nodiscard]] Op& op(std::size_t i) { return graph_.ops[OpId(i)]; }

    /// The off-chip tensor that a tensor is, renames or is the new value of.
    [[nodiscard]] TensorId rootOf(TensorId id) const {
        while (!remote_[id.index()]) {
            const OpId maker = producers_[id.index()];
            if (!maker.valid() ||
                !(isView(graph_.ops[maker].attributes) || overwritesOperand(graph_.ops[maker])))
                return {};
            id = graph_.ops[maker].inputs[0];
        }
        return id;
    }

    void findNeeds() {
        const Reruns reruns(graph_);
        for (std::size_t i = 0; i < graph_.ops.size(); ++i)
            for (std::size_t k = 0; k < op(i).inputs.size(); ++k) {
                const TensorId in = op(i).inputs[k];
                const TensorId root = rootOf(in);
                if (!root.valid())
                    continue;
                auto& needs = needs_[{root, op(i).stage}];
                needs.push_back({i, phaseOf(op(i), times_.phasesApart),
                                 root == in ? std::optional(i) : std::nullopt,
                                 k == 0 && overwritesOperand(op(i))});
                if (const OpId again = reruns.readerOf(op(i)); again.valid())
                    needs.push_back(
                        {again.index(), phaseOf(op(again.index()), times_.phasesApart), {}, false});
            }
    }

    Resident resident(TensorId tensor, std::int32_t ipu, std::vector<Need> needs) {
        std::stable_sort(needs.begin(), needs.end(),
                         [](const Need& a, const Need& b) { return a.at < b.at; });
        Resident made;
        made.remote = *remote_[tensor.index()];
        made.ipu = ipu;
        for (Need& need : needs) {
            const bool stays =
                !made.stays.empty() &&
                (need.phase == made.stays.back().needs.back().phase ||
                 (need.phase != updatePhase &&
                  need.phase - made.stays.back().needs.back().phase <= times_.phasesApart));
            if (!stays)
                made.stays.emplace_back();
            made.stays.back().needs.push_back(need);
        }
        std::tie(made.buffer, made.row) = rowOf(tensor);
        Tensor landing = graph_.tensors[tensor];
        landing.role = TensorRole::Remote;
        made.landing = graph_.tensors.add(std::move(landing));
        return made;
    }

    /// The row of a tensor, wherever it is loaded.
    std::pair<std::int32_t, std::int32_t> rowOf(TensorId tensor) {
        if (const auto known = rows_.find(tensor); known != rows_.end())
            return known->second;
        const Tensor& t = graph_.tensors[tensor];
        const auto next = static_cast<std::int32_t>(graph_.remoteBuffers.size());
        const auto [at, isNew] = buffers_.try_emplace({t.state, t.shape, t.type}, next);
        if (isNew)
            graph_.remoteBuffers.push_back({fmt::format("RB_{}", next),
                                            std::string(toString(t.type)), toString(t.shape), 0,
                                            t.bytes()});
        const auto row = static_cast<std::int32_t>(
            graph_.remoteBuffers[static_cast<std::size_t>(at->second)].rows++);
        return rows_[tensor] = {at->second, row};
    }

    /// State follows the layout of its weight's first place.
    void followLandings(const std::vector<Resident>& residents) {
        std::map<TensorId, TensorId> first;
        for (const Resident& resident : residents)
            first.try_emplace(resident.remote.tensor, resident.landing);
        for (Tensor& tensor : graph_.tensors)
            if (const auto at = first.find(tensor.layoutOf); at != first.end())
                tensor.layoutOf = at->second;
        for (const Resident& resident : residents)
            if (const TensorId landing = first.at(resident.remote.tensor);
                landing != resident.landing)
                graph_.tensors[resident.landing].layoutOf = landing;
    }

    [[nodiscard]] bool onDemand(const Resident& resident, const Stay& stay) const {
        return stay.phase() == updatePhase ||
               (resident.remote.load == LoadTime::OnDemand && !times_.batched);
    }

    /// A weight's tensors that one phase needs: their loads and stores are together.
    using Cluster = std::tuple<TensorId, std::int32_t, std::int32_t>;
    [[nodiscard]] Cluster clusterOf(const Resident& resident, std::int32_t phase) const {
        const TensorId owner = graph_.tensors[resident.landing].layoutOf;
        return {owner.valid() ? owner : resident.landing, resident.ipu, phase};
    }

    void findClusters(const std::vector<Resident>& residents) {
        for (const Resident& resident : residents)
            for (const Stay& stay : resident.stays) {
                if (onDemand(resident, stay)) {
                    const auto [at, isNew] = loadAt_.try_emplace(clusterOf(resident, stay.phase()),
                                                                 stay.needs.front().at);
                    at->second = std::min(at->second, stay.needs.front().at);
                }
                if (const Need* last = stay.lastOverwrite()) {
                    std::size_t& at = storeAt_[clusterOf(resident, last->phase)];
                    at = std::max(at, last->at);
                }
            }
    }

    [[nodiscard]] std::size_t placeOfLoad(const Resident& resident, const Stay& stay) const {
        return onDemand(resident, stay) ? loadAt_.at(clusterOf(resident, stay.phase()))
                                        : firstOf_.at(stay.phase());
    }

    [[nodiscard]] std::size_t placeOfStore(const Resident& resident, const Need& last) const {
        return times_.batched && last.phase != updatePhase
                   ? lastOf_.at(last.phase)
                   : storeAt_.at(clusterOf(resident, last.phase));
    }

    void insert(const Resident& resident) {
        TensorId loaded = resident.landing;
        for (std::size_t s = 0; s < resident.stays.size(); ++s) {
            const Stay& stay = resident.stays[s];
            Op load =
                step("RemoteLoad", RemoteLoadAttributes{resident.buffer, resident.row}, resident);
            if (s > 0) {
                load.inputs = {resident.landing};
                loaded = again(resident);
            }
            load.outputs = {loaded};
            const std::size_t at = placeOfLoad(resident, stay);
            takePart(load, op(at));
            before_[at].push_back(std::move(load));
            for (const Need& need : stay.needs)
                if (need.reader)
                    std::replace(op(*need.reader).inputs.begin(), op(*need.reader).inputs.end(),
                                 resident.remote.tensor, loaded);
            if (const Need* last = stay.lastOverwrite())
                insertStore(resident, *last);
        }
    }

    void insertStore(const Resident& resident, const Need& last) {
        Op store =
            step("RemoteStore", RemoteStoreAttributes{resident.buffer, resident.row}, resident);
        store.inputs = {resident.landing, op(last.at).outputs[0]};
        store.outputs = {again(resident)};
        const std::size_t at = placeOfStore(resident, last);
        takePart(store, op(at));
        after_[at].push_back(std::move(store));
    }

    /// The tensor in its place, at a later time.
    TensorId again(const Resident& resident) {
        Tensor made = graph_.tensors[resident.landing];
        made.layoutOf = {};
        return graph_.tensors.add(std::move(made));
    }

    Op step(const std::string& type, Attributes attributes, const Resident& resident) {
        const std::string& tensor = graph_.tensors[resident.remote.tensor].name;
        Op made;
        made.name = fmt::format("{}/{}", tensor, type);
        if (const int used = names_[made.name]++; used > 0)
            made.name += fmt::format(":{}", used);
        made.type = type;
        made.onnxNode = tensor;
        made.attributes = std::move(attributes);
        made.stage = resident.ipu;
        return made;
    }

    static void takePart(Op& made, const Op& neighbour) {
        made.pass = neighbour.pass;
        made.executionPhase = neighbour.executionPhase;
    }

    void assemble() {
        IdVector<OpId, Op> ops;
        for (std::size_t i = 0; i < before_.size(); ++i) {
            for (auto* list : {&before_[i], &after_[i]})
                std::stable_sort(list->begin(), list->end(),
                                 [](const Op& a, const Op& b) { return a.stage < b.stage; });
            for (Op& added : before_[i])
                ops.add(std::move(added));
            ops.add(std::move(op(i)));
            for (Op& added : after_[i])
                ops.add(std::move(added));
        }
        graph_.ops = std::move(ops);
    }

    Graph& graph_;
    const RemoteTimes times_;
    std::vector<OpId> producers_;
    std::vector<std::optional<RemoteTensor>> remote_;      ///< by tensor there was
    std::vector<std::vector<Op>> before_, after_;          ///< of each operation there was
    std::map<std::int32_t, std::size_t> firstOf_, lastOf_; ///< operation of each phase
    std::map<std::pair<TensorId, std::int32_t>, std::vector<Need>> needs_; ///< by tensor and IPU
    std::map<TensorId, std::pair<std::int32_t, std::int32_t>> rows_;
    std::map<std::tuple<StateKind, Shape, DataType>, std::int32_t> buffers_;
    std::map<Cluster, std::size_t> loadAt_, storeAt_;
    std::map<std::string, int> names_;
};

} // namespace

void insertRemoteCopies(Graph& graph, const std::vector<RemoteTensor>& tensors,
                        const RemoteTimes& times) {
    RemoteInserter(graph, tensors, times).run();
}

void moveOffChip(Graph& graph, const MemoryOptions& options) {
    std::vector<RemoteTensor> tensors;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const Tensor& t = graph.tensors[TensorId(i)];
        const bool isMoved = t.state == StateKind::Moment ? options.isOffChip(OffChip::Optimizer)
                             : t.state == StateKind::None ? options.isOffChip(OffChip::Weights)
                                                          : false;
        if (t.role == TensorRole::Weight && isMoved && t.elements() >= leastElementsOffChip)
            tensors.push_back({TensorId(i), LoadTime::OnDemand});
    }
    if (!tensors.empty())
        insertRemoteCopies(graph, tensors, {});
}

} // namespace tilescope::sim
