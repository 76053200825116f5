#include "views/compare/compare_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include "views/operations/operations_content.h"
#include "views/tables/profile_tables.h"

namespace tilescope::views {
CompareView::CompareView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , panel_(new LoadingPanel(context.workers))
    , verdict_(new QLabel)
    , figures_(new ValueTreeModel(context, this))
    , figuresView_(new QTreeView)
    , options_(new TablePanel(context, tr("Filter options")))
    , tabs_(new QTabWidget) {
    figuresView_->setModel(figures_);
    figuresView_->setFrameShape(QFrame::NoFrame);
    figuresView_->setRootIsDecorated(false);
    figuresView_->setUniformRowHeights(true);
    figuresView_->setSelectionMode(QAbstractItemView::NoSelection);
    figuresView_->setFocusPolicy(Qt::NoFocus);
    // Lines as high as those of the options beside them.
    figuresView_->setStyleSheet(QStringLiteral("QTreeView::item { padding: 3px 0; }"));
    verdict_->setWordWrap(true);
    verdict_->setContentsMargins(14, 10, 14, 10);
    verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    tabs_->setDocumentMode(true);
    for (const QString& title :
         {tr("Variables"), tr("Operations"), tr("Compute sets"), tr("Exchanges"), tr("Vertices")}) {
        tables_.push_back(new TablePanel(context, tr("Filter %1").arg(title.toLower())));
        tabs_->addTab(tables_.back(), title);
    }
    auto* top = new QSplitter(Qt::Horizontal);
    top->addWidget(figuresView_);
    top->addWidget(options_);
    top->setStretchFactor(0, 3);
    top->setStretchFactor(1, 2);
    top->setSizes({3000, 2000}); // only their proportion counts
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(top);
    splitter->addWidget(tabs_);
    splitter->setChildrenCollapsible(false);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(verdict_);
    column->addWidget(splitter, 1);
    panel_->setContent(content);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(panel_);
    connect(tabs_, &QTabWidget::currentChanged, this, &CompareView::loadTab);
    connect(tables_[0], &TablePanel::chosen, this, [this](std::int32_t id) {
        this->context().selection.update([id](Selected& s) { s.variable = VariableId(id); });
    });
    connect(tables_[1], &TablePanel::chosen, this, [this](std::int32_t id) {
        this->context().selection.update([id](Selected& s) { s.operation = OperationId(id); });
    });
}

void CompareView::focusSearch() {
    tables_[static_cast<std::size_t>(tabs_->currentIndex())]->focusFilter();
}

void CompareView::reload() {
    source_.reset();
    target_.reset();
    if (!comparing()) {
        panel_->query().cancel();
        panel_->showMessage(
            tr("Only one profile is open"),
            tr("Open a second one with File > Compare with… (Ctrl+Shift+O), or drop two "
               "profiles on the window. Then every report shows both."));
        return;
    }
    panel_->load([this, pair = profiles()](const std::stop_token& stop) {
        ProfileFigures source = readFigures(*pair.source, stop);
        ProfileFigures target = readFigures(*pair.target, stop);
        return [this, pair, source = std::move(source), target = std::move(target)]() mutable {
            figures_->setTree(headlineFigures(pair, source, target));
            source_ = std::move(source);
            target_ = std::move(target);
            QHeaderView* header = figuresView_->header();
            header->setStretchLastSection(false);
            header->setSectionResizeMode(0, QHeaderView::Stretch);
            for (int i = 1; i < 4; ++i)
                header->setSectionResizeMode(i, QHeaderView::ResizeToContents);
            options_->setTable(optionsTable(pair));
            restyle();
        };
    });
    loadTab();
}

// Colours and units are in the text.
void CompareView::restyle() {
    if (!comparing() || !source_ || !target_)
        return;
    const Theme& theme = context().theme.current();
    QStringList html;
    for (const VerdictLine& line :
         comparisonVerdict(profiles(), *source_, *target_, context().preferences.byteUnits())) {
        const QString text = line.text.toHtmlEscaped();
        if (line.level == VerdictLine::Level::Plain) {
            html << text;
            continue;
        }
        const bool good = line.level == VerdictLine::Level::Good;
        html << QStringLiteral("<span style='color:%1; font-weight:600'>%2</span>&nbsp;%3")
                    .arg((good ? theme.good : theme.bad).name(),
                         good ? QStringLiteral("\u2714") : QStringLiteral("\u2718"), text);
    }
    verdict_->setText(html.join(QStringLiteral("<br>")));
}

void CompareView::loadTab() {
    if (!comparing())
        return;
    const int tab = tabs_->currentIndex();
    tables_[static_cast<std::size_t>(tab)]->load(
        [tab, pair = profiles()](const std::stop_token& stop) {
            const TileSelection all = TileSelection::all();
            switch (tab) {
            case 0:
                return variablesTable(pair, all, stop);
            case 1:
                return operationsTable(pair, stop);
            case 2:
                return computeSetsTable(pair, all, stop);
            case 3:
                return exchangesTable(pair, all, stop);
            default:
                return verticesTable(pair, all, stop);
            }
        });
}

} // namespace tilescope::views
