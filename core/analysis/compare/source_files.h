// Which files of two profiles' programs are versions of each other.
#pragma once

#include "core/analysis/source/source_names.h"

namespace tilescope {

/// The other version of each file; none where the other profile lacks it.
struct SourceFilePairs {
    IdVector<SourceFileId, SourceFileId> ofSource; ///< by the source's files: of the target
    IdVector<SourceFileId, SourceFileId> ofTarget; ///< likewise, the other way
};

/// Each file has one other version at most. Files of equal paths come first, then those of equal
/// short paths, and among what is left those that alone have the last part of their path.
SourceFilePairs pairedFiles(const SourceNames& source, const SourceNames& target);

} // namespace tilescope
