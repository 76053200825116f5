// What a planned convolution costs as it was lowered.
#pragma once

#include <utility>

#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/program/builder.h"
#include "simulator/planner/executed_cost.h"

namespace tilescope::sim {

/// Adds the copies that operands needed to the cost of a plan's own steps, while it is lowered.
class ConvEstimate {
public:
    explicit ConvEstimate(ProgramBuilder& builder)
        : b_(builder) {}

    /// Everything from here on is in the loop over slices.
    void inLoop(std::int64_t steps) { times_ = steps; }

    /// Runs `add`, all of whose steps are copies.
    template <class Add> auto copies(const Add& add) {
        const Counted counted(*this, true);
        return add();
    }
    /// The same where an exchange is the convolution's own.
    template <class Add> auto onTileCopies(const Add& add) {
        const Counted counted(*this, false);
        return add();
    }

    /// What of an operand moves in the convolution's own exchange: nothing where a copy brings it,
    /// all where it is regrouped before.
    [[nodiscard]] static double movedShare(const OperandMove& move, std::int64_t elementBytes);

    /// Sets the plan of the operation whose steps are being added.
    void record(const ConvPlan& plan, const MovedShares& moved) const;

private:
    class Counted {
    public:
        Counted(ConvEstimate& estimate, bool exchanges);
        Counted(const Counted&) = delete;
        Counted& operator=(const Counted&) = delete;
        ~Counted();

    private:
        ConvEstimate& estimate_;
        bool exchanges_;
        std::size_t firstSet_, firstExchange_;
    };

    ProgramBuilder& b_;
    std::int64_t times_ = 1, cycles_ = 0;
};

} // namespace tilescope::sim
