#include "simulator/lowering/operations/conv_padding.h"

#include <algorithm>

#include "core/base/ceil_div.h"
#include "simulator/cost/conv_cycles.h"
#include "simulator/lowering/movement/copies.h"

namespace tilescope::sim {
namespace {

constexpr std::int64_t slicWindow = 4;

/// Padding to whole multiples.
std::int64_t missing(std::int64_t size, std::int64_t multiple) {
    return ceilDiv(size, multiple) * multiple - size;
}

} // namespace

ConvPadding::ConvPadding(const Target& target, const ConvPlan& plan, const ConvTiling& tiling,
                         const ConvPieces& pieces)
    : plan_(plan)
    , tiling_(tiling)
    , pieces_(pieces)
    , windows_(plan.method == ConvMethod::Slic) {
    if (windows_)
        multiple_ = slicWindow;
    else if (plan.method == ConvMethod::Amp)
        multiple_ = filterHeightOf(target, plan.convUnits, plan.grains, plan.problem.inType,
                                   plan.problem.partialType);
}

bool ConvPadding::isFilled(std::size_t dim) const {
    const std::size_t dims = plan_.problem.field.size();
    return multiple_ > 1 && (windows_ ? dim + 1 == dims : dim == 0 && dims > 1);
}

std::int64_t ConvPadding::outerRows() const {
    return windows_ || plan_.problem.field.size() > 1 ? 1 : multiple_;
}

template <class Bytes>
TileSeries ConvPadding::byTile(bool lastIn, bool lastOut, const Bytes& bytes) const {
    // Once for each distinct piece, with the last channels or without.
    const auto of = [&](bool in, bool out) {
        return pieces_.byTile([&](const ConvTileSizes& sizes) {
            return sizes.inChans == 0 || sizes.outChans == 0 ? 0 : bytes(sizes, in, out);
        });
    };
    const std::vector<std::int64_t> plain = of(false, false), in = of(lastIn, false),
                                    out = of(false, lastOut), both = of(lastIn, lastOut);
    TileSeries result;
    for (std::int32_t nth = 0; nth < tiling_.tiles(); ++nth) {
        const bool hasIn = tiling_.hasLastInChans(nth), hasOut = tiling_.hasLastOutChans(nth);
        const auto& values = hasIn && hasOut ? both : hasIn ? in : hasOut ? out : plain;
        const std::int32_t tile = plan_.firstTile + nth;
        result.append(tile, tile + 1, values[static_cast<std::size_t>(nth)]);
    }
    return result;
}

TileSeries ConvPadding::inputBytes(bool channels, bool all) const {
    const ConvProblem& p = plan_.problem;
    const std::int64_t grain = plan_.grains.inChans;
    const bool fills = channels && p.inChans % grain != 0;
    if (!fills && !all && multiple_ == 1)
        return {};
    return byTile(fills, false, [&](const ConvTileSizes& sizes, bool lastIn, bool) {
        std::int64_t field = 1, padded = outerRows();
        for (std::size_t d = 0; d < sizes.inField.size(); ++d) {
            const FieldDim& dim = p.field[d];
            const std::int64_t more = isFilled(d) ? missing(sizes.kernel[d], multiple_) : 0;
            const std::int64_t read =
                (sizes.outField[d] - 1) * dim.stride + (sizes.kernel[d] - 1) * dim.dilation + 1;
            const std::int64_t outside =
                windows_ ? std::max<std::int64_t>(0, read - sizes.inField[d]) : 0;
            field *= sizes.inField[d];
            padded *= sizes.inField[d] + more * dim.dilation + outside;
        }
        const std::int64_t elements = sizes.inputElements() / std::max<std::int64_t>(1, field);
        const std::int64_t whole = elements * padded * bytesOf(p.inType);
        if (all || padded != field)
            return whole;
        return lastIn ? whole / sizes.inChans * grain : 0;
    });
}

TileSeries ConvPadding::weightBytes(bool channels, bool all) const {
    const ConvProblem& p = plan_.problem;
    const ConvGrains& grains = plan_.grains;
    const bool fillsIn = channels && p.inChans % grains.inChans != 0;
    const bool fillsOut =
        channels && p.outChans % grains.outChans != 0 && plan_.splits.outChansSerial == 1;
    if (!fillsIn && !fillsOut && !all && multiple_ == 1)
        return {};
    return byTile(fillsIn, fillsOut, [&](const ConvTileSizes& sizes, bool lastIn, bool lastOut) {
        std::int64_t kernel = 1, padded = outerRows();
        for (std::size_t d = 0; d < sizes.kernel.size(); ++d) {
            kernel *= sizes.kernel[d];
            padded *= sizes.kernel[d] + (isFilled(d) ? missing(sizes.kernel[d], multiple_) : 0);
        }
        const std::int64_t elements = sizes.weightElements() / std::max<std::int64_t>(1, kernel);
        const std::int64_t whole = elements * padded * bytesOf(p.inType);
        if (all || padded != kernel)
            return whole;
        // Groups of which either the input or the output channels are filled up.
        const std::int64_t ins = sizes.inChans / grains.inChans;
        const std::int64_t outs = sizes.outChans / grains.outChans;
        const std::int64_t joined =
            (lastIn ? outs : 0) + (lastOut ? ins : 0) - (lastIn && lastOut ? 1 : 0);
        return whole / (ins * outs) * joined;
    });
}

std::int64_t paddedElements(const ConvPlan& plan, const OperandMove& move) {
    const std::int64_t grain = plan.grains.inChans;
    const std::int64_t channels = plan.problem.inChans;
    if (channels % grain == 0 || isThere(move))
        return 0;
    const std::int64_t bytes = move.bytes.sum();
    return bytes / bytesOf(plan.problem.inType) / channels * (channels % grain);
}

} // namespace tilescope::sim
