#include "simulator/cost/footprint.h"

#include <algorithm>
#include <array>

namespace tilescope::sim {
namespace {

struct Codelet {
    std::string_view name;
    std::int64_t codeBytes;
    VertexState state;
};

// Code: instructions counted in the public PopLibs assembly, 4 bytes each; marked (a) where the
// codelet is C++ or closed and the size is assumed. State: pointers of 4 bytes, packed spans of 4,
// vector lists of 8, 16-bit sizes, as the field lists of the public codelets have them.
constexpr std::array codelets{
    Codelet{"poplin::ConvPartial1x1Out", 1340, {24, 0, 4}},
    Codelet{"poplin::ConvPartialnx1", 2680, {36, 0, 4}},
    Codelet{"poplin::ConvPartialHorizontalMac", 740, {36, 24, 4}},
    Codelet{"poplin::ConvPartialVerticalMac", 900, {36, 24, 4}},
    Codelet{"poplin::OuterProduct", 320, {16, 8, 3}},
    Codelet{"poplin::ReduceAdd", 1148, {12, 0, 2}},
    Codelet{"popops::Cast1D", 420, {12, 0, 2}}, // (a)
    Codelet{"popops::UnaryOp1D", 412, {12, 0, 2}},
    Codelet{"popops::UnaryOp1DInPlace", 412, {8, 0, 1}},
    Codelet{"popops::BinaryOp1D", 728, {16, 0, 3}},
    Codelet{"popops::BinaryOp1DInPlace", 728, {12, 0, 2}},
    Codelet{"popops::BroadcastVectorInner1DInPlace", 800, {16, 0, 2}},
    Codelet{"popops::BroadcastVectorInner1D", 800, {20, 0, 3}},
    Codelet{"popops::BroadcastScalar1DInPlace", 520, {12, 0, 2}}, // (a)
    Codelet{"popops::TernaryOp1D", 460, {20, 0, 4}},              // (a) select, clamp
    // Strided reductions: three pointers, counts and strides of 16 bits.
    Codelet{"popops::Reduce", 1560, {10, 6, 3}}, Codelet{"popops::DynamicSlice1D", 832, {20, 0, 3}},
    Codelet{"popops::DynamicUpdateSlice1D", 832, {20, 0, 3}},
    Codelet{"popops::MultiSlice", 504, {20, 8, 3}},
    Codelet{"popops::MultiUpdateAdd", 980, {24, 8, 4}},
    Codelet{"popops::ScaledAddSupervisor", 1772, {16, 0, 2}},
    Codelet{"popops::Fill", 528, {12, 0, 1}}, Codelet{"popnn::MaxPooling", 840, {28, 32, 4}},
    Codelet{"popnn::SumPooling", 840, {28, 32, 4}},
    Codelet{"poplar_rt::DstStridedCopy64BitMultiAccess", 360, {12, 0, 2}}, // (a)
    Codelet{"poplar_rt::DstStridedCopyDA32", 300, {12, 0, 2}},             // (a)
    Codelet{"poplar_rt::StridedCopyDA32", 320, {12, 0, 2}},                // (a)
    Codelet{"poplar_rt::Transpose1D", 420, {8, 0, 2}},                     // (a)
    Codelet{"poplar_rt::Transpose1DSingleWorker", 420, {8, 2, 2}},         // (a)
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

VertexState vertexState(std::string_view vertexName) {
    const Codelet* codelet = find(vertexName);
    return codelet ? codelet->state : unknownState;
}

bool isCopyVertex(std::string_view vertexName) {
    return vertexName.starts_with("poplar_rt::") && vertexName.find("Copy") != std::string_view::npos;
}

std::int64_t exchangeCodeBytes(std::int64_t sent, std::int64_t received, std::int64_t messages) {
    std::int64_t bytes = 0;
    if (sent > 0)
        bytes += exchangeInstructionBytes *
                 (1 + sent / exchangeSendBytes / 16 + sent / exchangeContinuationBytes);
    if (received > 0)
        bytes += messages * exchangeReceiveBytes;
    return bytes > 0 ? bytes + exchangePhaseBytes : 0;
}

} // namespace tilescope::sim
