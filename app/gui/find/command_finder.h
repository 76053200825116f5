// The commands of the menus.
#pragma once

#include <QAction>
#include <QPointer>

#include "app/gui/find/finder.h"

class QMenu;
class QMenuBar;

namespace tilescope::gui {

/// Menu entries, recent profiles included. All of them if nothing is typed.
class CommandFinder : public Finder {
public:
    explicit CommandFinder(QMenuBar& menus);
    [[nodiscard]] QString heading() const override;
    [[nodiscard]] std::vector<Found> find(const QString& typed, std::size_t most,
                                          const std::stop_token& stop) const override;

private:
    struct Command {
        QString text; ///< "File: Open…"
        QPointer<QAction> action;
    };
    void visit(QMenu& menu, const QString& path);
    [[nodiscard]] Found found(const Command& command) const;

    std::vector<Command> commands_;
};

} // namespace tilescope::gui
