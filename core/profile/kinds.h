// The closed vocabularies of a profile, with the names that are in the file and on the screen.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilescope {

/// What a node of the program tree is. The names are Poplar's.
enum class ProgramKind : std::uint8_t {
    Sequence,
    Repeat,
    Call,
    Switch,
    OnTileExecute,
    DoExchange,
    GlobalExchange,
    StreamCopyBegin,
    StreamCopyMid,
    StreamCopyEnd,
    Sync,
    WriteUndef,
};
inline constexpr std::array programKinds{
    ProgramKind::Sequence,       ProgramKind::Repeat,
    ProgramKind::Call,           ProgramKind::Switch,
    ProgramKind::OnTileExecute,  ProgramKind::DoExchange,
    ProgramKind::GlobalExchange, ProgramKind::StreamCopyBegin,
    ProgramKind::StreamCopyMid,  ProgramKind::StreamCopyEnd,
    ProgramKind::Sync,           ProgramKind::WriteUndef,
};
std::string_view toString(ProgramKind kind);
std::optional<ProgramKind> programKindFrom(std::string_view name);
/// True for the kinds that have children instead of doing something themselves.
bool isControl(ProgramKind kind);

/// What bytes on a tile are for: the storage categories of the original.
enum class MemoryCategory : std::uint8_t {
    Variable,
    Constant,
    Message,
    Stack,
    VertexCode,
    VertexInstanceState,
    VertexFieldData,
    VectorListDescriptor,
    CopyDescriptor,
    ControlCode,
    ControlId,
    ControlTable,
    InternalExchangeCode,
    HostExchangeCode,
    GlobalExchangeCode,
    HostExchangePacketHeader,
    GlobalExchangePacketHeader,
    InstrumentationResults,
};
inline constexpr std::array memoryCategories{
    MemoryCategory::Variable,
    MemoryCategory::Constant,
    MemoryCategory::Message,
    MemoryCategory::Stack,
    MemoryCategory::VertexCode,
    MemoryCategory::VertexInstanceState,
    MemoryCategory::VertexFieldData,
    MemoryCategory::VectorListDescriptor,
    MemoryCategory::CopyDescriptor,
    MemoryCategory::ControlCode,
    MemoryCategory::ControlId,
    MemoryCategory::ControlTable,
    MemoryCategory::InternalExchangeCode,
    MemoryCategory::HostExchangeCode,
    MemoryCategory::GlobalExchangeCode,
    MemoryCategory::HostExchangePacketHeader,
    MemoryCategory::GlobalExchangePacketHeader,
    MemoryCategory::InstrumentationResults,
};
/// The name in the file, as the original spells it: "vertexCode".
std::string_view toString(MemoryCategory category);
/// The name for people: "Vertex code".
std::string_view displayName(MemoryCategory category);
std::optional<MemoryCategory> memoryCategoryFrom(std::string_view name);

/// Where on a tile bytes lie.
enum class MemoryRegion : std::uint8_t { NonInterleaved, Interleaved, Overflowed };
inline constexpr std::array memoryRegions{MemoryRegion::NonInterleaved, MemoryRegion::Interleaved,
                                          MemoryRegion::Overflowed};
std::string_view toString(MemoryRegion region);    ///< "nonInterleaved"
std::string_view displayName(MemoryRegion region); ///< "Non-interleaved"
std::optional<MemoryRegion> memoryRegionFrom(std::string_view name);

/// Why a copy has to put an operand in order.
enum class CopyCause : std::uint8_t {
    FirstOperand, ///< an element-wise operation follows its first operand, which had no layout
    OtherOperand, ///< an element-wise operation has operands that others laid out differently
    Plan,         ///< a convolution or matrix product reads the order of its plan
    Consumer,     ///< a pooling, reduction or look-up reads another order than there is
    Reshape,      ///< the dimensions of a new shape cut across the stored ones
    Part,         ///< a part of a concatenation, slice, padding or broadcast
};
std::string_view toString(CopyCause cause); ///< "firstOperand"
std::optional<CopyCause> copyCauseFrom(std::string_view name);

/// How loud a message of the compiler is.
enum class Severity : std::uint8_t { Info, Warning, Error };
std::string_view toString(Severity severity); ///< "info", "warning", "error"
std::optional<Severity> severityFrom(std::string_view name);

} // namespace tilescope
