// Bytes of code, state and bookkeeping on a tile. What PopLibs and Poplar do not publish is one
// named constant here, marked assumed.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilescope::sim {

/// Machine code of a codelet by its class name without template arguments ("popops::UnaryOp1D").
/// Counted instructions of the public assembly; C++ codelets and closed ones are assumed.
std::int64_t codeletBytes(std::string_view vertexName);

/// Fields of one vertex by class: instance state (fixed) and field data (pointers, lists).
struct VertexState {
    std::int64_t instanceBytes = 0;
    std::int64_t fieldBytes = 0;
    std::int32_t edges = 0;
};
VertexState vertexState(std::string_view vertexName);

/// Control code of one program leaf on every tile.
inline constexpr std::int64_t controlBytesExecute = 20;  // assumed: run, sync, cycle counter calls
inline constexpr std::int64_t controlBytesExchange = 12; // assumed: call of the exchange sequence
inline constexpr std::int64_t controlBytesStream = 24;   // assumed: host sync and call
inline constexpr std::int64_t controlBytesRepeat = 16;   // assumed: counter, branch
inline constexpr std::int64_t controlBytesCall = 8; // assumed: address and branch
/// Start-up, switch over control programs and host interface: 700 B a tile in a published report of
/// a program with four compute sets (TensorFlow port documentation, logging.rst), less its steps.
inline constexpr std::int64_t controlBytesBase = 560;
/// Worker and supervisor stacks: exactly this on every tile of that report.
inline constexpr std::int64_t stackBytes = 3168;

// Exchange code, 4-byte instructions (public notes on ipu21's exchange sequencer): a send starts
// anew for every 64 words, a receive sets source and address for each message.
inline constexpr std::int64_t exchangeInstructionBytes = 4;
inline constexpr std::int64_t exchangeSendBytes = 256;  ///< payload of one send
inline constexpr std::int64_t exchangeReceiveBytes = 8; ///< code for one message
inline constexpr std::int64_t exchangePhaseBytes = 12;  ///< sync and return of a phase
/// A send's continuation covers about 4096 words, so long messages need few instructions.
inline constexpr std::int64_t exchangeContinuationBytes = 4096 * 4;

/// Code that moves `sent` bytes out and `messages` messages in on one tile.
std::int64_t exchangeCodeBytes(std::int64_t sent, std::int64_t received, std::int64_t messages);

/// Host exchange: 8-byte headers for packets of at most 1024 B in and 256 B out; code per stream
/// copy is assumed from 289 B a tile in the report above (three streams).
inline constexpr std::int64_t hostPacketHeaderBytes = 8;
inline constexpr std::int64_t hostPacketBytesIn = 1024;
inline constexpr std::int64_t hostPacketBytesOut = 256;
inline constexpr std::int64_t hostExchangeCodeBytes = 96;
/// Cycle counter of one compute set on a tile (tile-level instrumentation), assumed from 66,0xx B
/// on 1472 tiles for nine compute sets in a published profile.
inline constexpr std::int64_t instrumentationBytes = 4;
inline constexpr std::int64_t instrumentationBaseBytes = 8;
/// Descriptor of one strided copy vertex: assumed.
inline constexpr std::int64_t copyDescriptorBytes = 8;
/// Worklist of a convolution on a tile: three 16-bit words for each worker's partition.
inline constexpr std::int64_t worklistBytesPerPartition = 6;

} // namespace tilescope::sim
