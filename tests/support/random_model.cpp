#include "tests/support/random_model.h"

#include <fmt/format.h>
#include <random>

namespace tilescope::test {
namespace {

class Chance {
public:
    explicit Chance(std::uint32_t seed)
        : engine_(seed) {}
    /// 0 to n - 1, the same with every standard library.
    std::size_t below(std::size_t n) { return engine_() % n; }

private:
    std::mt19937 engine_;
};

std::string nameOf(std::size_t i, std::size_t operations, Chance& chance) {
    const std::size_t perLayer = 12;
    // The last third runs back through the layers, as gradients do.
    const bool back = i > operations - operations / 3;
    const std::size_t layer = (back ? operations - i : i) / perLayer;
    const std::string scope = fmt::format("layer{}", layer);
    switch (chance.below(6)) {
    case 0:
        return fmt::format("op{}", i);
    case 1:
        return fmt::format("{}/attention/part{}/op{}", scope, chance.below(2), i);
    case 2:
        return fmt::format("{}/attention/op{}", scope, i);
    case 3:
        return fmt::format("{}/op{}/only/op", scope, i);
    default:
        return fmt::format("{}/op{}", scope, i);
    }
}

} // namespace

ModelGraph randomModel(std::uint32_t seed, std::size_t operations) {
    Chance chance(seed);
    ModelGraph graph;
    std::vector<ModelTensorId> made{
        graph.tensors.add({"input", "half", "[1,8]", 16, TensorSource::Input, false})};
    for (std::size_t i = 0; i < operations; ++i) {
        ModelNode node;
        node.name = nameOf(i, operations, chance);
        node.type = chance.below(2) == 0 ? "Conv" : "Relu";
        if (chance.below(20) > 0) {
            node.reads.push_back(made.back());
            if (chance.below(4) == 0)
                node.reads.push_back(made[chance.below(made.size())]);
            const ModelTensorId out = graph.tensors.add(
                {node.name + ":0", "half", "[1,8]", 16, TensorSource::Operation, false});
            node.writes.push_back(out);
            made.push_back(out);
        }
        graph.nodes.add(std::move(node));
    }
    graph.nodes.add({"layer0/attention", "Call", {}, ModelPhase::Forward, 0, {}, {}});
    return graph;
}

NodeCosts randomCosts(std::uint32_t seed, std::size_t operations) {
    Chance chance(seed + 1);
    const auto any = [&] { return static_cast<std::int64_t>(chance.below(100'000)); };
    NodeCosts costs;
    for (std::size_t i = 0; i < operations; ++i) {
        const auto flops = static_cast<double>(any());
        costs.add({any(), any(), flops, 2 * flops, any(), any(), any()});
    }
    return costs;
}

} // namespace tilescope::test
