// The accounting in rows: by place, shared program, scope, type, PopLibs call or step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/accounting/accounting.h"
#include "core/analysis/accounting/operation_memory.h"
#include "core/analysis/source/source_names.h"
#include "core/base/saturating.h"

namespace tilescope {

/// What each row covers.
enum class CostLayer : std::uint8_t {
    Place,     ///< an operation where the model runs it
    Shared,    ///< an operation of the program, at all places that run it
    Scope,     ///< the first parts of the path at the place
    Type,      ///< operator of the model
    Line,      ///< line of the user's program; "(no line)" where none is known
    Statement, ///< of the program, with all of its lines
    Function,  ///< of the program
    File,      ///< of the program
    Stack,     ///< lines of the program from the outermost on: "train.py:90;model.py:72"
    Library,   ///< the PopLibs call: debug path of the step without its last part
    Step,      ///< each program step
};
inline constexpr auto costLayers = valuesUpTo<CostLayer::Step>;
template <>
inline constexpr auto enumNames<CostLayer> =
    std::to_array<std::string_view>({"place", "shared", "scope", "type", "line", "statement",
                                     "function", "file", "stack", "library", "step"});
/// What each row represents.
template <>
inline constexpr auto enumTitles<CostLayer> = std::to_array<std::string_view>(
    {"Operation", "Operation", "Scope", "Operation type", "Source line", "Statement of the source",
     "Function of the source", "Source file", "Source stack", "PopLibs call", "Program step"});

/// A program step of a row, at all places that the row covers.
struct RowStep {
    ProgramId program;
    std::int64_t executions = 0; ///< in the run
    std::int64_t cycles = 0;     ///< measured, of these
};

/// Costs on one IPU. Measured figures are those of all executions in the accounting's run; "once"
/// is an estimate of one execution at each place that the row covers, with its serial parts.
struct CostRow {
    std::string path;      ///< of the place or scope, the operator, the call or the step
    OperationId operation; ///< the only one of the row, if there is just one
    ModelNodeId node;      ///< likewise
    SourceFrameId source;  ///< of the first operation, in layers of the program's lines
    IpuId ipu;
    /// Set in rows without an operation: the kind of step, "sync", "host", "idle", ...;
    /// "sharedCode" in rows of memory alone.
    std::string kind;
    std::string type;        ///< operator, if all operations have the same
    std::string outputShape; ///< of the only operation
    std::optional<ModelPhase> pass;
    std::int32_t stage = 0;
    std::int32_t operations = 0; ///< of the model: places, without calls of functions
    std::int32_t places = 1;     ///< that share the only operation's program and its memory
    std::vector<RowStep> steps;
    std::int64_t executions = 0; ///< of the operations (of the steps by Library and Step)
    std::int64_t measuredCycles = 0;
    std::array<std::int64_t, costKinds.size()> measuredByKind{};
    std::array<std::int64_t, 3> measuredByPass{}; ///< by ModelPhase, of operations
    std::int64_t measuredCopies = 0;              ///< compute sets that only put operands in order
    std::int64_t computeOnce = 0;
    std::int64_t exchangeOnce = 0; ///< within the IPU and between IPUs
    std::int64_t copyOnce = 0;     ///< strided copies; part of compute
    double flops = 0;              ///< of all executions
    double flopsOnce = 0;
    std::int64_t bytesExchanged = 0; ///< received from tiles and IPUs, all executions
    std::int64_t bytesOnce = 0;      ///< likewise, one execution
    /// Tile cycles / (compute cycles x tiles of the IPU), 0 to 1; of the estimate where nothing
    /// ran.
    double balance = 0;
    /// Peak FLOPs of the IPU's matrix units in the row's compute and exchange cycles: of the run,
    /// or of one execution where nothing ran.
    double peakFlops = 0;
    double peakBytes = 0;  ///< that the IPU's tiles could receive in these cycles
    double workCycles = 0; ///< these cycles: compute and exchange
    /// Empty where a function's places share it: the function's own row has it then.
    OperationBytes memory;

    [[nodiscard]] std::int64_t cyclesOnce() const {
        return saturatingSum(computeOnce, exchangeOnce);
    }
    /// FLOPs / peakFlops, 0 to 1.
    [[nodiscard]] double utilisation() const {
        return peakFlops > 0 ? (executions > 0 ? flops : flopsOnce) / peakFlops : 0;
    }
    /// Of the run, or of one execution where nothing ran; likewise below. None without cycles.
    [[nodiscard]] std::optional<double> flopsPerCycle() const;
    /// FLOPs for a byte exchanged. None if no bytes are.
    [[nodiscard]] std::optional<double> flopsPerByte() const;
    /// The most FLOPs per cycle possible with the bytes that the row exchanges: limited by the
    /// matrix units or by the exchange, whichever is less; see roofline.h. None without cycles.
    [[nodiscard]] std::optional<double> roofFlopsPerCycle() const;
    [[nodiscard]] std::int64_t measured(CostKind kind) const {
        return measuredByKind[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] std::int64_t measured(ModelPhase pass) const {
        return measuredByPass[static_cast<std::size_t>(pass)];
    }
};

/// Rows in model order, then those without an operation by kind. `depth`: parts of the path that
/// make a scope; `reach`: whose lines count. On each IPU the rows' measured cycles add up to the
/// totals' measured ones.
std::vector<CostRow> costRows(const ProfileView& profile, const Accounting& accounting,
                              CostLayer layer, int depth = 1, const std::stop_token& stop = {},
                              SourceReach reach = SourceReach::Mine);

/// The estimate of a step in one execution of its operation, with all repeats in it: what rows add
/// up for "once". 0 without a program.
std::int64_t cyclesOnce(const IdVector<ProgramId, Program>& programs, const PlacedStep& step);

/// How lines of the program are gathered by a layer; none for the layers of other things.
std::optional<SourceGrain> grainOf(CostLayer layer);

/// The largest number of parts in any place's path.
int scopeDepth(const Accounting& accounting);

/// Peak floating-point operations per cycle of one tile's matrix units: twice the
/// multiply-accumulates, with half or single precision operands.
double peakFlopsPerCycle(const Target& target, bool half);

} // namespace tilescope
