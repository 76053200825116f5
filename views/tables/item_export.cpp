#include "views/tables/item_export.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QTableView>
#include <QTreeView>
#include <functional>
#include <sstream>

#include "core/table/csv_field.h"
#include "views/tables/cell_text.h"
#include "views/tables/table_model.h"
#include "views/theme/text.h"
#include "views/widgets/save_picture.h"
#include "views/widgets/write_output.h"

namespace tilescope::views {
namespace {

const QHeaderView* headerOf(const QAbstractItemView& view) {
    if (const auto* table = qobject_cast<const QTableView*>(&view))
        return table->horizontalHeader();
    if (const auto* tree = qobject_cast<const QTreeView*>(&view))
        return tree->header();
    return nullptr;
}

// Logical columns in the order on the screen.
QList<int> columnsOf(const QAbstractItemView& view) {
    const QHeaderView* header = headerOf(view);
    QList<int> columns;
    for (int visual = 0; visual < view.model()->columnCount(view.rootIndex()); ++visual) {
        const int column = header == nullptr ? visual : header->logicalIndex(visual);
        if (header == nullptr || !header->isSectionHidden(column))
            columns << column;
    }
    return columns;
}

void visitRows(const QAbstractItemView& view, const QModelIndex& parent, int depth,
               const std::function<void(const QModelIndex&, int)>& take) {
    const auto* tree = qobject_cast<const QTreeView*>(&view);
    for (int row = 0; row < view.model()->rowCount(parent); ++row) {
        const QModelIndex index = view.model()->index(row, 0, parent);
        take(index, depth);
        if (tree != nullptr && tree->isExpanded(index))
            visitRows(view, index, depth + 1, take);
    }
}

QString quotedCsv(const QString& value) {
    bool isNumber = false;
    static_cast<void>(value.toDouble(&isNumber));
    return isNumber ? value : QString::fromStdString(csvField(value.toStdString()));
}

QString onOneLine(const QString& value) {
    return QString(value)
        .replace(QLatin1Char('\t'), QLatin1Char(' '))
        .replace(QLatin1Char('\n'), QLatin1Char(' '));
}

QString rawLines(const QAbstractItemView& view, const TableModel& model, QChar separator,
                 bool onlySelected) {
    std::vector<int> rows;
    for (int row = 0; row < view.model()->rowCount(); ++row)
        if (!onlySelected || view.selectionModel()->rowIntersectsSelection(row))
            rows.push_back(row);
    std::ostringstream out;
    writeCsv(out, model.rawTable(rows), separator.toLatin1());
    return QString::fromStdString(out.str());
}

QString lines(const QAbstractItemView& view, QChar separator, bool onlySelected,
              const std::function<QString(const QString&)>& cell) {
    if (view.model() == nullptr)
        return {};
    if (const auto* raw = qobject_cast<const TableModel*>(view.model()))
        return rawLines(view, *raw, separator, onlySelected);
    const QList<int> columns = columnsOf(view);
    QString all;
    QStringList row;
    for (const int column : columns)
        row << cell(view.model()->headerData(column, Qt::Horizontal).toString());
    const bool headed = headerOf(view) != nullptr && !row.join(QString()).isEmpty();
    if (headed)
        all += row.join(separator) + QLatin1Char('\n');
    visitRows(view, view.rootIndex(), 0, [&](const QModelIndex& index, int depth) {
        if (onlySelected && !view.selectionModel()->isRowSelected(index.row(), index.parent()) &&
            !view.selectionModel()->isSelected(index))
            return;
        row.clear();
        for (const int column : columns) {
            QString value = cellText(index.siblingAtColumn(column));
            if (column == columns.front())
                value.prepend(QString(qsizetype{2} * depth, QLatin1Char(' ')));
            row << cell(value);
        }
        all += row.join(separator) + QLatin1Char('\n');
    });
    return all;
}

QAction* action(QAbstractItemView& view, const QString& title, const QKeySequence& keys) {
    auto* made = new QAction(title, &view);
    made->setShortcut(keys);
    made->setShortcutContext(Qt::WidgetShortcut);
    view.addAction(made);
    return made;
}

} // namespace

QString cellText(const QModelIndex& index) {
    QVariant text = index.data(rawTextRole);
    for (const int role : {wholeTextRole, static_cast<int>(Qt::DisplayRole)})
        text = text.isValid() ? text : index.data(role);
    return text.toString();
}

QString csvText(const QAbstractItemView& view) {
    return lines(view, QLatin1Char(','), false, quotedCsv);
}

QString tabbedText(const QAbstractItemView& view, bool onlySelected) {
    return lines(view, QLatin1Char('\t'), onlySelected, onOneLine);
}

QString saveCsv(const QAbstractItemView& view, const QString& file) {
    return writeOutput(file, csvText(view).toUtf8());
}

void askAndSaveCsv(const QAbstractItemView& view) {
    askAndSave(view.window(), Text::tr("Save table"), QStringLiteral("table.csv"),
               Text::tr("Comma separated values (*.csv);;All files (*)"),
               [&view](const QString& file) { return saveCsv(view, file); });
}

void addExportActions(QAbstractItemView& view) {
    static const char* const done = "exportActions";
    if (view.property(done).toBool())
        return;
    view.setProperty(done, true);
    const auto put = [](const QString& copied) { QApplication::clipboard()->setText(copied); };
    QObject::connect(action(view, Text::tr("Copy row"), QKeySequence::Copy), &QAction::triggered,
                     &view, [&view, put] { put(tabbedText(view, true)); });
    QObject::connect(
        action(view, Text::tr("Copy all rows"), QKeySequence(Text::tr("Ctrl+Shift+C"))),
        &QAction::triggered, &view, [&view, put] { put(tabbedText(view, false)); });
    QObject::connect(action(view, Text::tr("Save as CSV…"), {}), &QAction::triggered, &view,
                     [&view] { askAndSaveCsv(view); });
    if (view.contextMenuPolicy() == Qt::DefaultContextMenu)
        view.setContextMenuPolicy(Qt::ActionsContextMenu);
}

} // namespace tilescope::views
