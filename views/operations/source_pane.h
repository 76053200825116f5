// The user's code with the costs of its lines: a page of the operations report.
#pragma once

#include <QWidget>
#include <memory>

#include "views/operations/code_view.h"
#include "views/operations/operations_content.h"
#include "views/query/background_query.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/pointed.h"

class QComboBox;
class QToolButton;

namespace tilescope::views {

class ShortLabel;
class ToolRow;

/// Costs of one metric at a time. Notebooks and files of other machines have no place to open.
class SourcePane : public QWidget {
    Q_OBJECT
public:
    explicit SourcePane(ViewContext& context);

    /// A report of CostLayer::Line: the first profile's lines or, of two, both versions of each
    /// file.
    void setReport(std::shared_ptr<const OperationsReport> report);
    /// The next report is of other profiles, which neither the chosen folder nor the marked line is
    /// about.
    void forgetProfiles();
    /// Marks the line of a row; nothing if no line has it.
    void mark(std::int32_t row);
    [[nodiscard]] CodeView& code() { return *code_; }
    [[nodiscard]] QComboBox& files() { return *choice_; }
    [[nodiscard]] QComboBox& metric() { return *metric_; }
    [[nodiscard]] QToolButton& libraries() { return *libraries_; }
    [[nodiscard]] QToolButton& waits() { return *waits_; }
    /// Whose lines are wanted, and whether waits are to be part of what causes them.
    [[nodiscard]] GroupChoice wanted() const;
    /// Compares the recorded texts with the files of this folder.
    void setFolder(const QString& folder);
    /// What is said of the file that is shown.
    [[nodiscard]] QString summary() const;

protected:
    bool event(QEvent* event) override;

signals:
    /// The row of the line that was chosen; -1 for a line without costs.
    void chosen(std::int32_t row);
    /// Other lines are wanted, see wanted().
    void wantedChanged();
    /// A file on disk was no longer as the report said; this one, which is shown now, differs from
    /// it in the files' states only.
    void filesChanged(const std::shared_ptr<const tilescope::views::OperationsReport>& report);
    void status(const QString& text);

private:
    QWidget* makeTools();
    void makeMenu();
    void fill();
    void fillAgain();
    void showFile(int file);
    void openCurrent();
    void chooseFolder();
    /// Files may have been edited in the meantime.
    void checkFiles();
    /// States by file of `all_`, if these are of the metric.
    void showStates(CodeMetric metric, const std::vector<SourceFileState>& states);
    void fillSummary();
    [[nodiscard]] QString summaryOf(const CodeFile& file) const;
    [[nodiscard]] Pointed pointed(int line) const;

    ViewContext& context_;
    std::shared_ptr<const OperationsReport> report_;
    CodeFiles all_;
    /// Where a row of the report is, and what it selects.
    struct RowPlace {
        QString file;
        std::int32_t line = 0;
        OperationId operation;
    };
    std::vector<RowPlace> places_; ///< by row
    LoadingPanel* panel_;
    QComboBox* choice_ = nullptr;
    QComboBox* metric_ = nullptr;
    QToolButton* libraries_ = nullptr;
    QToolButton* waits_ = nullptr;
    ToolRow* tools_ = nullptr;
    ShortLabel* summary_;
    CodeView* code_;
    BackgroundQuery check_;
    bool otherProfiles_ = false; ///< than those of the report
    QString folder_;             ///< of the program's files, as the user chose it
};

} // namespace tilescope::views
