#include "tests/support/sample_values.h"

namespace tilescope::test {

ValueSample sampleOf(ValueTensorId tensor, std::int64_t iteration, std::int64_t zeros, int first,
                     const std::vector<std::uint32_t>& counts, int subnormalBelow) {
    ValueSample sample;
    sample.tensor = tensor;
    sample.iteration = iteration;
    sample.zeros = zeros;
    sample.elements = zeros;
    double squares = 0;
    int exponent = first;
    for (const std::uint32_t count : counts) {
        sample.elements += count;
        sample.exponents.at(exponents::binOf(exponent)) += count;
        if (exponent < subnormalBelow)
            sample.subnormals += count;
        if (count > 0) {
            sample.maximum = std::ldexp(1, exponent);
            sample.minimum = -sample.maximum;
        }
        squares += count * std::ldexp(1, 2 * exponent);
        ++exponent;
    }
    sample.deviation = std::sqrt(squares / static_cast<double>(sample.elements));
    return sample;
}

ProfileValues sampleValues(bool changed) {
    ProfileValues values;
    constexpr std::int64_t updates = 8;
    const double scale = changed ? 1024 : 1;
    for (std::int64_t i = 1; i <= updates; ++i) {
        const auto at = static_cast<double>(i);
        values.curve.push_back({i, 2 / (changed ? 2 * at : at), at / 10, 0.01, scale});
    }
    for (std::int64_t epoch = 1; epoch <= 2; ++epoch) {
        const auto at = static_cast<double>(epoch);
        values.epochs.push_back({epoch, 4 * epoch, 1 / at, 0.4 * at, 1.25 / at, 0.375 * at});
    }
    const OperationId conv1(0);
    const OperationId relu1(1);
    const auto weights = values.tensors.add(
        {"conv1/weights", ValueKind::Weight, "float", "[64,3,7,7]", conv1, "conv1"});
    const auto activation =
        values.tensors.add({"relu1", ValueKind::Activation, "half", "[1,64,112,112]", relu1,
                            "relu1", 0, 64 * 112 * 112, 64, 50'000, 3});
    const auto gradient = values.tensors.add(
        {"conv1/weights/grad", ValueKind::Gradient, "half", "[64,3,7,7]", conv1, "conv1"});
    const auto momentum = values.tensors.add({"conv1/weights/momentum", ValueKind::OptimizerState,
                                              "float", "[64,3,7,7]", conv1, "conv1"});
    constexpr int noSubnormals = -126;
    for (const std::int64_t iteration : {1, 4, 8})
        values.samples.push_back(
            sampleOf(weights, iteration, 0, -6, {400, 3000, 5000, 1008}, noSubnormals));
    for (const std::int64_t iteration : {1, 4, 8})
        values.samples.push_back(sampleOf(activation, iteration, 500'000, -4,
                                          {100'000, 150'000, 52'816}, half_range::leastNormal));
    for (const std::int64_t iteration : {1, 4, 8})
        values.samples.push_back(
            sampleOf(gradient, iteration, changed ? 0 : 3408, changed ? -10 : -24,
                     {3000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3000}, half_range::leastNormal));
    if (!changed)
        for (const std::int64_t iteration : {4, 8})
            values.samples.push_back(
                sampleOf(momentum, iteration, 8, -30, {9000, 400}, noSubnormals));
    else
        values.tensors.truncate(momentum.index());
    return values;
}

HostRecord sampleRecord() {
    HostRecord record;
    record.events = {{"MainThread", "app", "epoch", -0.002, 0.01},
                     {"MainThread", "poptorch.trainingModel", "modelExecution", 0, 0.001},
                     {"Loader", "dataset", "__getitem__", 0.0005, 0.002},
                     {"MainThread", "app", "best so far", 0.004, {}}};
    record.series = {{"Loss", "nats", "training", {{0.001, 2.5}, {0.002, 1.5}}}};
    record.heatMaps = {{"conv1", "2^x", {-8, 0}, {{0.001, {3, 4, 0}}, {0.002, {0, 5, 2}}}}};
    return record;
}

} // namespace tilescope::test
