// What moves between tiles, and the exchanges that the builder makes of it.
#include "simulator/lowering/program/builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/ceil_div.h"
#include "simulator/cost/exchange_cycles.h"
#include "simulator/cost/footprint.h"
#include "simulator/lowering/program/sends.h"

namespace tilescope::sim {

void Movement::addPieces(const Traffic& traffic, std::int64_t elementBytes) {
    const auto cutBy = [&](std::int64_t elementsEach) {
        return TileSeries::zip(traffic.messages, traffic.received,
                               [elementsEach](std::int64_t sources, std::int64_t elements) {
                                   return std::max(sources, ceilDiv(elements, elementsEach));
                               });
    };
    const TileSeries pieces = traffic.piece == 0 ? traffic.messages : cutBy(traffic.piece);
    // A receiving tile selects a source once for consecutive messages.
    const bool joined = traffic.landing > traffic.piece;
    const TileSeries landings = joined ? cutBy(traffic.landing) : pieces;
    messages += landings;
    // Tiles send pieces of about the same size, each once however many receive it. Those that land
    // as one follow each other without a delay.
    const auto elementsEach = [&](const TileSeries& parts) {
        return std::max<std::int64_t>(1, traffic.total / std::max<std::int64_t>(1, parts.sum()));
    };
    const std::int64_t ofPiece = elementsEach(pieces);
    const std::int64_t ofLanding = elementsEach(landings);
    sendCode += traffic.sent.mapped([&](std::int64_t sent) {
        const std::int64_t once = ceilDiv(sent, traffic.receivers);
        const std::int64_t sends = std::max<std::int64_t>(1, once / ofPiece);
        const std::int64_t starts = std::clamp<std::int64_t>(once / ofLanding, 1, sends);
        return sendCodeBytes(sends, ceilDiv(once, sends) * elementBytes, starts);
    });
}

void Movement::add(const Target& target, const Traffic& traffic, std::int64_t elementBytes,
                   std::int64_t run, bool sharedBus) {
    if (traffic.total == 0)
        return;
    runBytes = empty() ? run : std::min(runBytes, run);
    const TileSeries in = traffic.received.scaled(elementBytes);
    const TileSeries out = traffic.sent.scaled(elementBytes);
    received += in;
    sent += out;
    operands += traffic.received.ones();
    addPieces(traffic, elementBytes);
    // Receiving takes the time; a tile that only sends is busy for at least a cycle (and for as
    // long as sending its data takes, see ProgramBuilder::exchange).
    cycles += TileSeries::zip(in, out, [&](std::int64_t receives, std::int64_t sends) {
        const std::int64_t busy = exchangeCycles(target, receives, sharedBus);
        return sends > 0 ? std::max<std::int64_t>(busy, 1) : busy;
    });
}

ExchangeId ProgramBuilder::exchange(const StepName& name, Movement movement, Access access) {
    movement.received = here(std::move(movement.received));
    movement.sent = here(std::move(movement.sent));
    movement.messages = here(std::move(movement.messages));
    movement.sendCode = here(std::move(movement.sendCode));
    movement.cycles = here(std::move(movement.cycles));
    movement.operands = here(std::move(movement.operands));
    Exchange exchange;
    exchange.operation = operation_;
    exchange.runBytes = movement.runBytes;
    const TileSeries sent = sendsOnce(lowered_.profile, movement.sent, access.reads);
    const TileSeries ends = TileSeries::zip(movement.sendCode, movement.operands,
                                            [](std::int64_t sends, std::int64_t operands) {
                                                return exchangeCodeBytes(sends, operands, 0);
                                            });
    exchange.codeBytes = ends + movement.messages.scaled(exchangeSourceBytes);
    exchange.cycles =
        TileSeries::zip(movement.cycles, sent, [&](std::int64_t cycles, std::int64_t sends) {
            return std::max(cycles, exchangeCycles(target_, sends));
        });
    exchange.bytesReceived = std::move(movement.received);
    exchange.bytesSent = std::move(movement.sent);

    Program program;
    program.kind = ProgramKind::DoExchange;
    program.name = name.text();
    const ExchangeId id = addExchange(name, std::move(exchange));
    program.exchange = id;
    program.controlCode = ends.ones().scaled(controlBytesExchange);
    program.variablesRead = std::move(access.reads);
    program.variablesWritten = std::move(access.writes);
    add(std::move(program));
    return id;
}

ExchangeId ProgramBuilder::addExchange(const StepName& name, Exchange exchange) {
    exchange.name = name.text();
    names_.exchanges.add(name);
    return lowered_.profile.exchanges.add(std::move(exchange));
}

void ProgramBuilder::globalExchange(const std::string& name, TileSeries received, TileSeries sent,
                                    Access access) {
    Exchange exchange;
    exchange.name = name;
    exchange.operation = operation_;
    exchange.codeBytes = TileSeries::zip(received, sent, [](std::int64_t in, std::int64_t out) {
        return globalExchangeCodeBytes(out, in);
    });
    // Each IPU is busy for as long as its links need for incoming or outgoing data.
    for (std::int32_t ipu = 0; ipu < target_.ipus; ++ipu) {
        const std::int32_t first = ipu * target_.tilesPerIpu;
        const std::int32_t end = first + target_.tilesPerIpu;
        const std::int64_t bytes = std::max(received.sum(first, end), sent.sum(first, end));
        if (bytes == 0)
            continue;
        const auto cycles = static_cast<std::int64_t>(std::ceil(
            static_cast<double>(bytes) / target_.ipuLinkBytesPerSecond * target_.clockHz));
        const TileSeries busy = TileSeries::zip(
            received.slice(first, end), sent.slice(first, end),
            [&](std::int64_t in, std::int64_t out) { return in + out > 0 ? cycles : 0; });
        exchange.cycles += busy;
    }
    // Laid out alike on both sides: a tile's data move in one run.
    exchange.runBytes = sent.max().value;
    exchange.bytesReceived = std::move(received);
    exchange.bytesSent = std::move(sent);
    addGlobalExchange(std::move(exchange), std::move(access));
}

void ProgramBuilder::collectiveExchange(const std::string& name, const TileSeries& bytes,
                                        std::int64_t cycles, std::int64_t codeBytes,
                                        Access access) {
    const TileSeries takePart = bytes.ones();
    Exchange exchange;
    exchange.name = name;
    exchange.operation = operation_;
    exchange.codeBytes = here(takePart.scaled(codeBytes));
    exchange.cycles = here(takePart.scaled(cycles));
    exchange.runBytes = bytes.max().value;
    exchange.bytesReceived = here(bytes);
    exchange.bytesSent = exchange.bytesReceived;
    addGlobalExchange(std::move(exchange), std::move(access));
}

void ProgramBuilder::addGlobalExchange(Exchange exchange, Access access) {
    Program program;
    program.kind = ProgramKind::GlobalExchange;
    program.name = exchange.name;
    program.controlCode = exchange.cycles.ones().scaled(controlBytesExchange);
    const std::string name = exchange.name;
    program.exchange = addExchange(name, std::move(exchange));
    program.variablesRead = std::move(access.reads);
    program.variablesWritten = std::move(access.writes);
    add(std::move(program));
}

} // namespace tilescope::sim
