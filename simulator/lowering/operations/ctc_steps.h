// Steps that the loss of connectionist temporal classification and its decoder share.
#pragma once

#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/cost/ctc.h"
#include "simulator/lowering/movement/copies.h"

namespace tilescope::sim {

// C++ codelets of a few hundred instructions; *assumed*.
inline constexpr std::int64_t ctcCodeletBytes = 1200;
inline constexpr std::int64_t ctcWordBytes = 4;
// A copy of one element to many: one worker of six, four instructions for each; *assumed*, as both
// published losses on both machines leave 23 to 25 cycles for each element that is initialised.
inline constexpr std::int64_t broadcastCopyCycles = 24;
inline constexpr std::int64_t broadcastCopyStart = 60;

/// Steps of both, on tiles that each have a part of the samples.
class CtcSteps {
public:
    CtcSteps(LoweringContext& context, const Op& op)
        : context_(context)
        , b_(context.builder())
        , op_(op) {}

    [[nodiscard]] std::string name(const std::string& part) const { return op_.name + "/" + part; }

    VariableId variable(const std::string& part, TileSeries bytes, const char* type = "float") {
        return b_.variable(name(part), MemoryCategory::Variable, std::move(bytes), type);
    }

    /// A constant for all elements of variables that have `bytes` together: copied from a tensor of
    /// one element that is broadcast.
    void fill(const std::string& part, const std::vector<VariableId>& variables,
              const TileSeries& bytes) {
        const ProgramId step = b_.execute(
            name(part + "/OnTileCopyPre"), bytes.mapped([](std::int64_t n) {
                return broadcastCopyStart + n / ctcWordBytes * broadcastCopyCycles;
            }),
            {{copyVertex(ctcWordBytes), bytes.ones()}}, {{}, variables}, SetMaker::Compiler);
        for (const VariableId variable : variables)
            b_.lowered().kills.emplace(step, variable);
    }

    /// Each tile receives `bytes` from a neighbour.
    void exchange(const std::string& part, const TileSeries& bytes, VariableId from,
                  VariableId to) {
        exchange(part, bytes, Access{{from}, {to}});
    }
    void exchange(const std::string& part, const TileSeries& bytes, Access access) {
        if (bytes.empty())
            return;
        Traffic traffic;
        traffic.received = bytes.mapped([](std::int64_t n) { return ceilDiv(n, ctcWordBytes); });
        traffic.sent = traffic.received;
        traffic.messages = traffic.received.ones();
        traffic.total = traffic.received.sum();
        Movement movement;
        movement.add(context_.target(), traffic, ctcWordBytes, ctcWordBytes);
        b_.exchange(b_.names().exchangeName(name(part)), std::move(movement), std::move(access));
    }

    /// `vertices` of a class on each tile, each run by one worker in `cycles`.
    void workers(const std::string& part, const std::string& vertex, const TileSeries& vertices,
                 std::int64_t cycles, std::int32_t edges, Access access) {
        const std::int64_t all = context_.target().workers;
        VertexUse use{vertex, vertices};
        use.edges = edges;
        use.codeBytes = ctcCodeletBytes;
        b_.execute(name(part),
                   vertices.mapped([&](std::int64_t n) { return ceilDiv(n, all) * all * cycles; }),
                   {std::move(use)}, std::move(access));
    }

protected:
    LoweringContext& context_;
    ProgramBuilder& b_;
    const Op& op_;
};

/// Data [time, batch, classes] in parts of time and batch; `copies` tiles have the same.
Blocking ctcBlocking(const ViewDims& view, const Storage& storage, const Shape& shape,
                     std::int64_t timeParts, std::int64_t batchParts, std::int64_t copies);

/// Data without a place: time cut over all `tiles` of a sample, so that no row of classes is
/// (mapDataInputAccordingToPlan).
Storage ctcDataStorage(const Shape& shape, std::int64_t elementBytes, std::int64_t tiles,
                       std::int64_t batchParts);

} // namespace tilescope::sim
