// The small dialogs of the main window.
#include <QAction>
#include <QDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QVBoxLayout>

#include "app/gui/window/main_window.h"

namespace tilescope::gui {
namespace {

void collect(const QMenu& menu, const QString& path, QList<std::pair<QString, QAction*>>& actions) {
    for (QAction* action : menu.actions()) {
        const QString text = path + action->text().remove(QLatin1Char('&'));
        if (action->menu() != nullptr)
            collect(*action->menu(), text + QStringLiteral(": "), actions);
        else if (!action->isSeparator() && action->isEnabled())
            actions.append({text, action});
    }
}

// Keeps the keyboard in the field while the arrow keys walk the list.
class ListKeys : public QObject {
public:
    ListKeys(QListWidget& list, QObject* parent)
        : QObject(parent)
        , list_(list) {}
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() != QEvent::KeyPress)
            return false;
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key != Qt::Key_Up && key != Qt::Key_Down)
            return false;
        const int step = key == Qt::Key_Down ? 1 : -1;
        list_.setCurrentRow(
            std::clamp(list_.currentRow() + step, 0, std::max(0, list_.count() - 1)));
        return true;
    }

private:
    QListWidget& list_;
};

} // namespace

void showCommandPalette(QMainWindow& window) {
    QList<std::pair<QString, QAction*>> actions;
    for (QAction* menu : window.menuBar()->actions())
        if (menu->menu() != nullptr)
            collect(*menu->menu(), {}, actions);
    auto* dialog = new QDialog(&window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(QObject::tr("All commands"));
    dialog->resize(460, 420);
    auto* field = new QLineEdit;
    field->setPlaceholderText(QObject::tr("Type a part of a command's name"));
    auto* list = new QListWidget;
    auto* layout = new QVBoxLayout(dialog);
    layout->addWidget(field);
    layout->addWidget(list);
    field->installEventFilter(new ListKeys(*list, dialog));
    const auto fill = [list, actions](const QString& text) {
        list->clear();
        for (qsizetype i = 0; i < actions.size(); ++i) {
            if (!actions[i].first.contains(text, Qt::CaseInsensitive))
                continue;
            const QString keys = actions[i].second->shortcut().toString(QKeySequence::NativeText);
            auto* item = new QListWidgetItem(
                keys.isEmpty() ? actions[i].first
                               : actions[i].first + QStringLiteral("   (%1)").arg(keys));
            item->setData(Qt::UserRole, i);
            list->addItem(item);
        }
        list->setCurrentRow(0);
    };
    const auto run = [list, actions, dialog] {
        if (const QListWidgetItem* item = list->currentItem()) {
            QAction* action = actions[item->data(Qt::UserRole).toLongLong()].second;
            dialog->close();
            action->trigger();
        }
    };
    QObject::connect(field, &QLineEdit::textChanged, dialog, fill);
    QObject::connect(field, &QLineEdit::returnPressed, dialog, run);
    QObject::connect(list, &QListWidget::itemActivated, dialog, run);
    fill({});
    dialog->open();
}

void showShortcuts(QWidget* parent) {
    const std::pair<QString, QString> lines[] = {
        {QObject::tr("Wheel"), QObject::tr("zoom at the pointer")},
        {QObject::tr("Drag"), QObject::tr("move")},
        {QObject::tr("Shift + drag"), QObject::tr("select a range of the trace")},
        {QObject::tr("Shift + wheel"), QObject::tr("scroll the rows of the trace")},
        {QObject::tr("Click, Shift + click"), QObject::tr("select, select one more tile")},
        {QObject::tr("Double click"), QObject::tr("zoom to a box of the trace")},
        {QObject::tr("W, S"), QObject::tr("zoom in, out")},
        {QObject::tr("A, D"), QObject::tr("move left, right")},
        {QObject::tr("F"), QObject::tr("show everything")},
        {QObject::tr("Esc"), QObject::tr("clear the selection")},
        {QObject::tr("/ or Ctrl+F"), QObject::tr("search in the report")},
        {QObject::tr("Ctrl+1 … Ctrl+9"), QObject::tr("the reports")},
        {QObject::tr("Alt+Left, Alt+Right"), QObject::tr("selections before and after")},
        {QObject::tr("Ctrl+P"), QObject::tr("all commands")},
        {QObject::tr("Ctrl+Shift+T"), QObject::tr("light or dark")},
        {QObject::tr("F12"), QObject::tr("painting times")}};
    QString html = QStringLiteral("<table cellpadding='3'>");
    for (const auto& [keys, what] : lines)
        html +=
            QStringLiteral("<tr><td><b>%1</b></td><td>&nbsp;&nbsp;%2</td></tr>").arg(keys, what);
    auto* box = new QMessageBox(QMessageBox::NoIcon, QObject::tr("Keyboard and mouse"),
                                html + QStringLiteral("</table>"), QMessageBox::Close, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void showAbout(QWidget* parent) {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, QObject::tr("About TileScope"),
        QObject::tr(
            "<p><b>TileScope %1</b></p>"
            "<p>A profiler for programs of the Graphcore IPU, with a simulator of the machine.</p>"
            "<p>Free software under the GNU General Public License, version 3.</p>"
            "<p>TileScope is independent of Graphcore. Graphcore, IPU, Poplar and PopVision "
            "are names of Graphcore, used here only to say what our terms correspond to.</p>")
            .arg(QStringLiteral(TILESCOPE_VERSION)),
        QMessageBox::Close, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

} // namespace tilescope::gui
