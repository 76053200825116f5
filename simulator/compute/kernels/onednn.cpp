#include "simulator/compute/kernels/onednn.h"

#include "core/base/ceil_div.h"

namespace tilescope::sim {

dnnl::memory::desc plainOrder(const dnnl::memory::dims& dims) {
    dnnl::memory::dims strides(dims.size(), 1);
    for (std::size_t d = dims.size(); d-- > 1;)
        strides[d - 1] = strides[d] * dims[d];
    return {dims, dnnl::memory::data_type::f32, strides};
}

void ComputeContext::Library::prepare(BinaryPrimitive& made) const {
    for (PrimitiveOperand* operand : {&made.a, &made.b})
        if (operand->isMoved())
            operand->reorder = dnnl::reorder(
                dnnl::reorder::primitive_desc(engine, operand->plain, engine, operand->wanted));
    if (made.result.isMoved())
        made.result.reorder = dnnl::reorder(
            dnnl::reorder::primitive_desc(engine, made.result.wanted, engine, made.result.plain));
}

float* ComputeContext::Library::roomFor(std::size_t room, std::size_t bytes) {
    Room& own = rooms_.at(room);
    if (own.bytes < bytes) {
        own.data = {};
        const auto elements = static_cast<std::int64_t>(ceilDiv(bytes, sizeof(float)));
        own.data = TensorData(DataType::Float, {elements});
        own.bytes = bytes;
    }
    return own.data.reals().data();
}

dnnl::memory ComputeContext::Library::reordered(const PrimitiveOperand& operand,
                                                const TensorData& data, dnnl::memory to) {
    dnnl::memory from(operand.plain, engine, const_cast<float*>(data.reals().data()));
    operand.reorder.execute(stream, from, to);
    return to;
}

dnnl::memory ComputeContext::Library::inWantedOrder(const PrimitiveOperand& operand,
                                                    const TensorData& data, std::size_t room) {
    if (!operand.isMoved())
        return {operand.plain, engine, const_cast<float*>(data.reals().data())};
    const auto found = kept_.find(data.reals().data());
    if (found == kept_.end())
        return reordered(operand, data,
                         {operand.wanted, engine, roomFor(room, operand.wanted.get_size())});
    for (const dnnl::memory& ordered : found->second.ordered)
        if (ordered.get_desc() == operand.wanted)
            return ordered;
    found->second.ordered.push_back(reordered(operand, data, {operand.wanted, engine}));
    return found->second.ordered.back();
}

void ComputeContext::Library::run(BinaryPrimitive& primitive, const TensorData& a,
                                  const TensorData& b, float* result) {
    enum Room : std::size_t { RoomA, RoomB, RoomResult };
    const PrimitiveOperand& made = primitive.result;
    dnnl::memory plain(made.plain, engine, result);
    dnnl::memory to = made.isMoved() ? dnnl::memory(made.wanted, engine,
                                                    roomFor(RoomResult, made.wanted.get_size()))
                                     : plain;
    primitive.primitive.execute(stream, {{primitive.a.name, inWantedOrder(primitive.a, a, RoomA)},
                                         {primitive.b.name, inWantedOrder(primitive.b, b, RoomB)},
                                         {made.name, to}});
    if (made.isMoved())
        made.reorder.execute(stream, to, plain);
    stream.wait();
}

void ComputeContext::Library::keep(const TensorData& fixed) {
    if (fixed.isReal() && !fixed.isEmpty())
        kept_.try_emplace(fixed.reals().data(), Kept{fixed, {}});
}

} // namespace tilescope::sim
