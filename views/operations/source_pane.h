// The user's code with the costs of its lines: a page of the operations report.
#pragma once

#include <QWidget>
#include <memory>

#include "views/operations/code_view.h"
#include "views/operations/operations_content.h"
#include "views/widgets/loading_panel.h"

class QComboBox;
class QLabel;

namespace tilescope::views {

class SourcePane : public QWidget {
    Q_OBJECT
public:
    explicit SourcePane(ViewContext& context);

    /// A report of CostLayer::Line; the first profile's lines are shown.
    void setReport(const OperationsReport& report);
    /// Marks the line of a row; nothing if no line has it.
    void mark(std::int32_t row);
    [[nodiscard]] CodeView& code() { return *code_; }
    [[nodiscard]] QComboBox& files() { return *choice_; }

signals:
    /// The row of the line that was chosen; -1 for a line without costs.
    void chosen(std::int32_t row);

private:
    void showFile(int file);

    std::vector<CodeFile> files_;
    std::int64_t total_ = 0;
    LoadingPanel* panel_;
    QComboBox* choice_;
    QLabel* summary_;
    CodeView* code_;
};

} // namespace tilescope::views
