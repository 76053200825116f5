#include "simulator/lowering/operations/conv_vertices.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "core/base/ceil_div.h"
#include "core/base/error.h"
#include "simulator/cost/conv_cycles.h"
#include "simulator/cost/footprint.h"
#include "simulator/cost/worker_rows.h"

namespace tilescope::sim {
namespace {

bool isIdle(const ConvTileSizes& sizes) {
    return sizes.partialElements() == 0 || sizes.inChans == 0;
}

/// Rows of all workers of a tile.
std::int64_t allRows(const ConvTileSizes& sizes, std::int64_t workers) {
    std::int64_t rows = 0;
    for (std::int64_t nth = 0; nth < workers; ++nth)
        rows += workerRows(sizes, workers, nth).rows();
    return rows;
}

/// Entries of all workers' lists in VMAC: one for each output position and kernel row, and one more
/// where a position is shared by two workers (createConvPartialVerticalMacVertex).
std::int64_t vmacEntries(const ConvTileSizes& sizes, std::int64_t workers) {
    const std::int64_t positions = sizes.outPositions();
    std::int64_t entries = positions;
    for (std::int64_t nth = 1; nth < workers; ++nth)
        entries += nth * positions % workers != 0 ? 1 : 0;
    return entries * (sizes.kernelElements() / sizes.kernel.back());
}

} // namespace

ConvVertices::ConvVertices(const Target& target, const ConvPlan& plan, const ConvPieces& pieces)
    : target_(target)
    , plan_(plan)
    , pieces_(pieces) {}

ConvTileSizes ConvVertices::withRows(const ConvTileSizes& sizes) const {
    ConvTileSizes own = sizes;
    own.singleRow = meetsEveryIndex(plan_.problem) &&
                    workerCosts(sizes, target_.workers, [](const WorkerRows& mine) {
                        return mine.rows();
                    }).most <= 1;
    return own;
}

bool ConvVertices::isOneByOne(const ConvTileSizes& sizes) const {
    return plan_.method == ConvMethod::Amp &&
           takesOneByOne(target_, plan_.convUnits, plan_.grains, withRows(sizes),
                         plan_.problem.inType, plan_.problem.partialType);
}

TileSeries ConvVertices::fromFirstTile(const std::vector<std::int64_t>& values) const {
    return TileSeries::fromDense(values, TileId(static_cast<std::size_t>(plan_.firstTile)));
}

TileSeries ConvVertices::cycles() const {
    return fromFirstTile(pieces_.byTile([&](const ConvTileSizes& sizes) {
        return isIdle(sizes) ? 0
                             : convolveCycles(target_, plan_.method, plan_.convUnits, plan_.grains,
                                              withRows(sizes), plan_.problem.inType,
                                              plan_.problem.partialType);
    }));
}

std::int64_t ConvVertices::worklistBytesOf(const ConvTileSizes& sizes) const {
    const std::int64_t descriptors = target_.workers * worklistDescriptorBytes;
    const auto lists = [&](std::int64_t passes) {
        return passes * (allRows(sizes, target_.workers) * worklistBytesPerRow + descriptors);
    };
    switch (plan_.method) {
    case ConvMethod::Amp:
        return isOneByOne(sizes)
                   ? target_.workers * worklistBytesPerRow
                   : lists(kernelPassesOf(target_, plan_.method, plan_.convUnits, plan_.grains,
                                          sizes, plan_.problem.inType, plan_.problem.partialType));
    case ConvMethod::Slic: {
        constexpr std::int64_t window = 4; // kernel columns
        const std::int64_t columns = sizes.kernel.back();
        return lists(sizes.kernelElements() / columns * ceilDiv(columns, window));
    }
    case ConvMethod::Hmac:
        return lists(sizes.kernelElements());
    case ConvMethod::Vmac:
        return vmacEntries(sizes, target_.workers) * vmacWorklistBytesPerEntry + descriptors;
    case ConvMethod::OuterProduct:
        return 0;
    }
    throw InternalError("unknown convolution method");
}

TileSeries ConvVertices::worklistBytes() const {
    return fromFirstTile(pieces_.byTile([&](const ConvTileSizes& sizes) {
        return isIdle(sizes) ? std::int64_t{0} : worklistBytesOf(sizes);
    }));
}

TileSeries ConvVertices::scratchBytes() const {
    if (plan_.method != ConvMethod::Slic && plan_.method != ConvMethod::Vmac)
        return {};
    return fromFirstTile(pieces_.byTile([&](const ConvTileSizes& sizes) {
        if (isIdle(sizes))
            return std::int64_t{0};
        const std::int64_t group = sizes.partialElements() /
                                   ceilDiv(sizes.groups, plan_.grains.groups) *
                                   bytesOf(plan_.problem.partialType);
        // SLIC writes one group of conv groups to either of two places in turn; each worker of VMAC
        // has the sums of one.
        return plan_.method == ConvMethod::Slic ? group + slicExtraBytes : group * target_.workers;
    }));
}

std::string ConvVertices::worklistContent() const {
    std::string content = fmt::format("worklists {} {} {}.{}", toString(plan_.method),
                                      plan_.convUnits, plan_.grains.inChans, plan_.grains.outChans);
    if (plan_.firstTile > 0)
        content += fmt::format(" from {}", plan_.firstTile);
    const ConvTileSizes* before = nullptr;
    const std::vector<std::size_t>& tiles = pieces_.tiles();
    for (std::size_t nth = 0; nth < tiles.size(); ++nth) {
        const ConvTileSizes& sizes = pieces_.distinct()[tiles[nth]];
        if (&sizes == before)
            continue;
        if (before == nullptr || isIdle(sizes) != isIdle(*before) || sizes.batch != before->batch ||
            sizes.outField != before->outField || sizes.kernel != before->kernel)
            content += fmt::format(" {}:{}x{}x{}", nth, isIdle(sizes) ? 0 : sizes.batch,
                                   fmt::join(sizes.outField, "."), fmt::join(sizes.kernel, "."));
        before = &sizes;
    }
    return content;
}

std::string ConvVertices::name(bool oneByOne) const {
    const ConvProblem& p = plan_.problem;
    const auto types = fmt::format("{},{}", toString(p.inType), toString(p.partialType));
    const std::int64_t load =
        p.inType == DataType::Half ? target_.convUnitLoadElemsHalf : target_.convUnitLoadElemsFloat;
    switch (plan_.method) {
    case ConvMethod::Amp: {
        return fmt::format("poplin::{}<{},true,false,{},{},false>",
                           oneByOne ? "ConvPartial1x1Out" : "ConvPartialnx1", types,
                           plan_.convUnits, load);
    }
    case ConvMethod::Slic:
        // Window, chains of units and conv groups (PopLibs codelets, ConvPartial1xNSLIC).
        return fmt::format("poplin::ConvPartial1xNSLIC<{},{},true,4,{},{},false>", types,
                           p.field.back().stride, plan_.convUnits, plan_.grains.groups);
    case ConvMethod::Hmac:
        return fmt::format("poplin::ConvPartialHorizontalMac<{},true>", types);
    case ConvMethod::Vmac:
        return fmt::format("poplin::ConvPartialVerticalMac<{},true,{}>", types,
                           plan_.grains.groups);
    case ConvMethod::OuterProduct:
        return fmt::format("poplin::OuterProduct<{}>", toString(p.inType));
    }
    throw InternalError("unknown convolution method");
}

std::vector<VertexUse> ConvVertices::uses(const TileSeries& active) const {
    if (plan_.method != ConvMethod::Amp)
        return {{name(false), active.ones()}};
    // By pointers, doubled, and the class.
    const std::vector<std::int64_t> kinds = pieces_.byTile([&](const ConvTileSizes& sizes) {
        const std::int64_t groups = sizes.groups / plan_.grains.groups;
        const std::int64_t in = sizes.inChans / plan_.grains.inChans;
        const std::int64_t out = sizes.outChans / plan_.grains.outChans;
        const std::int64_t read = groups * in + groups * in * out;
        const std::int64_t written = groups * out;
        // The fixed state has the first output's.
        return 2 * (read + written - 1) + (isOneByOne(sizes) ? 1 : 0);
    });
    std::map<std::int64_t, TileSeries> byKind;
    for (const TileRun& run : active.runs())
        for (std::int32_t nth = run.first; nth < run.end; ++nth)
            byKind[kinds[static_cast<std::size_t>(nth - plan_.firstTile)]].append(nth, nth + 1, 1);
    std::vector<VertexUse> uses;
    for (const auto& [kind, count] : byKind) {
        constexpr std::int64_t firstOutputAndWorklist = 2;
        const std::int64_t listed = kind / 2;
        uses.push_back({name(kind % 2 != 0),
                        count,
                        count.scaled(listed * listPointerBytes),
                        {},
                        static_cast<std::int32_t>(listed + firstOutputAndWorklist)});
    }
    return uses;
}

void ConvVertices::constrain(ProgramBuilder& builder, VariableId input, VariableId weights,
                             VariableId partials) const {
    switch (plan_.method) {
    case ConvMethod::Amp:
    case ConvMethod::Slic:
        // The codelets demand it of input and results alone; published fullest tiles have it of the
        // weights, too.
        builder.preferApart(partials, input);
        builder.preferApart(partials, weights);
        builder.preferApart(weights, input);
        return builder.preferInterleaved(partials);
    case ConvMethod::Hmac:
    case ConvMethod::Vmac:
        return builder.keepApart(input, weights);
    case ConvMethod::OuterProduct:
        return builder.keepApart(partials, weights);
    }
}

} // namespace tilescope::sim
