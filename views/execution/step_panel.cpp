#include "views/execution/step_panel.h"

#include <QLabel>

#include "views/execution/step_flows.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {

StepPanel::StepPanel(ViewContext& context)
    : LoadingPanel(context.workers)
    , context_(context)
    , details_(new ValueTreeView(context, tr("Details of the selected step")))
    , flows_(new QLabel) {
    flows_->setAccessibleName(tr("Where data comes from and goes to"));
    flows_->setTextFormat(Qt::RichText);
    flows_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    flows_->setWordWrap(true);
    flows_->setContentsMargins(10, 4, 10, 4);
    connect(flows_, &QLabel::linkActivated, this, [this](const QString& link) {
        if (const std::int64_t step = stepOfLink(link); step >= 0)
            emit stepWanted(step, inTarget_);
    });
    auto* content = new QWidget;
    inColumn(content, {flows_, details_}, details_);
    setContent(content);
    showNone();
}

void StepPanel::showNone() {
    showMessage(tr("No step is selected"), tr("Click a step in the trace above."));
}

void StepPanel::showFlows(const QString& links, bool target) {
    inTarget_ = target;
    flows_->setText(links);
    flows_->setVisible(!links.isEmpty());
}

void StepPanel::showDetails(ValueTree details, const QString& links, bool target) {
    showFlows(links, target);
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
        read.flows = flowsOf(*profile, read.step, stop);
        ValueTree tree = stepDetails(*profile, read.step, stop);
        return [this, read = std::move(read), tree = std::move(tree)]() mutable {
            showFlows(flowLinks(read.flows, read.step.index, context_.preferences), read.target);
            details_->setTree(std::move(tree));
            details_->expandToDepth(0);
            details_->fitColumns();
            emit stepRead(read);
        };
    });
}

} // namespace tilescope::views
