// A small tree of lines with a value in each column.
#pragma once

#include <QAbstractItemModel>
#include <QTreeView>
#include <optional>
#include <vector>

#include "core/analysis/compare/metrics.h"
#include "views/session/view_context.h"
#include "views/tables/cell_text.h"

namespace tilescope::views {

struct ValueNode {
    QString name;
    std::vector<Cell> values;
    std::vector<ValueNode> children;
    Unit unit = Unit::Bytes;
    /// Whether more is better, if the unit does not tell: fewer tiles over the limit are better,
    /// other counts are neutral.
    std::optional<MetricBetter> better = {};
};

/// A line with a name and a value.
inline ValueNode valueLine(const QString& name, Cell value, Unit unit = Unit::None) {
    return {name, {std::move(value)}, {}, unit};
}
/// Adds a JSON object as a line with lines below it, to its full depth; nothing if it is empty.
void addJson(std::vector<ValueNode>& lines, const QString& name, const std::string& json);

/// The lines of two trees as one: each of their columns with source and target, and optionally the
/// difference. Lines match by name, in order; those that only one tree has are included.
std::vector<ValueNode> sideBySide(const std::vector<ValueNode>& source,
                                  const std::vector<ValueNode>& target, std::size_t columns = 1,
                                  bool differences = false);

struct ValueTree {
    QString nameTitle;
    QStringList valueTitles;
    std::vector<ValueNode> roots;
    bool properties = false; ///< values are read beside their names, not compared down a column
};

/// Read-only model of a ValueTree.
class ValueTreeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    explicit ValueTreeModel(ViewContext& context, QObject* parent = nullptr);
    void setTree(ValueTree tree);

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    // The place of a node; an index points to it. Stored flat, for quick access to parents.
    struct Place {
        const ValueNode* node = nullptr;
        int parent = -1; ///< index into places_
        int row = 0;
        std::vector<int> children;
    };
    int add(const ValueNode& node, int parent, int row);
    [[nodiscard]] const std::vector<int>& childrenOf(const QModelIndex& parent) const;

    ViewContext& context_;
    ValueTree tree_;
    std::vector<Place> places_;
    std::vector<int> roots_;
};

/// A tree view with a model of its own.
class ValueTreeView : public QTreeView {
    Q_OBJECT
public:
    /// `name` is for screen readers.
    ValueTreeView(ViewContext& context, const QString& name, QWidget* parent = nullptr);
    void setTree(ValueTree tree) { values_->setTree(std::move(tree)); }
    /// Gives the values as much room as they need and the first column with the names the rest, but
    /// never less than the names need: then the tree scrolls.
    void fitColumns();
    [[nodiscard]] ValueTreeModel& values() const { return *values_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void giveRest();

    ValueTreeModel* values_;
    bool fitted_ = false;
};

/// "Value", or "Source" and "Target".
QStringList valueTitles(bool comparing);

} // namespace tilescope::views
