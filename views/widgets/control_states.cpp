#include "views/widgets/control_states.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QTabBar>
#include <QTabWidget>
#include <functional>
#include <map>
#include <vector>

namespace tilescope::views {
namespace {

constexpr const char* leftOut = "leftOutOfState";
constexpr const char* kept = "keptState";

// A control whose state can be written as text, whatever its kind.
struct Control {
    QString name;
    std::function<QJsonValue()> value;
    /// False if it has no such value yet.
    std::function<bool(const QJsonValue&)> set;
};

QString lettersOf(const QString& text) {
    QString kept;
    for (const QChar c : text)
        if (c.isLetterOrNumber())
            kept += c.toLower();
    return kept;
}

// "Marks (3)" is the tab of the marks, however many there are.
QString tabName(const QTabWidget& tabs, int tab) {
    return tabs.tabText(tab).section(QStringLiteral(" ("), 0, 0);
}

int tabOf(const QTabWidget& tabs, const std::function<bool(const QString&)>& is) {
    for (int tab = 0; tab < tabs.count(); ++tab)
        if (tabs.isTabVisible(tab) && is(tabName(tabs, tab)))
            return tab;
    return -1;
}

int itemOf(const QComboBox& box, const std::function<bool(const QString&)>& is) {
    for (int item = 0; item < box.count(); ++item)
        if (!box.itemText(item).isEmpty() && is(box.itemText(item)))
            return item;
    return -1;
}

bool choose(QTabWidget& tabs, const std::function<bool(const QString&)>& is) {
    const int tab = tabOf(tabs, is);
    if (tab >= 0)
        tabs.setCurrentIndex(tab);
    return tab >= 0;
}

// A tab may be within a tab of other tabs.
void bringToFront(QTabWidget& tabs) {
    for (QWidget* inner = &tabs; inner != nullptr; inner = inner->parentWidget())
        for (QWidget* outer = inner->parentWidget(); outer != nullptr;
             outer = outer->parentWidget())
            if (auto* around = qobject_cast<QTabWidget*>(outer);
                around && around->indexOf(inner) >= 0)
                around->setCurrentWidget(inner);
}

// Renamed tabs are also found by their old name, which is in their tab data.
bool chooseByOldName(QTabWidget& tabs, const std::function<bool(const QString&)>& is) {
    for (int tab = 0; tab < tabs.count(); ++tab)
        if (const QString old = tabs.tabBar()->tabData(tab).toString(); !old.isEmpty() && is(old)) {
            tabs.setCurrentIndex(tab);
            return true;
        }
    return false;
}

// Some follow the index, some only what the user does.
bool choose(QComboBox& box, const std::function<bool(const QString&)>& is) {
    const int item = itemOf(box, is);
    if (item >= 0 && item != box.currentIndex()) {
        box.setCurrentIndex(item);
        emit box.activated(item);
    }
    return item >= 0;
}

template <class Switch> void turn(Switch& button, bool on) {
    if (button.isChecked() != on)
        button.toggle();
}

void turn(QAction& action, bool on) {
    if (action.isChecked() != on)
        action.trigger();
}

Control controlOf(QTabWidget& tabs) {
    return {QStringLiteral("tabs"),
            [&tabs] { return QJsonValue(tabName(tabs, tabs.currentIndex())); },
            [&tabs](const QJsonValue& value) {
                return choose(tabs, [&](const QString& t) { return t == value.toString(); });
            }};
}

Control controlOf(QComboBox& box) {
    return {QStringLiteral("choice ") + box.accessibleName(),
            [&box] { return QJsonValue(box.currentText()); },
            [&box](const QJsonValue& value) {
                return choose(box, [&](const QString& t) { return t == value.toString(); });
            }};
}

template <class Switch> Control controlOf(Switch& button) {
    return {QStringLiteral("switch ") + button.text(),
            [&button] { return QJsonValue(button.isChecked()); },
            [&button](const QJsonValue& value) {
                turn(button, value.toBool(button.isChecked()));
                return true;
            }};
}

Control controlOf(QLineEdit& field) {
    return {QStringLiteral("field ") + field.placeholderText(),
            [&field] { return QJsonValue(field.text()); },
            [&field](const QJsonValue& value) {
                if (value.toString() != field.text())
                    field.setText(value.toString());
                return true;
            }};
}

Control controlOfKept(QWidget& widget) {
    return {
        QStringLiteral("state ") + QLatin1String(widget.metaObject()->className()),
        [&widget] { return QJsonValue(widget.property(kept).toJsonObject()); },
        [&widget](const QJsonValue& value) { return widget.setProperty(kept, value.toObject()); }};
}

bool isOwn(const QWidget& widget) {
    const QWidget* parent = widget.parentWidget();
    return !widget.property(leftOut).toBool() &&
           qobject_cast<const QComboBox*>(parent) == nullptr &&
           qobject_cast<const QAbstractSpinBox*>(parent) == nullptr;
}

template <class Widget> void addAll(std::vector<Control>& controls, const QWidget& report) {
    for (Widget* widget : report.findChildren<Widget*>())
        if (isOwn(*widget))
            controls.push_back(controlOf(*widget));
}

// In the order in which they were made, which is the same each time; equal names are numbered.
std::vector<Control> controlsOf(const QWidget& report) {
    std::vector<Control> controls;
    addAll<QTabWidget>(controls, report);
    addAll<QComboBox>(controls, report);
    addAll<QLineEdit>(controls, report);
    for (QAbstractButton* button : report.findChildren<QAbstractButton*>())
        if (button->isCheckable() && !button->text().isEmpty() && isOwn(*button))
            controls.push_back(controlOf(*button));
    for (QAction* action : report.findChildren<QAction*>())
        if (action->isCheckable())
            controls.push_back(controlOf(*action));
    for (QWidget* widget : report.findChildren<QWidget*>())
        if (widget->metaObject()->indexOfProperty(kept) >= 0)
            controls.push_back(controlOfKept(*widget));
    std::map<QString, int> counts;
    for (Control& control : controls)
        if (const int before = counts[control.name]++; before > 0)
            control.name += QStringLiteral(" #%1").arg(before + 1);
    return controls;
}

} // namespace

QJsonObject controlStates(const QWidget& report) {
    QJsonObject states;
    for (const Control& control : controlsOf(report))
        states.insert(control.name, control.value());
    return states;
}

QJsonObject setControlStates(QWidget& report, const QJsonObject& states) {
    QJsonObject left = states;
    for (const Control& control : controlsOf(report))
        if (const QJsonValue value = left.value(control.name);
            !value.isUndefined() && control.set(value))
            left.remove(control.name);
    return left;
}

void leaveOutOfState(QWidget& control) {
    control.setProperty(leftOut, true);
}

bool chooseByText(QWidget& report, const QString& text) {
    const QString wanted = lettersOf(text);
    const auto is = [&wanted](const QString& candidate) { return lettersOf(candidate) == wanted; };
    const QList<QTabWidget*> all = report.findChildren<QTabWidget*>();
    using Choose = bool (*)(QTabWidget&, const std::function<bool(const QString&)>&);
    for (const Choose chosen : {Choose(chooseByOldName), Choose(choose)})
        for (QTabWidget* tabs : all)
            if (chosen(*tabs, is)) {
                bringToFront(*tabs);
                return true;
            }
    for (QComboBox* box : report.findChildren<QComboBox*>())
        if (box->isEnabled() && choose(*box, is))
            return true;
    for (QAbstractButton* button : report.findChildren<QAbstractButton*>())
        if (button->isEnabled() && button->isCheckable() && is(button->text())) {
            turn(*button, true);
            return true;
        }
    for (QAction* action : report.findChildren<QAction*>())
        if (action->isCheckable() && is(action->text())) {
            turn(*action, true);
            return true;
        }
    return false;
}

} // namespace tilescope::views
