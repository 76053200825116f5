#include "simulator/planner/plan_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>

#include "core/base/parallel_for.h"
#include "core/base/suggest.h"
#include "core/options/option_error.h"
#include "simulator/graph/multi_conv_groups.h"
#include "simulator/planner/compute_tiles.h"
#include "simulator/planner/dense_plan.h"
#include "simulator/planner/multi_plan.h"
#include "simulator/planner/planner.h"

namespace tilescope::sim {
namespace {

DataType partialTypeFor(DataType in, const PlanningOptions& options) {
    // Partials are never narrower than the operands.
    if (in == DataType::Half && options.partialsType == Precision::Half)
        return DataType::Half;
    return DataType::Float;
}

/// All but the field. Both operands are [examples, channels of all groups, field...].
ConvProblem channelsOf(const Shape& in, const Shape& out, std::int64_t groups, TrainingPass pass) {
    ConvProblem problem;
    problem.groups = groups;
    problem.batch = in[0];
    problem.inChans = in[1] / groups;
    problem.outChans = out[1] / groups;
    problem.pass = pass;
    return problem;
}

ConvProblem convProblem(const Graph& graph, const Op& op, const ConvAttributes& conv) {
    const Shape& in = graph.tensors[op.inputs[0]].shape;
    const Shape& out = graph.tensors[op.outputs[0]].shape;
    ConvProblem problem = channelsOf(
        in, out, conv.groups, conv.trained ? TrainingPass::TrainingForward : TrainingPass::None);
    for (std::size_t d = 0; d < conv.kernel.size(); ++d)
        problem.field.push_back({in[d + 2], out[d + 2], conv.kernel[d], conv.strides[d],
                                 conv.dilations[d], conv.padsBegin[d]});
    return problem;
}

/// The transposed convolution: a stride becomes dilation of the input. Where the kernel is one, the
/// dilation is moved after the convolution (PopLibs transform dilatePostConv).
ConvProblem gradInputProblem(const Graph& graph, const Op& op, const ConvAttributes& conv) {
    const Shape& delta = graph.tensors[op.inputs[0]].shape;
    const Shape& in = graph.tensors[op.outputs[0]].shape;
    ConvProblem problem = channelsOf(delta, in, conv.groups, TrainingPass::TrainingBackward);
    for (std::size_t d = 0; d < conv.kernel.size(); ++d) {
        FieldDim dim{
            delta[d + 2],      in[d + 2],
            conv.kernel[d],    1,
            conv.dilations[d], conv.dilations[d] * (conv.kernel[d] - 1) - conv.padsBegin[d],
            conv.strides[d]};
        if (conv.kernel[d] == 1 && conv.padsBegin[d] == 0) {
            dim.out = dim.in;
            dim.inDilation = 1;
        }
        problem.field.push_back(dim);
    }
    return problem;
}

/// The weights' gradient: batch and input channels change places, and the output's gradient is the
/// kernel.
ConvProblem gradWeightsProblem(const Graph& graph, const Op& op, const ConvAttributes& conv) {
    const Shape& in = graph.tensors[op.inputs[0]].shape;
    const Shape& delta = graph.tensors[op.inputs[1]].shape;
    ConvProblem problem = channelsOf(in, delta, conv.groups, TrainingPass::TrainingUpdate);
    std::swap(problem.batch, problem.inChans);
    for (std::size_t d = 0; d < conv.kernel.size(); ++d)
        problem.field.push_back({in[d + 2], conv.kernel[d], delta[d + 2], conv.dilations[d],
                                 conv.strides[d], conv.padsBegin[d]});
    return problem;
}

ConvProblem matMulProblem(const Graph& graph, const Op& op, const MatMulAttributes& attributes) {
    Shape a = graph.tensors[op.inputs[0]].shape;
    Shape b = graph.tensors[op.inputs[1]].shape;
    if (attributes.transposeA)
        std::swap(a[a.size() - 1], a[a.size() - 2]);
    if (attributes.transposeB)
        std::swap(b[b.size() - 1], b[b.size() - 2]);
    const Shape& out = graph.tensors[op.outputs[0]].shape;
    const bool plainRight =
        std::all_of(b.begin(), b.end() - 2, [](std::int64_t size) { return size == 1; });
    const std::int64_t batch = elementsOf({out.begin(), out.end() - 2});
    ConvProblem problem;
    problem.matMul = true;
    problem.pass = attributes.pass;
    problem.inChans = a.back();
    problem.outChans = b.back();
    problem.groups = plainRight ? 1 : batch;
    FieldDim field;
    field.in = field.out = a[a.size() - 2] * (plainRight ? batch : 1);
    problem.field = {field};
    return problem;
}

/// Throws UserError for a name that no planned operation has.
void checkNamedOperations(const Graph& graph, const PlanningOptions& options) {
    if (options.availableMemoryProportionByOperation.empty())
        return;
    std::vector<std::string> names;
    for (const Op& op : graph.ops)
        if (isPlanned(op.attributes)) {
            names.push_back(op.name);
            names.push_back(op.onnxNode);
        }
    for (const auto& [name, proportion] : options.availableMemoryProportionByOperation)
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw OptionError("availableMemoryProportionByOperation",
                              fmt::format("no "
                                          "convolution or matrix product is named '{}'.{}",
                                          name, didYouMean(name, names)));
}

/// Calls `collect` with each function of a graph and its index, and with the graph itself.
template <class Collect> void forEachPart(const Graph& graph, Collect&& collect) {
    for (std::size_t f = 0; f < graph.functions.size(); ++f)
        collect(graph.functions[f], FunctionIndex(f));
    collect(graph, FunctionIndex());
}

/// Index of a problem among the distinct ones, to which it is added if it is new.
template <class Problem>
std::size_t placeOf(const Problem& problem, std::vector<Problem>& distinct) {
    const auto known = std::find(distinct.begin(), distinct.end(), problem);
    const auto place = static_cast<std::size_t>(known - distinct.begin());
    if (known == distinct.end())
        distinct.push_back(problem);
    return place;
}

struct Request {
    ConvProblem problem;
    double proportion = 0.6;
    friend bool operator==(const Request&, const Request&) = default;
};

struct FoundPlans {
    ConvPlan plan;
    std::optional<ConvPlan> ofWholeTile; ///< plan within all of a tile's memory, if searched
};

/// The requested plan. Where `known` has one for another bound, this is a search over
/// proportions: the plan within all of a tile's memory serves most of the later requests.
FoundPlans findPlans(const PlanMemory& known, const Target& target, const Request& request,
                     OverMemory overMemory) {
    const std::int64_t bound = memoryBound(target, request.proportion);
    if (const ConvPlan* plan = known.find(request.problem, bound))
        return {*plan, {}};
    FoundPlans found;
    if (known.has(request.problem) &&
        known.find(request.problem, memoryBound(target, 1)) == nullptr) {
        found.ofWholeTile = planConv(target, request.problem, 1, overMemory);
        if (found.ofWholeTile->withinMemoryTarget && found.ofWholeTile->cost.tempBytes <= bound) {
            found.plan = *found.ofWholeTile;
            return found;
        }
    }
    found.plan = planConv(target, request.problem, request.proportion, overMemory);
    return found;
}

/// The three passes of the layer of the requested one; not searched again where `known` has all
/// three.
DensePlans findDensePlans(const PlanMemory& known, const Target& target, const Request& request,
                          OverMemory overMemory) {
    const std::int64_t bound = memoryBound(target, request.proportion);
    DensePlans plans;
    bool all = true;
    for (std::size_t pass = 0; pass < plans.size(); ++pass) {
        const ConvPlan* plan = known.find(densePass(request.problem, pass), bound);
        if (plan != nullptr)
            plans[pass] = *plan;
        all = all && plan != nullptr;
    }
    return all ? plans : planDense(target, request.problem, request.proportion, overMemory);
}

/// Returns the result of `find`; if a problem has no plan the error names the operation.
template <class Find> auto naming(const std::string& operation, Find find) {
    try {
        return find();
    } catch (const NoPlan& none) {
        throw UserError(fmt::format("operation '{}': {}", operation, none.what()));
    }
}

} // namespace

double proportionOf(const Graph& graph, const Op& op, const PlanningOptions& options) {
    const auto& named = options.availableMemoryProportionByOperation;
    for (const std::string& name : {op.name, op.onnxNode})
        if (const auto found = named.find(name); found != named.end())
            return found->second;
    return op.availableMemory.value_or(options.memoryProportion(graph.ipuOf(op.stage)));
}

ConvProblem problemOf(const Graph& graph, const Op& op, const PlanningOptions& options) {
    ConvProblem problem;
    if (const auto* conv = std::get_if<ConvAttributes>(&op.attributes))
        problem = convProblem(graph, op, *conv);
    else if (const auto* gradInput = std::get_if<ConvGradInputAttributes>(&op.attributes))
        problem = gradInputProblem(graph, op, gradInput->conv);
    else if (const auto* gradWeights = std::get_if<ConvGradWeightsAttributes>(&op.attributes))
        problem = gradWeightsProblem(graph, op, gradWeights->conv);
    else
        problem = matMulProblem(graph, op, std::get<MatMulAttributes>(op.attributes));
    const auto floating = [](DataType type) {
        return type == DataType::Half ? DataType::Half : DataType::Float;
    };
    problem.inType = floating(graph.tensors[op.inputs[0]].type);
    problem.outType = floating(graph.tensors[op.outputs[0]].type);
    problem.partialType = partialTypeFor(problem.inType, options);
    if (op.partialsType && problem.inType == DataType::Half)
        problem.partialType = *op.partialsType;
    return problem;
}

std::string plannedOptionsJson(const Graph& graph, const Op& op, const PlanningOptions& options,
                               const ConvPlan& plan) {
    return fmt::format(R"({{"availableMemoryProportion":{},"partialsType":"{}"}})",
                       proportionOf(graph, op, options), toString(plan.problem.partialType));
}

PlanTable::PlanTable(const Graph& graph, const MachineOptions& machine,
                     const PlanningOptions& options, PlanMemory* memory) {
    const Target target = computeTarget(machine);
    checkNamedOperations(graph, options);
    std::vector<Request> requests;
    std::vector<std::string> users; ///< of each request, the first one's name
    const auto collect = [&](const Graph& part, FunctionIndex function) {
        for (std::size_t i = 0; i < part.ops.size(); ++i) {
            const Op& op = part.ops[OpId(i)];
            if (!isPlanned(op.attributes))
                continue;
            const Request request{problemOf(part, op, options), proportionOf(part, op, options)};
            planOfOp_[{function, OpId(i)}] = placeOf(request, requests);
            if (users.size() < requests.size())
                users.push_back(op.name);
        }
    };
    forEachPart(graph, collect);
    plans_.resize(requests.size());
    const OverMemory overMemory =
        options.relaxMemoryTarget ? OverMemory::Relax : OverMemory::LeastMemory;
    PlanMemory none;
    PlanMemory& known = memory == nullptr ? none : *memory;
    known.begin(target, overMemory);
    // Passes of one dense layer are planned together.
    std::vector<Request> layers;
    std::vector<std::string> layerUsers;
    std::vector<std::size_t> layerOf(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (!isDensePass(requests[i].problem))
            continue;
        layerOf[i] = placeOf({denseForward(requests[i].problem), requests[i].proportion}, layers);
        if (layerUsers.size() < layers.size())
            layerUsers.push_back(users[i]);
    }
    std::vector<FoundPlans> found(requests.size());
    std::vector<DensePlans> dense(layers.size());
    parallelFor(requests.size() + layers.size(), [&](std::size_t i) {
        if (i < layers.size())
            dense[i] = naming(layerUsers[i],
                              [&] { return findDensePlans(known, target, layers[i], overMemory); });
        else if (const std::size_t at = i - layers.size(); !isDensePass(requests[at].problem))
            found[at] = naming(users[at],
                               [&] { return findPlans(known, target, requests[at], overMemory); });
    });
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (isDensePass(requests[i].problem))
            found[i].plan = dense[layerOf[i]][densePassIndex(requests[i].problem)];
        plans_[i] = std::move(found[i].plan);
        if (memory == nullptr)
            continue;
        if (found[i].ofWholeTile)
            known.add(requests[i].problem, memoryBound(target, 1), *found[i].ofWholeTile);
        known.add(requests[i].problem, memoryBound(target, requests[i].proportion), plans_[i]);
    }
    planMultiConvs(graph, target, options, overMemory);
    planEmbeddings(graph, target, options);
}

void PlanTable::planMultiConvs(const Graph& graph, const Target& target,
                               const PlanningOptions& options, OverMemory overMemory) {
    using Distinct = std::pair<std::vector<MultiConvPart>, MultiConv>;
    std::vector<Distinct> distinct;
    std::vector<std::vector<ConvPlan>> known;
    const auto partOf = [&](const Graph& part, const Op& op) {
        return MultiConvPart{problemOf(part, op, options), proportionOf(part, op, options)};
    };
    const auto collect = [&](const Graph& part, FunctionIndex function) {
        for (const std::vector<OpId>& members : multiConvsOf(part)) {
            Distinct one{{}, *part.ops[members.front()].multiConv};
            for (const OpId id : members)
                one.first.push_back(partOf(part, part.ops[id]));
            const std::size_t place = placeOf(one, distinct);
            if (place == known.size())
                known.push_back(naming(part.ops[members.front()].name, [&] {
                    return planMultiConv(target, one.first, one.second, overMemory);
                }));
            if (!known[place].front().parallel)
                continue;
            for (std::size_t i = 0; i < members.size(); ++i) {
                planOfOp_[{function, members[i]}] = plans_.size();
                plans_.push_back(known[place][i]);
                together_[{function, members[i]}] = members;
            }
        }
    };
    forEachPart(graph, collect);
    if (graph.allocations.empty())
        return;
    std::vector<MultiConvPart> allocated;
    for (const Op& op : graph.allocations)
        allocated.push_back(partOf(graph, op));
    allocationPlans_ = naming(graph.allocations.front().name, [&] {
        return planMultiConv(target, allocated, *graph.allocations.front().multiConv, overMemory);
    });
}

std::vector<OpId> PlanTable::togetherWith(OpId op, FunctionIndex function) const {
    const auto found = together_.find({function, op});
    return found == together_.end() ? std::vector<OpId>() : found->second;
}

void PlanTable::planEmbeddings(const Graph& graph, const Target& target,
                               const PlanningOptions& options) {
    // The look-ups and updates of all operations on a dimension of a table.
    std::map<std::tuple<FunctionIndex, TensorId, std::int64_t>, EmbeddingProblem> problemOfTable;
    std::vector<std::pair<std::pair<FunctionIndex, OpId>, const EmbeddingProblem*>> users;
    const auto collect = [&](const Graph& part, FunctionIndex function) {
        for (std::size_t i = 0; i < part.ops.size(); ++i) {
            const Op& op = part.ops[OpId(i)];
            const auto* gather = std::get_if<GatherAttributes>(&op.attributes);
            const auto* update = std::get_if<MultiUpdateAttributes>(&op.attributes);
            if (!gather && !update)
                continue;
            const std::int64_t axis = gather ? gather->axis : update->axis;
            const Tensor& table = part.tensors[op.inputs[0]];
            const std::int64_t rows = table.shape[static_cast<std::size_t>(axis)];
            const auto [entry, isNew] = problemOfTable.try_emplace({function, op.inputs[0], axis});
            EmbeddingProblem& problem = entry->second;
            if (isNew)
                problem = {std::max<std::int64_t>(1, rows),
                           rows == 0 ? 1 : std::max<std::int64_t>(1, table.elements() / rows),
                           1,
                           table.type,
                           false,
                           false};
            problem.indices = std::max(problem.indices, part.tensors[op.inputs[1]].elements());
            problem.slices = problem.slices || gather;
            problem.updates = problem.updates || update;
            users.emplace_back(std::pair(function, OpId(i)), &problem);
        }
    };
    forEachPart(graph, collect);
    std::vector<EmbeddingProblem> distinct;
    for (const auto& [op, problem] : users)
        embeddingPlanOfOp_[op] = placeOf(*problem, distinct);
    embeddingPlans_.resize(distinct.size());
    const double proportion = options.memoryProportion(IpuId(0));
    parallelFor(distinct.size(), [&](std::size_t i) {
        embeddingPlans_[i] = planEmbedding(target, distinct[i], proportion);
    });
}

bool operator==(const PlanTable& a, const PlanTable& b) {
    const auto same = [](const auto& placesA, const auto& plansA, const auto& placesB,
                         const auto& plansB) {
        return std::equal(placesA.begin(), placesA.end(), placesB.begin(), placesB.end(),
                          [&](const auto& x, const auto& y) {
                              return x.first == y.first && plansA[x.second] == plansB[y.second];
                          });
    };
    return same(a.planOfOp_, a.plans_, b.planOfOp_, b.plans_) &&
           a.allocationPlans_ == b.allocationPlans_ &&
           same(a.embeddingPlanOfOp_, a.embeddingPlans_, b.embeddingPlanOfOp_, b.embeddingPlans_);
}

const EmbeddingPlan& PlanTable::embeddingPlanOf(OpId op, FunctionIndex function) const {
    return embeddingPlans_.at(embeddingPlanOfOp_.at({function, op}));
}

const ConvPlan& PlanTable::planOf(OpId op, FunctionIndex function) const {
    return plans_.at(planOfOp_.at({function, op}));
}

} // namespace tilescope::sim
