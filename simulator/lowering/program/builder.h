// Builds the lowered program: variables, compute sets, exchanges and the tree that runs them.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/profile/profile.h"
#include "simulator/graph/graph.h"
#include "simulator/layout/traffic.h"
#include "simulator/lowering/program/step_names.h"
#include "simulator/lowering/program/tile_sum.h"

namespace tilescope::sim {

/// Requirements of a variable on its place.
struct VariableNeeds {
    bool interleaved = false; ///< wide loads or stores: the interleaved region is preferred
    /// Another variable that a vertex accesses in the same cycle: the two lie in different memory
    /// elements wherever both are on a tile.
    VariableId apartFrom;
    /// The same where there is room; the first ones that are asked for.
    std::array<VariableId, 2> preferablyApart;
};

/// Vertices of one class in a compute set: how many on each tile.
struct VertexUse {
    std::string name;
    TileSeries count;
    /// Pointers to the pieces of fields that are lists, beside the state of the class.
    TileSeries instanceBytes{}, listBytes{}; ///< in the instances; as field data
    std::int32_t edges = 0;                  ///< of a vertex; 0: as many as the class has
    std::optional<std::int64_t> codeBytes{}; ///< none: the class's size in the table
};

/// Reads and writes of a step. A write that covers only a part is also a read.
struct Access {
    std::vector<VariableId> reads;
    std::vector<VariableId> writes;
};

/// Bytes that one exchange moves, for one or more operands.
struct Movement {
    TileSeries received, sent; ///< bytes
    TileSeries messages;       ///< that each tile receives: runs that are contiguous at both ends
    TileSeries sendCode;       ///< bytes of code of each tile's sends
    TileSeries operands;       ///< of which each tile receives a part
    TileSeries cycles;         ///< until each tile has sent and received everything
    std::int64_t runBytes = 0; ///< shortest contiguous run among the operands

    /// Adds traffic counted in elements. `sharedBus`: neighbours want the same data, so that a pair
    /// of tiles receives twice as fast.
    void add(const Target& target, const Traffic& traffic, std::int64_t elementBytes,
             std::int64_t run, bool sharedBus = false);
    [[nodiscard]] bool empty() const { return received.empty() && sent.empty(); }

private:
    void addPieces(const Traffic& traffic, std::int64_t elementBytes);
};

/// The result of lowering: the compile-time part of a profile, and information for the compiler
/// only.
struct LoweredProgram {
    Profile profile; ///< without memory, trace and info
    IdVector<VariableId, VariableNeeds> needs;
    /// Bytes of all vertices by tile, including their lists.
    TileSum instanceState, fieldData;
    /// Steps and calls that write a variable anew, in a recomputation or for a function: its
    /// previous life has ended.
    std::set<std::pair<ProgramId, VariableId>> kills;
    /// Variables read by programs that are compiled but not run, such as a download of results.
    std::set<VariableId> readLater;
};

/// Who makes a compute set: those of the compiler (on-tile copies) have no number.
enum class SetMaker { Graph, Compiler };

/// Adds to a LoweredProgram at a cursor in the program tree.
class ProgramBuilder {
public:
    ProgramBuilder(const Target& target, LoweredProgram& lowered);

    /// The whole machine, with its I/O tiles.
    [[nodiscard]] const Target& machine() const { return target_; }
    [[nodiscard]] LoweredProgram& lowered() { return lowered_; }
    [[nodiscard]] StepNames& names() { return names_; }
    [[nodiscard]] const StepName& nameOf(VariableId variable) const {
        return names_.variables[variable];
    }

    /// The operation that everything added from now on belongs to.
    void setOperation(OperationId operation) { operation_ = operation; }
    [[nodiscard]] OperationId operation() const { return operation_; }

    /// The IPU whose first tile is tile 0 of all further series: lowering works on one IPU.
    void setIpu(IpuId ipu) { ipu_ = ipu; }
    [[nodiscard]] IpuId ipu() const { return ipu_; }

    /// The first tile of a tensor that is laid out linearly on `count` of an IPU's `tiles`: after
    /// the previous one, so that small tensors do not accumulate on the first tiles (PopART popx,
    /// linearmapper.cpp). One that would pass the last tile begins at the first instead of
    /// continuing there.
    std::int32_t nextLinearTile(std::int32_t count, std::int32_t tiles);

    VariableId variable(StepName name, MemoryCategory category, TileSeries bytes,
                        std::string type = {}, std::string shape = {}, VariableNeeds needs = {});
    VariableId alwaysLive(StepName name, MemoryCategory category, TileSeries bytes,
                          std::string type = {}, std::string shape = {});

    /// Puts two variables in different memory elements (the constraint of codelets that load from
    /// one while they store to the other).
    void keepApart(VariableId variable, VariableId other) {
        lowered_.needs[variable].apartFrom = other;
    }
    /// The same where there is room. Of variables that many vertices read in place the first two
    /// others count.
    void preferApart(VariableId one, VariableId other);
    /// Puts a variable in interleaved memory, if there is room.
    void preferInterleaved(VariableId variable) { lowered_.needs[variable].interleaved = true; }
    /// A constant of the program: equal ones are stored once, under the name of the first.
    /// `content`: a description that is equal where the constants are.
    VariableId constant(const std::string& content, std::string name, TileSeries bytes,
                        std::string type);

    /// Opens a control program; close with end().
    void beginControlProgram(std::string name);
    /// The same for one that runs before all others.
    void beginFirstControlProgram(std::string name);
    /// Opens a choice between programs, of which one run takes one.
    void beginSwitch(std::string name);
    /// Opens a function; close with end().
    ProgramId beginFunction(std::string name);
    ProgramId call(const std::string& name, ProgramId function);
    /// Programs in the open sequence: those from `first` on were added by an operation.
    [[nodiscard]] std::size_t childCount() const {
        return lowered_.profile.programs[open_.back()].children.size();
    }
    [[nodiscard]] std::vector<ProgramId> childrenFrom(std::size_t first) const;
    /// Adds programs a second time: the same compute sets and exchanges run again on the same
    /// variables, whose old values end there (LoweredProgram::kills).
    void addAgain(const std::vector<ProgramId>& programs);
    /// Reopens a sequence to append to it; returns what was open, for resume().
    std::vector<ProgramId> moveTo(ProgramId sequence);
    void resume(std::vector<ProgramId> open) { open_ = std::move(open); }
    ProgramId beginSequence(std::string name);
    /// Opens a loop with a Sequence in it; one end() closes both.
    void beginRepeat(std::string name, std::int64_t count);
    /// The same where only the tiles of this IPU take part.
    void beginRepeatHere(std::string name, std::int64_t count);
    void end();

    /// An OnTileExecute of a new compute set. `cycles` by tile, for one execution.
    ProgramId execute(const StepName& name, TileSeries cycles,
                      const std::vector<VertexUse>& vertices, Access access,
                      SetMaker maker = SetMaker::Graph);
    /// A DoExchange of data that `access` reads; it lasts until every tile has received what it
    /// needs and sent what it holds of it.
    ExchangeId exchange(const StepName& name, Movement movement, Access access);
    /// A copy between IPUs: bytes by tile of the whole machine.
    void globalExchange(const std::string& name, TileSeries received, TileSeries sent,
                        Access access);
    /// A step of a collective: each replica receives as much as it sends, `bytes` by tile of this
    /// IPU, from its neighbour's tile. It takes `cycles` and has `codeBytes` of code on each tile.
    void collectiveExchange(const std::string& name, const TileSeries& bytes, std::int64_t cycles,
                            std::int64_t codeBytes, Access access);
    /// StreamCopyBegin, -Mid and -End of one or more tensors; bytes by tile of the whole machine.
    void streamCopy(const std::string& name, bool toDevice, const TileSeries& bytes,
                    const std::vector<VariableId>& variables);
    /// A stream that several steps of the program may copy.
    StreamId stream(const std::string& name, bool toDevice, const TileSeries& bytes);
    void streamCopy(StreamId stream, const std::vector<VariableId>& variables);
    /// Consecutive copies: on the same tiles they have the code of one begin and end.
    struct StreamCopy {
        StreamId stream;
        std::vector<VariableId> variables;
        /// On the same tiles: what the variable is copied to where a copy from the host ends, or
        /// from where one to the host begins. None in most cases.
        VariableId peer = {};
    };
    void streamCopies(const std::vector<StreamCopy>& copies);
    /// One step of such a copy: waits and transfers of several streams can be put together.
    ProgramId streamStep(ProgramKind kind, StreamId stream, const std::string& name,
                         const std::vector<VariableId>& variables);
    void writeUndef(const std::string& name, VariableId variable);
    /// A variable that stands for a view of several: it takes their place, without a copy.
    void replaceBy(VariableId view, std::vector<VariableId> parts, const std::string& name);
    /// The same where the life begins with the first part that is written.
    void writeUndef(const std::string& name);

private:
    ProgramId add(Program program);
    ExchangeId addExchange(const StepName& name, Exchange exchange);
    void addGlobalExchange(Exchange exchange, Access access);
    void openRepeat(std::string name, std::int64_t count, TileSeries controlCode);
    void cloneInto(ProgramId id, std::set<VariableId>& seen);
    [[nodiscard]] TileSeries here(TileSeries series) const;
    /// A value on all tiles of the IPUs on which a series is not zero, as they wait together.
    [[nodiscard]] TileSeries onAllTilesOf(const TileSeries& series, std::int64_t value) const;
    /// Control code of a leaf on all tiles of this IPU.
    [[nodiscard]] TileSeries code(std::int64_t bytes) const;

    const Target& target_;
    IpuId ipu_ = IpuId(0);
    std::map<IpuId, std::int32_t> nextLinear_; ///< tile after the last linear tensor
    LoweredProgram& lowered_;
    OperationId operation_;
    std::vector<ProgramId> open_;
    std::map<std::string, VertexTypeId, std::less<>> vertexTypes_;
    std::map<std::string, VariableId> constants_; ///< by content
    StepNames names_;
};

} // namespace tilescope::sim
