#include "core/options/host_options.h"

#include <fmt/format.h>

#include "core/options/option_rows.h"

namespace tilescope {
namespace {

constexpr RowsOf host(OptionTopic::Host, &RunOptions::host);

OptionSpec strategyRow() {
    return host
        .choice("exchangeStrategy", &HostOptions::exchangeStrategy,
                {"just-in-time", "overlap-inner-loop", "overlap-loops"},
                "when data move between the host and I/O tiles: around each micro-batch, or while "
                "others are computed, in the inner loop or in both loops")
        .needing([](const RunOptions& options) { return options.machine.ioTiles > 0; },
                 "only I/O tiles can talk to the host while others compute; add --io-tiles 32, or "
                 "leave it out");
}

std::vector<OptionSpec> feedingRows() {
    // Each keeps a batch in the host's memory; a higher number makes no difference to a run.
    constexpr double mostDepth = 1000;
    // More than any host prepares; the time of a sample stays above zero.
    constexpr double mostSamplesPerSecond = 1e12;
    return {
        strategyRow(),
        withHost(host.integer("prefetchDepth", &HostOptions::prefetchDepth, {1, mostDepth},
                              "micro-batches of input that the host may prepare ahead; from 2 on "
                              "the IPU does not wait for an answer to each request")
                     .knownAs({{Face::PopartSession, "defaultBufferingDepth"},
                               {Face::PopartSession, "defaultPrefetchBufferingDepth"}})),
        host.flag("ignoreData", &HostOptions::ignoreData,
                  "nothing is exchanged with the host: inputs, weights and results stay on the "
                  "device (PopTorch's enableSyntheticData)")
            .knownAs({{Face::PopTorch, "enableSyntheticData"},
                      {Face::PopartSession,
                       "syntheticDataMode",
                       {{"0", "off"}, {"1", "on"}, {"2", "on"}, {"3", "on"}}}}),
        withHost(host.choice("inputType", &HostOptions::inputType,
                             {"as-model", "float", "half", "int8"},
                             "element type in which the host sends floating-point inputs; the "
                             "device casts them to the model's")),
        withHost(
            host.number("hostRate", &HostOptions::hostRate, {0, mostSamplesPerSecond},
                        "samples per second that one instance of the host prepares; 0: no limit")),
        host.number("hostJitter", &HostOptions::hostJitter, {0, 7},
                    "extra preparation time of one in eight micro-batches, as a multiple of the "
                    "mean; the others together take that much less; with --host-rate")
            .needing(
                [](const RunOptions& options) { return options.host.hostRate > 0; },
                "without --host-rate the host is never late; add --host-rate N, or leave it out"),
    };
}

OptionSpec outputEveryRow() {
    return host
        .integer("outputEvery", &HostOptions::outputEvery, {1, limits::mostIterations},
                 "n of --output-mode every-n, a divisor of the run's batches")
        .knownAs({{Face::PopTorch, "outputMode"}})
        .needing(
            [](const RunOptions& options) { return options.host.outputMode == OutputMode::EveryN; },
            "it is the n of 'every-n'; add --output-mode every-n, or leave it out");
}

/// Which results a call returns.
void checkReturns(const RunOptions& options) {
    const HostOptions& host = options.host;
    const bool everyN = host.outputMode == OutputMode::EveryN;
    const std::int64_t iterations = withDeviceIterations(options).batch.deviceIterations;
    refuse(everyN && host.outputEvery == 0, "outputEvery",
           "'every-n' returns every n-th batch; give n with --output-every N");
    if (everyN && iterations % host.outputEvery != 0)
        throw OptionError(
            "outputEvery",
            fmt::format("{} does not divide the {} batches of a call; choose a divisor, or other "
                        "--device-iterations",
                        host.outputEvery, iterations));
    const auto refuseWith = [&](bool given, const char* what) {
        refuse(host.outputMode != OutputMode::All && given, "outputMode",
               fmt::format("{} each micro-batch's results; leave one of them out", what));
    };
    refuseWith(options.machine.ioTiles > 0, "I/O tiles send");
    refuseWith(options.execution.isPhased(), "phases send");
    refuse(everyN && options.execution.isPipelined() && !options.isTraining(), "outputMode",
           "a pipeline without weight updates is one loop over all batches, without a point after "
           "every n-th; choose all, final or sum");
}

} // namespace

std::vector<OptionSpec> hostRows() {
    std::vector<OptionSpec> rows = feedingRows();
    rows.push_back(host.integer("instances", &HostOptions::instances, {1, limits::mostIpus},
                                "processes of the host that share the replicas evenly"));
    rows.push_back(
        host.choice("framework", &HostOptions::framework,
                    {"popart", "poprt", "poptorch", "tensorflow", "keras", "poplar"},
                    "framework whose host overhead (see 'tilescope targets') and weight copies are "
                    "modelled; poprt is for inference")
            .needing(
                [](const RunOptions& options) {
                    return options.host.framework != Framework::Poprt || !options.isTraining();
                },
                "PopRT runs inference only; leave out --mode training, or add --framework popart"));
    rows.push_back(withHost(host.choice("outputMode", &HostOptions::outputMode,
                                        {"all", "final", "every-n", "sum"},
                                        "results that a run returns: of all micro-batches, of the "
                                        "last, of each n-th batch, or "
                                        "their sum")
                                .knownAs({{Face::PopTorch, "outputMode"}})));
    rows.push_back(outputEveryRow());
    return rows;
}

void checkHost(const RunOptions& options) {
    const std::int32_t replicas = options.replication.replicas;
    if (replicas % options.host.instances != 0)
        throw OptionError("instances",
                          fmt::format("{} instances cannot share {} replicas evenly; choose a "
                                      "divisor of {}, or other --replicas",
                                      options.host.instances, replicas, replicas));
    refuse(options.execution.isPipelined() && options.isTraining() &&
               options.host.exchangeStrategy == ExchangeStrategy::OverlapLoops,
           "exchangeStrategy",
           "a pipeline drains before each weight update, so no transfer can continue across it; "
           "choose overlap-inner-loop");
    checkReturns(options);
}

} // namespace tilescope
