#include "views/operations/source_pane.h"

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <utility>

#include "core/base/units.h"
#include "views/operations/open_in_editor.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"
#include "views/widgets/short_label.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {
namespace {

/// By CodeMetric.
constexpr std::array shareTexts{
    QT_TRANSLATE_NOOP("SourcePane", "%1 of all IPUs' cycles"),
    QT_TRANSLATE_NOOP("SourcePane", "%1 of all FLOPs"),
    QT_TRANSLATE_NOOP("SourcePane", "%1 of the bytes that tiles receive"),
    QT_TRANSLATE_NOOP("SourcePane", "%1 of all code"),
    QT_TRANSLATE_NOOP("SourcePane", "%1 of the memory that is always live")};
static_assert(shareTexts.size() == codeMetrics);

constexpr int leastSummary = 100; ///< pixels
constexpr int mostSummary = 400;

} // namespace

SourcePane::SourcePane(ViewContext& context)
    : context_(context)
    , panel_(new LoadingPanel(context.workers))
    , summary_(new ShortLabel({}, leastSummary, mostSummary))
    , code_(new CodeView(context))
    , check_(context.workers) {
    auto* content = new QWidget;
    inColumn(content, {makeTools(), summary_, code_});
    panel_->setContent(content);
    inColumn(this, {panel_});
    connect(code_, &CodeView::chosen, this, [this](int line) {
        emit chosen(code_->file()->lines.at(static_cast<std::size_t>(line)).row);
    });
    connect(&context.preferences, &Preferences::unitsChanged, this, &SourcePane::fillAgain);
    makeMenu();
}

QWidget* SourcePane::makeTools() {
    tools_ = new ToolRow;
    choice_ = tools_->addChoice(tr("File"), {});
    choice_->setToolTip(tr("Files with costs, costliest first"));
    QStringList metrics;
    for (std::size_t i = 0; i < codeMetrics; ++i)
        metrics << CodeView::titleOf(static_cast<CodeMetric>(i));
    metric_ = tools_->addChoice(tr("Cost"), metrics);
    metric_->setToolTip(tr("What is counted for each line"));
    libraries_ = tools_->addToggle(tr("Libraries"),
                                   tr("Costs are those of the innermost line, also in installed "
                                      "packages; else of the innermost line of your own files"),
                                   false);
    waits_ = tools_->addToggle(tr("Waits by cause"),
                               tr("Cycles in which no operation runs are part of the lines that "
                                  "cause them, by the losses of Insights"),
                               false);
    summary_->setTextFormat(Qt::PlainText);
    summary_->setContentsMargins(10, 0, 10, 4); // below the labels of the row
    tools_->addStretch();
    connect(choice_, &QComboBox::activated, this, &SourcePane::showFile);
    connect(metric_, &QComboBox::activated, this, &SourcePane::fillAgain);
    for (QToolButton* each : {libraries_, waits_})
        connect(each, &QToolButton::toggled, this, &SourcePane::wantedChanged);
    return tools_;
}

void SourcePane::makeMenu() {
    auto* edit = new QAction(tr("Open in editor") + QStringLiteral("\tE"), code_);
    code_->addAction(edit);
    connect(edit, &QAction::triggered, this, &SourcePane::openCurrent);
    connect(code_, &CodeView::editorWanted, this, &SourcePane::openCurrent);
    auto* folder = new QAction(tr("Compare with files on disk…"), code_);
    code_->addAction(folder);
    connect(folder, &QAction::triggered, this, &SourcePane::chooseFolder);
    setPointAt(*code_, [this](const std::optional<QPoint>& at, const ShowMenu& show) {
        const int line = at ? code_->lineAt(at->y()) : code_->current();
        if (at && line >= 0)
            code_->setCurrent(line); // what its actions are about
        show(pointed(line));
    });
}

void SourcePane::openCurrent() {
    const CodeFile* file = code_->file();
    if (file == nullptr)
        return;
    const int at = code_->current();
    const CodeLine line = at < 0 ? CodeLine() : file->lines[static_cast<std::size_t>(at)];
    const int number = std::max({1, line.targetNumber, file->comparing() ? 1 : line.number});
    const QString problem = openInEditor(context_.preferences.editor(), file->path, number);
    if (!problem.isEmpty())
        emit status(problem);
}

void SourcePane::chooseFolder() {
    const QString chosen = QFileDialog::getExistingDirectory(
        this, tr("The folder that the program's files are in"), folder_);
    if (!chosen.isEmpty())
        setFolder(chosen);
}

void SourcePane::setFolder(const QString& folder) {
    folder_ = folder;
    emit wantedChanged();
}

bool SourcePane::event(QEvent* event) {
    if (event->type() == QEvent::WindowActivate)
        checkFiles();
    return QWidget::event(event);
}

void SourcePane::checkFiles() {
    if (!report_ || !report_->names || !isVisible())
        return;
    const auto metric = static_cast<CodeMetric>(metric_->currentIndex());
    check_.start(
        [this, metric, report = report_](const std::stop_token&) -> BackgroundQuery::Deliver {
            auto states = statesOnDisk(*report->names, report->folder);
            auto targetStates = report->targetNames
                                    ? statesOnDisk(*report->targetNames, report->targetFolder)
                                    : report->targetStates;
            if (states == report->states && targetStates == report->targetStates)
                return [] {};
            auto fresh = std::make_shared<OperationsReport>(*report);
            fresh->states = std::move(states);
            fresh->targetStates = std::move(targetStates);
            std::vector<SourceFileState> byFile;
            for (const CodeFile& file : codeFiles(*fresh, metric).files)
                byFile.push_back(file.onDisk);
            return [this, metric, report, fresh, byFile] {
                if (report_ != report) // another one has come in the meantime
                    return;
                report_ = fresh;
                showStates(metric, byFile);
                emit filesChanged(fresh);
            };
        });
}

// The lines, the place in them and the marked one stay as they are.
void SourcePane::showStates(CodeMetric metric, const std::vector<SourceFileState>& states) {
    if (metric != static_cast<CodeMetric>(metric_->currentIndex()) ||
        states.size() != all_.files.size())
        return fillAgain(); // files are in another order
    for (std::size_t i = 0; i < states.size(); ++i)
        all_.files[i].onDisk = states[i];
    fillSummary();
}

GroupChoice SourcePane::wanted() const {
    GroupChoice choice{CostLayer::Line};
    choice.reach = libraries_->isChecked() ? SourceReach::Libraries : SourceReach::Mine;
    choice.waitsByCause = waits_->isChecked();
    choice.sources = QFile::encodeName(folder_).toStdString();
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

void SourcePane::forgetProfiles() {
    folder_.clear();
    otherProfiles_ = true;
}

void SourcePane::setReport(std::shared_ptr<const OperationsReport> report) {
    report_ = std::move(report);
    const bool other = std::exchange(otherProfiles_, false);
    places_.clear();
    if (!report_->names || !report_->hasLines) {
        code_->setFile(nullptr, 0);
        choice_->clear();
        all_ = {};
        return panel_->showMessage(
            tr("No source lines are recorded"),
            tr("PyTorch, Keras and PopART scripts record them, as do ONNX files whose operations "
               "have the stack of the program that made them."));
    }
    for (std::size_t i = 0; i < report_->source.rows.size(); ++i) {
        RowPlace& place = places_.emplace_back();
        place.operation = report_->mainOperations.at(i);
        if (const SourceFrameId frame = report_->source.rows[i].source; frame.valid()) {
            const SourceFrame& at = report_->names->code().frames[frame];
            place.file = QString::fromStdString(report_->names->shortPath(at.file));
            place.line = at.line;
        }
    }
    panel_->showContent();
    other ? fill() : fillAgain();
}

// The line stays the current one.
void SourcePane::fillAgain() {
    const CodeFile* before = code_->file();
    const int current = code_->current();
    const QString name = before == nullptr ? QString() : before->name;
    const CodeLine line =
        current < 0 ? CodeLine() : before->lines[static_cast<std::size_t>(current)];
    fill();
    const CodeFile* after = code_->file();
    if (current < 0 || after == nullptr || after->name != name)
        return;
    for (std::size_t i = 0; i < after->lines.size(); ++i)
        if (after->lines[i].number == line.number &&
            after->lines[i].targetNumber == line.targetNumber)
            return code_->setCurrent(static_cast<int>(i));
}

void SourcePane::fill() {
    if (!report_ || !report_->hasLines)
        return;
    const QString before = choice_->currentText();
    const auto metric = static_cast<CodeMetric>(metric_->currentIndex());
    code_->setFile(nullptr, 0);
    choice_->clear();
    all_ = codeFiles(*report_, metric);
    for (const CodeFile& file : all_.files)
        choice_->addItem(shownName(file.name.toStdString()));
    tools_->setShown(waits_, report_->source.totals.run >= 0 && !report_->targetNames &&
                                 metric == CodeMetric::Cycles);
    showFile(std::max(0, choice_->findText(before)));
}

QString SourcePane::summary() const {
    return summary_->text();
}

QString SourcePane::summaryOf(const CodeFile& file) const {
    const auto share = [this](std::int64_t cycles) {
        return QString::fromStdString(
            formatPercent(static_cast<double>(cycles), static_cast<double>(all_.total)));
    };
    QStringList parts;
    if (file.comparing())
        parts << tr("all: %1 \u2192 %2")
                     .arg(code_->amountText(file.metric, all_.total),
                          code_->amountText(file.metric, all_.targetTotal));
    else
        parts << tr(shareTexts.at(static_cast<std::size_t>(file.metric))).arg(share(file.cost))
              << tr("%1 in no line").arg(share(all_.noLine));
    if (!file.recorded)
        parts << tr("its text is not recorded");
    if (file.onDisk == SourceFileState::Changed)
        parts << tr("changed on disk since this run");
    if (file.onDisk == SourceFileState::Missing)
        parts << tr("no longer on disk");
    return parts.join(QStringLiteral("; "));
}

void SourcePane::showFile(int file) {
    if (file < 0 || file >= static_cast<int>(all_.files.size()))
        return;
    const CodeFile& shown = all_.files[static_cast<std::size_t>(file)];
    choice_->setCurrentIndex(file);
    code_->setFile(&shown, all_.total);
    fillSummary();
    code_->bringIntoView(code_->nextHot(1));
}

void SourcePane::fillSummary() {
    if (const CodeFile* file = code_->file())
        summary_->setText(summaryOf(*file));
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
