#include "app/gui/find/control_finder.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAction>
#include <QComboBox>
#include <QCoreApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <algorithm>

#include "app/gui/find/name_matches.h"
#include "views/widgets/text_matcher.h"

namespace tilescope::gui {
namespace {

constexpr int mostItems = 200; // of one choice: names of a profile have finders of their own

QString inControls(const char* text) {
    return QCoreApplication::translate("Finder", text);
}

QString firstOf(std::initializer_list<QString> texts) {
    for (const QString& text : texts)
        if (!text.isEmpty())
            return QString(text).remove(QLatin1Char('&'));
    return {};
}

QString stateOf(bool checkable, bool checked) {
    return !checkable ? QString() : checked ? inControls("on") : inControls("off");
}

// Parts of other controls, such as the field of a choice, are found together with them.
bool standsAlone(const QWidget& widget) {
    for (const QWidget* at = widget.parentWidget(); at != nullptr; at = at->parentWidget())
        if (qobject_cast<const QComboBox*>(at) != nullptr ||
            qobject_cast<const QAbstractSpinBox*>(at) != nullptr ||
            qobject_cast<const QLineEdit*>(at) != nullptr ||
            qobject_cast<const QTabBar*>(at) != nullptr ||
            qobject_cast<const QAbstractItemView*>(at) != nullptr)
            return false;
    return widget.isVisible() && widget.isEnabled();
}

template <class Widget, class Add> void visitControls(QWidget& report, Add add) {
    for (Widget* widget : report.findChildren<Widget*>())
        if (standsAlone(*widget))
            add(*widget);
}

} // namespace

ControlFinder::ControlFinder(QWidget& report) {
    addChoices(report);
    addButtons(report);
    addTabs(report);
    addFields(report);
}

QString ControlFinder::heading() const {
    return inControls("In this report");
}

void ControlFinder::addButtons(QWidget& report) {
    visitControls<QAbstractButton>(report, [this](QAbstractButton& button) {
        const QString name = firstOf({button.text(), button.accessibleName(), button.toolTip()});
        if (name.isEmpty())
            return;
        if (const auto* tool = qobject_cast<QToolButton*>(&button);
            tool != nullptr && tool->menu() != nullptr)
            return addActions(tool->menu()->actions(), name + QStringLiteral(": "));
        controls_.push_back({name, button.toolTip(),
                             stateOf(button.isCheckable(), button.isChecked()),
                             [at = QPointer<QAbstractButton>(&button)] {
                                 if (at)
                                     at->click();
                             }});
    });
}

void ControlFinder::addActions(const QList<QAction*>& actions, const QString& path) {
    for (QAction* action : actions) {
        const QString text = path + firstOf({action->text()});
        if (action->menu() != nullptr)
            addActions(action->menu()->actions(), text + QStringLiteral(": "));
        else if (!action->isSeparator() && action->isEnabled())
            controls_.push_back({text, action->toolTip(),
                                 stateOf(action->isCheckable(), action->isChecked()),
                                 [at = QPointer<QAction>(action)] {
                                     if (at)
                                         at->trigger();
                                 }});
    }
}

// Some users of a box follow its index, others only the signal activated().
void ControlFinder::addChoices(QWidget& report) {
    visitControls<QComboBox>(report, [this](QComboBox& box) {
        const QString name = firstOf({box.accessibleName(), box.toolTip()});
        for (int item = 0; item < std::min(box.count(), mostItems); ++item)
            if (!box.itemText(item).isEmpty())
                controls_.push_back({name + QStringLiteral(": ") + box.itemText(item),
                                     box.itemData(item, Qt::ToolTipRole).toString(),
                                     item == box.currentIndex() ? inControls("chosen") : QString(),
                                     [at = QPointer<QComboBox>(&box), item] {
                                         if (!at || item >= at->count())
                                             return;
                                         at->setCurrentIndex(item);
                                         emit at->activated(item);
                                     }});
    });
}

void ControlFinder::addTabs(QWidget& report) {
    visitControls<QTabWidget>(report, [this](QTabWidget& tabs) {
        for (int tab = 0; tab < tabs.count(); ++tab)
            if (tabs.isTabVisible(tab) && tabs.isTabEnabled(tab))
                controls_.push_back({inControls("Tab: ") + firstOf({tabs.tabText(tab)}),
                                     tabs.tabToolTip(tab),
                                     {},
                                     [at = QPointer<QTabWidget>(&tabs), tab] {
                                         if (at && tab < at->count())
                                             at->setCurrentIndex(tab);
                                     },
                                     tabs.tabText(tab)});
    });
}

void ControlFinder::addFields(QWidget& report) {
    visitControls<QLineEdit>(report, [this](QLineEdit& field) {
        const QString name =
            firstOf({field.placeholderText(), field.accessibleName(), field.toolTip()});
        if (!name.isEmpty())
            controls_.push_back({name,
                                 field.toolTip(),
                                 {},
                                 [at = QPointer<QLineEdit>(&field)] {
                                     if (!at)
                                         return;
                                     at->setFocus();
                                     at->selectAll();
                                 },
                                 {},
                                 true});
    });
}

Found ControlFinder::found(const Control& control) const {
    return {control.text, control.state, [control](Guide& guide) {
                control.use();
                if (!control.takesKeyboard)
                    guide.focusContent(control.section);
            }};
}

std::vector<Found> ControlFinder::find(const QString& typed, std::size_t most,
                                       const std::stop_token& stop) const {
    std::vector<Found> all;
    std::vector<bool> taken(controls_.size(), false);
    for (const std::size_t number : bestNames(
             typed, controls_.size(), [this](std::size_t i) { return controls_[i].text; }, most,
             stop)) {
        taken[number] = true;
        all.push_back(found(controls_[number]));
    }
    const views::TextMatcher matcher(typed.trimmed());
    for (std::size_t i = 0; i < controls_.size() && all.size() < most; ++i)
        if (!taken[i] && matcher.matches(controls_[i].hint))
            all.push_back(found(controls_[i]));
    return all;
}

} // namespace tilescope::gui
