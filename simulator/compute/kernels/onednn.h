// oneDNN, as the kernels of convolutions and products use it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <dnnl.hpp>

#include "simulator/compute/kernels/context.h"

namespace tilescope::sim {

/// Elements in row-major order.
dnnl::memory::desc plainOrder(const dnnl::memory::dims& dims);

/// An operand or result of a primitive: its order in tensors, and the order that the primitive
/// prefers.
struct PrimitiveOperand {
    int name = 0; ///< DNNL_ARG_...
    dnnl::memory::desc plain, wanted;
    dnnl::reorder reorder = {}; ///< to the wanted order, of a result back; none if equal

    [[nodiscard]] bool isMoved() const { return plain != wanted; }
};

/// A primitive of two operands and a result.
struct BinaryPrimitive {
    dnnl::primitive primitive = {};
    PrimitiveOperand a = {}, b = {}, result = {};
};

class ComputeContext::Library {
public:
    /// Identifies a primitive: kind, sizes and attributes.
    using Signature = std::vector<std::int64_t>;

    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    std::map<Signature, BinaryPrimitive> primitives;

    /// Sets the reorders of a new primitive.
    void prepare(BinaryPrimitive& made) const;
    void run(BinaryPrimitive& primitive, const TensorData& a, const TensorData& b, float* result);

    void keep(const TensorData& fixed);

private:
    /// Elements that never change, in the orders requested so far.
    struct Kept {
        TensorData data; ///< held so that its address, the key, is not used again
        std::vector<dnnl::memory> ordered;
    };
    dnnl::memory inWantedOrder(const PrimitiveOperand& operand, const TensorData& data,
                               std::size_t room);
    dnnl::memory reordered(const PrimitiveOperand& operand, const TensorData& data,
                           dnnl::memory to);
    /// Memory for operands in the order that a primitive prefers, used again by the next.
    float* roomFor(std::size_t room, std::size_t bytes);

    std::map<const float*, Kept> kept_;
    struct Room {
        TensorData data;
        std::size_t bytes = 0;
    };
    std::vector<Room> rooms_ = std::vector<Room>(3);
};

} // namespace tilescope::sim
