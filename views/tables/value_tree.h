// A small tree of lines with a value in each column.
#pragma once

#include <QAbstractItemModel>
#include <memory>
#include <vector>

#include "views/session/view_context.h"
#include "views/tables/cell_text.h"

namespace tilescope::views {

struct ValueNode {
    QString name;
    std::vector<Cell> values;
    std::vector<ValueNode> children;
    Unit unit = Unit::Bytes;
};

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
    // Where a node stands; the item pointer of an index. Flat, so that parents are found at once.
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

} // namespace tilescope::views
