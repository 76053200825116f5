// Bytes of code, state and bookkeeping on a tile. What PopLibs and Poplar do not publish is one
// named constant here, marked assumed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::sim {

/// Machine code of a codelet by its class name without template arguments ("popops::UnaryOp1D").
/// Counted instructions of the public assembly; C++ codelets and closed ones are assumed.
std::int64_t codeletBytes(std::string_view vertexName);

/// A section of code that codelets have in common, which a tile has once.
struct SharedCode {
    std::string name;
    std::int64_t bytes = 0;
};
/// What a codelet needs besides its own code, by its name with template arguments: counted
/// instructions of PopLibs popops/codelets/asm.
std::vector<SharedCode> sharedCode(std::string_view vertexName);

/// Fields of one vertex by class: instance state (fixed) and field data (pointers, lists).
struct VertexState {
    std::int64_t instanceBytes = 0;
    std::int64_t fieldBytes = 0;
    std::int32_t edges = 0;
};
VertexState vertexState(std::string_view vertexName);

/// Whether a class copies elements on a tile, as the compiler inserts it.
bool isCopyVertex(std::string_view vertexName);

/// Control code of one program leaf on each tile that takes part in it. Published (popliner,
/// BERT-Large): 80 B for a compute set on four tiles, 56 B more for its exchange; 32.8 B a tile for
/// an exchange and a compute set on 960.
inline constexpr std::int64_t controlBytesExecute = 20; // run, sync, cycle counter calls
/// The part of it for calls that count cycles: *assumed* two instructions; none without counting.
inline constexpr std::int64_t controlBytesCounters = 8;
inline constexpr std::int64_t controlBytesExchange = 12; // call of the exchange sequence
// On every tile, since all wait for the host and for a loop's end.
/// A step of a copy with the host or streaming memory, which calls a host exchange program, where
/// the rest is (hostPhaseCodeBytes). *Assumed*: a run of host phases takes 12 to 16 B in public
/// notes on ipu21. Consecutive copies begin and end once.
inline constexpr std::int64_t controlBytesStream = 8;
inline constexpr std::int64_t controlBytesRepeat = 16; // assumed: counter, branch
inline constexpr std::int64_t controlBytesCall = 8;    // assumed: address and branch
/// Start-up, switch over control programs and host interface: 700 B a tile in a published report of
/// a program with three streams and four compute sets (TensorFlow port documentation, logging.rst),
/// less these steps: four compute sets, two exchanges, and seven steps of streams, two of which
/// come together.
inline constexpr std::int64_t controlBytesBase = 540;
/// Stacks of a tile: one for each worker, and the supervisor's. The report above has 3168 B on
/// every tile: PopART and the TensorFlow port ask for 0x200 B a worker (popart, devicex.cpp).
/// PopLibs' tools leave a worker's to the compiler, which finds 48 B for most codelets: 384 B a
/// tile in the rows of its benchmarks.
inline constexpr std::int64_t workerStackBytes = 512;
inline constexpr std::int64_t compiledWorkerStackBytes = 48;
inline constexpr std::int64_t supervisorStackBytes = 96;

// Exchange code, instructions of 4 bytes (public notes on ipu21's exchange sequencer). Published
// (popliner, BERT-Large): 64 B on four tiles for a scalar that one of them sends to the others.
inline constexpr std::int64_t exchangeInstructionBytes = 4;
/// Sync and return of a phase.
inline constexpr std::int64_t exchangePhaseBytes = 2 * exchangeInstructionBytes;
/// A delay to the right moment and the start of a send, which has an address of its own. One that
/// follows another at once needs no delay.
inline constexpr std::int64_t exchangeSendStartBytes = 2 * exchangeInstructionBytes;
/// Payload of the start; a longer send needs an instruction that announces it, and one for each
/// continuation.
inline constexpr std::int64_t exchangeSendBytes = 256;
inline constexpr std::int64_t exchangeContinuationBytes = std::int64_t{4096} * 4;
/// A message from another tile: one instruction selects that source. It is stored after the
/// previous message, since messages of an operand come in the order of their addresses, so only
/// the first of an operand needs an instruction for its address (assumed).
inline constexpr std::int64_t exchangeSourceBytes = exchangeInstructionBytes;
inline constexpr std::int64_t exchangeAddressBytes = exchangeInstructionBytes;

/// Code of `sends` sends of `bytes` each, to however many tiles, of which `starts` wait for
/// their moment and the others follow at once.
std::int64_t sendCodeBytes(std::int64_t sends, std::int64_t bytes, std::int64_t starts);
/// Code of an exchange on one tile: its sends, and `messages` incoming messages of `operands`
/// operands.
std::int64_t exchangeCodeBytes(std::int64_t sendCode, std::int64_t operands, std::int64_t messages);

/// Between IPUs data are sent in packets with a header each: *assumed* to be as those to the host.
inline constexpr std::int64_t globalPacketBytes = 256;
inline constexpr std::int64_t globalPacketHeaderBytes = 8;
/// Start of an outgoing packet: encodings of public notes on ipu21, as for the host.
inline constexpr std::int64_t globalSendBytes = 3 * exchangeInstructionBytes;
/// A tile starts the send of each outgoing packet, and selects the link for each incoming one.
std::int64_t globalExchangeCodeBytes(std::int64_t sent, std::int64_t received);

// Host exchange: encodings of public notes on ipu21 that match vectors of the SDK. Headers of 8
// bytes for packets of at most 1024 B in and 256 B out, *assumed* to be aligned on the host as long
// packets have to be (the host puts variables in the order of the tiles).
inline constexpr std::int64_t hostPacketHeaderBytes = 8;
inline constexpr std::int64_t hostPacketBytesIn = 1024;
inline constexpr std::int64_t hostPacketBytesOut = 256;
/// A copy sets up its addresses, and then each packet.
inline constexpr std::int64_t hostCopyInCodeBytes = 12, hostPacketInCodeBytes = 4;
inline constexpr std::int64_t hostCopyOutCodeBytes = 16, hostPacketOutCodeBytes = 8;
/// Packets out below this size are padded by one instruction more.
inline constexpr std::int64_t hostShortPacketBytes = 72, hostShortPacketCodeBytes = 4;
/// Mux, sync and return of a host phase, which consecutive copies share; a tile that takes no part
/// in it only synchronises.
inline constexpr std::int64_t hostPhaseCodeBytes = 28;
inline constexpr std::int64_t hostIdleCodeBytes = 12;
/// The engine's own exchanges with the host on every tile: the report above has 289 B a tile, less
/// its phases and copies (two for its streams, one for the cycle count of each tile's vertex). The
/// programs themselves are not public.
inline constexpr std::int64_t hostCodeBytesBase = 208;

/// Packets of a tile's part of a copy with the host or streaming memory, and its code.
std::int64_t hostPackets(bool toDevice, std::int64_t bytes);
std::int64_t hostCopyCodeBytes(bool toDevice, std::int64_t bytes);
/// Cycle count of one vertex (tile-level instrumentation): two published profiles have a word for
/// each of their 1,219 and 16,877 vertices (4,876 B and 66.0 kB).
inline constexpr std::int64_t instrumentationBytes = 4;
/// Descriptor of the strided copies of a step, shared by the workers of a tile: *assumed*, about
/// 15 B on each of the 212 tiles that rearrange padding in a published profile (3.1 kB).
inline constexpr std::int64_t copyDescriptorBytes = 16;
/// A list field of a convolution vertex has a scaled pointer (16 bits, PopLibs' layout ScaledPtr)
/// to each block of its channel groups. In two published profiles of one program in two sizes
/// vertexInstanceState grows by 1.6 B with each.
inline constexpr std::int64_t listPointerBytes = 2;
/// Source and destination, full pointers, of one block in a vertex that lists what it transposes;
/// vertexFieldData of the same two profiles grows by 7.4 B with each block.
inline constexpr std::int64_t transposedBlockBytes = 8;
/// Worklist of a convolution on a tile: three 16-bit words for each row of a worker's (PopLibs
/// poplin/ConvVertices.cpp, createConvPartialAmpVertex, ...SlicVertex, ...HorizontalMacVertex). But
/// for ConvPartial1x1Out each worker has a list for each position of the kernel that the units do
/// not take at once, with a descriptor (*assumed*, from rows of convolutions). VMAC has one list a
/// worker, of four words for each output position and kernel row.
inline constexpr std::int64_t worklistBytesPerRow = 6;
inline constexpr std::int64_t worklistDescriptorBytes = 4;
inline constexpr std::int64_t vmacWorklistBytesPerEntry = 8;
/// The buffer of a SLIC vertex is this much larger than its outputs: rearranged weights, a pointer
/// and alignment (PopLibs poplin/ConvVertices.cpp, createConvPartialSlicVertex).
inline constexpr std::int64_t slicExtraBytes = 200;

} // namespace tilescope::sim
