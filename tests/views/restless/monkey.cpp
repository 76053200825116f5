#include "tests/views/restless/monkey.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QMessageBox>
#include <QMimeData>
#include <QUrl>
#include <QWheelEvent>
#include <QtTest>
#include <filesystem>

#include "app/gui/window/message_bar.h"
#include "core/base/error.h"
#include "tests/views/restless/key_press.h"
#include "tests/views/restless/last_events.h"
#include "views/plot/plot_widget.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/painted_widget.h"
#include "views/widgets/report_view.h"

namespace tilescope::test {
namespace {

constexpr int notch = 120;
constexpr std::size_t mostWindows = 3;

} // namespace

QString nameOf(const QWidget* widget) {
    if (widget == nullptr)
        return QStringLiteral("nothing");
    return QStringLiteral("%1 '%2'").arg(QLatin1String(widget->metaObject()->className()),
                                         widget->accessibleName());
}

const std::vector<Monkey::Action>& Monkey::actions() {
    static const std::vector<Action> all{{"report", 14, &Monkey::goToReport},
                                         {"click", 20, &Monkey::click},
                                         {"menu", 4, &Monkey::openContextMenu},
                                         {"hover", 5, &Monkey::hover},
                                         {"wheel", 10, &Monkey::turnWheel},
                                         {"drag", 7, &Monkey::drag},
                                         {"key", 14, &Monkey::pressKey},
                                         {"command", 8, &Monkey::pressCommand},
                                         {"type", 3, &Monkey::type},
                                         {"row", 7, &Monkey::chooseRow},
                                         {"choice", 4, &Monkey::useChoice},
                                         {"button", 9, &Monkey::pressButton},
                                         {"handle", 2, &Monkey::dragHandle},
                                         {"face", 6, &Monkey::goToFace},
                                         {"look", 1, &Monkey::changeLook},
                                         {"drop", 5, &Monkey::drop},
                                         {"rewrite", 1, &Monkey::rewrite},
                                         {"resize", 3, &Monkey::resizeWindow},
                                         {"find", 2, &Monkey::findAnything},
                                         {"run", 1, &Monkey::openRun},
                                         {"close window", 1, &Monkey::closeWindow},
                                         {"time", 6, &Monkey::letTimePass},
                                         {"settle", 1, &Monkey::settle}};
    return all;
}

Monkey::Monkey(quint32 seed, QStringList profiles)
    : random_(seed)
    , profiles_(std::move(profiles)) {
    constexpr int rescueMs = 20;
    connect(&rescuer_, &QTimer::timeout, this, &Monkey::rescue);
    rescuer_.start(rescueMs);
}

void Monkey::act() {
    int sum = 0;
    for (const Action& action : actions())
        sum += action.weight;
    int at = random(sum);
    for (const Action& action : actions()) {
        at -= action.weight;
        if (at >= 0)
            continue;
        said_.clear();
        noteEvent(QStringLiteral("%1 %2").arg(count_).arg(QLatin1String(action.name)));
        acting_ = true;
        since_.start();
        try {
            (this->*action.act)();
        } catch (const UserError& error) { // what the program says in its window
            said_ += QString::fromUtf8(error.what());
        }
        acting_ = false;
        if (!said_.isEmpty())
            noteEvent(QStringLiteral("%1 %2: %3").arg(count_).arg(action.name, said_));
        break;
    }
    ++count_;
    leaveDialog();
    look();
}

// Most of the time should be spent in reports.
void Monkey::leaveDialog() {
    constexpr int longest = 12; // events
    auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
    inDialog_ = dialog == nullptr ? 0 : inDialog_ + 1;
    if (inDialog_ < longest)
        return;
    noteEvent(QStringLiteral("%1 leaves %2").arg(count_).arg(nameOf(dialog)));
    dialog->reject();
    inDialog_ = 0;
}

void Monkey::say(const QString& what) {
    said_ = what;
    noteEvent(QStringLiteral("%1 ... %2").arg(count_).arg(what));
}

gui::MainWindow& Monkey::window() {
    if (windows_.windows().empty()) {
        gui::MainWindow& added = windows_.add();
        added.resize(1280, 720);
        added.show();
        added.activateWindow();
    }
    for (gui::MainWindow* each : windows_.windows())
        listenTo(*each);
    return *oneOf(windows_.windows());
}

QWidget& Monkey::front() {
    gui::MainWindow& behind = window();
    if (QWidget* popup = QApplication::activePopupWidget())
        return *popup;
    if (QWidget* dialog = QApplication::activeModalWidget())
        return *dialog;
    // A window system activates the clicked window; only that one has its shortcuts.
    behind.activateWindow();
    return behind;
}

QPoint Monkey::placeIn(QWidget& top) {
    std::vector<QWidget*> drawn;
    for (QWidget* plot : seen<views::PlotWidget>(top))
        drawn.push_back(plot);
    for (QWidget* each : seen<views::PaintedWidget>(top))
        drawn.push_back(each);
    if (drawn.empty() || random(2) == 0)
        return {random(std::max(1, top.width())), random(std::max(1, top.height()))};
    const QWidget& in = *oneOf(drawn);
    const QRect seen = QRect(in.mapTo(&top, QPoint()), in.size()) & top.rect();
    if (seen.isEmpty())
        return top.rect().center();
    return seen.topLeft() + QPoint(random(seen.width()), random(seen.height()));
}

Qt::KeyboardModifiers Monkey::modifiers() {
    const Qt::KeyboardModifiers often[] = {{},
                                           {},
                                           {},
                                           Qt::ShiftModifier,
                                           Qt::ControlModifier,
                                           Qt::ControlModifier | Qt::ShiftModifier};
    return oneOf(often);
}

void Monkey::press(QWidget& top, Qt::MouseButton button, const QPoint& at) {
    if (QWindow* handle = top.windowHandle())
        QTest::mouseClick(handle, button, modifiers(), at);
}

void Monkey::key(int key, Qt::KeyboardModifiers with) {
    QWidget& to = front();
    say(QKeySequence(QKeyCombination(with, static_cast<Qt::Key>(key))).toString() + " on " +
        nameOf(to.focusWidget()));
    if (QWindow* handle = to.windowHandle())
        clickKey(*handle, static_cast<Qt::Key>(key), with);
}

void Monkey::goToReport() {
    const QKeySequence keys(gui::reportKeys(oneOf(gui::reports)));
    say(keys.toString());
    if (QWindow* handle = front().windowHandle())
        clickKeys(*handle, keys);
}

void Monkey::click() {
    QWidget& top = front();
    const QPoint at = placeIn(top);
    say(nameOf(top.childAt(at)));
    constexpr int seldom = 10;
    if (QWindow* handle = top.windowHandle(); handle != nullptr && random(seldom) == 0)
        QTest::mouseDClick(handle, Qt::LeftButton, {}, at);
    else
        press(top, Qt::LeftButton, at);
}

// The window system turns the press into a context menu event, which Qt Test does not.
void Monkey::openContextMenu() {
    const QPointer<QWidget> top = &front();
    const QPoint at = placeIn(*top);
    say(nameOf(top->childAt(at)));
    press(*top, Qt::RightButton, at);
    QWidget* const on = top ? top->childAt(at) : nullptr; // the press may have closed it
    if (QApplication::activePopupWidget() != nullptr || on == nullptr)
        return;
    QContextMenuEvent event(QContextMenuEvent::Mouse, on->mapFrom(top, at), top->mapToGlobal(at));
    QCoreApplication::sendEvent(on, &event);
}

void Monkey::hover() {
    QWidget& top = front();
    const QPoint at = placeIn(top);
    if (QWindow* handle = top.windowHandle())
        QTest::mouseMove(handle, at);
}

void Monkey::turnWheel() {
    QWidget& top = front();
    const QPoint at = placeIn(top);
    say(nameOf(top.childAt(at)));
    const Qt::KeyboardModifiers with = modifiers();
    const int delta = (random(3) == 0 ? -notch : notch) * (1 + random(4));
    QWheelEvent event(at, top.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, with,
                      Qt::NoScrollPhase, false);
    if (QWindow* handle = top.windowHandle())
        QCoreApplication::sendEvent(handle, &event);
}

void Monkey::drag() {
    QWidget& top = front();
    const QPoint from = placeIn(top);
    const QPoint to = from + QPoint(random(400) - 200, random(random(2) == 0 ? 20 : 300) - 10);
    say(nameOf(top.childAt(from)));
    dragBetween(top, from, to);
}

void Monkey::dragBetween(QWidget& top, const QPoint& from, const QPoint& to) {
    const Qt::KeyboardModifiers with = modifiers();
    QWindow* const handle = top.windowHandle();
    if (handle == nullptr)
        return;
    const QPointer<QWindow> there(handle);
    QTest::mousePress(handle, Qt::LeftButton, with, from);
    for (const QPoint& at : {(from + to) / 2, to})
        if (there)
            QTest::mouseMove(there, at);
    if (there)
        QTest::mouseRelease(there, Qt::LeftButton, with, to);
}

void Monkey::pressKey() {
    static constexpr int keys[] = {Qt::Key_Up,
                                   Qt::Key_Down,
                                   Qt::Key_Left,
                                   Qt::Key_Right,
                                   Qt::Key_PageUp,
                                   Qt::Key_PageDown,
                                   Qt::Key_Home,
                                   Qt::Key_End,
                                   Qt::Key_Tab,
                                   Qt::Key_Backtab,
                                   Qt::Key_Space,
                                   Qt::Key_Return,
                                   Qt::Key_Escape,
                                   Qt::Key_Escape,
                                   Qt::Key_Comma,
                                   Qt::Key_Period,
                                   Qt::Key_M,
                                   Qt::Key_R,
                                   Qt::Key_P,
                                   Qt::Key_Plus,
                                   Qt::Key_Minus,
                                   Qt::Key_BracketLeft,
                                   Qt::Key_BracketRight,
                                   Qt::Key_Slash,
                                   Qt::Key_Menu,
                                   Qt::Key_F5,
                                   Qt::Key_Delete,
                                   Qt::Key_F,
                                   Qt::Key_A,
                                   Qt::Key_D,
                                   Qt::Key_W,
                                   Qt::Key_S,
                                   Qt::Key_B,
                                   Qt::Key_C,
                                   Qt::Key_H,
                                   Qt::Key_K,
                                   Qt::Key_L,
                                   Qt::Key_O,
                                   Qt::Key_T,
                                   Qt::Key_F8};
    key(oneOf(keys), random(4) == 0 ? modifiers() : Qt::KeyboardModifiers());
}

void Monkey::pressCommand() {
    // Entries listed twice are chosen more often.
    static constexpr const char* commands[] = {
        "Ctrl+W", "Ctrl+W",       "Ctrl+Z",       "Ctrl+Z",       "Ctrl+Shift+Z", "Ctrl+Shift+X",
        "F5",     "Alt+Left",     "Alt+Right",    "Ctrl+Shift+T", "Ctrl+B",       "Ctrl+Shift+L",
        "Ctrl+,", "Ctrl+Alt+R",   "Ctrl+F1",      "F12",          "F11",          "Ctrl+N",
        "Ctrl+O", "Ctrl+Shift+O", "Ctrl+Shift+S", "Ctrl+F",       "Alt+F",        "Alt+G",
        "Ctrl+K", "Ctrl+Alt+P",   "Ctrl+Up",      "Ctrl+Down",    "Shift+F8",     "Shift+H",
        "Alt+Up", "Alt+Down",     "F1",           "Shift+Space"};
    const QKeySequence keys(QString::fromLatin1(oneOf(commands)));
    if (windows_.windows().size() >= mostWindows && keys == QKeySequence(QKeySequence::New))
        return;
    say(keys.toString());
    if (QWindow* handle = front().windowHandle())
        clickKeys(*handle, keys);
}

void Monkey::type() {
    static constexpr const char* texts[] = {"conv",   "1",  "0-3", "layer1", "(",       "select 1",
                                            "999999", "fc", "*",   "-",      "batch 3", "track"};
    const char* text = oneOf(texts);
    say(QLatin1String(text));
    if (QWindow* handle = front().windowHandle())
        typeText(*handle, text);
}

void Monkey::drop() {
    gui::MainWindow& on = window();
    QList<QUrl> urls;
    // Pairs are what most of the window is about; now and then a table of several.
    for (int count = random(8) == 0 ? 3 + random(2) : 1 + std::min(1, random(3)); count > 0;
         --count)
        urls << QUrl::fromLocalFile(oneOf(profiles_));
    say(urls.front().path() + (urls.size() > 1 ? " " + urls.back().path() : QString()));
    QMimeData data;
    data.setUrls(urls);
    const QPoint at(on.width() / 2, on.height() / 2);
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&on, &enter);
    QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&on, &event);
}

// Another run writes into the folder of one that may be open: its ids then have other meanings.
void Monkey::rewrite() {
    const QString& file = oneOf(profiles_);
    const QString& by = oneOf(profiles_);
    say(file + " by " + by);
    const std::string fresh = file.toStdString() + ".new";
    if (file == by)
        return;
    std::filesystem::copy_file(by.toStdString(), fresh,
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(fresh, file.toStdString());
}

void Monkey::resizeWindow() {
    gui::MainWindow& each = window();
    each.resize(720 + random(900), 480 + random(600));
    say(QStringLiteral("%1 x %2").arg(each.width()).arg(each.height()));
}

void Monkey::findAnything() {
    if (QWindow* handle = front().windowHandle())
        clickKeys(*handle, QKeySequence(QStringLiteral("Ctrl+P")));
    type();
    for (int steps = random(4); steps > 0; --steps)
        key(Qt::Key_Down);
    if (random(2) == 0)
        key(Qt::Key_Return);
}

void Monkey::openRun() {
    gui::MainWindow& of = window();
    if (QApplication::activeModalWidget() != nullptr)
        return;
    of.dialogs().openRun({QStringLiteral("mlp"), {}, {}, {}});
    letTimePass();
    key(Qt::Key_Return);
    if (random(3) == 0)
        key(Qt::Key_Escape);
}

void Monkey::closeWindow() {
    if (random(4) != 0)
        return;
    window().close();
}

void Monkey::letTimePass() {
    constexpr int mostMs = 40;
    for (const int until = random(mostMs); since_.elapsed() < until;)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
}

void Monkey::settle() {
    constexpr int mostMs = 2000;
    while (!windows_.windows().empty() && !windows_.windows().front()->context().workers.idle() &&
           since_.elapsed() < mostMs)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
}

void Monkey::listenTo(gui::MainWindow& window) {
    if (!heard_.insert(&window).second)
        return;
    connect(&window, &QObject::destroyed, this, [this, gone = &window] { heard_.erase(gone); });
    views::ViewContext& context = window.context();
    connect(&context.reports, &views::ReportPair::changed, this, [this] { ++changes_; });
    connect(&context.workers, &views::Workers::failed, this, &Monkey::takeError);
    connect(&context.reports, &views::ReportPair::failed, this,
            [this](const QString&, const QString& text) { takeError(text); });
}

void Monkey::takeError(const QString& text) {
    if (text.contains(QLatin1String("nternal error")))
        complaints_ << text;
    else
        errors_.insert(text);
}

void Monkey::look() {
    constexpr int often = 8;
    if (count_ % often != 0)
        return;
    for (gui::MainWindow* window : windows_.windows()) {
        if (window->context().reports.source() && window->view(window->currentReport()).isVisible())
            reports_.insert(window->currentReport());
        for (const views::LoadingPanel* panel : window->findChildren<views::LoadingPanel*>())
            if (const QString text = panel->failure(); !text.isEmpty() && panel->isVisible())
                takeError(text);
    }
}

void Monkey::rescue() {
    constexpr int patienceMs = 300;
    QWidget* dialog = QApplication::activeModalWidget();
    if (qobject_cast<QFileDialog*>(dialog) != nullptr ||
        qobject_cast<QMessageBox*>(dialog) != nullptr)
        return static_cast<QDialog*>(dialog)->reject();
    if (!acting_ || since_.elapsed() < patienceMs)
        return;
    // This key ends a drag out of a text, whichever widget gets it.
    QKeyEvent escape(QEvent::KeyPress, Qt::Key_Escape, {});
    for (QWindow* handle : QGuiApplication::topLevelWindows())
        if (handle->isVisible())
            return static_cast<void>(QCoreApplication::sendEvent(handle, &escape));
}

} // namespace tilescope::test
