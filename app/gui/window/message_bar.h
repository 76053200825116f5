// A line at the top of the window: an error, or the file being opened.
#pragma once

#include <QFrame>
#include <functional>

#include "views/session/view_context.h"
#include "views/widgets/wrapped_label.h"

class QLabel;
class QPushButton;

namespace tilescope::gui {

class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(views::ViewContext& context, QWidget* parent = nullptr);

    enum class Kind {
        Error,
        Notice,  ///< an event that is not an error; may offer an action
        Progress ///< `run` cancels
    };
    void show(Kind kind, const QString& text, const QString& action = {},
              std::function<void()> run = {});

private:
    void applyTheme();

    views::ViewContext& context_;
    views::WrappedLabel* text_;
    QPushButton* action_;
    QPushButton* close_;
    std::function<void()> run_;
    Kind kind_ = Kind::Notice;
};

} // namespace tilescope::gui
