// Choosing a profile on another machine.
#pragma once

#include <QDialog>
#include <optional>

#include "core/remote/remote_copy.h"
#include "views/session/view_context.h"
#include "views/widgets/wrapped_label.h"

class QComboBox;

class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace tilescope::gui {

/// The hosts that the user's ssh configuration names, without patterns.
QStringList hostAliases();

/// A host and the folders on it. A whole address may be typed, too.
class RemoteDialog : public QDialog {
    Q_OBJECT
public:
    RemoteDialog(views::ViewContext& context, const QStringList& hosts, QWidget* parent = nullptr);

    /// Shows a folder of a host, as if it was typed: "pod", "me@pod:2222", "ssh://pod/folder".
    void goTo(const QString& text);
    /// The enable script of Poplar's SDK there; if there is one, what is chosen is captured with
    /// it.
    void setEnableScript(const QString& path);
    [[nodiscard]] QString enableScript() const;
    [[nodiscard]] QTreeWidget& list() { return *list_; }
    [[nodiscard]] const views::WrappedLabel& state() const { return *state_; }

signals:
    /// An address to open, or the file of a capture that was made of it.
    void chosen(const QString& file);

private:
    void makeParts(const QStringList& hosts);
    void connectParts();
    void connectToHost();
    void list(const RemoteAddress& address);
    void showFolder(const RemoteFolder& folder);
    void enter(QTreeWidgetItem* item);
    void openSelected();
    void choose(const RemoteAddress& address);
    void capture(const RemoteAddress& address);
    [[nodiscard]] CopyProgress copyProgress();
    void updateButtons();
    void tell(const QString& text, bool isError);
    [[nodiscard]] QTreeWidgetItem* selected() const;

    views::ViewContext& context_;
    views::BackgroundQuery query_;
    std::optional<RemoteFolder> folder_; ///< the shown one; none before a host was reached
    QComboBox* host_;
    QPushButton* connect_;
    QPushButton* above_;
    QLineEdit* path_;
    QTreeWidget* list_;
    QLineEdit* enable_;
    views::WrappedLabel* state_;
    QPushButton* open_;
};

} // namespace tilescope::gui
