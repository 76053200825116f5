// The lines of the user's program that made the model's operations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/ids.h"

namespace tilescope {

using SourceFileId = Id<struct SourceFileTag>;
using SourceFrameId = Id<struct SourceFrameTag>;

/// Whose code a file is.
enum class SourceOrigin : std::uint8_t {
    Mine,     ///< the user's
    Library,  ///< installed packages, and what the user has excluded
    Notebook, ///< a cell; its name is no path
};
template <>
inline constexpr auto enumNames<SourceOrigin> = std::to_array<std::string_view>({"mine", "library",
                                                                                 "notebook"});

/// Why an operation has a line.
enum class SourceLink : std::uint8_t {
    Written,  ///< the exporter recorded it with the operation
    Inferred, ///< that of the first operation which reads the result
    Gradient, ///< that of the forward operation
    Moved,    ///< that of the operation which makes what this one keeps or moves
    Update,   ///< that of the weight's first reader; the optimizer's own line is an anchor
};
template <>
inline constexpr auto enumNames<SourceLink> =
    std::to_array<std::string_view>({"written", "inferred", "gradient", "moved", "update"});

struct SourceFile {
    std::string path; ///< as the program names it; never opened because a profile names it
    SourceOrigin origin = SourceOrigin::Mine;
    std::string text; ///< when the model was compiled; empty if it was not recorded
    friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

/// A line in the chain of calls that made an operation. Frames are a tree: stacks that begin alike
/// share their outer frames.
struct SourceFrame {
    SourceFrameId parent; ///< the caller; none for the outermost
    SourceFileId file;
    std::int32_t line = 0; ///< from 1
    std::string function;
    friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

/// The line that an operation belongs to.
struct SourcePlace {
    SourceFrameId frame; ///< the innermost one; none if it is not known
    SourceLink link = SourceLink::Written;
    friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

/// What a line outside of the model stands for.
enum class SourceAnchorKind : std::uint8_t {
    Model,     ///< where the model was wrapped
    Optimizer, ///< where its optimizer was made
    Call,      ///< the first call, which compiled it
};
template <>
inline constexpr auto
    enumNames<SourceAnchorKind> = std::to_array<std::string_view>({"model", "optimizer", "call"});

struct SourceAnchor {
    SourceAnchorKind kind = SourceAnchorKind::Model;
    SourceFrameId frame;
    friend bool operator==(const SourceAnchor&, const SourceAnchor&) = default;
};

/// Empty unless the exporter recorded stacks.
struct SourceCode {
    IdVector<SourceFileId, SourceFile> files;
    IdVector<SourceFrameId, SourceFrame> frames; ///< callers before those that they call
    std::vector<SourceAnchor> anchors;
    friend bool operator==(const SourceCode&, const SourceCode&) = default;
};

} // namespace tilescope
