#include "simulator/graph/attributes.h"

#include <array>

namespace tilescope::sim {

namespace {

constexpr std::array reduceNames{"ADD",        "MEAN",    "MAX",     "MIN",    "MUL",
                                 "SQUARE_ADD", "LOG_ADD", "ARG_MAX", "ARG_MIN"};
static_assert(reduceNames.size() == static_cast<std::size_t>(ReduceFunction::ArgMin) + 1);

constexpr std::array<std::string_view, 3> collectiveNames{"AllReduce", "ReduceScatter",
                                                          "AllGather"};
static_assert(collectiveNames.size() == static_cast<std::size_t>(CollectiveKind::AllGather) + 1);

} // namespace

std::string_view toString(ReduceFunction function) {
    return reduceNames.at(static_cast<std::size_t>(function));
}

std::string_view toString(CollectiveKind kind) {
    return collectiveNames.at(static_cast<std::size_t>(kind));
}

const KindTraits& traitsOf(const Attributes& attributes) {
    return std::visit([](const auto& one) -> const KindTraits& { return one.traits; }, attributes);
}

bool isPlanned(const Attributes& attributes) {
    return traitsOf(attributes).isPlanned;
}

bool isView(const Attributes& attributes) {
    return traitsOf(attributes).isView;
}

} // namespace tilescope::sim
