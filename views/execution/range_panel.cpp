#include "views/execution/range_panel.h"

#include <QComboBox>

#include "core/report/compared_tables.h"
#include "views/tables/table_panel.h"
#include "views/widgets/parts.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {
namespace {

/// The IPUs of one of the profiles that a question asks for.
std::vector<IpuId> ipusOf(const TraceQuestion& question, bool target) {
    std::vector<IpuId> ipus;
    for (const AskedIpu& asked : askedIpus(question))
        if (asked.target == target)
            ipus.push_back(asked.ipu);
    return ipus;
}

Table tableOf(const TraceQuestion& question, CycleRange range, RangeGroup by,
              const std::stop_token& stop) {
    const auto of = [&](const ProfileViewPtr& profile, bool target) {
        return rangeTable(*profile, ipusOf(question, target), range, by, stop);
    };
    Table table = of(question.profiles.source, false);
    if (!question.profiles.comparing() || !question.profiles.target->info().hasExecution)
        return table;
    return comparedByName("Name", Unit::Cycles, namedValues(table, "cycles"),
                          namedValues(of(question.profiles.target, true), "cycles"));
}

} // namespace

RangePanel::RangePanel(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , table_(new TablePanel(context, tr("Filter the range"))) {
    auto* tools = new ToolRow;
    group_ = tools->addChoice(tr("Group by"),
                              {tr("Step"), tr("Operation"), tr("Operation type"), tr("Kind")});
    tools->addStretch();
    inColumn(this, {tools, table_}, table_);
    table_->setThings([this](std::int32_t row) { return thingOf(row); });
    connect(group_, &QComboBox::activated, this, &RangePanel::read);
    connect(table_, &TablePanel::chosen, this, &RangePanel::choose);
}

void RangePanel::load(const TraceQuestion& question, CycleRange range, const QString& title) {
    question_ = question;
    range_ = range;
    title_ = title;
    stale_ = true;
    if (isVisible())
        read();
}

void RangePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (stale_)
        read();
}

void RangePanel::read() {
    stale_ = false;
    if (!question_.profiles.source)
        return;
    const auto by = rangeGroups.at(static_cast<std::size_t>(group_->currentIndex()));
    table_->load([question = question_, range = range_, by,
                  title = title_.toStdString()](const std::stop_token& stop) {
        Table table = tableOf(question, range, by, stop);
        table.summary = title;
        return table;
    });
}

Selected RangePanel::thingOf(std::int32_t row) const {
    Selected thing;
    if (row < 0 || question_.profiles.comparing())
        return thing;
    if (group_->currentIndex() == static_cast<int>(RangeGroup::Step))
        thing.program = ProgramId(row);
    else
        thing.operation = OperationId(row);
    return thing;
}

void RangePanel::choose(std::int32_t row) {
    const Selected thing = thingOf(row);
    if (thing == Selected{})
        return;
    context_.selection.update([&](Selected& selected) {
        if (thing.program.valid())
            selected.program = thing.program;
        else
            selected.operation = thing.operation;
    });
}

} // namespace tilescope::views
