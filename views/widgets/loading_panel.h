// A place for a report's content: shows progress, errors and empty states where it would be.
#pragma once

#include <QPointer>
#include <QStackedWidget>

#include "views/query/background_query.h"
#include "views/widgets/wrapped_label.h"

class QLabel;
class QPushButton;

namespace tilescope::views {

/// Content, or a page in its place. Slow queries show a busy bar with Cancel; failures show their
/// text and Retry. Content about profiles is removed when these are left.
class LoadingPanel : public QStackedWidget {
    Q_OBJECT
public:
    explicit LoadingPanel(Workers& workers, About about = About::OpenProfiles);

    void setContent(QWidget* content);
    /// Runs a query for the content; its delivery shows the content unless it calls showMessage().
    void load(BackgroundQuery::Work work);
    void showContent();
    /// An empty state in place of the content: what is missing, and how to get it.
    void showMessage(const QString& title, const QString& text);
    [[nodiscard]] bool showsMessage() const { return currentWidget() == messagePage_; }
    /// The text shown in place of a report that could not be read; empty if nothing failed.
    [[nodiscard]] QString failure() const { return showsMessage() ? failure_ : QString(); }
    [[nodiscard]] BackgroundQuery& query() { return query_; }

private:
    void leaveProfiles();
    void bring(QWidget& page);
    void showProgress();
    void showFailure(const QString& title, const QString& text);
    QWidget* makeProgressPage();
    QWidget* makeMessagePage();

    BackgroundQuery query_;
    BackgroundQuery::Work lastWork_;
    QWidget* content_ = nullptr;
    QWidget* blank_ = nullptr;
    QPointer<QWidget> keyboard_; ///< what had the keyboard in the content of the profiles before
    QLabel* title_ = nullptr;
    WrappedLabel* text_ = nullptr;
    QPushButton* retry_ = nullptr;
    QWidget* progressPage_;
    QWidget* messagePage_;
    QString failure_;
    bool messageWanted_ = false; ///< the delivery under way has called showMessage()
};

} // namespace tilescope::views
