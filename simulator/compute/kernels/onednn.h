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

/// What a primitive computes from and to: elements as tensors have them, and in the order that the
/// primitive likes.
struct PrimitiveOperand {
    int name = 0; ///< DNNL_ARG_...
    dnnl::memory::desc plain, wanted;
    dnnl::reorder reorder = {}; ///< to the wanted order, or of a result back; none if both are one

    [[nodiscard]] bool isMoved() const { return plain != wanted; }
};

/// A primitive of two operands and a result.
struct BinaryPrimitive {
    dnnl::primitive primitive = {};
    PrimitiveOperand a = {}, b = {}, result = {};
};

class ComputeContext::Library {
public:
    /// What decides which primitive it is: kind, sizes and attributes.
    using Signature = std::vector<std::int64_t>;

    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    std::map<Signature, BinaryPrimitive> primitives;

    /// Sets the reorders of a new primitive.
    void prepare(BinaryPrimitive& made) const;
    void run(BinaryPrimitive& primitive, const TensorData& a, const TensorData& b, float* result);

    void keep(const TensorData& fixed);

private:
    /// Elements that never change, in the orders that they were asked for so far.
    struct Kept {
        TensorData data; ///< so that nothing else comes to lie there
        std::vector<dnnl::memory> ordered;
    };
    dnnl::memory inWantedOrder(const PrimitiveOperand& operand, const TensorData& data,
                               std::size_t room);
    dnnl::memory reordered(const PrimitiveOperand& operand, const TensorData& data,
                           dnnl::memory to);
    /// Memory for operands in the order that a primitive likes, used again by the next.
    float* roomFor(std::size_t room, std::size_t bytes);

    std::map<const float*, Kept> kept_;
    struct Room {
        TensorData data;
        std::size_t bytes = 0;
    };
    std::vector<Room> rooms_ = std::vector<Room>(3);
};

} // namespace tilescope::sim
