#include "app/gui/window/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/window/fuzzy.h"

namespace tilescope::gui {
namespace {

template <class Take> void visit(QMenu& menu, const QString& path, Take take) {
    emit menu.aboutToShow(); // menus that are filled when they open
    for (QAction* action : menu.actions()) {
        const QString text = path + action->text().remove(QLatin1Char('&'));
        if (action->menu() != nullptr)
            visit(*action->menu(), text + QStringLiteral(": "), take);
        else if (!action->isSeparator() && action->isEnabled())
            take(text, action);
    }
}

} // namespace

CommandPalette::CommandPalette(QMainWindow& window)
    : QDialog(&window)
    , field_(new QLineEdit)
    , list_(new QListWidget) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("All commands"));
    resize(520, 440);
    for (QAction* menu : window.menuBar()->actions())
        if (menu->menu() != nullptr)
            visit(*menu->menu(), menu->text().remove(QLatin1Char('&')) + QStringLiteral(": "),
                  [this](const QString& text, QAction* action) {
                      commands_.append({text, action});
                  });
    field_->setPlaceholderText(tr("Type a few letters of a command"));
    field_->setAccessibleName(tr("Command"));
    field_->installEventFilter(this);
    list_->setAccessibleName(tr("Commands"));
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(field_);
    layout->addWidget(list_);
    connect(field_, &QLineEdit::textChanged, this, &CommandPalette::fill);
    connect(field_, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(list_, &QListWidget::itemActivated, this, &CommandPalette::run);
    fill({});
}

void CommandPalette::fill(const QString& typed) {
    std::vector<std::pair<int, qsizetype>> found;
    for (qsizetype i = 0; i < commands_.size(); ++i)
        if (const auto score = fuzzyScore(typed, commands_[i].text))
            found.emplace_back(-*score, i);
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    list_->clear();
    for (const auto& [score, i] : found) {
        const QAction* action = commands_[i].action;
        const QString keys =
            action != nullptr ? action->shortcut().toString(QKeySequence::NativeText) : QString();
        auto* item = new QListWidgetItem(
            keys.isEmpty() ? commands_[i].text
                           : QStringLiteral("%1   (%2)").arg(commands_[i].text, keys));
        item->setData(Qt::UserRole, i);
        list_->addItem(item);
    }
    list_->setCurrentRow(0);
}

void CommandPalette::run() {
    const QListWidgetItem* item = list_->currentItem();
    if (item == nullptr)
        return;
    const QPointer<QAction> action = commands_[item->data(Qt::UserRole).toLongLong()].action;
    close();
    if (action)
        action->trigger();
}

// The keyboard stays in the field while the arrow keys walk the list.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched != field_ || event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key != Qt::Key_Up && key != Qt::Key_Down)
        return false;
    const int step = key == Qt::Key_Down ? 1 : -1;
    list_->setCurrentRow(
        std::clamp(list_->currentRow() + step, 0, std::max(0, list_->count() - 1)));
    return true;
}

} // namespace tilescope::gui
