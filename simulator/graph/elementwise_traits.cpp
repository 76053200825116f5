#include "simulator/graph/elementwise_traits.h"

#include "core/base/error.h"

namespace tilescope::sim {
namespace {

// Functions of the C++ library: *assumed*.
constexpr InnerLoops library{{24, 1}, {24, 1}};
// Composed of an exponential or a clamp and arithmetic.
constexpr InnerLoops composed{{12, 4}, {24, 2}};
constexpr InnerLoops comparison{{9, 4}, {14, 4}};
// An integer instruction for each word between a load and a store: *assumed*.
constexpr InnerLoops bits{{3, 1}, {3, 1}};
// Integer division and remainder; also *assumed* where a function takes operands that its codelet
// does not.
constexpr InnerLoops division{{270, 1}, {270, 1}};

ElementwiseTraits unary(std::string_view name, InnerLoops loops) {
    return {name, 1, 1, loops, loops, loops};
}
ElementwiseTraits unary(std::string_view name, InnerLoop half, InnerLoop single) {
    return unary(name, {half, single});
}
/// One that takes other loops where it overwrites its operand.
ElementwiseTraits overwriting(ElementwiseTraits traits, InnerLoop half, InnerLoop single) {
    traits.loopsInPlace = {half, single};
    return traits;
}
ElementwiseTraits binary(std::string_view name, InnerLoops loops, InnerLoops scalar) {
    return {name, 2, 2, loops, scalar, loops};
}
ElementwiseTraits binary(std::string_view name, InnerLoops loops) {
    return binary(name, loops, loops);
}
/// A function that is applied operand after operand.
ElementwiseTraits anyNumber(std::string_view name, InnerLoops loops, InnerLoops scalar) {
    return {name, 2, anyNumberOfOperands, loops, scalar, loops};
}
ElementwiseTraits anyNumber(std::string_view name, InnerLoops loops) {
    return anyNumber(name, loops, loops);
}
ElementwiseTraits expression(std::string_view name, std::size_t operands, InnerLoops loops) {
    return {name, operands, operands, loops, loops, loops};
}
ElementwiseTraits inPlace(ElementwiseTraits traits) {
    traits.updatesInPlace = true;
    return traits;
}
ElementwiseTraits withoutFlops(ElementwiseTraits traits) {
    traits.countsFlops = false;
    return traits;
}
ElementwiseTraits asBool(ElementwiseTraits traits) {
    traits.makesBool = true;
    return traits;
}
ElementwiseTraits random(ElementwiseTraits traits) {
    traits.isRandom = true;
    return traits;
}

} // namespace

ElementwiseTraits traitsOf(ElementwiseFunction function) {
    using enum ElementwiseFunction;
    switch (function) {
#define ELEMENTWISE(function, traits)                                                              \
    case function:                                                                                 \
        return traits;
#include "simulator/graph/elementwise.def"
#undef ELEMENTWISE
    }
    throw InternalError("an elementwise function without traits");
}

} // namespace tilescope::sim
