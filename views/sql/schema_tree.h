// The tables that a query can name.
#pragma once

#include <QWidget>

#include "views/sql/sql_content.h"

class QLineEdit;
class QTreeWidget;

namespace tilescope::views {

/// Tables, views and functions with their columns, and a filter. A double click (or Enter) emits
/// the name.
class SchemaTree : public QWidget {
    Q_OBJECT
public:
    explicit SchemaTree(QWidget* parent = nullptr);
    void setEntries(const std::vector<SchemaEntry>& entries);
    void focusFilter();
    [[nodiscard]] QTreeWidget& tree() { return *tree_; }

signals:
    void nameWanted(const QString& name);

private:
    void filter(const QString& text);

    QLineEdit* filter_;
    QTreeWidget* tree_;
};

} // namespace tilescope::views
