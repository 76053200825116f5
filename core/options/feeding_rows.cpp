// Rows of the option table: how the host feeds the machine.
#include "core/options/option_limits.h"
#include "core/options/option_rows.h"

namespace tilescope {
namespace {

using Type = OptionSpec::Type;

OptionSpec hostRateRow() {
    // More than any host prepares; the time of a sample stays above zero.
    constexpr double mostSamplesPerSecond = 1e12;
    return numberRow(
        row(OptionTopic::Host, "hostRate", "--host-rate", Type::Number, "0",
            "samples a second that one instance of the host prepares; 0: as many as are wanted"),
        {0, mostSamplesPerSecond}, &RunOptions::hostRate);
}

OptionSpec prefetchRow() {
    // Each keeps a batch in the host's memory; more change nothing that a run shows.
    constexpr double mostDepth = 1000;
    return integerRow(row(OptionTopic::Host, "prefetchDepth", "--prefetch-depth", Type::Integer,
                          "1",
                          "micro-batches of input that the host may have ready; from 2 on the IPU "
                          "does not wait for an answer to each request"),
                      {1, mostDepth}, &RunOptions::prefetchDepth);
}

} // namespace

std::vector<OptionSpec> feedingRows() {
    return {
        integerRow(row(OptionTopic::Host, "ioTiles", "--io-tiles", Type::Integer, "0",
                       "tiles of each IPU that only exchange data with the host, an even number "
                       "from 32 to 192; 0: none"),
                   {0, limits::mostIoTiles}, &RunOptions::ioTiles),
        enumRow(row(OptionTopic::Host, "exchangeStrategy", "--exchange-strategy", Type::Choice,
                    "just-in-time",
                    "when data move between the host and I/O tiles: around each micro-batch, or "
                    "beside the computation of others in the inner loop or in both loops",
                    {"just-in-time", "overlap-inner-loop", "overlap-loops"}),
                &RunOptions::exchangeStrategy),
        prefetchRow(),
        enumRow(row(OptionTopic::Host, "inputType", "--input-type", Type::Choice, "as-model",
                    "element type in which the host sends floating-point inputs; the device "
                    "casts them to the model's",
                    {"as-model", "float", "half", "int8"}),
                &RunOptions::inputType),
        hostRateRow(),
        integerRow(row(OptionTopic::Host, "instances", "--instances", Type::Integer, "1",
                       "processes of the host that share the replicas evenly"),
                   {1, limits::mostIpus}, &RunOptions::instances),
    };
}

} // namespace tilescope
