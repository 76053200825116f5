#include "views/execution/calls_panel.h"

#include "core/analysis/hosts/host_calls.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

ValueNode lineOf(const HostCalls& calls, double clockHz) {
    const auto time = [clockHz](std::int64_t cycles) { return Cell(Duration{cycles, clockHz}); };
    ValueNode line{shownName(calls.name), {}, {}, Unit::Seconds};
    line.values = {time(calls.cycles), time(calls.ownCycles),
                   Cell(countText(calls.count).toStdString()), time(calls.longest),
                   Cell(calls.channel)};
    for (const HostCalls& each : calls.within)
        line.children.push_back(lineOf(each, clockHz));
    return line;
}

ValueNode threadLine(const HostCalls& thread, double clockHz) {
    ValueNode line = lineOf(thread, clockHz);
    // A thread is no call: it has no time of its own and no longest.
    line.values[1] = std::string();
    line.values[2] = std::string();
    line.values[3] = std::string();
    return line;
}

ValueTree treeOf(const TraceQuestion& question, CycleRange range, const std::stop_token& stop) {
    ValueTree tree;
    tree.nameTitle = Text::tr("Call");
    tree.valueTitles = {Text::tr("Time"), Text::tr("Own time"), Text::tr("Count"),
                        Text::tr("Longest"), Text::tr("Channel")};
    const double clock = executedOf(question.profiles)->machine().clockHz;
    for (const bool target : {false, true}) {
        const auto& host = target ? question.hosts.target : question.hosts.source;
        if (!host)
            continue;
        for (const HostCalls& thread : hostCalls(host->threads(), range, stop)) {
            tree.roots.push_back(threadLine(thread, clock));
            if (question.profiles.comparing())
                tree.roots.back().name = (target ? Text::tr("Target: %1") : Text::tr("Source: %1"))
                                             .arg(tree.roots.back().name);
        }
    }
    if (tree.roots.empty())
        tree.roots.push_back(
            {Text::tr("The program recorded nothing in this range"), {}, {}, Unit::None});
    return tree;
}

} // namespace

CallsPanel::CallsPanel(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , query_(context.workers)
    , tree_(new ValueTreeView(context, tr("Calls of the program in the range"))) {
    inColumn(this, {tree_}, tree_);
}

bool CallsPanel::isPossible(const Hosts& hosts) {
    return (hosts.source && !hosts.source->threads().empty()) ||
           (hosts.target && !hosts.target->threads().empty());
}

void CallsPanel::load(const TraceQuestion& question, CycleRange range) {
    question_ = question;
    range_ = range;
    stale_ = true;
    if (isVisible())
        read();
}

void CallsPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (stale_)
        read();
}

void CallsPanel::read() {
    stale_ = false;
    if (!question_.profiles.source)
        return;
    query_.start([this, question = question_, range = range_](const std::stop_token& stop) {
        return [this, tree = treeOf(question, range, stop)]() mutable {
            tree_->setTree(std::move(tree));
            tree_->expandToDepth(1);
            if (!std::exchange(isFitted_, true))
                tree_->fitColumns();
        };
    });
}

} // namespace tilescope::views
