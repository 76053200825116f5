// All commands of the window in one list.
#pragma once

#include <QDialog>
#include <QList>
#include <QPointer>

class QAction;
class QLineEdit;
class QListWidget;
class QMainWindow;

namespace tilescope::gui {

/// Menus, and the recent profiles in them, found by a few letters; Enter runs the best.
class CommandPalette : public QDialog {
    Q_OBJECT
public:
    explicit CommandPalette(QMainWindow& window);
    [[nodiscard]] QLineEdit& field() { return *field_; }
    [[nodiscard]] QListWidget& list() { return *list_; }

private:
    struct Command {
        QString text; ///< "File: Open…"
        QPointer<QAction> action;
    };
    void fill(const QString& typed);
    void run();
    bool eventFilter(QObject* watched, QEvent* event) override;

    QList<Command> commands_;
    QLineEdit* field_;
    QListWidget* list_;
};

} // namespace tilescope::gui
