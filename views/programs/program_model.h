// The program tree as an item model that creates only indices.
#pragma once

#include <QAbstractItemModel>
#include <memory>

#include "core/analysis/programs/program_diff.h"
#include "views/session/view_context.h"
#include "views/widgets/text_matcher.h"

namespace tilescope::views {

/// What the tree shows; shared, not copied.
struct ProgramTreeData {
    std::shared_ptr<const IdVector<ProgramId, Program>> programs;
    std::shared_ptr<const IdVector<OperationId, Operation>> operations;
    std::vector<ProgramId> roots; ///< control programs, then functions
    std::size_t controlPrograms = 0;
    std::vector<int> rowOf;         ///< of each program among its siblings
    std::vector<ProgramCost> costs; ///< of each program, with everything below it
    bool estimated = false;         ///< the costs: nothing was executed, or not in both profiles
    /// Against the other profile; empty if there is none.
    std::vector<ProgramMatch> matches;
    std::vector<std::int64_t> otherCycles; ///< of each program's counterpart, one execution
    bool ofTarget = false;
    std::vector<ProgramId> order;    ///< from top to bottom, all branches open
    std::vector<int> placeOf;        ///< of each program in the order; -1: not under any root
    std::vector<std::string> labels; ///< of each program
};

/// Reads and checks the tree; throws UserError if a damaged profile has a program twice or names
/// one that does not exist.
ProgramTreeData readProgramTree(const ProfileView& profile, const std::stop_token& stop,
                                CostBasis basis = CostBasis::Trace);

/// Two trees with their differences, which are of estimates if one of them was not executed.
struct ComparedTrees {
    ProgramTreeData source;
    ProgramTreeData target;
};
ComparedTrees readComparedTrees(const ProfileView& source, const ProfileView& target,
                                const std::stop_token& stop);

/// Columns: label, operation, cycles of one execution, executions, share of its control program or
/// function, difference of the target to the source, as in every other table. An index holds the id
/// of its program, so the model needs no memory for nodes and opening a branch costs nothing.
class ProgramModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Label, OperationColumn, Cycles, Executions, Share, Difference, ColumnCount };

    explicit ProgramModel(ViewContext& context, QObject* parent = nullptr);

    void setTree(ProgramTreeData tree);
    [[nodiscard]] const ProgramTreeData& tree() const { return tree_; }
    /// Marks the steps of an operation or, during a search, those whose label matches.
    void setMarked(OperationId operation, const TextMatcher& wanted);
    [[nodiscard]] ProgramId programAt(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOf(ProgramId program) const;
    /// Whether the label of a program matches, or the type, plan or options of its operation.
    [[nodiscard]] bool matches(const TextMatcher& wanted, ProgramId program) const;
    /// The next program from top to bottom that matches, wrapping around; none if none matches.
    [[nodiscard]] ProgramId find(const TextMatcher& wanted, ProgramId from, bool forward) const;
    /// How many programs match, and the place of a program among them (from 1; 0 if it is
    /// none of them).
    struct Matches {
        int current = 0;
        int total = 0;
    };
    [[nodiscard]] Matches countMatches(const TextMatcher& wanted, ProgramId current) const;
    /// The next program from top to bottom that differs from its counterpart or has none, wrapping
    /// around. Programs that differ only through those below them are skipped.
    [[nodiscard]] ProgramId findDifference(ProgramId from, bool forward) const;
    [[nodiscard]] ProgramId counterpart(ProgramId program) const;
    /// "Control program 1 (main)" for a root, else the label.
    [[nodiscard]] QString title(ProgramId program) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& = {}) const override { return ColumnCount; }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

signals:
    /// Colours have changed anywhere in the tree: views repaint their visible part.
    void coloursChanged();

private:
    [[nodiscard]] const std::vector<ProgramId>& childrenOf(const QModelIndex& parent) const;
    [[nodiscard]] bool isMarked(ProgramId program) const;
    template <class Wanted>
    [[nodiscard]] ProgramId search(ProgramId from, bool forward, Wanted wanted) const;
    [[nodiscard]] std::int64_t rootTotal(ProgramId program) const;
    [[nodiscard]] ProgramChange changeOf(ProgramId program) const;
    [[nodiscard]] bool differsItself(ProgramId program) const;
    [[nodiscard]] QString shareText(ProgramId program) const;
    /// Of the target to the source, one execution.
    [[nodiscard]] std::int64_t differenceOf(ProgramId program) const;
    [[nodiscard]] QString differenceText(ProgramId program) const;
    [[nodiscard]] QVariant background(ProgramId program) const;
    [[nodiscard]] QVariant foreground(ProgramId program, int column) const;
    [[nodiscard]] QString display(ProgramId program, int column) const;

    ViewContext& context_;
    ProgramTreeData tree_;
    OperationId markedOperation_;
    TextMatcher marked_;
};

} // namespace tilescope::views
