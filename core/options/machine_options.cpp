#include "core/options/machine_options.h"

#include <fmt/format.h>

#include "core/options/option_rows.h"
#include "core/target/target_file.h"

namespace tilescope {
namespace {

constexpr RowsOf machine(OptionTopic::Machine, &RunOptions::machine);

OptionSpec targetRow() {
    std::vector<std::string> names;
    for (const Target& preset : targetPresets())
        names.push_back(preset.name);
    return machine
        .own(
            "target", OptionSpec::Type::Choice,
            "IPU to simulate (see 'tilescope targets'), or a JSON file with constants of its own",
            [](const OptionSpec& self, MachineOptions& options, const std::string& value) {
                options.target =
                    namedTarget(isTargetFile(value) ? value : choiceValue(self, value));
            },
            [](const MachineOptions& options) { return options.target.name; }, std::move(names))
        .knownAs({{Face::PopTorch, "useOfflineIpuTarget"}});
}

OptionSpec ipusRow() {
    static constexpr OptionRange bounds{1, limits::mostIpus};
    return bounded(
        machine.own(
            "ipus", OptionSpec::Type::Integer, "IPUs of one replica",
            [](const OptionSpec& self, MachineOptions& options, const std::string& value) {
                options.target.ipus = static_cast<std::int32_t>(integerValue(self, value, bounds));
            },
            [](const MachineOptions& options) { return std::to_string(options.target.ipus); }),
        bounds);
}

/// Using all tiles is implied by the target and not a value: the row has no default.
OptionSpec tilesRow() {
    OptionSpec made =
        ownRow(
            OptionTopic::Machine, "tilesPerIpu", OptionSpec::Type::Integer,
            "tiles used on each IPU, from 4 to the target's number",
            [](const OptionSpec& self, RunOptions& options, const std::string& value) {
                options.machine.target.tilesPerIpu =
                    static_cast<std::int32_t>(integerValue(self, value, self.range(options)));
            },
            [](const RunOptions& options) {
                return std::to_string(options.machine.target.tilesPerIpu);
            })
            .knownAs({{Face::Keras, "ipu_model.tiles_per_ipu"}});
    made.defaultValue.clear();
    made.range = [](const RunOptions& options) {
        return OptionRange{
            limits::leastTiles,
            static_cast<double>(namedTarget(options.machine.target.name).tilesPerIpu)};
    };
    return made;
}

void checkIoTiles(const RunOptions& options) {
    const std::int32_t tiles = options.machine.ioTiles;
    const std::int32_t all = options.machine.target.tilesPerIpu;
    const char* ioTiles = "ioTiles";
    if (tiles == 0)
        return;
    refuse(tiles < limits::leastIoTiles || tiles % 2 != 0, ioTiles,
           fmt::format("{} is not an even number from {} to {}; choose one, such as 32", tiles,
                       limits::leastIoTiles, limits::mostIoTiles));
    refuse(
        tiles > all - limits::leastTiles, ioTiles,
        fmt::format(
            "{} of {} tiles leave fewer than {} to compute; choose fewer, or more --tiles-per-ipu",
            tiles, all, limits::leastTiles));
    const ExecutionOptions& execution = options.execution;
    refuse(execution.scheme != Execution::Single && !execution.isPipelined(), ioTiles,
           "they are only simulated for --execution single and pipelined, not between shards or "
           "phases; leave one of them out");
    const bool takesTurns = execution.schedule == Schedule::Interleaved;
    refuse(takesTurns || execution.schedule == Schedule::Sequential, "schedule",
           fmt::format("I/O tiles need a schedule in which a micro-batch enters in every slot, so "
                       "that the next one can be loaded meanwhile: in '{}' {}; choose grouped or "
                       "popart, or leave --io-tiles out",
                       toString(execution.schedule),
                       takesTurns ? "stages take turns between forward and backward"
                                  : "one stage runs at a time"));
}

} // namespace

std::vector<OptionSpec> machineRows() {
    constexpr RowsOf host(OptionTopic::Host, &RunOptions::machine);
    return {
        targetRow(),
        ipusRow(),
        tilesRow(),
        machine
            .flag("ipuModel", &MachineOptions::ipuModel,
                  "account as the IPU Model does, which runs on the host: no code, no stacks, "
                  "no host latency, and its rate of plain copies")
            .knownAs({{Face::PopTorch, "useIpuModel"}}),
        withHost(host.integer("ioTiles", &MachineOptions::ioTiles, {0, limits::mostIoTiles},
                              "tiles of each IPU that only exchange data with the host, an even "
                              "number from 32 to 192; 0: none")
                     .knownAs({{Face::PopTorch, "TensorLocations.numIOTiles"},
                               {Face::PopartSession, "numIOTiles"},
                               {Face::Keras, "io_tiles.num_io_tiles"}})),
    };
}

void checkMachine(const RunOptions& options) {
    const Target& target = options.machine.target;
    const Target preset = namedTarget(target.name);
    if (target.tilesPerIpu < 1 || target.tilesPerIpu > preset.tilesPerIpu)
        throw OptionError("tilesPerIpu",
                          fmt::format("{} has 4 to {} tiles on an IPU, not {}", preset.name,
                                      preset.tilesPerIpu, target.tilesPerIpu));
    refuse(target.ipus < 1, "ipus", "at least one IPU is needed");
    checkIoTiles(options);
}

} // namespace tilescope
