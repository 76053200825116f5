#include "views/compare/calibration_page.h"

#include <QVBoxLayout>

#include "core/analysis/compare/calibration_tables.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

bool isSimulated(const ProfileViewPtr& profile) {
    return profile->info().origin.kind == OriginKind::Simulated;
}

/// Marks with the ids of the profile whose items are selected, the source.
std::vector<StepScatter::Mark> marksOf(const Calibration& calibration, const ProfilePair& pair,
                                       bool simulatedIsSource) {
    const auto programs = pair.source->programs();
    std::vector<StepScatter::Mark> marks;
    for (const MatchedStep& step : calibration.steps)
        marks.push_back({(simulatedIsSource ? step.simulated : step.measured).value(), step.kind,
                         step.simulatedCycles, step.measuredCycles,
                         shownName((*programs)[step.simulated].name)});
    return marks;
}

QWidget* inset(std::initializer_list<QWidget*> widgets) {
    constexpr int margin = 10;
    auto* page = tabPage();
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(margin, margin, margin, margin);
    for (QWidget* widget : widgets)
        layout->addWidget(widget);
    layout->addStretch(1);
    return page;
}

} // namespace

bool canBeCalibrated(const ProfilePair& open) {
    return open.comparing() && isSimulated(open.source) != isSimulated(open.target) &&
           open.source->info().hasExecution && open.target->info().hasExecution;
}

CalibrationPage::CalibrationPage(ViewContext& context, TablePanel* steps, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , panel_(new LoadingPanel(context.workers))
    , matched_(wrappedLabel({}, "heading"))
    , kinds_(new CompactTable(context))
    , constants_(new CompactTable(context))
    , note_(wrappedLabel({}, "muted"))
    , scatter_(new StepScatter(context))
    , steps_(steps) {
    QSplitter* top = splitOf(Qt::Horizontal, scrolled(inset({matched_, kinds_, constants_, note_})),
                             scatter_, 9, 5);
    // As the tables' titles.
    constexpr int indent = 8;
    for (WrappedLabel* label : {matched_, note_})
        label->setIndent(indent);
    panel_->setContent(splitOf(Qt::Vertical, top, steps_, 3, 2));
    inColumn(this, {panel_});
    steps_->follow(&Selected::program);
    connect(scatter_, &StepScatter::chosen, this, [this](std::int32_t id) {
        context_.selection.update([id](Selected& s) { s.program = ProgramId(id); });
    });
    const auto follow = [this] { scatter_->select(context_.selection.current().program.value()); };
    connect(&context_.selection, &Selection::changed, this, follow);
}

void CalibrationPage::clear() {
    loaded_ = false;
}

void CalibrationPage::load(const ProfilePair& open) {
    if (loaded_)
        return;
    panel_->load([this, open](const std::stop_token& stop) {
        const bool simulatedIsSource = isSimulated(open.source);
        const ProfilePair pair = simulatedIsSource ? open : ProfilePair(open.target, open.source);
        Calibration calibration = calibrate(pair, stop);
        Document document = calibrationDocument(pair, calibration);
        std::vector<StepScatter::Mark> marks = marksOf(calibration, pair, simulatedIsSource);
        for (std::size_t i = 0; i < marks.size(); ++i)
            document.tables.back().rows[i].id = marks[i].id;
        return [this, calibration = std::move(calibration), document = std::move(document),
                marks = std::move(marks)] { show(calibration, document, marks); };
    });
}

void CalibrationPage::show(const Calibration& calibration, Document document,
                           std::vector<StepScatter::Mark> marks) {
    loaded_ = true;
    matched_->setText(tr("Steps with %1 of the cycles match")
                          .arg(QString::fromStdString(formatPercent(calibration.matched, 1))));
    kinds_->setTable(tr("Kinds of steps"),
                     onlyColumns(document.tables[0], {"kind", "simulatedCycles", "measuredCycles",
                                                      "ratio", "p10", "p90"}));
    constants_->setTable(
        tr("Constants of the machine"),
        onlyColumns(document.tables[1], {"title", "simulated", "fitted", "values", "differs"}));
    note_->setText(calibration.whyNoConstants.empty()
                       ? tr("'tilescope calibrate MEASURED SIMULATED -o FILE.json' writes those "
                            "that differ as a target, which --target takes.")
                       : QString::fromStdString(calibration.whyNoConstants));
    scatter_->setMarks(std::move(marks));
    scatter_->select(context_.selection.current().program.value());
    steps_->setTable(std::move(document.tables[2]));
}

} // namespace tilescope::views
