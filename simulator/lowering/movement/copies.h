// Copies that bring data to a vertex in the order that it needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/lowering/places/context.h"

namespace tilescope::sim {

/// Copies move 64-bit atoms: shorter runs need a copy by elements.
inline constexpr std::int64_t shortestUnstridedRun = 8; // bytes

/// Exchange writes words of 32 bits where they belong.
inline constexpr std::int64_t exchangeWordBytes = 4;

/// Shorter pieces would take more code at both ends than they have bytes: exchanges bring whole
/// messages instead.
inline constexpr std::int64_t shortestPieceBytes = 16;

/// How an operand is moved to its user.
struct OperandMove {
    /// Pieces are counted for copies that the compiler inserts, and for copies into a plan's order
    /// before a broadcast. Other gathers of convolutions and products follow their plan: counted by
    /// runs, their code would exceed the memory of published programs, so that some step that is
    /// not public must order their operands before.
    Traffic traffic;
    TileSeries bytes;          ///< gathered on each tile: what the vertex reads
    std::int64_t runBytes = 0; ///< contiguous at source and destination
    /// Innermost groups at source and destination, of different dimensions; 1 where there is none.
    std::int64_t sourceGroup = 1, wantedGroup = 1;
    std::int64_t elementBytes = 0; ///< of the groups; 0 where there are none
    /// What of the source's group is on one tile wherever the source is cut.
    std::int64_t sourceRun = 1;
    /// What the user reads; empty for windows of an unfolded operand, in groups of `wantedGroup`.
    std::vector<OrderLevel> wantedOrder;
    std::optional<CopyCause> cause; ///< set where the user knows better than the gather
    /// A tile holds the elements that it has in another sequence than the user wants.
    bool otherSequence = false;
    /// Messages of several pieces that move whole: what arrives has to be put in order.
    bool wholeMessages = false;

    /// Runs are shorter than what moves them: the words of an exchange, or the 64-bit atoms of
    /// copies on a tile and of groups that a transpose of blocks makes.
    [[nodiscard]] bool strided() const;
    /// Nothing moves between tiles, but each has to put what it has in sequence.
    [[nodiscard]] bool isInOtherSequence() const;
    /// Both groups are whole 64-bit atoms, so that a transpose of blocks puts the elements in
    /// groups as wanted, after which whole atoms can move (PopLibs regroupIfBeneficial).
    [[nodiscard]] bool hasWholeGroups() const;
    /// Strided, with such groups.
    [[nodiscard]] bool canRegroup() const;
    /// The same for blocks that are transposed where they lie, whatever the size of their groups
    /// (PopLibs fullyConnectedWeightTranspose; groups of one element are copied).
    [[nodiscard]] bool canTranspose() const;
};

/// How `needed` of a stored tensor is brought to its tiles, in the wanted order.
OperandMove planMove(LoweringContext& context, const PlacedStorage& placed, const Blocking& needed,
                     const std::vector<OrderLevel>& wantedOrder);

/// The same for an operand whose kernel dimensions are folded into its channels: every element goes
/// to each window that reads it. What happens to be local already is not counted.
/// `channelAtoms`: atoms of the storage that are input channels; windows read runs of these.
OperandMove planUnfold(const PlacedStorage& placed, const Blocking& needed,
                       const std::vector<int>& channelAtoms, std::int64_t wantedGroup);

/// True if every tile already holds exactly what it needs, in runs that a vertex can read or a copy
/// without element strides can put in sequence.
bool isInPlace(const OperandMove& move);

/// True if every tile already holds exactly what it needs, in sequence.
bool isThere(const OperandMove& move);

/// Cycles of a rearranging copy of `bytes` on a tile with runs of `runBytes`: a regression over
/// ten thousand random copies (PopLibs poplin/ConvModel.cpp).
std::int64_t rearrangeCycles(std::int64_t bytes, std::int64_t runBytes);

/// Cycles of a plain copy of `bytes` on a tile by all workers, whole 64-bit atoms in order: as
/// measured on the machine, or as the IPU Model counts them, at the rate of the regression.
std::int64_t localCopyCycles(const MachineOptions& machine, std::int64_t bytes);

/// Class of the copy vertex for contiguous runs of `runBytes`.
std::string copyVertex(std::int64_t runBytes);

/// Steps of one copy: what it reads and writes, and the exchange before it, if there is one.
struct CopySteps {
    VariableId source;
    VariableId result;
    ExchangeId exchange;
};

/// An operand that an on-tile copy puts in order.
struct OrderedOperand {
    PlacedStorage placed;
    OperandMove move;
    CopySteps steps;
};

/// Operands that are only joined on each tile, in order already.
struct Joined {
    TileSeries bytes;
    Access access;
    std::int64_t runBytes = shortestUnstridedRun; ///< the shortest that is contiguous
};

/// Brings the operands of one compute set together: operands that can be exchanged straight into
/// place move in one exchange before the compute set ("ExchangePre"); those whose runs are shorter
/// than 64 bits are exchanged first and put in order by an on-tile copy ("PreArrange").
class OperandGather {
public:
    /// Convolutions, matrix products and weight updates regroup operands by transposes where that
    /// helps (PopLibs poplin); for other operations the compiler inserts copies of element runs.
    enum class Regroup { No, Yes };

    /// `user`: the compute set's name.
    OperandGather(LoweringContext& context, std::string user, Regroup regroup = Regroup::No);

    /// The variable that the vertex will read: the operand's own if it is in place. `role`: name of
    /// the gathered variable ("actsRearranged").
    VariableId bring(const PlacedStorage& placed, const OperandMove& move, const std::string& role,
                     bool sharedBus = false);
    /// Writes a gathered operand again on each tile, in runs of `runBytes`: with its padding, where
    /// `bytes` lie in groups that zeros fill up, in another sequence, or as often as it is
    /// broadcast. The vertex reads the result as well.
    void join(VariableId gathered, const std::string& result, TileSeries bytes,
              std::int64_t runBytes = shortestUnstridedRun);
    /// Adds the exchange, if anything moves, and one on-tile copy after it, of all that is joined.
    /// Call before the compute set is added. Returns what the vertex reads beside the operands: the
    /// joined parts.
    std::vector<VariableId> emit();

private:
    VariableId bringRegrouped(const PlacedStorage& placed, const OperandMove& move,
                              const std::string& role, bool sharedBus);
    VariableId bringInOrder(const PlacedStorage& placed, const OperandMove& move,
                            const std::string& role);

    LoweringContext& context_;
    std::string user_;
    Regroup regroup_;
    Movement movement_;
    Access access_;
    int rearranged_ = 0;
    std::vector<OrderedOperand> ordered_;
    Joined joined_;
};

/// One step of on-tile copies by all six workers, as a published profile has one for several
/// operands, with a record of each operand in the profile. `cause`: unless a move knows.
void emitCopies(LoweringContext& context, const StepName& name,
                const std::vector<OrderedOperand>& operands, CopyCause cause,
                const Joined& joined = {});

/// The same of a single operand.
void emitCopy(LoweringContext& context, const StepName& name, const PlacedStorage& placed,
              const OperandMove& move, CopyCause cause, const CopySteps& steps);

/// An on-tile copy that puts `bytes` of an operand and its padding together; no rearrangement, so
/// not recorded as one.
void emitJoin(ProgramBuilder& builder, const StepName& name, const TileSeries& bytes,
              std::int64_t runBytes, Access access);

/// Records a rearrangement that `program` makes of an operand. `cause`: unless the move knows.
void recordCopy(LoweringContext& context, const PlacedStorage& placed, const OperandMove& move,
                const CopySteps& steps, CopyCause cause, ProgramId program, bool transposed);

/// Removes atoms of size one: they cut nothing.
std::vector<int> withoutOnes(const std::vector<int>& atoms, const Storage& storage);

} // namespace tilescope::sim
