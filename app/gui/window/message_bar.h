// A line at the top of the window: an error, or what is being opened.
#pragma once

#include <QFrame>
#include <functional>

#include "views/session/view_context.h"

class QLabel;
class QPushButton;

namespace tilescope::gui {

class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(views::ViewContext& context, QWidget* parent = nullptr);

    void showError(const QString& text, const QString& action = {}, std::function<void()> run = {});
    void showProgress(const QString& text, std::function<void()> cancel);
    [[nodiscard]] QString text() const;

private:
    void show(const QString& text, const QString& action, std::function<void()> run, bool error);
    void applyTheme();

    views::ViewContext& context_;
    QLabel* text_;
    QPushButton* action_;
    QPushButton* close_;
    std::function<void()> run_;
    bool error_ = false;
};

} // namespace tilescope::gui
