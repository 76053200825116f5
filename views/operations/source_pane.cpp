#include "views/operations/source_pane.h"

#include <QComboBox>
#include <QLabel>
#include <algorithm>

#include "core/base/units.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {

SourcePane::SourcePane(ViewContext& context)
    : panel_(new LoadingPanel(context.workers))
    , summary_(new QLabel)
    , code_(new CodeView(context)) {
    auto* tools = new ToolRow;
    choice_ = tools->addChoice(tr("File"), {});
    choice_->setToolTip(tr("Files with costs, costliest first"));
    summary_->setTextFormat(Qt::PlainText);
    tools->add(summary_);
    tools->addStretch();
    auto* content = new QWidget;
    inColumn(content, {tools, code_});
    panel_->setContent(content);
    inColumn(this, {panel_});
    connect(choice_, &QComboBox::activated, this, &SourcePane::showFile);
    connect(code_, &CodeView::chosen, this, [this](int line) {
        const auto& lines = files_.at(static_cast<std::size_t>(choice_->currentIndex())).lines;
        emit chosen(lines.at(static_cast<std::size_t>(line)).row);
    });
}

void SourcePane::setReport(const OperationsReport& report) {
    code_->setFile(nullptr, 0);
    choice_->clear();
    files_.clear();
    if (!report.names || !report.hasLines)
        return panel_->showMessage(
            tr("No source lines are recorded"),
            tr("PyTorch scripts record them, and other models whose file has the stack of each "
               "operation."));
    const bool executed = report.source.totals.run >= 0;
    files_ = codeFiles(*report.names, report.source.rows, executed);
    total_ = 0;
    for (const CostRow& row : report.source.rows)
        total_ += executed ? row.measuredCycles : row.cyclesOnce();
    for (const CodeFile& file : files_)
        choice_->addItem(shownName(file.name.toStdString()));
    panel_->showContent();
    showFile(0);
}

void SourcePane::showFile(int file) {
    if (file < 0 || file >= static_cast<int>(files_.size()))
        return;
    const CodeFile& shown = files_[static_cast<std::size_t>(file)];
    choice_->setCurrentIndex(file);
    code_->setFile(&shown, total_);
    const QString share = QString::fromStdString(
        formatPercent(static_cast<double>(shown.cycles), static_cast<double>(total_)));
    summary_->setText(shown.recorded
                          ? tr("%1 of all IPUs' cycles").arg(share)
                          : tr("%1 of all IPUs' cycles; its text is not recorded").arg(share));
    code_->bringIntoView(code_->nextHot(1));
}

void SourcePane::mark(std::int32_t row) {
    for (std::size_t file = 0; file < files_.size() && row >= 0; ++file) {
        const auto& lines = files_[file].lines;
        const auto found = std::find_if(lines.begin(), lines.end(),
                                        [row](const CodeLine& line) { return line.row == row; });
        if (found == lines.end())
            continue;
        if (choice_->currentIndex() != static_cast<int>(file))
            showFile(static_cast<int>(file));
        return code_->setCurrent(static_cast<int>(found - lines.begin()));
    }
}

} // namespace tilescope::views
