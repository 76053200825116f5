// The search through all partitions of one form of a convolution with one method. Internal to the
// planner.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "core/target/target.h"
#include "simulator/cost/conv_cycles.h"
#include "simulator/planner/goal.h"
#include "simulator/planner/transform.h"

namespace tilescope::sim {

/// The best plans found so far, best first; of equal ones the first found stays ahead.
class BestPlans {
public:
    BestPlans(const PlanGoal& goal, std::size_t capacity)
        : goal_(goal)
        , capacity_(capacity) {}

    /// Sets a cost that is known to be reachable: worse plans need not be examined.
    void boundBy(const CostKey& reachable);
    /// The key that a plan must not exceed to be added (or must beat, once the list is full).
    [[nodiscard]] const std::optional<CostKey>& limit() const { return limit_; }
    [[nodiscard]] bool wants(const ConvCost& cost, std::int64_t tiles) const;
    /// False if no plan of so many cycles, or more, can be added.
    [[nodiscard]] bool mayTake(double cycles) const;
    void add(ConvPlan plan);

    [[nodiscard]] const PlanGoal& goal() const { return goal_; }
    /// A plan on more tiles is not wanted; 0: any number.
    [[nodiscard]] std::int64_t mostTiles() const { return mostTiles_; }
    [[nodiscard]] const std::vector<ConvPlan>& plans() const { return plans_; }

    /// Counts one more examined partition, or part of one; false if it is one too many.
    [[nodiscard]] bool mayVisit() { return visits_ < mostVisits && ++visits_ <= mostVisits; }
    /// True if a search has reached its limit.
    [[nodiscard]] bool isExhausted() const { return visits_ == mostVisits; }

private:
    /// Many times what published networks take; some seconds.
    static constexpr std::int64_t mostVisits = 20'000'000;

    void limitTo(const CostKey& key);

    PlanGoal goal_;
    std::size_t capacity_;
    std::int64_t visits_ = 0;
    std::int64_t mostTiles_ = 0;
    std::optional<CostKey> limit_;
    std::vector<ConvPlan> plans_;
};

/// How densely numbers of parts are tried.
enum class Density {
    Coarse, ///< about each doubling: quickly to a good plan
    Full,   ///< every number that gives another largest part
};

/// A lower bound of convolveCycles() for whatever partition of a problem, as planned.
LeastConvCycles leastConvCycles(const Target& target, const ConvProblem& problem,
                                const MethodCandidate& candidate);

/// A lower bound of the cycles of any plan of the form with HMAC.
double leastHmacCycles(const Target& target, const ConvProblem& problem);
/// Of those with a candidate's grouping.
double leastHmacCycles(const Target& target, const ConvProblem& problem,
                       const MethodCandidate& candidate);

/// Visits all partitions depth first and prunes subtrees whose lower bound of cycles exceeds the
/// best plan's, or whose operands exceed the memory bound.
class PartitionSearch {
public:
    PartitionSearch(const Target& target, const TransformedProblem& form,
                    const MethodCandidate& candidate, std::int64_t memoryBound, BestPlans& best);

    /// All partitions with the given numbers of serial slices.
    void run(std::int64_t outSerial, std::int64_t inSerial, Density density);

private:
    /// A number of parts to try, and the pieces of the largest.
    struct Choice {
        std::int64_t parts = 1;
        double pieces = 1;
    };
    /// One dimension that is cut: its size in pieces, the elements of a piece, where the number of
    /// parts goes, which numbers are tried, and which operands have it.
    struct Cut {
        std::int64_t pieces = 1;
        std::int64_t pieceSize = 1;
        std::int64_t* parts = nullptr;
        bool onePiece = false; ///< the vertex takes a single piece on a tile
        bool inInput = false, inWeights = false, inPartials = false;
        double leastInputShare = 1; ///< input indices for each output index, at least
    };
    /// Lower bounds of one tile's work, from the cuts decided so far.
    struct Least {
        double input = 1, weights = 1, partials = 1, macs = 1;
        double field = 1; ///< batch and field
        std::int64_t parts = 1;
        std::int64_t users = 1; ///< of a weight: parts of batch and field
    };
    /// The copies of operands and results into another order, over a number of tiles.
    struct Rearranged {
        std::int64_t cycles = 0, bytes = 0;
    };

    void listCuts();
    /// The numbers of parts to try for so many pieces, up to that of the tiles, fewest first.
    const std::vector<Choice>& choicesOf(std::int64_t pieces);
    void descend(std::size_t at, std::int64_t tilesLeft, const Least& decided);
    [[nodiscard]] static Least decide(const Least& before, const Cut& cut, std::int64_t parts,
                                      double pieces);
    [[nodiscard]] bool hopeless(std::size_t decidedCuts, std::int64_t tilesLeft,
                                const Least& decided);
    /// The most tiles that a completion of the cuts decided so far takes.
    [[nodiscard]] std::int64_t mostTiles(std::size_t decidedCuts, std::int64_t tilesLeft,
                                         const Least& decided) const;
    [[nodiscard]] double receivedBytesOfInput();
    /// True if a serial step of no less than so many cycles exceeds the others' steps by more than
    /// the best plan's.
    [[nodiscard]] bool exceedsTooMuch(double compute, double exchange,
                                      std::int64_t rearranged) const;
    /// A lower bound over `tiles` tiles: the cost over the largest number of as many binary digits,
    /// as fewer tiles never rearrange faster, nor with less memory.
    const Rearranged& rearrangedOver(std::int64_t tiles);
    /// `decided`: of all cuts.
    void evaluate(const Least& decided);

    const Target& target_;
    const TransformedProblem& form_;
    ConvProblem problem_; ///< with the candidate's type of partials
    const MethodCandidate& candidate_;
    Rearrangement rearrangement_;
    std::int64_t memoryBound_;
    BestPlans& best_;
    Density density_ = Density::Full;
    std::vector<Cut> cuts_;                               ///< of what can be cut
    Least uncut_;                                         ///< of the dimensions of a single piece
    std::map<std::int64_t, std::vector<Choice>> choices_; ///< by pieces, of the density at hand
    // Over the cuts from an index on.
    std::vector<Least> undecided_;
    std::vector<double> undecidedPieces_; ///< products: parts are no more
    // What bounds need of the problem and the machine; the same throughout a search.
    LeastConvCycles leastCycles_;
    Rearranged overAllTiles_;
    /// By the binary digits of a number of tiles, as asked for.
    std::array<std::optional<Rearranged>, std::numeric_limits<std::int32_t>::digits + 1>
        rearrangedOver_;
    double inBytes_, partialBytes_; ///< of an element
    double kernel_;                 ///< the innermost dimension, which is in no cut
    double perByte_;                ///< cycles to exchange one
    /// Of an element of input, on average, for the output channels' number of parts.
    struct ReceivedInput {
        std::int64_t outChans = 0;
        double bytes = 0;
    };
    ReceivedInput received_;
    ConvTileSizes sizes_;
    ConvSplits splits_;
};

} // namespace tilescope::sim
