#include "simulator/frontend/keras/window.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/ceil_div.h"

namespace tilescope::sim {

std::vector<std::int64_t> KerasWindow::pads() const {
    std::vector<std::int64_t> both = padsBegin;
    both.insert(both.end(), padsEnd.begin(), padsEnd.end());
    return both;
}

bool hasChannelsFirst(const LayerReader& layer) {
    const std::string format = layer.text("data_format", "channels_last");
    if (format != "channels_last" && format != "channels_first")
        throw layer.keyError("data_format", "must be channels_last or channels_first");
    return format == "channels_first";
}

KerasWindow kerasWindow(const LayerReader& layer, const Shape& spatial,
                        std::vector<std::int64_t> size, std::vector<std::int64_t> strides,
                        std::vector<std::int64_t> dilations,
                        const std::vector<std::pair<std::int64_t, std::int64_t>>& before) {
    const std::string padding = layer.text("padding", "valid");
    if (padding != "valid" && padding != "same" && padding != "causal")
        throw layer.keyError("padding", "must be valid, same or causal");
    KerasWindow window{std::move(size), std::move(strides), std::move(dilations), {}, {}, {}};
    for (std::size_t i = 0; i < spatial.size(); ++i) {
        const std::int64_t reach = (window.size[i] - 1) * window.dilations[i] + 1;
        std::int64_t begin = before.empty() ? 0 : before[i].first;
        std::int64_t end = before.empty() ? 0 : before[i].second;
        const std::int64_t had = spatial[i] + begin + end;
        if (padding == "same") {
            const std::int64_t results = ceilDiv(had, window.strides[i]);
            const std::int64_t missing =
                std::max<std::int64_t>((results - 1) * window.strides[i] + reach - had, 0);
            begin += missing / 2;
            end += missing - missing / 2;
        } else if (padding == "causal") {
            begin += reach - 1;
        }
        const std::int64_t all = spatial[i] + begin + end;
        if (all < reach)
            throw layer.error(
                fmt::format("its window of {} does not fit the operand's {}", reach, all));
        window.padsBegin.push_back(begin);
        window.padsEnd.push_back(end);
        window.output.push_back((all - reach) / window.strides[i] + 1);
    }
    return window;
}

KerasTensor KerasImage::with(const std::string& value, std::int64_t newChannels,
                             const Shape& newSpatial) const {
    KerasTensor result{value, newSpatial, !keptFirst, {}};
    result.shape.insert(keptFirst ? result.shape.begin() : result.shape.end(), newChannels);
    return result;
}

KerasImage kerasImage(KerasEmitter& emitter, const KerasTensor& x, std::size_t dimensions) {
    KerasImage image;
    if (x.shape.size() != dimensions + 1)
        throw emitter.layer().error(
            fmt::format("its operand has the shape {} after the batch instead of {} spatial "
                        "dimensions and channels",
                        toString(x.shape), dimensions));
    image.keptFirst = hasChannelsFirst(emitter.layer());
    image.tensor = image.keptFirst ? emitter.asKeras(x) : emitter.withChannelsFirst(x);
    image.channels = image.keptFirst ? x.shape.front() : x.shape.back();
    const auto first = x.shape.begin() + (image.keptFirst ? 1 : 0);
    image.spatial.assign(first, first + static_cast<std::ptrdiff_t>(dimensions));
    return image;
}

} // namespace tilescope::sim
