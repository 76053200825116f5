// What tests of the window do again and again. Templates, as this folder knows no main window.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QToolButton>
#include <QtTest>

#include "views/theme/style.h"
#include "views/widgets/wrapped_label.h"

namespace tilescope::test {

/// Before the first window of a test: settings are kept apart from the user's, and widgets look as
/// in the program.
inline void prepareWindows() {
    QStandardPaths::setTestModeEnabled(true);
    QApplication::setStyle(new views::WindowStyle);
}

/// Until no worker of a ViewContext is busy. An answer may ask the next question.
template <class Context> void waitUntilContextIdle(const Context& context) {
    constexpr int patienceMs = 60'000; // of a slow machine; nothing is expected to take long
    constexpr int questions = 3;
    for (int i = 0; i < questions; ++i) {
        QCoreApplication::processEvents();
        QTRY_VERIFY_WITH_TIMEOUT(context.workers.idle(), patienceMs);
    }
    QCoreApplication::processEvents();
}

/// Until everything that a window was asked for is on the screen.
template <class Window> void waitUntilIdle(Window& window) {
    waitUntilContextIdle(window.context());
}

/// Opens one or two profiles, which must be good, and waits until they are shown.
template <class Window> void openProfiles(Window& window, const QStringList& files) {
    using Reports = std::remove_reference_t<decltype(window.context().reports)>;
    QSignalSpy changed(&window.context().reports, &Reports::changed);
    window.openProfiles(files);
    QTRY_COMPARE(changed.count(), 1);
    waitUntilIdle(window);
}

/// The same, then brings a report to the front.
template <class View, class Window, class Report>
View& openView(Window& window, const QStringList& files, Report report) {
    openProfiles(window, files);
    window.showReport(report);
    waitUntilIdle(window);
    return static_cast<View&>(window.view(report));
}

/// The button whose text begins so.
template <class Button = QToolButton> Button& button(const QWidget& within, const QString& text) {
    for (Button* each : within.findChildren<Button*>())
        if (each->text().startsWith(text))
            return *each;
    qFatal("there is no button '%s'", qPrintable(text));
}

/// The choice with this label.
inline QComboBox& choiceOf(const QWidget& within, const QString& label) {
    for (QComboBox* box : within.findChildren<QComboBox*>())
        if (box->accessibleName() == label)
            return *box;
    qFatal("there is no choice '%s'", qPrintable(label));
}
inline void choose(const QWidget& within, const QString& label, const QString& item) {
    choiceOf(within, label).setCurrentText(item);
}

/// The part of a widget of this kind.
template <class Widget> Widget& child(const QWidget& within) {
    auto* found = within.findChild<Widget*>();
    if (found == nullptr)
        qFatal("there is no such part");
    return *found;
}

/// What a label says, as it is copied.
inline QString labelText(const QLabel& label) {
    return views::withoutLineMarks(label.text());
}

/// What the label with this object name says.
inline QString labelText(const QWidget& within, const char* name) {
    auto* label = within.findChild<QLabel*>(QString::fromLatin1(name));
    return label == nullptr ? QString() : labelText(*label);
}

/// What a panel says in place of its content, title and text.
inline QString messageText(const QStackedWidget& panel) {
    QStringList texts;
    for (const QLabel* label : panel.currentWidget()->findChildren<QLabel*>())
        texts << labelText(*label);
    return texts.join(QLatin1Char('\n'));
}

} // namespace tilescope::test
