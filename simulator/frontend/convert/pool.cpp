// Pooling.
#include "simulator/frontend/convert/converter.h"
#include "simulator/frontend/convert/window.h"

namespace tilescope::sim {

namespace {

void emitPool(NodeConverter& node, PoolKind kind, const Window& window, bool countIncludePad) {
    const PoolAttributes pool{
        kind,           window.kernel,  window.strides, window.dilations, window.padsBegin,
        window.padsEnd, countIncludePad};
    node.result(node.emit("", pool, {node.input(0)}));
}

template <PoolKind kind> void convertPool(NodeConverter& node) {
    if (node.isOutputUsed(1))
        NodeConverter::refuse("its second output, the indices, is not supported");
    emitPool(node, kind, windowOf(node, node.node().integers("kernel_shape")),
             node.node().integer("count_include_pad", 0) != 0);
}

template <PoolKind kind> void convertGlobalPool(NodeConverter& node) {
    emitPool(node, kind, globalWindow(node.shape(0)), false);
}

} // namespace

void addPoolConversions(ConversionTable& table) {
    table["MaxPool"] = convertPool<PoolKind::Max>;
    table["AveragePool"] = convertPool<PoolKind::Average>;
    table["GlobalMaxPool"] = convertGlobalPool<PoolKind::Max>;
    table["GlobalAveragePool"] = convertGlobalPool<PoolKind::Average>;
}

} // namespace tilescope::sim
