// Functions that draw random numbers for elements.
#include "simulator/compute/kernels/elementwise_loops.h"
#include "simulator/compute/kernels/random_numbers.h"

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

/// Elements served by one call of the generator.
constexpr std::int64_t wordsAtOnce = 4;

/// Calls use(i, word) for each element.
template <class Use>
void forEachWord(const ComputePlace& place, std::int64_t elements, const Use& use) {
    const RandomNumbers numbers(place);
    inBlocks(elements, computeBlock, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; i += wordsAtOnce) {
            const auto words = numbers.four(static_cast<std::uint64_t>(i / wordsAtOnce));
            for (std::int64_t k = 0; k < std::min(wordsAtOnce, end - i); ++k)
                use(i + k, words[static_cast<std::size_t>(k)]);
        }
    });
}

void dropOut(const ElementwiseAttributes& e, KernelCall& call) {
    TensorData& result = call.make();
    const TensorData& operand = call.inputs.at(0);
    const float* from = operand.reals().data();
    float* to = result.reals().data();
    const auto ratio = static_cast<float>(e.alpha);
    const auto scale = static_cast<float>(e.alpha < 1 ? 1 / (1 - e.alpha) : 0);
    forEachWord(call.place, result.elements(), [&](std::int64_t i, std::uint32_t word) {
        to[i] = RandomNumbers::uniform(word) >= ratio ? scale * from[i] : 0;
    });
}

void drawUniform(const ElementwiseAttributes& e, KernelCall& call) {
    TensorData& result = call.make();
    const double least = e.alpha;
    const double most = e.alpha == 0 && e.beta == 0 ? 1 : e.beta;
    const auto at = [&](std::uint32_t word) {
        return least + (most - least) * static_cast<double>(RandomNumbers::uniform(word));
    };
    forEachWord(call.place, result.elements(),
                [&](std::int64_t i, std::uint32_t word) { result.setNumber(i, at(word)); });
}

void drawNormal(const ElementwiseAttributes& e, KernelCall& call) {
    TensorData& result = call.make();
    const double deviation = e.alpha == 0 && e.beta == 0 ? 1 : e.beta;
    const RandomNumbers numbers(call.place);
    inBlocks(result.elements(), computeBlock, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; i += wordsAtOnce) {
            const auto words = numbers.four(static_cast<std::uint64_t>(i / wordsAtOnce));
            const auto first = RandomNumbers::normal(words[0], words[1]);
            const auto second = RandomNumbers::normal(words[2], words[3]);
            const std::array<float, wordsAtOnce> all{first[0], first[1], second[0], second[1]};
            for (std::int64_t k = 0; k < std::min(wordsAtOnce, end - i); ++k)
                result.setNumber(
                    i + k,
                    e.alpha + deviation * static_cast<double>(all[static_cast<std::size_t>(k)]));
        }
    });
}

} // namespace

bool computeRandom(const ElementwiseAttributes& elementwise, KernelCall& call) {
    switch (elementwise.function) {
    case Dropout:
        dropOut(elementwise, call);
        return true;
    case RandomUniform:
        drawUniform(elementwise, call);
        return true;
    case RandomNormal:
        drawNormal(elementwise, call);
        return true;
    default:
        return false;
    }
}

} // namespace tilescope::sim
