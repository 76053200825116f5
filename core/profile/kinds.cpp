#include "core/profile/kinds.h"

#include <algorithm>

namespace tilescope {
namespace {

constexpr std::array<std::string_view, programKinds.size()> programNames{
    "Sequence",      "Repeat",        "Call",           "Switch",
    "OnTileExecute", "DoExchange",    "GlobalExchange", "StreamCopyBegin",
    "StreamCopyMid", "StreamCopyEnd", "Sync",           "WriteUndef"};

struct CategoryName {
    std::string_view file;
    std::string_view people;
};
constexpr std::array<CategoryName, memoryCategories.size()> categoryNames{{
    {"variable", "Variables"},
    {"constant", "Constants"},
    {"message", "Messages"},
    {"stack", "Stack"},
    {"vertexCode", "Vertex code"},
    {"vertexInstanceState", "Vertex instance state"},
    {"vertexFieldData", "Vertex field data"},
    {"vectorListDescriptor", "Vector list descriptors"},
    {"copyDescriptor", "Copy descriptors"},
    {"controlCode", "Control code"},
    {"controlId", "Control ids"},
    {"controlTable", "Control table"},
    {"internalExchangeCode", "Internal exchange code"},
    {"hostExchangeCode", "Host exchange code"},
    {"globalExchangeCode", "Global exchange code"},
    {"hostExchangePacketHeader", "Host exchange packet headers"},
    {"globalExchangePacketHeader", "Global exchange packet headers"},
    {"instrumentationResults", "Instrumentation results"},
}};

constexpr std::array<CategoryName, memoryRegions.size()> regionNames{{
    {"nonInterleaved", "Non-interleaved"},
    {"interleaved", "Interleaved"},
    {"overflowed", "Overflowed"},
}};

constexpr std::array<std::string_view, 3> severityNames{"info", "warning", "error"};
constexpr std::array<std::string_view, 6> causeNames{"firstOperand", "otherOperand", "plan",
                                                     "consumer",     "reshape",      "part"};

template <class Enum, class Names, class Projection>
std::optional<Enum> find(const Names& names, std::string_view wanted, Projection project) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const auto& name) { return project(name) == wanted; });
    if (found == names.end())
        return std::nullopt;
    return static_cast<Enum>(found - names.begin());
}

constexpr auto fileName = [](const CategoryName& name) { return name.file; };
constexpr auto itself = [](std::string_view name) { return name; };

} // namespace

std::string_view toString(ProgramKind kind) {
    return programNames.at(static_cast<std::size_t>(kind));
}

std::optional<ProgramKind> programKindFrom(std::string_view name) {
    return find<ProgramKind>(programNames, name, itself);
}

bool isControl(ProgramKind kind) {
    return kind == ProgramKind::Sequence || kind == ProgramKind::Repeat ||
           kind == ProgramKind::Call || kind == ProgramKind::Switch;
}

std::string_view toString(MemoryCategory category) {
    return categoryNames.at(static_cast<std::size_t>(category)).file;
}

std::string_view displayName(MemoryCategory category) {
    return categoryNames.at(static_cast<std::size_t>(category)).people;
}

std::optional<MemoryCategory> memoryCategoryFrom(std::string_view name) {
    return find<MemoryCategory>(categoryNames, name, fileName);
}

std::string_view toString(MemoryRegion region) {
    return regionNames.at(static_cast<std::size_t>(region)).file;
}

std::string_view displayName(MemoryRegion region) {
    return regionNames.at(static_cast<std::size_t>(region)).people;
}

std::optional<MemoryRegion> memoryRegionFrom(std::string_view name) {
    return find<MemoryRegion>(regionNames, name, fileName);
}

std::string_view toString(CopyCause cause) {
    return causeNames.at(static_cast<std::size_t>(cause));
}

std::optional<CopyCause> copyCauseFrom(std::string_view name) {
    return find<CopyCause>(causeNames, name, itself);
}

std::string_view toString(Severity severity) {
    return severityNames.at(static_cast<std::size_t>(severity));
}

std::optional<Severity> severityFrom(std::string_view name) {
    return find<Severity>(severityNames, name, itself);
}

} // namespace tilescope
