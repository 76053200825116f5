#include "app/gui/window/command_palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/window/main_window.h"
#include "app/gui/window/palette_lines.h"
#include "app/gui/window/window_guide.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"
#include "views/widgets/report_view.h"
#include "views/widgets/text_matcher.h"

namespace tilescope::gui {
namespace {

FindPlaces placesIn(MainWindow& window) {
    const ProfileViewPtr& profile = window.context().reports.source();
    views::ReportView* report = profile ? &window.view(window.currentReport()) : nullptr;
    return {window.menuBar(), report != nullptr && report->isVisible() ? report : nullptr, profile};
}

} // namespace

CommandPalette::CommandPalette(MainWindow& window)
    : QDialog(&window)
    , window_(window)
    , field_(new QLineEdit)
    , list_(new QListWidget)
    , nothing_(views::textLabel(tr("No match"), "muted")) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Find anything"));
    constexpr QSize usual(680, 520);
    resize(usual.boundedTo(window.size()));
    for (auto& finder : allFinders(placesIn(window))) {
        Kind kind{std::move(finder), nullptr, {}};
        if (!kind.finder->quick())
            kind.query = std::make_unique<views::BackgroundQuery>(window.context().workers);
        kinds_.push_back(std::move(kind));
    }
    field_->setPlaceholderText(
        tr("A command, an operation, a variable, a tile, a step, an option, a word of the help"));
    field_->setAccessibleName(tr("What to find"));
    field_->setToolTip(tr("A few letters are enough; Up and Down choose, Enter goes there"));
    field_->installEventFilter(this);
    list_->setAccessibleName(tr("What was found"));
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setUniformItemSizes(true);
    list_->setItemDelegate(new PaletteLines(list_));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(field_);
    layout->addWidget(list_);
    layout->addWidget(nothing_);
    connect(field_, &QLineEdit::textChanged, this, &CommandPalette::fill);
    connect(field_, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(list_, &QListWidget::itemActivated, this, &CommandPalette::run);
    // Hits refer to the open profiles.
    connect(&window.context().workers, &views::Workers::profilesLeft, this, &QWidget::close);
    fill({});
}

void CommandPalette::fill(const QString& typed) {
    typed_ = typed;
    walked_ = false;
    for (Kind& kind : kinds_)
        ask(kind, typed);
    showFound();
}

// Clears previous hits, since they are for other letters.
void CommandPalette::ask(Kind& kind, const QString& typed) {
    kind.found.clear();
    if (!kind.query) {
        kind.found = kind.finder->find(typed, mostOfKind, {});
        return;
    }
    kind.query->start([this, &kind, typed, finder = kind.finder](
                          const std::stop_token& stop) -> views::BackgroundQuery::Deliver {
        return [this, &kind, found = finder->find(typed, mostOfKind, stop)]() mutable {
            kind.found = std::move(found);
            showFound();
        };
    });
}

bool CommandPalette::hasText(const Kind& kind) const {
    const views::TextMatcher matcher(typed_.trimmed());
    return matcher.empty() || (!kind.found.empty() && matcher.matches(kind.found.front().text));
}

bool CommandPalette::searches() const {
    return std::any_of(kinds_.begin(), kinds_.end(), [](const Kind& kind) {
        return kind.query && kind.query->running() && kind.found.empty();
    });
}

std::vector<std::size_t> CommandPalette::order() const {
    std::vector<std::size_t> order;
    for (const bool wanted : {true, false})
        for (std::size_t i = 0; i < kinds_.size(); ++i)
            if (!kinds_[i].found.empty() && hasText(kinds_[i]) == wanted)
                order.push_back(i);
    return order;
}

void CommandPalette::showFound() {
    const QListWidgetItem* before = walked_ ? list_->currentItem() : nullptr;
    const QString chosen = before == nullptr ? QString() : before->text();
    list_->clear();
    const std::vector<std::size_t> order = this->order();
    for (const std::size_t kind : order) {
        if (order.size() > 1) // a single one needs no heading
            addHeading(kinds_[kind].finder->heading());
        for (std::size_t hit = 0; hit < kinds_[kind].found.size(); ++hit)
            addHit(kind, hit);
    }
    nothing_->setVisible(order.empty() && !searches());
    list_->setCurrentRow(order.size() > 1 ? 1 : 0);
    for (int row = 0; row < list_->count() && !chosen.isEmpty(); ++row)
        if (list_->item(row)->text() == chosen)
            return list_->setCurrentRow(row);
}

void CommandPalette::addHeading(const QString& text) {
    auto* item = new QListWidgetItem(text);
    item->setFlags(Qt::NoItemFlags);
    item->setData(PaletteLines::headingRole, true);
    list_->addItem(item);
}

void CommandPalette::addHit(std::size_t kind, std::size_t hit) {
    const Found& found = kinds_[kind].found[hit];
    const QString name = views::shownText(found.text);
    auto* item = new QListWidgetItem(
        found.detail.isEmpty() ? name : QStringLiteral("%1   (%2)").arg(name, found.detail));
    item->setData(PaletteLines::nameRole, name);
    item->setData(PaletteLines::detailRole, found.detail);
    item->setData(PaletteLines::kindRole, QVariant::fromValue(kind));
    item->setData(PaletteLines::hitRole, QVariant::fromValue(hit));
    list_->addItem(item);
}

void CommandPalette::run() {
    const QListWidgetItem* item = list_->currentItem();
    if (item == nullptr || item->data(PaletteLines::headingRole).toBool())
        return;
    const Kind& kind = kinds_[item->data(PaletteLines::kindRole).value<std::size_t>()];
    const auto go = kind.found[item->data(PaletteLines::hitRole).value<std::size_t>()].go;
    WindowGuide guide(window_);
    close();
    go(guide);
}

void CommandPalette::move(int step) {
    walked_ = true;
    for (int row = list_->currentRow() + step; row >= 0 && row < list_->count(); row += step)
        if (list_->item(row)->flags().testFlag(Qt::ItemIsSelectable)) {
            list_->setCurrentRow(row);
            // Shows the heading above the first hit.
            if (row == 1)
                list_->scrollToTop();
            return;
        }
}

// The keyboard stays in the field while the arrow keys walk the list.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched != field_ || event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(watched, event);
    constexpr int page = 10; // hits
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
        move(-1);
        return true;
    case Qt::Key_Down:
        move(1);
        return true;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        for (int i = 0; i < page; ++i)
            move(static_cast<QKeyEvent*>(event)->key() == Qt::Key_PageUp ? -1 : 1);
        return true;
    default:
        return false;
    }
}

} // namespace tilescope::gui
