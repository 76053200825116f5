// Steps that the loss of connectionist temporal classification and its decoder share.
#pragma once

#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/cost/ctc.h"
#include "simulator/cost/slice_cycles.h"
#include "simulator/lowering/movement/copies.h"

namespace tilescope::sim {

// C++ codelets of a few hundred instructions; *assumed*.
inline constexpr std::int64_t ctcCodeletBytes = 1200;
inline constexpr std::int64_t ctcWordBytes = 4;

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

    /// The same constant for all elements.
    void fill(const std::string& part, VariableId variable, const TileSeries& bytes) {
        const TileSeries cycles = bytes.mapped([&](std::int64_t n) {
            return fillCycles(context_.target(), n / ctcWordBytes, DataType::Float);
        });
        const ProgramId step = b_.execute(
            name(part), cycles, {{"popops::Fill<float>", bytes.ones()}}, {{}, {variable}});
        b_.lowered().kills.emplace(step, variable);
    }

    /// Each tile receives `bytes` from a neighbour.
    void exchange(const std::string& part, const TileSeries& bytes, VariableId from,
                  VariableId to) {
        if (bytes.empty())
            return;
        Traffic traffic;
        traffic.received = bytes.mapped([](std::int64_t n) { return ceilDiv(n, ctcWordBytes); });
        traffic.sent = traffic.received;
        traffic.messages = traffic.received.ones();
        traffic.total = traffic.received.sum();
        Movement movement;
        movement.add(context_.target(), traffic, ctcWordBytes, ctcWordBytes);
        b_.exchange(b_.names().exchangeName(name(part)), std::move(movement), {{from}, {to}});
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

/// Data without a place: time cut over all tiles of a sample, so that no row of classes is
/// (mapDataInputAccordingToPlan).
Storage ctcDataStorage(const Shape& shape, std::int64_t elementBytes, std::int64_t timeParts,
                       std::int64_t batchParts);

} // namespace tilescope::sim
