#include "views/execution/step_panel.h"
#include "views/theme/text.h"

namespace tilescope::views {

StepPanel::StepPanel(ViewContext& context)
    : LoadingPanel(context.workers)
    , details_(new ValueTreeView(context, tr("Details of the selected step"))) {
    setContent(details_);
    showNone();
}

void StepPanel::showNone() {
    showMessage(tr("No step is selected"), tr("Click a step in the trace above."));
}

void StepPanel::showDetails(ValueTree details) {
    details_->setTree(std::move(details));
    details_->expandToDepth(0);
    details_->fitColumns();
    showContent();
}

void StepPanel::showStep(const ProfileViewPtr& profile, std::int64_t step, bool target) {
    load([this, profile, step, target](const std::stop_token& stop) {
        ReadStep read;
        read.step = profile->trace(stop)->stepAt(step);
        read.target = target;
        read.name = QString::fromUtf8(toString(read.step.kind).data());
        if (read.step.program.valid()) {
            const auto programs = profile->programs(stop);
            const Program& program = (*programs)[read.step.program];
            read.operation = program.operation;
            read.computeSet = program.computeSet;
            if (!program.name.empty())
                read.name = shownName(program.name);
        }
        ValueTree tree = stepDetails(*profile, read.step, stop);
        return [this, read = std::move(read), tree = std::move(tree)]() mutable {
            details_->setTree(std::move(tree));
            details_->expandToDepth(0);
            details_->fitColumns();
            emit stepRead(read);
        };
    });
}

} // namespace tilescope::views
