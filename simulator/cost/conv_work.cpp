#include "simulator/cost/conv_work.h"

#include <functional>
#include <numeric>

#include "core/base/ceil_div.h"

namespace tilescope::sim {
namespace {

std::int64_t productOf(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{1}, std::multiplies<>());
}

} // namespace

std::string_view toString(ConvMethod method) {
    switch (method) {
    case ConvMethod::Amp:
        return "AMP";
    case ConvMethod::Slic:
        return "SLIC";
    case ConvMethod::Hmac:
        return "HMAC";
    case ConvMethod::Vmac:
        return "VMAC";
    case ConvMethod::OuterProduct:
        return "OUTER_PRODUCT";
    }
    return "";
}

std::int64_t ConvTileSizes::outPositions() const {
    return batch * productOf(outField);
}
std::int64_t ConvTileSizes::readPositions() const {
    std::int64_t positions = batch;
    for (std::size_t d = 0; d < outField.size(); ++d)
        positions *= ceilDiv(outField[d], outStep[d]);
    return positions;
}
std::int64_t ConvTileSizes::kernelElements() const {
    return productOf(kernel);
}
std::int64_t ConvTileSizes::inputElements() const {
    return groups * batch * inChans * productOf(inField);
}
std::int64_t ConvTileSizes::weightElements() const {
    return groups * inChans * outChans * kernelElements();
}
std::int64_t ConvTileSizes::partialElements() const {
    return groups * outPositions() * outChans;
}

} // namespace tilescope::sim
