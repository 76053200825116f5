#include "simulator/cost/footprint.h"

#include <algorithm>
#include <array>

#include "core/base/ceil_div.h"

namespace tilescope::sim {
namespace {

struct Codelet {
    std::string_view name;
    std::int64_t codeBytes;
    VertexState state;
};

// Code: instructions counted in the public PopLibs assembly, 4 bytes each. Marked (p) where
// published reports of a whole program have the linked size (popliner, BERT-Large in half
// precision: bytes over the tiles that run the codelet); less than counted, since a codelet links
// only what it calls. (s) shares out 1560 B a tile of a softmax: two reductions, two broadcasts and
// two unary functions. (a) is assumed: C++ or closed.
// State: pointers of 4 bytes, packed spans of 4, vector lists of 8, 16-bit sizes, as the field
// lists of the public codelets have them.
constexpr std::array codelets{
    Codelet{"poplin::ConvPartial1x1Out", 1136, {24, 0, 4}}, // (p) product with 2 rows
    Codelet{"poplin::ConvPartialnx1", 2680, {36, 0, 4}},
    Codelet{"poplin::ConvPartialHorizontalMac", 740, {36, 24, 4}},
    Codelet{"poplin::ConvPartialVerticalMac", 900, {36, 24, 4}},
    Codelet{"poplin::OuterProduct", 320, {16, 8, 3}},
    Codelet{
        "poplin::ReduceAdd", 476, {12, 0, 2}}, // (p) product with its reduction, less the product
    Codelet{"poplin::InverseStdDeviation", 200, {20, 0, 3}}, // (a)
    Codelet{"popops::Cast1D", 540, {12, 0, 2}},              // (p)
    Codelet{"popops::UnaryOp1D", 232, {12, 0, 2}},           // (s)
    Codelet{"popops::UnaryOp1DInPlace", 232, {8, 0, 1}},     // (s)
    Codelet{"popops::BinaryOp1D", 348, {16, 0, 3}},          // (p) sums of embeddings
    Codelet{"popops::BinaryOp1DInPlace", 348, {12, 0, 2}},   // (p)
    // Of vectors that are broadcast: their entries (see sharedCode).
    Codelet{"popops::BroadcastVectorInner1DInPlace", 20, {16, 0, 2}},
    Codelet{"popops::BroadcastVectorInner1D", 24, {20, 0, 3}},
    Codelet{"popops::BroadcastVectorOuterByRow1DInPlace", 32, {16, 0, 2}},
    Codelet{"popops::BroadcastVectorOuterByRow1D", 32, {20, 0, 3}},
    Codelet{"popops::BroadcastScalar1D", 264, {16, 0, 3}},        // (p) differences of a mask
    Codelet{"popops::BroadcastScalar1DInPlace", 264, {12, 0, 2}}, // (p)
    Codelet{"popops::TernaryOp1D", 460, {20, 0, 4}},              // (a) select, clamp
    // Strided reductions: three pointers, counts and strides of 16 bits.
    Codelet{"popops::Reduce", 284, {10, 6, 3}}, // (s)
    Codelet{"popops::DynamicSlice1D", 832, {20, 0, 3}},
    Codelet{"popops::DynamicUpdateSlice1D", 832, {20, 0, 3}},
    Codelet{"popops::MultiSlice", 504, {20, 8, 3}},
    Codelet{"popops::MultiUpdateAdd", 980, {24, 8, 4}},
    Codelet{"popops::MultiUpdate", 504, {20, 8, 3}},    // (a) as MultiSlice
    Codelet{"popops::MultiUpdateMax", 980, {24, 8, 4}}, // (a) as MultiUpdateAdd
    Codelet{"poprand::Uniform", 240, {16, 0, 1}},       // (a)
    Codelet{"poprand::Normal", 280, {16, 0, 1}},        // (a)
    // A codelet links only what it calls of the 1,772 B of its file's assembly; published totals of
    // sums of matrices leave about this.
    Codelet{"popops::ScaledAddSupervisor", 300, {16, 0, 2}},
    Codelet{"popops::Fill", 528, {12, 0, 1}}, Codelet{"popnn::NonLinearity1D", 536, {12, 0, 2}},
    Codelet{"popnn::NonLinearity1DInPlace", 536, {8, 0, 1}},
    Codelet{"popnn::MaxPooling", 840, {28, 32, 4}}, Codelet{"popnn::SumPooling", 840, {28, 32, 4}},
    Codelet{"popnn::MaxPoolingGrad", 900, {36, 32, 6}}, // (a) as MaxPooling, two operands more
    Codelet{"poplar_rt::DstStridedCopy64BitMultiAccess", 360, {12, 0, 2}}, // (a)
    Codelet{"poplar_rt::DstStridedCopyDA32", 300, {12, 0, 2}},             // (a)
    Codelet{"poplar_rt::StridedCopyDA32", 320, {12, 0, 2}},                // (a)
    Codelet{"poplar_rt::Transpose1D", 420, {8, 0, 2}},                     // (a)
    Codelet{"poplar_rt::Transpose1DSingleWorker", 420, {8, 2, 2}},         // (a)
    Codelet{"poplar_rt::SplitTranspose1D", 420, {8, 0, 3}},                // (a)
    Codelet{"poplar_rt::LongMemcpy", 240, {12, 0, 2}},                     // (a)
};

// A codelet that is not listed is compiled C++ of unknown size: assumed.
constexpr std::int64_t unknownCodeBytes = 600;
constexpr VertexState unknownState{16, 0, 2};

const Codelet* find(std::string_view vertexName) {
    const std::string_view plain = vertexName.substr(0, vertexName.find('<'));
    const auto found = std::find_if(codelets.begin(), codelets.end(),
                                    [&](const Codelet& c) { return c.name == plain; });
    return found == codelets.end() ? nullptr : &*found;
}

} // namespace

std::int64_t codeletBytes(std::string_view vertexName) {
    const Codelet* codelet = find(vertexName);
    return codelet ? codelet->codeBytes : unknownCodeBytes;
}

std::vector<SharedCode> sharedCode(std::string_view vertexName) {
    const std::size_t open = vertexName.find('<');
    if (open == std::string_view::npos || !vertexName.starts_with("popops::BroadcastVector"))
        return {};
    const std::string_view plain = vertexName.substr(0, open);
    const std::string_view arguments = vertexName.substr(open);
    if (plain.starts_with("popops::BroadcastVectorOuter")) {
        // vectorOuterSupervisorOps.S: a division of the rows, and a loop for each function.
        return {{"VectorOuterRows", 84}, {"VectorOuterLoop" + std::string(arguments), 96}};
    }
    // vectorInnerAdd_half.S and vectorInnerMul_half.S: loops and the workers' division of the rows.
    if (arguments.find("::ADD,") != arguments.npos ||
        arguments.find("::SUBTRACT,") != arguments.npos)
        return {{"VectorInnerAdd", 584}};
    return {{"VectorInner" + std::string(arguments), 396}}; // divisions: assumed as multiplications
}

VertexState vertexState(std::string_view vertexName) {
    const Codelet* codelet = find(vertexName);
    return codelet ? codelet->state : unknownState;
}

bool isCopyVertex(std::string_view vertexName) {
    return vertexName.starts_with("poplar_rt::") &&
           vertexName.find("Copy") != std::string_view::npos;
}

std::int64_t sendCodeBytes(std::int64_t sends, std::int64_t bytes, std::int64_t starts) {
    std::int64_t each = exchangeInstructionBytes;
    if (bytes > exchangeSendBytes)
        each += exchangeInstructionBytes *
                (1 + ceilDiv(bytes - exchangeSendBytes, exchangeContinuationBytes));
    return sends * each + starts * (exchangeSendStartBytes - exchangeInstructionBytes);
}

std::int64_t exchangeCodeBytes(std::int64_t sendCode, std::int64_t operands,
                               std::int64_t messages) {
    const std::int64_t bytes =
        sendCode + operands * exchangeAddressBytes + messages * exchangeSourceBytes;
    return bytes > 0 ? bytes + exchangePhaseBytes : 0;
}

std::int64_t globalExchangeCodeBytes(std::int64_t sent, std::int64_t received) {
    const auto packets = [](std::int64_t bytes) { return ceilDiv(bytes, globalPacketBytes); };
    const std::int64_t bytes =
        packets(sent) * globalSendBytes + packets(received) * exchangeSourceBytes;
    return bytes > 0 ? bytes + exchangePhaseBytes : 0;
}

std::int64_t hostPackets(bool toDevice, std::int64_t bytes) {
    return ceilDiv(bytes, toDevice ? hostPacketBytesIn : hostPacketBytesOut);
}

std::int64_t hostCopyCodeBytes(bool toDevice, std::int64_t bytes) {
    if (bytes == 0)
        return 0;
    const std::int64_t packets = hostPackets(toDevice, bytes);
    if (toDevice)
        return hostCopyInCodeBytes + packets * hostPacketInCodeBytes;
    const std::int64_t last = bytes - (packets - 1) * hostPacketBytesOut;
    return hostCopyOutCodeBytes + packets * hostPacketOutCodeBytes +
           (last < hostShortPacketBytes ? hostShortPacketCodeBytes : 0);
}

} // namespace tilescope::sim
