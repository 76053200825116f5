#include "simulator/memory/shared_exchanges.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace tilescope::sim {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
    constexpr unsigned half = 32;
    hash = (hash ^ value) * factor;
    return hash ^ (hash >> half);
}

/// Distinguishes numbers of always-live variables from those of small series.
constexpr std::uint64_t alwaysLive = std::uint64_t{1} << 63U;

std::uint64_t hashOf(const TileSeries& series) {
    std::uint64_t hash = series.runs().size() + 1;
    for (const TileRun& run : series.runs())
        hash = mixed(mixed(mixed(hash, static_cast<std::uint64_t>(run.first)),
                           static_cast<std::uint64_t>(run.end)),
                     static_cast<std::uint64_t>(run.value));
    return hash;
}

class Sharing {
public:
    explicit Sharing(Profile& profile)
        : profile_(profile)
        , series_(profile.variables.size()) {
        for (std::size_t i = 0; i < series_.size(); ++i) {
            const Variable& variable = profile_.variables[VariableId(i)];
            series_[i] = variable.alwaysLive ? mixed(alwaysLive, i) : hashOf(variable.bytes);
        }
        findLive();
    }

    void run() {
        std::vector<bool> seen(profile_.exchanges.size());
        for (std::size_t step = 0; step < profile_.steps.size(); ++step) {
            const Program& program = profile_.programs[profile_.steps[StepId(step)]];
            if (program.kind != ProgramKind::DoExchange || seen[program.exchange.index()])
                continue;
            seen[program.exchange.index()] = true;
            share(program, live_[step]);
        }
    }

private:
    /// The not-always-live variables of each step, as a sum over their places on tiles.
    void findLive() {
        std::vector<std::uint64_t> ofClass(profile_.livenessClasses.size());
        for (std::size_t i = 0; i < series_.size(); ++i) {
            const Variable& variable = profile_.variables[VariableId(i)];
            if (!variable.alwaysLive && variable.liveness.valid())
                ofClass[variable.liveness.index()] += series_[i];
        }
        live_.resize(profile_.steps.size() + 1);
        for (std::size_t i = 0; i < ofClass.size(); ++i)
            for (const StepInterval& life :
                 profile_.livenessClasses[LivenessClassId(i)].intervals) {
                live_[life.first.index()] += ofClass[i];
                live_[life.end.index()] -= ofClass[i];
            }
        for (std::size_t i = 1; i < live_.size(); ++i)
            live_[i] += live_[i - 1];
    }

    [[nodiscard]] std::uint64_t keyOf(const Program& program, std::uint64_t live) const {
        const Exchange& exchange = profile_.exchanges[program.exchange];
        std::uint64_t key = mixed(live, hashOf(exchange.codeBytes));
        key = mixed(key, hashOf(exchange.bytesReceived));
        key = mixed(key, hashOf(exchange.bytesSent));
        key = mixed(key, static_cast<std::uint64_t>(exchange.runBytes));
        for (const auto* operands : {&program.variablesRead, &program.variablesWritten})
            for (const VariableId operand : *operands)
                key = mixed(key, series_[operand.index()]);
        return key;
    }

    void share(const Program& program, std::uint64_t live) {
        Exchange& exchange = profile_.exchanges[program.exchange];
        const auto [at, isNew] = first_.try_emplace(keyOf(program, live), program.exchange);
        if (isNew)
            return;
        const Exchange& first = profile_.exchanges[at->second];
        if (first.codeBytes == exchange.codeBytes &&
            first.bytesReceived == exchange.bytesReceived && first.bytesSent == exchange.bytesSent)
            exchange.codeBytes = {};
    }

    Profile& profile_;
    std::vector<std::uint64_t> series_; ///< by variable: a number for where it lies
    std::vector<std::uint64_t> live_;   ///< by step
    std::unordered_map<std::uint64_t, ExchangeId> first_;
};

} // namespace

void shareExchangeCode(Profile& profile) {
    Sharing(profile).run();
}

} // namespace tilescope::sim
