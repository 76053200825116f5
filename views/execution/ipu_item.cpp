#include "views/execution/item_kinds.h"

#include <algorithm>
#include <iterator>

#include "core/analysis/insights/loss_programs.h"
#include "core/base/error.h"
#include "core/trace/range_programs.h"
#include "views/execution/box_tints.h"
#include "views/execution/repeated_lane.h"
#include "views/execution/trace_selection.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::string lastPart(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

TraceRow runRow(const TraceIndex& index) {
    TraceRow row;
    for (const TraceRun& run : index.runs())
        row.boxes.push_back({run.start, run.start + run.cycles, ProgramKind::Sequence,
                             TraceBox::Look::Run, 0, 0, run.name});
    return row;
}

TraceBox boxOf(const TraceSpan& span, const IdVector<ProgramId, Program>& programs) {
    TraceBox box{span.begin,     span.end,   span.kind, TraceBox::Look::Step,
                 span.firstStep, span.steps, {},        span.shares};
    if (span.program.valid())
        box.name = lastPart(programs[span.program].name);
    if (box.name.empty() && !span.merged())
        box.name = std::string(toString(span.kind));
    return box;
}

/// Where steps still overlap, the later goes a row down.
void addFlat(TraceLane& lane, const IdVector<ProgramId, Program>& programs,
             const std::vector<TraceSpan>& spans) {
    std::vector<TraceRow> rows;
    for (const TraceSpan& span : spans) {
        auto row = std::find_if(rows.begin(), rows.end(), [&](const TraceRow& r) {
            return r.boxes.back().end <= span.begin;
        });
        if (row == rows.end())
            row = rows.insert(rows.end(), TraceRow());
        row->boxes.push_back(boxOf(span, programs));
    }
    std::move(rows.begin(), rows.end(), std::back_inserter(lane.rows));
}

void addFlame(TraceLane& lane, const TraceIndex& index,
              const IdVector<ProgramId, Program>& programs, const std::vector<TraceSpan>& spans) {
    const std::vector<FlameSpan> flame = flameRows(index, programs, spans);
    std::vector<std::size_t> boxes; // by row
    for (const FlameSpan& span : flame) {
        boxes.resize(std::max(boxes.size(), static_cast<std::size_t>(span.row) + 1));
        ++boxes[static_cast<std::size_t>(span.row)];
    }
    std::vector<TraceRow> rows(boxes.size());
    for (std::size_t row = 0; row < rows.size(); ++row)
        rows[row].boxes.reserve(boxes[row]);
    for (const FlameSpan& span : flame) {
        const auto row = static_cast<std::size_t>(span.row);
        const auto look = span.leaf ? TraceBox::Look::Step : TraceBox::Look::Group;
        rows[row].boxes.push_back({span.begin, span.end, span.kind, look, span.firstStep,
                                   span.steps, span.name, span.shares});
    }
    // Row 0 has the runs, which are the same in every look.
    if (rows.size() > 1)
        std::move(rows.begin() + 1, rows.end(), std::back_inserter(lane.rows));
}

void dropSyncs(TraceLane& lane) {
    for (TraceRow& row : lane.rows)
        std::erase_if(row.boxes, [](const TraceBox& box) {
            return box.look == TraceBox::Look::Step && box.kind == ProgramKind::Sync;
        });
}

/// Says how much of each box a loss counts. Groups and runs are not steps.
class LossMarks {
public:
    LossMarks(const LossPrograms& loss, const TraceIndex& index, IpuId ipu)
        : loss_(loss)
        , index_(index)
        , ipu_(ipu) {}

    void mark(TraceLane& lane, const std::stop_token& stop) const {
        for (TraceRow& row : lane.rows)
            for (TraceBox& box : row.boxes) {
                if (stop.stop_requested())
                    throw Cancelled();
                box.counted = box.look == TraceBox::Look::Step ? shareOf(box) : 0;
            }
    }

private:
    [[nodiscard]] float shareOf(const TraceBox& box) const {
        if (box.steps == 1)
            return loss_.counts(index_.stepAt(box.firstStep).program) ? 1 : 0;
        constexpr float all = 255;
        float counted = 0;
        for (std::size_t kind = 0; kind < box.shares.size(); ++kind) {
            if (box.shares[kind] > 0 && loss_.partly[kind])
                return shareOfPrograms(box);
            if (loss_.wholly[kind])
                counted += static_cast<float>(box.shares[kind]) / all;
        }
        return std::min(1.0F, counted);
    }
    [[nodiscard]] float shareOfPrograms(const TraceBox& box) const {
        std::int64_t counted = 0;
        std::int64_t all = 0;
        for (const RangeProgram& of : programsIn(index_, ipu_, {box.begin, box.end})) {
            all += of.cycles;
            counted += loss_.counts(of.program) ? of.cycles : 0;
        }
        return all > 0 ? static_cast<float>(counted) / static_cast<float>(all) : 0;
    }

    const LossPrograms& loss_;
    const TraceIndex& index_;
    IpuId ipu_;
};

class IpuItem : public TraceItem {
public:
    IpuItem(const TraceQuestion& question, const AskedIpu& asked)
        : TraceItem(question, ipuLaneKey(asked.ipu, asked.target), asked.name, asked.target)
        , profile_(asked.profile)
        , ipu_(asked.ipu)
        , look_(question.look)
        , runs_(question.runs)
        , syncs_(question.syncs)
        , tints_(question.tints)
        , host_(asked.target ? question.hosts.target : question.hosts.source)
        , loss_(question.loss) {}

    [[nodiscard]] IpuId ipu() const override { return ipu_; }
    [[nodiscard]] TraceLane read(const ItemDetail& detail,
                                 const std::stop_token& stop) const override {
        TraceLane lane = readRuns(detail, stop);
        if (host_ && !host_->repeated().empty())
            addRepeatedRuns(lane, host_->repeated(), detail,
                            [&](const ItemDetail& part) { return readRuns(part, stop); });
        return lane;
    }
    [[nodiscard]] TraceLane readRuns(const ItemDetail& detail, const std::stop_token& stop) const {
        const auto index = profile_->trace(stop);
        const auto programs = profile_->programs(stop);
        microBatchesOf(*profile_, stop); // for the pointer, which must not read the file
        TraceLane lane = empty();
        if (runs_)
            lane.rows.push_back(runRow(*index));
        std::vector<TraceSpan> spans = index->spans(ipu_, detail.range, detail.minimumCycles);
        const std::vector<TraceSpan> streams = takeOverlappingStreams(spans);
        if (look_ == TraceLook::Flame)
            addFlame(lane, *index, *programs, spans);
        else
            addFlat(lane, *programs, spans);
        addFlat(lane, *programs, streams);
        if (!syncs_)
            dropSyncs(lane);
        if (tints_)
            tints_->tint(lane, *profile_, ipu_, stop);
        if (loss_)
            LossMarks(*counted_.get([&] { return programsOf(*loss_, *profile_, stop); }), *index,
                      ipu_)
                .mark(lane, stop);
        return lane;
    }
    [[nodiscard]] QString readOut(const ItemPlace& place,
                                  const ViewContext& context) const override {
        QString text = TraceItem::readOut(place, context);
        if (place.box->ghost)
            text += QLatin1Char('\n') + repeatedText();
        const auto batches = microBatchesOf(*profile_, {});
        if (batches->count() > 0 && step(*place.box) >= 0)
            if (const auto part = batches->partOf(profile_->trace({})->stepAt(step(*place.box))))
                text += QLatin1Char('\n') + microBatchText(*batches, *part);
        return tints_ ? text + tints_->legend({})->readOut(place.box->tint, context.preferences)
                      : text;
    }
    void click(const ItemPlace& place, TraceSelection& selection) const override {
        const TraceBox& box = *place.box;
        if (step(box) >= 0 || box.look == TraceBox::Look::Run)
            return TraceItem::click(place, selection);
        selection.showBox({box.begin, box.end}, box.firstStep, target(), shownName(box.name));
    }
    [[nodiscard]] std::int64_t step(const TraceBox& box) const override {
        return box.look == TraceBox::Look::Step && box.steps == 1 ? box.firstStep : -1;
    }

private:
    ProfileViewPtr profile_;
    IpuId ipu_;
    TraceLook look_;
    bool runs_;
    bool syncs_;
    std::shared_ptr<const BoxTints> tints_;
    std::shared_ptr<const HostOfProfile> host_; ///< null if it is not shown
    std::optional<LossKind> loss_;
    LazyPart<LossPrograms> counted_;
};

} // namespace

void addIpus(TraceItems& items, const TraceQuestion& question, bool target) {
    for (const AskedIpu& asked : askedIpus(question))
        if (asked.target == target && !asked.profile->trace({})->empty())
            items.push_back(std::make_shared<IpuItem>(question, asked));
}

} // namespace tilescope::views
