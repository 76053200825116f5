#include "simulator/lowering/operations/conv_vertices.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "core/base/error.h"
#include "simulator/cost/conv_cycles.h"
#include "simulator/cost/footprint.h"
#include "simulator/cost/worker_rows.h"

namespace tilescope::sim {
namespace {

bool isIdle(const ConvTileSizes& sizes) {
    return sizes.partialElements() == 0 || sizes.inChans == 0;
}

} // namespace

ConvVertices::ConvVertices(const Target& target, const ConvPlan& plan, const ConvPieces& pieces)
    : target_(target)
    , plan_(plan)
    , pieces_(pieces) {}

TileSeries ConvVertices::cycles() const {
    return TileSeries::fromDense(pieces_.byTile([&](const ConvTileSizes& sizes) {
        return isIdle(sizes)
                   ? 0
                   : convolveCycles(target_, plan_.method, plan_.convUnits, plan_.grains, sizes,
                                    plan_.problem.inType, plan_.problem.partialType);
    }));
}

TileSeries ConvVertices::worklistBytes() const {
    return TileSeries::fromDense(pieces_.byTile([&](const ConvTileSizes& sizes) {
        if (isIdle(sizes))
            return std::int64_t{0};
        const bool oneList = plan_.method == ConvMethod::Amp    ? isOneByOne()
                             : plan_.method == ConvMethod::Hmac ? sizes.kernelElements() == 1
                                                                : true;
        if (oneList)
            return target_.workers * worklistBytesPerRow;
        std::int64_t rows = 0;
        for (std::int64_t nth = 0; nth < target_.workers; ++nth)
            rows += workerRows(sizes, target_.workers, nth).rows();
        const std::int64_t lists =
            kernelPassesOf(target_, plan_.method, plan_.convUnits, plan_.grains, sizes,
                           plan_.problem.inType, plan_.problem.partialType);
        return lists * (rows * worklistBytesPerRow + target_.workers * worklistDescriptorBytes);
    }));
}

std::string ConvVertices::worklistContent() const {
    std::string content = fmt::format("worklists {} {} {}.{}", toString(plan_.method),
                                      plan_.convUnits, plan_.grains.inChans, plan_.grains.outChans);
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

bool ConvVertices::isOneByOne() const {
    return std::all_of(pieces_.distinct().begin(), pieces_.distinct().end(),
                       [&](const ConvTileSizes& sizes) {
                           return plan_.method == ConvMethod::Amp &&
                                  takesOneByOne(target_, plan_.convUnits, plan_.grains, sizes,
                                                plan_.problem.inType, plan_.problem.partialType);
                       });
}

std::string ConvVertices::name() const {
    const ConvProblem& p = plan_.problem;
    const auto types = fmt::format("{},{}", toString(p.inType), toString(p.partialType));
    const std::int64_t load =
        p.inType == DataType::Half ? target_.convUnitLoadElemsHalf : target_.convUnitLoadElemsFloat;
    switch (plan_.method) {
    case ConvMethod::Amp: {
        return fmt::format("poplin::{}<{},true,false,{},{},false>",
                           isOneByOne() ? "ConvPartial1x1Out" : "ConvPartialnx1", types,
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
        return {{name(), active.ones()}};
    const std::vector<std::int64_t> pointers = pieces_.byTile([&](const ConvTileSizes& sizes) {
        const std::int64_t groups = sizes.groups / plan_.grains.groups;
        const std::int64_t in = sizes.inChans / plan_.grains.inChans;
        const std::int64_t out = sizes.outChans / plan_.grains.outChans;
        const std::int64_t read = groups * in + groups * in * out;
        const std::int64_t written = groups * out;
        return read + written - 1; // the fixed state has the first output's
    });
    std::map<std::int64_t, TileSeries> byPointers;
    for (const TileRun& run : active.runs())
        for (std::int32_t nth = run.first; nth < run.end; ++nth)
            byPointers[pointers[static_cast<std::size_t>(nth)]].append(nth, nth + 1, 1);
    std::vector<VertexUse> uses;
    for (const auto& [listed, count] : byPointers) {
        constexpr std::int64_t firstOutputAndWorklist = 2;
        uses.push_back({name(),
                        count,
                        count.scaled(listed * listPointerBytes),
                        {},
                        static_cast<std::int32_t>(listed + firstOutputAndWorklist)});
    }
    return uses;
}

} // namespace tilescope::sim
