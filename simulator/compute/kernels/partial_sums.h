// Products whose sums are rounded to half in the parts in which the device adds.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "simulator/compute/kernels/half_rounding.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// The order in which a convolution or product with half partials is summed. A part is summed by
/// one tile: group after group of input channels, and in each group the kernel's positions. The
/// terms of one pass of the units are summed in single precision and stored as half (PopLibs
/// poplin/codelets/ConvPartial1x1Out.cpp, ConvPartialnx1.cpp). Parts are then reduced in stages, in
/// single precision with halves between them (ReduceAdd.cpp). The order within a pass is not
/// public; here it is that of the channels.
struct PartialSums {
    std::int64_t group = 16; ///< input channels of a pass: those of an AMP unit in half
    /// Kernel positions of a pass, of the outermost dimension and along the innermost.
    std::int64_t passRows = 1, passColumns = 1;
    std::int64_t channelParts = 1, serialParts = 1; ///< of the input channels, on tiles and in time
    std::vector<std::int64_t> kernelParts;          ///< by kernel dimension; none: whole
    std::vector<int> expanded;                      ///< kernel dimensions made input channels
    std::vector<std::int64_t> stages; ///< how many parts each stage of the reduction adds
    friend bool operator==(const PartialSums&, const PartialSums&) = default;
};

/// By function (none: the graph itself) and operation; operations without an entry are summed in
/// single precision.
using PartialSumsTable = std::map<std::pair<FunctionIndex, OpId>, PartialSums>;

/// Which terms are added in which order.
struct SumOrder {
    struct Term {
        std::int64_t channel = 0, tap = 0; ///< input channel and kernel position, row-major
    };
    std::vector<Term> terms;
    std::vector<std::size_t> passEnds; ///< after which terms a half is stored
    std::vector<std::size_t> partEnds; ///< after which passes a part ends
    std::vector<std::size_t> stepEnds; ///< after which parts they are reduced: steps in time
};
/// `turned`: kernel positions are counted from the last, as in the gradient of an input (PopLibs
/// weightsTransposeChansFlipXY).
SumOrder sumOrder(const PartialSums& sums, std::int64_t channels,
                  const std::vector<std::int64_t>& kernel, bool turned = false);

/// Orders made so far, so that each is made only once.
class SumOrders {
public:
    const SumOrder& of(const PartialSums& sums, std::int64_t channels,
                       const std::vector<std::int64_t>& kernel, bool turned = false);

private:
    struct Known {
        PartialSums sums;
        std::int64_t channels;
        std::vector<std::int64_t> kernel;
        bool turned;
        SumOrder order;
    };
    std::deque<Known> known_;
};

/// A dimension along which columns (positions that are computed) and taps (positions that are
/// summed over) meet elements of the second operand.
struct WindowDim {
    std::int64_t columns = 1, taps = 1;
    std::int64_t columnStep = 1, tapStep = 1, first = 0;
    /// Where element columnStep * column + tapStep * tap + first lies; `outside` if there is none.
    std::vector<std::int64_t> places = {};
    static constexpr std::int64_t outside = -(std::int64_t{1} << 60);
};

/// out[row, column] = sum over channels and taps of a[row, channel, tap] * b[channel, column, tap].
struct PartialProduct {
    std::int64_t rows = 0;
    std::int64_t images = 1; ///< of columns: each has the window's
    const float *a = nullptr, *b = nullptr;
    float* out = nullptr;
    std::int64_t aRow = 0, aChannel = 0; ///< steps in `a`; taps follow each other
    std::int64_t bChannel = 0, bImage = 0;
    std::int64_t outRow = 0, outImage = 0; ///< columns of an image follow each other
    std::vector<WindowDim> window;
};

/// Computes it with halves as partial sums: `out` holds half values unless the last step is a
/// reduction.
void multiplyInParts(const PartialProduct& product, const SumOrder& order,
                     const std::vector<std::int64_t>& stages, const HalfRounding& rounding,
                     std::uint64_t key);

} // namespace tilescope::sim
