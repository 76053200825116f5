// The controls above the operations report.
#include <QButtonGroup>
#include <QComboBox>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "views/operations/operations_view.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {
namespace {

constexpr int deepestScope = 6; ///< deeper ones are hardly ever different from operations

struct NamedChoice {
    GroupChoice choice;
    QString text;
};

/// What rows can represent. `depth`: most parts of a scope; `hasLines`: the profile records lines
/// of the program.
std::vector<NamedChoice> layerChoices(int depth, bool hasLines) {
    using Text = OperationsView;
    const int depths = std::clamp(depth, 1, deepestScope);
    std::vector<NamedChoice> choices{{{}, Text::tr("Operations of the model")}};
    for (int i = 1; i <= depths; ++i)
        choices.push_back({{CostLayer::Scope, i},
                           depths == 1 ? Text::tr("Scopes") : Text::tr("Scopes, level %1").arg(i)});
    choices.push_back({{CostLayer::Shared}, Text::tr("Shared programs")});
    choices.push_back({{CostLayer::Type}, Text::tr("Operation types")});
    choices.push_back({{CostLayer::Library}, Text::tr("PopLibs calls")});
    choices.push_back({{CostLayer::Step}, Text::tr("Program steps")});
    if (hasLines) {
        choices.push_back({{CostLayer::Line}, Text::tr("Source lines")});
        choices.push_back({{CostLayer::Statement}, Text::tr("Statements of the source")});
        choices.push_back({{CostLayer::Function}, Text::tr("Functions of the source")});
        choices.push_back({{CostLayer::File}, Text::tr("Source files")});
        choices.push_back({{CostLayer::Stack}, Text::tr("Source stacks")});
    }
    return choices;
}

} // namespace

QWidget* OperationsView::makeTools() {
    auto* row = tools_ = new ToolRow;
    auto* pages = new QButtonGroup(row);
    const auto addPage = [&](const QString& text, const QString& toolTip, QWidget* page) {
        QToolButton* button = row->addToggle(text, toolTip, page == table_);
        pages->addButton(button);
        row->setPriority(button, ToolRow::Priority::Always);
        connect(button, &QToolButton::toggled, this, [this, page](bool on) {
            if (on)
                showPage(page);
        });
    };
    addPage(tr("Table"), tr("Operations as lines of a table"), table_);
    addPage(tr("Graph"), tr("The graph of the model"), graph_);
    addPage(tr("Roofline"), tr("Work a cycle and work a byte, under the limits of the machine"),
            roofline_);
    addPage(tr("Flame graph"),
            tr("What the lines of your program, or the parts of the model, are made of"), flame_);
    addPage(tr("Source"), tr("Your program, line by line"), code_);
    layer_ = row->addChoice(tr("Rows"), {});
    layer_->setToolTip(tr("What each row represents"));
    fillLayers(1, false);
    auto* metricRow = new ToolRow;
    metricRow->layout()->setContentsMargins(0, 0, 0, 0);
    QStringList titles;
    for (const CostColumn* column : comparableColumns())
        titles.append(QString::fromStdString(column->column.title));
    metric_ = metricRow->addChoice(tr("Compare"), titles);
    metricBox_ = metricRow;
    row->add(metricRow);
    columnButton_ = row->addButton(tr("Columns \u25be"), tr("The columns of the table"));
    columnButton_->setAccessibleName(tr("Columns"));
    columnMenu_ = new QMenu(columnButton_);
    columnMenu_->setToolTipsVisible(true);
    columnButton_->setMenu(columnMenu_);
    columnButton_->setPopupMode(QToolButton::InstantPopup);
    row->addStretch();
    connect(layer_, &QComboBox::activated, this,
            [this](int place) { setChoice(choices_.at(static_cast<std::size_t>(place))); });
    connect(metric_, &QComboBox::activated, this, [this] {
        metricChosen_ = true;
        showReport();
    });
    fillColumns();
    return row;
}

void OperationsView::fillLayers(int depth, bool hasLines) {
    int current = -1;
    layer_->clear();
    choices_.clear();
    for (const NamedChoice& one : layerChoices(depth, hasLines)) {
        choices_.push_back(one.choice);
        layer_->addItem(one.text);
        if (one.choice.layer == choice_.layer && one.choice.depth == choice_.depth)
            current = layer_->count() - 1;
    }
    layer_->setCurrentIndex(current);
}

void OperationsView::fillColumns() {
    allRows_ = columnMenu_->addAction(tr("Rows without cost"));
    allRows_->setToolTip(
        tr("Also operations that take no cycles and have no memory, such as reshapes"));
    allRows_->setCheckable(true);
    connect(allRows_, &QAction::toggled, this,
            [this](bool on) { showRows(on ? ShownRows::All : ShownRows::Costly); });
    columnMenu_->addSeparator();
    for (const CostColumn& one : costColumns()) {
        const QString key = QString::fromStdString(one.column.key);
        if (key == QLatin1String("path"))
            continue;
        QAction* action = columnMenu_->addAction(QString::fromStdString(one.column.title));
        action->setToolTip(QString::fromStdString(one.column.help));
        action->setCheckable(true);
        action->setChecked(columns_.contains(key));
        connect(action, &QAction::toggled, this, [this, key](bool on) { setColumn(key, on); });
    }
}

} // namespace tilescope::views
