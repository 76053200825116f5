#include "views/operations/source_pane.h"

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
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
    libraries_ = tools->addToggle(tr("Libraries"),
                                  tr("Costs are those of the innermost line, also in installed "
                                     "packages; else of the innermost line of your own files"),
                                  false);
    waits_ = tools->addToggle(tr("Waits by cause"),
                              tr("Cycles in which no operation runs are part of the lines that "
                                 "cause them, by the losses of Insights"),
                              false);
    summary_->setTextFormat(Qt::PlainText);
    tools->add(summary_);
    tools->addStretch();
    auto* content = new QWidget;
    inColumn(content, {tools, code_});
    panel_->setContent(content);
    inColumn(this, {panel_});
    connect(choice_, &QComboBox::activated, this, &SourcePane::showFile);
    connect(code_, &CodeView::chosen, this, [this](int line) {
        emit chosen(code_->file()->lines.at(static_cast<std::size_t>(line)).row);
    });
    for (QToolButton* each : {libraries_, waits_})
        connect(each, &QToolButton::toggled, this, &SourcePane::wantedChanged);
    setPointAt(*code_, [this](const std::optional<QPoint>& at, const ShowMenu& show) {
        show(pointed(at ? code_->lineAt(at->y()) : code_->current()));
    });
}

GroupChoice SourcePane::wanted() const {
    GroupChoice choice{CostLayer::Line};
    choice.reach = libraries_->isChecked() ? SourceReach::Libraries : SourceReach::Mine;
    choice.waitsByCause = waits_->isChecked();
    return choice;
}

Pointed SourcePane::pointed(int line) const {
    Pointed pointed;
    const CodeFile* file = code_->file();
    if (file == nullptr || line < 0 || line >= static_cast<int>(file->lines.size()))
        return pointed;
    const CodeLine& at = file->lines[static_cast<std::size_t>(line)];
    pointed.name =
        QStringLiteral("%1:%2").arg(file->name).arg(at.number > 0 ? at.number : at.targetNumber);
    if (at.row >= 0 && static_cast<std::size_t>(at.row) < places_.size())
        pointed.thing.operation = places_[static_cast<std::size_t>(at.row)].operation;
    return pointed;
}

void SourcePane::setReport(const OperationsReport& report) {
    const QString before = choice_->currentText();
    code_->setFile(nullptr, 0);
    choice_->clear();
    all_ = {};
    places_.clear();
    if (!report.names || !report.hasLines)
        return panel_->showMessage(
            tr("No source lines are recorded"),
            tr("PyTorch scripts record them, and other models whose file has the stack of each "
               "operation."));
    all_ = codeFiles(report);
    for (std::size_t i = 0; i < report.source.rows.size(); ++i) {
        RowPlace& place = places_.emplace_back();
        place.operation = report.mainOperations.at(i);
        if (const SourceFrameId frame = report.source.rows[i].source; frame.valid()) {
            const SourceFrame& at = report.names->code().frames[frame];
            place.file = QString::fromStdString(report.names->shortPath(at.file));
            place.line = at.line;
        }
    }
    for (const CodeFile& file : all_.files)
        choice_->addItem(shownName(file.name.toStdString()));
    waits_->setVisible(report.source.totals.run >= 0 && !report.targetNames);
    panel_->showContent();
    showFile(std::max(0, choice_->findText(before)));
}

QString SourcePane::summaryOf(const CodeFile& file) const {
    const auto share = [this](std::int64_t cycles) {
        return QString::fromStdString(
            formatPercent(static_cast<double>(cycles), static_cast<double>(all_.total)));
    };
    QStringList parts;
    if (file.comparing())
        parts << tr("all: %1 \u2192 %2")
                     .arg(QString::fromStdString(formatCycles(all_.total)),
                          QString::fromStdString(formatCycles(all_.targetTotal)));
    else
        parts << tr("%1 of all IPUs' cycles").arg(share(file.cycles))
              << tr("%1 in no line").arg(share(all_.noLine));
    if (!file.recorded)
        parts << tr("its text is not recorded");
    return parts.join(QStringLiteral("; "));
}

void SourcePane::showFile(int file) {
    if (file < 0 || file >= static_cast<int>(all_.files.size()))
        return;
    const CodeFile& shown = all_.files[static_cast<std::size_t>(file)];
    choice_->setCurrentIndex(file);
    code_->setFile(&shown, all_.total);
    summary_->setText(summaryOf(shown));
    code_->bringIntoView(code_->nextHot(1));
}

void SourcePane::mark(std::int32_t row) {
    if (row < 0 || static_cast<std::size_t>(row) >= places_.size())
        return;
    const RowPlace& place = places_[static_cast<std::size_t>(row)];
    for (std::size_t file = 0; file < all_.files.size(); ++file) {
        const auto& lines = all_.files[file].lines;
        const auto found = std::find_if(lines.begin(), lines.end(), [&place](const CodeLine& line) {
            return line.number == place.line;
        });
        if (all_.files[file].name != place.file || found == lines.end())
            continue;
        if (choice_->currentIndex() != static_cast<int>(file))
            showFile(static_cast<int>(file));
        return code_->setCurrent(static_cast<int>(found - lines.begin()));
    }
}

} // namespace tilescope::views
