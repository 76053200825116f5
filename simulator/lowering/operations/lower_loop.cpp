#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/base/error.h"
#include "simulator/cost/slice_cycles.h"
#include "simulator/lowering/movement/call_copies.h"
#include "simulator/lowering/operations/functions.h"
#include "simulator/lowering/operations/loop.h"
#include "simulator/lowering/operations/lower_op.h"

namespace tilescope::sim {
namespace {

constexpr std::int64_t counterBytes = 4;
// One addition of one element by one worker, *assumed* as for the rows of stashes.
constexpr std::int64_t counterCycles = 180;

class LoopLowering {
public:
    LoopLowering(LoweringContext& context, const Op& op)
        : context_(context)
        , b_(context.builder())
        , op_(op)
        , loop_(std::get<LoopAttributes>(op.attributes))
        , operation_(b_.operation())
        , ipu_(b_.ipu())
        , inside_(context.functions().bodyOf(FunctionIndex(loop_.function)))
        , body_(inside_.graph()) {}

    void run() {
        const ProgramId around = b_.beginSequence(op_.name + "/loop");
        inside_.setLoop(around, constantTensors());
        for (std::int32_t i = 0; i < loop_.states; ++i)
            placeState(body_.inputs[index(i)]);
        placeSequences();
        shareConstants();
        makeCounter();
        b_.beginRepeatHere(op_.name + "/steps", loop_.steps);
        const std::size_t repeat = b_.lowered().profile.programs[around].children.size() - 1;
        step();
        b_.end();
        adoptConstants();
        beginStates();
        b_.end();
        putLast(around, repeat);
        giveStates();
    }

private:
    struct Sequence {
        TensorId row;      ///< in the body
        VariableId source; ///< that the rows are cut out of
        OpId keeper;       ///< see keeperOf
    };

    static std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] std::size_t firstConstant() const {
        return index(loop_.states + loop_.sequences);
    }
    /// Operands lack the states that begin as zeros.
    [[nodiscard]] std::size_t operandOf(std::size_t input) const {
        return input - index(loop_.zeroStates);
    }
    [[nodiscard]] std::int32_t givenStates() const { return loop_.states - loop_.zeroStates; }

    /// Everything added from here on belongs to the loop itself again.
    void own() {
        b_.setOperation(operation_);
        b_.setIpu(ipu_);
    }

    [[nodiscard]] std::vector<bool> constantTensors() const {
        std::vector<bool> constant(body_.tensors.size());
        for (std::size_t i = firstConstant(); i < body_.inputs.size(); ++i)
            constant[body_.inputs[i].index()] = true;
        for (const Op& op : body_.ops)
            if (isView(op.attributes) &&
                std::all_of(op.inputs.begin(), op.inputs.end(),
                            [&](TensorId in) { return constant[in.index()]; }))
                constant[op.outputs[0].index()] = true;
        return constant;
    }

    [[nodiscard]] std::pair<Storage, ViewDims> placeOf(TensorId id) const {
        const Tensor& t = body_.tensors[id];
        return recurrentPlace(t.shape, bytesOf(t.type), context_.target().tilesPerIpu);
    }

    /// A sum over the steps is laid out like the tensor that it is for, once that has a place.
    void placeState(TensorId id) {
        if (!body_.tensors[id].layoutOf.valid())
            inside_.ensurePlace(id, [&] { return placeOf(id); });
    }

    void placeSequences() {
        CallCopies copies(context_, op_.name + "/sequences");
        for (std::int32_t i = 0; i < loop_.sequences; ++i) {
            const TensorId row = body_.inputs[index(loop_.states + i)];
            const TensorId sequence = op_.inputs[operandOf(index(loop_.states + i))];
            sequences_.push_back({row, placeSequence(copies, sequence, row), keeperOf(sequence)});
        }
        copies.emit();
    }

    /// The loop that makes a sequence for other loops alone: what one keeps is one tensor (popnn
    /// fwdIntermediatesSeq, bwdIntermediates). None for other sequences.
    [[nodiscard]] OpId keeperOf(TensorId sequence) const {
        const Graph& graph = context_.graph();
        const auto has = [&](const std::vector<TensorId>& ids) {
            return std::find(ids.begin(), ids.end(), sequence) != ids.end();
        };
        OpId keeper;
        for (std::size_t i = 0; i < graph.ops.size(); ++i) {
            const Op& op = graph.ops[OpId(i)];
            if (!std::holds_alternative<LoopAttributes>(op.attributes)) {
                if (has(op.inputs) || has(op.outputs))
                    return {};
            } else if (has(op.outputs)) {
                keeper = OpId(i);
            }
        }
        return has(graph.outputs) ? OpId() : keeper;
    }

    VariableId placeSequence(CallCopies& copies, TensorId sequence, TensorId row) {
        const std::pair<Storage, ViewDims> place = placeOf(row);
        if (context_.hasPlace(sequence)) {
            const auto own =
                rowOfSequence(context_.storageOf(sequence).storage, context_.viewOf(sequence));
            if (own) {
                inside_.ensurePlace(row, [&] { return *own; });
                return context_.variableOf(sequence);
            }
        }
        inside_.ensurePlace(row, [&] { return place; });
        Storage all = sequenceStorage(place.first, loop_.steps);
        const ViewDims steps = sequenceView(place.second);
        context_.ensurePlace(sequence, [&] { return std::pair(all, steps); });
        if (rowOfSequence(context_.storageOf(sequence).storage, context_.viewOf(sequence)))
            return context_.variableOf(sequence);
        // Cut so that its steps are apart: a copy in which they are together.
        const Tensor& t = context_.tensor(sequence);
        PlacedStorage target;
        target.variable =
            b_.variable(op_.name + "/" + t.name + "/bySteps", MemoryCategory::Variable,
                        all.layout.blocking.elements().scaled(all.elementBytes),
                        std::string(toString(t.type)), toString(t.shape));
        target.storage = std::move(all);
        copies.add(sequence, target, steps);
        return target.variable;
    }

    /// Operands that every step reads are the same variables in the loop; the body lays out those
    /// without a place.
    void shareConstants() {
        for (std::size_t i = firstConstant(); i < body_.inputs.size(); ++i) {
            const TensorId operand = op_.inputs[operandOf(i)];
            if (context_.hasPlace(operand))
                inside_.adopt(body_.inputs[i], context_.storageOf(operand),
                              context_.viewOf(operand), true);
        }
    }
    void adoptConstants() {
        for (std::size_t i = firstConstant(); i < body_.inputs.size(); ++i) {
            const TensorId operand = op_.inputs[operandOf(i)];
            const PlacedStorage* placed = inside_.arrivalOf(body_.inputs[i]);
            if (placed != nullptr && !context_.hasPlace(operand))
                context_.adopt(operand, *placed, placed->sourceView, false);
        }
    }

    void makeCounter() {
        const TileSeries tile(TileId(0), 1, 1);
        counter_ = b_.variable(op_.name + "/timeStepCounter", MemoryCategory::Variable,
                               tile.scaled(counterBytes), "unsigned int", "[1]");
        const ProgramId set =
            b_.execute(op_.name + "/initCounter",
                       tile.scaled(fillCycles(context_.target(), 1, DataType::UInt32)),
                       {{"popops::Fill<unsigned int>", tile}}, {{}, {counter_}});
        b_.lowered().kills.emplace(set, counter_);
    }

    void step() {
        own();
        const TileSeries tile(TileId(0), 1, 1);
        b_.execute(op_.name + "/timeStepCounter/addInPlace", tile.scaled(counterCycles),
                   {{"popops::BroadcastScalar1DInPlace<popops::expr::BinaryOpType::ADD,"
                     "unsigned int>",
                     tile}},
                   {{counter_}, {counter_}});
        sliceRows();
        // Rows of the states as they were come before the step changes them.
        collect([&](TensorId row) { return isState(row); });
        for (std::size_t i = 0; i < body_.ops.size(); ++i)
            lowerOp(inside_, OpId(i));
        own();
        collect([&](TensorId row) { return !isState(row) && !isNewState(row); });
        carryStates();
        collect([&](TensorId row) { return !isState(row) && isNewState(row); });
    }

    [[nodiscard]] bool isState(TensorId id) const {
        const auto end = body_.inputs.begin() + loop_.states;
        return std::find(body_.inputs.begin(), end, id) != end;
    }
    [[nodiscard]] std::optional<std::size_t> newStateOf(TensorId id) const {
        const auto end = body_.outputs.begin() + loop_.states;
        const auto found = std::find(body_.outputs.begin(), end, id);
        if (found == end)
            return std::nullopt;
        return static_cast<std::size_t>(found - body_.outputs.begin());
    }
    [[nodiscard]] bool isNewState(TensorId id) const { return newStateOf(id).has_value(); }

    /// Every tile of the row needs to know the step.
    void broadcastCounter(const std::string& name, const TileSeries& elements) {
        const std::int32_t tiles = elements.tilesUsed();
        if (tiles < 1)
            return;
        const VariableId offset = b_.variable(name + "/offset", MemoryCategory::Message,
                                              elements.ones().scaled(counterBytes), "unsigned int");
        Traffic traffic;
        traffic.total = tiles;
        traffic.received = elements.ones();
        traffic.sent = TileSeries(TileId(0), 1, tiles);
        traffic.messages = traffic.received;
        traffic.receivers = tiles;
        Movement movement;
        movement.add(b_.machine(), traffic, counterBytes, counterBytes);
        b_.exchange(b_.names().exchangeName(name), std::move(movement), {{counter_}, {offset}});
        offset_ = offset;
    }

    /// Rows that one vertex of each tile copies.
    struct Rows {
        std::string name;
        TileSeries elements;
        DataType type = DataType::Half;
        Access access;
    };

    ProgramId rowStep(const char* vertex, Rows rows) {
        broadcastCounter(rows.name, rows.elements);
        rows.access.reads.push_back(offset_);
        const TileSeries cycles = rows.elements.mapped(
            [&](std::int64_t n) { return dynamicSliceCycles(context_.target(), n, rows.type); });
        return b_.execute(
            rows.name, cycles,
            {{fmt::format("{}<{}>", vertex, toString(rows.type)), rows.elements.ones()}},
            std::move(rows.access));
    }

    /// Steps for rows, one for those with the same keeper and type.
    class RowSteps {
    public:
        void add(Rows rows, OpId keeper) {
            const auto same = keeper.valid() ? joint_.find({keeper, rows.type}) : joint_.end();
            if (same == joint_.end()) {
                if (keeper.valid())
                    joint_[{keeper, rows.type}] = all_.size();
                all_.push_back(std::move(rows));
                return;
            }
            Rows& with = all_[same->second];
            with.elements += rows.elements;
            for (const auto& [from, to] : {std::pair(&rows.access.reads, &with.access.reads),
                                           std::pair(&rows.access.writes, &with.access.writes)})
                to->insert(to->end(), from->begin(), from->end());
        }
        [[nodiscard]] const std::vector<Rows>& all() const { return all_; }

    private:
        std::vector<Rows> all_;
        std::map<std::pair<OpId, DataType>, std::size_t> joint_;
    };

    void sliceRows() {
        RowSteps steps;
        for (const Sequence& sequence : sequences_) {
            const PlacedStorage* row = inside_.arrivalOf(sequence.row);
            steps.add({fmt::format("{}/inputSlice/{}", op_.name, &sequence - sequences_.data()),
                       row->storage.layout.blocking.elements(),
                       body_.tensors[sequence.row].type,
                       {{sequence.source}, {row->variable}}},
                      sequence.keeper);
        }
        for (const Rows& rows : steps.all()) {
            const ProgramId cut = rowStep("popops::DynamicSlice1D", rows);
            for (const VariableId row : rows.access.writes)
                b_.lowered().kills.emplace(cut, row);
        }
    }

    /// Puts the rows that the body makes, and that `now` selects, into their sequences.
    template <class Now> void collect(const Now& now) {
        RowSteps steps;
        for (std::size_t i = index(loop_.states); i < body_.outputs.size(); ++i)
            if (now(body_.outputs[i]) && context_.isRead(op_.outputs[i]))
                steps.add(rowsOf(body_.outputs[i], op_.outputs[i]), keeperOf(op_.outputs[i]));
        for (const Rows& rows : steps.all())
            rowStep("popops::DynamicUpdateSlice1D", rows);
    }

    Rows rowsOf(TensorId row, TensorId sequence) {
        // A new state is where the next step reads it.
        TensorId from = row;
        if (const auto state = newStateOf(row))
            from = body_.inputs[*state];
        const PlacedStorage placed = inside_.storageOf(from);
        const VariableId all = context_.makeResult(sequence, context_.tensor(sequence).name,
                                                   sequenceStorage(placed.storage, loop_.steps),
                                                   sequenceView(inside_.viewOf(from)));
        inside_.beforeLoop([&] { b_.writeUndef(op_.name + "/rows", all); });
        return {context_.tensor(sequence).name + "/dynamicUpdate",
                placed.storage.layout.blocking.elements(),
                body_.tensors[row].type,
                {{placed.variable, all}, {all}}};
    }

    void carryStates() {
        CallCopies copies(inside_, op_.name + "/states");
        for (std::size_t i = 0; i < index(loop_.states); ++i) {
            const PlacedStorage* own = inside_.arrivalOf(body_.inputs[i]);
            if (own == nullptr)
                throw InternalError("a loop does not read its own state");
            const PlacedStorage state = *own; // a copy adds places
            if (inside_.variableOf(body_.outputs[i]) != state.variable)
                copies.add(body_.outputs[i], state, state.sourceView);
        }
        copies.emit();
    }

    /// The states before the first step.
    void beginStates() {
        CallCopies copies(context_, op_.name + "/initialStates");
        for (std::int32_t i = 0; i < givenStates(); ++i) {
            const PlacedStorage* state = inside_.arrivalOf(body_.inputs[index(i)]);
            context_.ensurePlace(op_.inputs[index(i)],
                                 [&] { return std::pair(state->storage, state->sourceView); });
            copies.add(op_.inputs[index(i)], *state, state->sourceView);
        }
        copies.emit();
        for (std::int32_t i = givenStates(); i < loop_.states; ++i) {
            const PlacedStorage* state = inside_.arrivalOf(body_.inputs[index(i)]);
            const DataType type = body_.tensors[body_.inputs[index(i)]].type;
            const TileSeries elements = state->storage.layout.blocking.elements();
            const TileSeries cycles = elements.mapped(
                [&](std::int64_t n) { return fillCycles(context_.target(), n, type); });
            const ProgramId zero =
                b_.execute(op_.name + "/zero/" + std::to_string(i), cycles,
                           {{fmt::format("popops::Fill<{}>", toString(type)), elements.ones()}},
                           {{}, {state->variable}});
            b_.lowered().kills.emplace(zero, state->variable);
        }
    }

    /// Moves the loop after everything that was added beside it meanwhile.
    void putLast(ProgramId around, std::size_t repeat) {
        auto& children = b_.lowered().profile.programs[around].children;
        std::rotate(children.begin() + static_cast<std::ptrdiff_t>(repeat),
                    children.begin() + static_cast<std::ptrdiff_t>(repeat) + 1, children.end());
    }

    void giveStates() {
        for (std::size_t i = 0; i < index(loop_.states); ++i) {
            if (!context_.isRead(op_.outputs[i]))
                continue;
            const PlacedStorage* state = inside_.arrivalOf(body_.inputs[i]);
            context_.adopt(op_.outputs[i], *state, state->sourceView, false);
        }
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    const Op& op_;
    const LoopAttributes& loop_;
    OperationId operation_;
    IpuId ipu_;
    LoweringContext& inside_;
    const Graph& body_;
    std::vector<Sequence> sequences_;
    VariableId counter_, offset_;
};

} // namespace

void lowerLoop(LoweringContext& context, const Op& op) {
    LoopLowering(context, op).run();
}

} // namespace tilescope::sim
