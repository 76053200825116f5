// Which parts of a model become functions.
#pragma once

namespace tilescope {

struct OutlineOptions {
    bool enabled = true; ///< repeated parts of the graph become functions
    /// By how much a part's value must exceed that of the functions in it (PopART
    /// outlineThreshold).
    double threshold = 1;
    bool copyCostPruning = true; ///< PopART enableOutliningCopyCostPruning
    friend bool operator==(const OutlineOptions&, const OutlineOptions&) = default;
};

} // namespace tilescope
