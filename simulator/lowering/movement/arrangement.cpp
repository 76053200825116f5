#include "simulator/lowering/movement/arrangement.h"

#include <algorithm>
#include <utility>

namespace tilescope::sim {

Arrangement::Arrangement(LoweringContext& context, std::string op)
    : context_(context)
    , b_(context.builder())
    , op_(std::move(op)) {}

std::size_t Arrangement::add(RegroupRequest operand, std::string role, Storage wanted) {
    Item item;
    item.regrouped = operand.asTheyLie ? operand.move.canTranspose() : operand.move.canRegroup();
    item.from = operand.placed.variable;
    item.traffic = operand.move.traffic;
    item.operand = std::move(operand);
    item.role = std::move(role);
    item.wanted = std::move(wanted);
    items_.push_back(std::move(item));
    return items_.size() - 1;
}

const PlacedStorage& Arrangement::result(std::size_t number) const {
    return items_[number].result;
}

void Arrangement::emit() {
    for (Item& item : items_)
        item.result = item.operand.placed;
    const bool anything = std::any_of(items_.begin(), items_.end(),
                                      [](const Item& item) { return !isThere(item.operand.move); });
    if (!anything)
        return;
    writeUndefs(false);
    regroupAll();
    writeUndefs(true);
    copyAll();
}

/// Results are undefined until the copies have written all of them. The steps are placed as in a
/// published profile: those of activations and padding first, those of weights before their copy.
void Arrangement::writeUndefs(bool ofWeights) {
    for (const Item& item : items_) {
        if (isThere(item.operand.move) ||
            (item.regrouped && item.operand.asTheyLie && item.operand.move.traffic.total == 0))
            continue;
        const bool isWeights = item.role.starts_with("weights");
        if (!ofWeights && item.operand.paddedElements > 0)
            b_.writeUndef("ValuePadder/padding");
        if (isWeights == ofWeights)
            b_.writeUndef(op_ + "/" + item.role);
    }
}

void Arrangement::regroupAll() {
    std::vector<RegroupRequest> requests;
    for (const Item& item : items_)
        if (item.regrouped && !item.operand.asTheyLie)
            requests.push_back(item.operand);
    std::vector<Regrouped> copies;
    if (!requests.empty())
        copies = regroup(context_, op_, requests);
    std::size_t next = 0;
    for (Item& item : items_)
        if (item.regrouped) {
            const Regrouped copy = item.operand.asTheyLie
                                       ? regroupAsTheyLie(context_, op_, item.operand)
                                       : copies[next++];
            item.traffic =
                trafficFrom(copy, item.operand.move, item.operand.placed.storage.elementBytes);
            item.from = copy.variable;
            // Blocks that nothing cuts, for users where they lie.
            item.arrived = item.operand.asTheyLie && item.operand.move.traffic.total == 0;
            if (item.arrived) {
                item.result = {};
                item.result.storage = item.wanted;
                item.result.variable = copy.variable;
            }
        }
}

void Arrangement::copyAll() {
    if (std::all_of(items_.begin(), items_.end(),
                    [](const Item& item) { return item.arrived || isThere(item.operand.move); }))
        return;
    StepNameSet sources, targets;
    Movement movement;
    Access moved;
    std::vector<OrderedOperand> onTile;
    int copies = 0;
    for (Item& item : items_) {
        const OperandMove& move = item.operand.move;
        if (isThere(move) || item.arrived)
            continue;
        ++copies;
        const StepName source = b_.nameOf(item.from);
        const std::string type = b_.lowered().profile.variables[item.from].type;
        const std::string name = op_ + "/" + item.role;
        const bool inOrder =
            item.regrouped || (!move.strided() && !move.isInOtherSequence() && !move.wholeMessages);
        const VariableId result = b_.variable(name, MemoryCategory::Variable, move.bytes, type);
        sources.insert(source);
        targets.insert(name);
        VariableId arrived = item.from;
        if (item.traffic.total > 0) {
            arrived =
                inOrder ? result
                        : b_.variable(name + "/message", MemoryCategory::Message, move.bytes, type);
            if (item.regrouped)
                item.traffic.piece = item.traffic.landing = 0;
            movement.add(b_.machine(), item.traffic, item.operand.placed.storage.elementBytes,
                         item.regrouped ? shortestUnstridedRun : move.runBytes);
            moved.reads.push_back(item.from);
            moved.writes.push_back(arrived);
        }
        if (!inOrder)
            onTile.push_back({item.operand.placed, item.operand.move, {arrived, result, {}}});
        item.result = {};
        item.result.storage = item.wanted;
        item.result.variable = result;
    }
    const StepName copy = b_.names().copyName(
        copyOf(sources, targets), copies > 1 ? CopyPass::Merged : CopyPass::Written, copies);
    ExchangeId exchange;
    if (!moved.writes.empty())
        exchange = b_.exchange(copy + "/ExchangePre", std::move(movement), std::move(moved));
    for (OrderedOperand& operand : onTile)
        operand.steps.exchange = exchange;
    if (!onTile.empty())
        emitCopies(context_, copy + "/OnTileCopy-0", onTile, CopyCause::Plan);
}

} // namespace tilescope::sim
