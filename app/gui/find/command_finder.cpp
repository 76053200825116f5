#include "app/gui/find/command_finder.h"

#include <QCoreApplication>
#include <QMenu>
#include <QMenuBar>

#include "app/gui/find/name_matches.h"

namespace tilescope::gui {
namespace {

QString titleOf(const QAction& action) {
    return action.text().remove(QLatin1Char('&'));
}

} // namespace

CommandFinder::CommandFinder(QMenuBar& menus) {
    for (QAction* menu : menus.actions())
        if (menu->menu() != nullptr)
            visit(*menu->menu(), titleOf(*menu) + QStringLiteral(": "));
}

void CommandFinder::visit(QMenu& menu, const QString& path) {
    emit menu.aboutToShow(); // menus that are filled when they open
    for (QAction* action : menu.actions()) {
        const QString text = path + titleOf(*action);
        if (action->menu() != nullptr)
            visit(*action->menu(), text + QStringLiteral(": "));
        else if (!action->isSeparator() && action->isEnabled())
            commands_.push_back({text, action});
    }
}

QString CommandFinder::heading() const {
    return QCoreApplication::translate("Finder", "Commands");
}

Found CommandFinder::found(const Command& command) const {
    const QString keys = command.action == nullptr
                             ? QString()
                             : command.action->shortcut().toString(QKeySequence::NativeText);
    return {command.text, keys, [action = command.action](Guide&) {
                if (action)
                    action->trigger();
            }};
}

std::vector<Found> CommandFinder::find(const QString& typed, std::size_t most,
                                       const std::stop_token& stop) const {
    std::vector<Found> all;
    if (typed.trimmed().isEmpty())
        for (const Command& command : commands_)
            all.push_back(found(command));
    for (const std::size_t number : bestNames(
             typed, commands_.size(), [this](std::size_t i) { return commands_[i].text; }, most,
             stop))
        all.push_back(found(commands_[number]));
    return all;
}

} // namespace tilescope::gui
