#include "views/sql/schema_tree.h"

#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <array>

namespace tilescope::views {
namespace {

QTreeWidgetItem* groupItem(QTreeWidget* tree, const QString& title) {
    auto* item = new QTreeWidgetItem(tree, {title});
    item->setFlags(Qt::ItemIsEnabled);
    item->setExpanded(true);
    QFont font = item->font(0);
    font.setBold(true);
    item->setFont(0, font);
    return item;
}

} // namespace

SchemaTree::SchemaTree(QWidget* parent)
    : QWidget(parent)
    , filter_(new QLineEdit)
    , tree_(new QTreeWidget) {
    filter_->setPlaceholderText(tr("Filter tables and columns"));
    filter_->setClearButtonEnabled(true);
    tree_->setHeaderHidden(true);
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setAccessibleName(tr("Tables"));
    tree_->setToolTip(tr("A double click puts the name in the query"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(filter_);
    layout->addWidget(tree_, 1);
    // A table opens with its arrow; a double click is for its name.
    tree_->setExpandsOnDoubleClick(false);
    connect(filter_, &QLineEdit::textChanged, this, &SchemaTree::filter);
    connect(tree_, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
        if (item->parent() != nullptr)
            emit nameWanted(item->text(0));
    });
}

void SchemaTree::setEntries(const std::vector<SchemaEntry>& entries) {
    tree_->clear();
    const auto groups = std::to_array<QTreeWidgetItem*>({groupItem(tree_, tr("Tables")),
                                                         groupItem(tree_, tr("Views")),
                                                         groupItem(tree_, tr("Functions"))});
    for (const SchemaEntry& entry : entries) {
        auto* item = new QTreeWidgetItem(groups[static_cast<int>(entry.kind)], {entry.name});
        item->setToolTip(0, entry.note.isEmpty() ? entry.name
                                                 : entry.name + QLatin1Char('\n') + entry.note);
        for (const QString& column : entry.columns)
            new QTreeWidgetItem(item, {column});
    }
    filter(filter_->text());
}

void SchemaTree::focusFilter() {
    filter_->setFocus();
    filter_->selectAll();
}

// A table is shown if it or one of its columns matches, and expanded if a column does.
void SchemaTree::filter(const QString& text) {
    const auto matches = [&](const QTreeWidgetItem* item) {
        return item->text(0).contains(text, Qt::CaseInsensitive);
    };
    for (int g = 0; g < tree_->topLevelItemCount(); ++g) {
        QTreeWidgetItem* group = tree_->topLevelItem(g);
        int shown = 0;
        for (int i = 0; i < group->childCount(); ++i) {
            QTreeWidgetItem* entry = group->child(i);
            const bool whole = matches(entry);
            int columns = 0;
            for (int c = 0; c < entry->childCount(); ++c) {
                const bool show = whole || matches(entry->child(c));
                entry->child(c)->setHidden(!show);
                columns += show ? 1 : 0;
            }
            entry->setHidden(!whole && columns == 0);
            entry->setExpanded(!text.isEmpty() && !whole && columns > 0);
            shown += entry->isHidden() ? 0 : 1;
        }
        group->setHidden(shown == 0);
    }
}

} // namespace tilescope::views
