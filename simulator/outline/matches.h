// Which repeated parts of a graph become functions, and how much of them.
#pragma once

#include <vector>

#include "core/options/outline_options.h"
#include "simulator/outline/sequence.h"

namespace tilescope::sim {

/// A part that becomes a function: positions [start, start + length) of the sequence for each of
/// its places. Places of a graph's matches are disjoint or nested, and a match within one place of
/// another is within all of its places.
struct OutlineMatch {
    std::int32_t length = 0;
    std::vector<std::int32_t> starts; ///< ascending
    double value = 0;                 ///< sum of its operations' values
};

/// Chooses as PopART does (popart transforms/subgraphoutline.cpp and subgraph/algo1.cpp):
/// 1. repeated parts, most valuable first; places that overlap each other or cross those taken are
///    dropped, and places whose operations are connected differently are matches of their own;
/// 2. from the least valuable on, a match stays if its value exceeds that of the matches within it
///    by more than options.threshold;
/// 3. with options.copyCostPruning, it shrinks to the part with the largest sum over
///    operations of value * sqrt(bytes read), less sqrt(bytes) of what is copied in and out.
/// A part is taken only if that saves code: if it occurs more than once other than as a part of
/// a larger match. Smallest first.
std::vector<OutlineMatch> chooseMatches(const Graph& graph, const OpSequence& sequence,
                                        const TensorUses& uses, const OutlineOptions& options);

/// How operations [start, start + length) are connected, with tensors from outside numbered in the
/// order of their first use. Equal for places that can share a function, if their letters are.
std::vector<std::int32_t> connections(const Graph& graph, const OpSequence& sequence,
                                      const TensorUses& uses, std::int32_t start,
                                      std::int32_t length);

/// Operations between those of a place that stay outside: those that a function call has to come
/// after (they do not need it) and before. False if there is no such order.
struct Neighbours {
    std::vector<OpId> before, after;
};
bool canBeContiguous(const Graph& graph, const OpSequence& sequence, std::int32_t start,
                     std::int32_t length, Neighbours& neighbours);

/// False if a place overwrites a tensor from outside that it also reads by another name, as a view
/// or an older value of it: in a function these would be two variables.
bool overwritesApart(const Graph& graph, const OpSequence& sequence, const TensorUses& uses,
                     std::int32_t start, std::int32_t length);

/// Shrinks each match, least valuable first, to the part of it with the largest sum over operations
/// of value * sqrt(bytes read) less sqrt(bytes) of each tensor that enters or leaves (popart
/// subgraph/prunematches.cpp), judged at its first place. Matches that become empty, or equal to a
/// match within them, are dropped.
void pruneByCopyCost(const Graph& graph, const OpSequence& sequence, const TensorUses& uses,
                     std::vector<OutlineMatch>& matches);

} // namespace tilescope::sim
