// Names of the program's lines at which the operations of a model are: "model.py:72".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/source/statements.h"
#include "core/profile/model_graph.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// What operations are gathered by.
enum class SourceGrain : std::uint8_t {
    Line,
    Statement, ///< "model.py:72-75"; a line where the text is not recorded
    Function,  ///< "model.py:forward"
    File,
    Stack, ///< all lines from the outermost on: "train.py:90;model.py:72"
};

/// Whose lines count. An operation belongs to the innermost frame that does, so this moves costs
/// from line to line and never changes their sum.
enum class SourceReach : std::uint8_t {
    Mine,      ///< the user's files and notebooks; a library's where no such line is in the stack
    Libraries, ///< all
};

/// The program's lines of a profile's operations. The view outlives it.
class SourceNames {
public:
    explicit SourceNames(const ProfileView& profile, SourceReach reach = SourceReach::Mine,
                         const std::stop_token& stop = {});

    /// Whether the profile has lines at all.
    [[nodiscard]] bool recorded() const { return !source_->frames.empty(); }
    /// The frame that a node of the model belongs to: for updates that of the optimizer where it is
    /// known. None for no node, or without a line.
    [[nodiscard]] SourceFrameId frameOf(ModelNodeId node) const;
    /// That of a line outside of the model; none if it is not recorded.
    [[nodiscard]] SourceFrameId frameOf(SourceAnchorKind kind) const;
    /// That of the first node that an operation of the program stands for; none without one.
    [[nodiscard]] SourceFrameId frameOf(OperationId operation) const;
    /// Frames from the outermost that counts to that one.
    [[nodiscard]] std::vector<SourceFrameId> stackOf(SourceFrameId frame) const;
    /// Empty for no frame.
    [[nodiscard]] std::string name(SourceFrameId frame, SourceGrain grain) const;
    [[nodiscard]] std::string name(ModelNodeId node, SourceGrain grain) const {
        return name(frameOf(node), grain);
    }
    /// The path of a file without the folders that all of the user's files share.
    [[nodiscard]] const std::string& shortPath(SourceFileId file) const;
    /// A line of a file's recorded text, or a statement in one line, without the blanks around it;
    /// empty if there is none.
    [[nodiscard]] std::string text(SourceFrameId frame,
                                   SourceGrain grain = SourceGrain::Line) const;
    /// The lines of the statement that a frame is in; its own line where the text is not recorded.
    [[nodiscard]] LineSpan statement(SourceFrameId frame) const;
    [[nodiscard]] const SourceCode& code() const { return *source_; }

    /// Whether a frame's costs are its own, or those of the frame that calls it.
    [[nodiscard]] bool counts(SourceFrameId frame) const;

private:
    /// The innermost frame that counts, from one on; that one if none does.
    [[nodiscard]] SourceFrameId innermostOf(SourceFrameId own) const;
    [[nodiscard]] std::string textOfLine(SourceFileId file, std::int32_t line) const;

    std::shared_ptr<const SourceCode> source_;
    std::shared_ptr<const ModelGraph> graph_;
    SourceReach reach_;
    SourceFrameId optimizer_;
    IdVector<SourceFileId, std::string> shortPaths_;
    /// Where each line of a file's text begins.
    IdVector<SourceFileId, std::vector<std::size_t>> lines_;
    /// What few questions are about, made when it is asked for.
    struct Lazy {
        LazyPart<IdVector<SourceFileId, std::vector<LineSpan>>> statements; ///< by line
    };
    std::shared_ptr<const Lazy> lazy_ = std::make_shared<const Lazy>(); ///< for this to be moved
};

/// The folder that all of the user's files are in, with its last '/'; empty without files.
std::string sharedFolder(const SourceCode& source);

/// Without texts, and with the paths of the user's files without the folders that all of them
/// share: what can be given away with a profile.
SourceCode withoutTexts(SourceCode source);

} // namespace tilescope
