// The closed vocabularies of a profile, with their names in the file and on the screen.
#pragma once

#include <cstdint>

#include "core/base/enum_names.h"

namespace tilescope {

/// The kind of a node of the program tree. The names are Poplar's.
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
    Unknown,        ///< a step of another program's that has no counterpart here
    UnknownControl, ///< likewise, with children
};
inline constexpr auto programKinds = valuesUpTo<ProgramKind::UnknownControl>;
template <>
inline constexpr auto enumNames<ProgramKind> = std::to_array<std::string_view>(
    {"Sequence", "Repeat", "Call", "Switch", "OnTileExecute", "DoExchange", "GlobalExchange",
     "StreamCopyBegin", "StreamCopyMid", "StreamCopyEnd", "Sync", "WriteUndef", "Unknown",
     "UnknownControl"});
inline constexpr auto programKindFrom = fromName<ProgramKind>;
/// True for the kinds that have children instead of doing something themselves.
constexpr bool isControl(ProgramKind kind) {
    return kind == ProgramKind::Sequence || kind == ProgramKind::Repeat ||
           kind == ProgramKind::Call || kind == ProgramKind::Switch ||
           kind == ProgramKind::UnknownControl;
}

/// The use of bytes on a tile: the storage categories of the original.
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
inline constexpr auto memoryCategories = valuesUpTo<MemoryCategory::InstrumentationResults>;
/// Spelled as in the original.
template <>
inline constexpr auto enumNames<MemoryCategory> = std::to_array<std::string_view>(
    {"variable", "constant", "message", "stack", "vertexCode", "vertexInstanceState",
     "vertexFieldData", "vectorListDescriptor", "copyDescriptor", "controlCode", "controlId",
     "controlTable", "internalExchangeCode", "hostExchangeCode", "globalExchangeCode",
     "hostExchangePacketHeader", "globalExchangePacketHeader", "instrumentationResults"});
template <>
inline constexpr auto enumTitles<MemoryCategory> = std::to_array<std::string_view>(
    {"Variables", "Constants", "Messages", "Stack", "Vertex code", "Vertex instance state",
     "Vertex field data", "Vector list descriptors", "Copy descriptors", "Control code",
     "Control ids", "Control table", "Internal exchange code", "Host exchange code",
     "Global exchange code", "Host exchange packet headers", "Global exchange packet headers",
     "Instrumentation results"});
inline constexpr auto memoryCategoryFrom = fromName<MemoryCategory>;

/// Where on a tile bytes lie.
enum class MemoryRegion : std::uint8_t { NonInterleaved, Interleaved, Overflowed };
inline constexpr auto memoryRegions = valuesUpTo<MemoryRegion::Overflowed>;
template <>
inline constexpr auto enumNames<MemoryRegion> =
    std::to_array<std::string_view>({"nonInterleaved", "interleaved", "overflowed"});
template <>
inline constexpr auto enumTitles<MemoryRegion> =
    std::to_array<std::string_view>({"Non-interleaved", "Interleaved", "Overflowed"});
inline constexpr auto memoryRegionFrom = fromName<MemoryRegion>;

/// Why a copy has to reorder an operand.
enum class CopyCause : std::uint8_t {
    FirstOperand, ///< an element-wise operation follows its first operand, which had no layout
    OtherOperand, ///< an element-wise operation has operands that others laid out differently
    Plan,         ///< a convolution or matrix product reads the order of its plan
    Consumer,     ///< a pooling, reduction or look-up reads another order than the operand has
    Reshape,      ///< the dimensions of a new shape cut across the stored ones
    Part,         ///< a part of a concatenation, slice, padding or broadcast
};
template <>
inline constexpr auto enumNames<CopyCause> = std::to_array<std::string_view>(
    {"firstOperand", "otherOperand", "plan", "consumer", "reshape", "part"});

/// Severity of a message of the compiler.
enum class Severity : std::uint8_t { Info, Warning, Error };
template <>
inline constexpr auto enumNames<Severity> = std::to_array<std::string_view>({"info", "warning",
                                                                             "error"});

} // namespace tilescope
