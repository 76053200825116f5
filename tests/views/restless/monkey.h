// A random user who presses anything and never waits.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <random>
#include <set>
#include <vector>

#include "app/gui/window/window_list.h"

namespace tilescope::test {

/// The widgets of a kind in a window that can be seen.
template <class Kind> std::vector<Kind*> seen(const QWidget& in) {
    std::vector<Kind*> all;
    for (Kind* each : in.findChildren<Kind*>())
        if (each->isVisible() && each->window() == &in)
            all.push_back(each);
    return all;
}

/// The class and the accessible name of a widget, for what the monkey says.
QString nameOf(const QWidget* widget);

/// Uses windows by events as they come from the window system, chosen by a random number generator:
/// the same seed makes the same choices, though what they meet depends on how far the queries are.
class Monkey : public QObject {
public:
    Monkey(quint32 seed, QStringList profiles);

    /// One event, while requests of earlier ones are still under way.
    void act();
    /// Internal errors shown by a window.
    [[nodiscard]] const QStringList& complaints() const { return complaints_; }
    /// How often other profiles were opened or closed, and the reports that were in front.
    [[nodiscard]] int changes() const { return changes_; }
    [[nodiscard]] const std::set<gui::Report>& reports() const { return reports_; }
    /// All other errors that it has shown; good profiles have few.
    [[nodiscard]] const std::set<QString>& errors() const { return errors_; }

private:
    struct Action {
        const char* name;
        int weight;
        void (Monkey::*act)();
    };
    static const std::vector<Action>& actions();

    void goToReport();
    void click();
    void openContextMenu();
    void hover();
    void turnWheel();
    void drag();
    void pressKey();
    void pressCommand();
    void type();
    void chooseRow();
    void useChoice();
    void pressButton();
    void dragHandle();
    /// A part of a report that a click seldom meets.
    void goToFace();
    void changeLook();
    void drop();
    void rewrite();
    void resizeWindow();
    void findAnything();
    void openRun();
    void closeWindow();
    void letTimePass();
    void settle();

    [[nodiscard]] int random(int below) {
        return static_cast<int>(random_() % static_cast<quint32>(below));
    }
    template <class Container> const auto& oneOf(const Container& all) {
        return *(std::begin(all) + random(static_cast<int>(std::size(all))));
    }
    /// The popup, else the dialog, else a window that is in front.
    QWidget& front();
    gui::MainWindow& window();
    /// A place in it, half of the time in one of its plots, where most happens.
    QPoint placeIn(QWidget& top);
    void dragBetween(QWidget& top, const QPoint& from, const QPoint& to);
    void press(QWidget& top, Qt::MouseButton button, const QPoint& at);
    Qt::KeyboardModifiers modifiers();
    void key(int key, Qt::KeyboardModifiers with = {});
    void say(const QString& what);
    void listenTo(gui::MainWindow& window);
    void takeError(const QString& text);
    void leaveDialog();
    void look();
    /// Ends anything that waits for a user inside an event: file dialogs, questions, drags.
    void rescue();

    std::minstd_rand random_;
    QStringList profiles_;
    std::set<const gui::MainWindow*> heard_;
    QTimer rescuer_;
    QElapsedTimer since_; ///< the event began
    bool acting_ = false;
    QString said_;
    int count_ = 0;
    int inDialog_ = 0; ///< events since one was opened
    int changes_ = 0;
    std::set<gui::Report> reports_;
    QStringList complaints_;
    std::set<QString> errors_;
    gui::WindowList windows_{gui::Memory::Persistent}; ///< goes first, and says so to the others
};

} // namespace tilescope::test
