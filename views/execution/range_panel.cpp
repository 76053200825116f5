#include "views/execution/range_panel.h"

#include <QComboBox>
#include <algorithm>

#include "core/analysis/insights/loss_programs.h"
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

/// Leaves out the rows none of whose steps a loss counts.
RangeTable onlyOf(LossKind loss, RangeTable read, const ProfileView& profile,
                  const std::stop_token& stop) {
    const LossPrograms counted = programsOf(loss, profile, stop);
    std::erase_if(read.table.rows, [&](const Row& row) {
        const auto at = static_cast<std::size_t>(row.id);
        if (row.id < 0 || at >= read.rows.size())
            return true;
        const std::vector<ProgramId>& programs = read.rows[at].programs;
        return programs.empty()
                   ? !counted.syncs
                   : std::none_of(programs.begin(), programs.end(),
                                  [&](ProgramId program) { return counted.counts(program); });
    });
    return read;
}

RangeTable tableOf(const TraceQuestion& question, CycleRange range, RangeGroup by,
                   const std::stop_token& stop) {
    const auto of = [&](const ProfileViewPtr& profile, bool target) {
        RangeTable read = rangeTable(*profile, ipusOf(question, target),
                                     question.axis.cyclesAt(range, target), by, stop);
        return question.loss ? onlyOf(*question.loss, std::move(read), *profile, stop) : read;
    };
    if (onlyTargetRan(question.profiles))
        return of(question.profiles.target, true);
    RangeTable source = of(question.profiles.source, false);
    if (question.hosts.source && !question.profiles.comparing() && !question.loss)
        addHostRows(source, *question.hosts.source->timeline(stop), range, question.compilation);
    if (question.profiles.comparing() && question.profiles.target->info().hasExecution)
        source.table =
            comparedByName("Name", Unit::Cycles, namedValues(source.table, "cycles"),
                           namedValues(of(question.profiles.target, true).table, "cycles"));
    return source;
}

} // namespace

RangePanel::RangePanel(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , query_(context.workers)
    , table_(new TablePanel(context, tr("Filter the range"))) {
    group_ = table_->addChoice(tr("Group by"),
                               {tr("Step"), tr("Operation"), tr("Operation type"), tr("Kind")});
    inColumn(this, {table_}, table_);
    table_->setThings([this](std::int32_t row) { return thingOf(row); });
    connect(group_, &QComboBox::activated, this, &RangePanel::read);
    const auto choose = [this](std::int32_t id) {
        if (const RangeRow row = rowOf(id); !row.programs.empty())
            emit chosen(row, range_);
    };
    connect(table_, &TablePanel::chosen, this, choose);
    // Again after a click: the marks of the first choice may be gone.
    connect(&table_->view(), &QTableView::clicked, this, [this, choose](const QModelIndex& index) {
        choose(table_->model().idAt(index.row()));
    });
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
    query_.start([this, question = question_, range = range_, by,
                  title = title_.toStdString()](const std::stop_token& stop) {
        RangeTable read = tableOf(question, range, by, stop);
        read.table.summary = title;
        return [this, read = std::move(read)]() mutable {
            rows_ = std::move(read.rows);
            table_->setTable(std::move(read.table));
        };
    });
}

RangeRow RangePanel::rowOf(std::int32_t id) const {
    return id >= 0 && static_cast<std::size_t>(id) < rows_.size()
               ? rows_[static_cast<std::size_t>(id)]
               : RangeRow{};
}

Selected RangePanel::thingOf(std::int32_t id) const {
    const RangeRow row = rowOf(id);
    Selected thing;
    if (onlyTargetRan(question_.profiles))
        return thing; // the selection has things of the source
    if (row.programs.size() == 1)
        thing.program = row.programs.front();
    thing.operation = row.operation;
    return thing;
}

} // namespace tilescope::views
