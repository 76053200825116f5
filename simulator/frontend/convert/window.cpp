#include "simulator/frontend/convert/window.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/graph/shape_rules.h"

namespace tilescope::sim {

namespace {

std::vector<std::int64_t> listOr(const Node& node, const std::string& attribute, std::size_t count,
                                 std::int64_t fallback) {
    auto values = node.integers(attribute);
    if (values.empty())
        values.assign(count, fallback);
    if (values.size() != count)
        NodeConverter::refuse(fmt::format("attribute '{}' has {} values where {} belong", attribute,
                                          values.size(), count));
    return values;
}

/// What the windows of `positions` outputs reach over the input.
std::int64_t paddingFor(const Window& window, std::size_t d, std::int64_t size,
                        std::int64_t positions) {
    const std::int64_t reach = (window.kernel[d] - 1) * window.dilations[d] + 1;
    return std::max<std::int64_t>(0, (positions - 1) * window.strides[d] + reach - size);
}

void padAutomatically(Window& window, const Shape& input, bool lower) {
    for (std::size_t d = 0; d < window.kernel.size(); ++d) {
        const std::int64_t size = input[d + 2];
        const std::int64_t positions = ceilDiv(size, window.strides[d]);
        const std::int64_t total = paddingFor(window, d, size, positions);
        window.padsBegin[d] = lower ? total - total / 2 : total / 2;
        window.padsEnd[d] = total - window.padsBegin[d];
    }
}

void roundUp(Window& window, const Shape& input, const Shape& output) {
    for (std::size_t d = 0; d < window.kernel.size() && d + 2 < output.size(); ++d) {
        const std::int64_t needed =
            paddingFor(window, d, input[d + 2] + window.padsBegin[d], output[d + 2]);
        window.padsEnd[d] = std::max(window.padsEnd[d], needed);
    }
}

} // namespace

Window windowOf(const NodeConverter& converter, const std::vector<std::int64_t>& kernel) {
    const Node& node = converter.node();
    const Shape& input = converter.shape(0);
    const std::size_t dims = kernel.size();
    if (dims == 0 || input.size() != dims + 2)
        NodeConverter::refuse(fmt::format("input {} and kernel {} do not belong together",
                                          toString(input), toString(kernel)));
    Window window{
        kernel, listOr(node, "strides", dims, 1), listOr(node, "dilations", dims, 1), {}, {}};
    const auto pads = listOr(node, "pads", 2 * dims, 0);
    const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(dims);
    window.padsBegin.assign(pads.begin(), middle);
    window.padsEnd.assign(middle, pads.end());
    const std::string automatic = node.text("auto_pad", "NOTSET");
    if (automatic == "VALID") {
        window.padsBegin.assign(dims, 0);
        window.padsEnd.assign(dims, 0);
    } else if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
        padAutomatically(window, input, automatic == "SAME_LOWER");
    }
    if (node.integer("ceil_mode", 0) != 0)
        roundUp(window, input, converter.output().shape);
    return window;
}

Window globalWindow(const Shape& input) {
    if (input.size() < 3)
        NodeConverter::refuse("its input has no spatial dimension");
    Window window;
    window.kernel.assign(input.begin() + 2, input.end());
    window.strides.assign(window.kernel.size(), 1);
    window.dilations = window.strides;
    window.padsBegin.assign(window.kernel.size(), 0);
    window.padsEnd = window.padsBegin;
    return window;
}

} // namespace tilescope::sim
