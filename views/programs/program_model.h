// The program tree as an item model that makes nothing but indices.
#pragma once

#include <QAbstractItemModel>
#include <memory>

#include "views/session/view_context.h"

namespace tilescope::views {

/// What the tree shows; shared, not copied.
struct ProgramTreeData {
    std::shared_ptr<const IdVector<ProgramId, Program>> programs;
    std::shared_ptr<const IdVector<OperationId, Operation>> operations;
    std::vector<ProgramId> roots; ///< control programs, then functions
    std::size_t controlPrograms = 0;
    std::vector<int> rowOf;           ///< of each program among its siblings
    std::vector<std::int64_t> cycles; ///< of each program, one execution, estimated
    std::vector<std::string> labels;  ///< of each program
};

/// Reads and checks the tree; throws UserError if a damaged profile has a program twice or names
/// one that does not exist.
ProgramTreeData readProgramTree(const OpenProfile& profile, const std::stop_token& stop);

/// Columns: label, operation, cycles. An index holds the id of its program, so the model needs no
/// memory for nodes and opening a branch costs nothing.
class ProgramModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Label, OperationColumn, Cycles, ColumnCount };

    explicit ProgramModel(ViewContext& context, QObject* parent = nullptr);

    void setTree(ProgramTreeData tree);
    [[nodiscard]] const ProgramTreeData& tree() const { return tree_; }
    /// Marks the steps of an operation, and those whose label contains a text.
    void setMarked(OperationId operation, const QString& text);
    [[nodiscard]] ProgramId programAt(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOf(ProgramId program) const;
    /// The next program in the order of ids after `from` whose label contains the text; none if
    /// there is none.
    [[nodiscard]] ProgramId find(const QString& text, ProgramId from, bool forward) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& = {}) const override { return ColumnCount; }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

signals:
    /// Colours of lines anywhere in the tree: a view paints again what it shows.
    void coloursChanged();

private:
    [[nodiscard]] const std::vector<ProgramId>& childrenOf(const QModelIndex& parent) const;
    [[nodiscard]] bool matches(ProgramId program) const;
    [[nodiscard]] QVariant display(ProgramId program, int column) const;
    [[nodiscard]] QString rootTitle(ProgramId program) const;

    ViewContext& context_;
    ProgramTreeData tree_;
    OperationId markedOperation_;
    QString markedText_;
};

} // namespace tilescope::views
