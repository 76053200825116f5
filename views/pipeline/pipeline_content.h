// What the pipeline report shows, made on a worker thread.
#pragma once

#include <stop_token>

#include "core/analysis/execution/pipeline.h"
#include "core/view/profile_view.h"
#include "views/pipeline/slot_layout.h"
#include "views/tables/cell_text.h"
#include "views/widgets/fact_card.h"

namespace tilescope::views {

/// The pipeline of one profile.
struct PipelineSide {
    PipelineReport report;
    QString title;
    double clockHz = 0;
    std::int64_t stepCycles = 0; ///< of all iterations; 0 without execution
};
/// Adds their folders or files to the titles of two runs of one model.
void tellApart(PipelineSide& source, PipelineSide& target, const ProfileView& sourceProfile,
               const ProfileView& targetProfile);
PipelineSide readPipeline(const ProfileView& profile, const std::stop_token& stop);

/// A line for each stage; with a target its values and the differences are beside the source's.
/// A row's id is the stage.
Table stageTable(const PipelineSide& source, const PipelineSide* target);

/// Schedule, counts and cycles for a card.
std::vector<Card::Fact> pipelineFacts(const PipelineSide& source, const PipelineSide* target,
                                      const Preferences& preferences);

/// Describes in sentences what a better split would gain; says so if there is none.
QString splitText(const PipelineSide& side, const Preferences& preferences);
/// The better split as a value of its option; empty if there is none.
QString splitValue(const PipelineReport& report);
/// The option of `tilescope run` that makes the better split, ready for a shell; empty if none.
QString splitOption(const PipelineReport& report);

/// A piece of the slot diagram in words, several lines.
QString pieceText(const PipelineSide& side, const SlotLayout& layout, const SlotPiece& piece,
                  const Preferences& preferences);

/// "Micro-batch 3 of 10".
QString microBatchText(const PipelineReport& report, std::int64_t number);
/// "Forward", "Computed again", ...
QString workName(SlotWork work);
/// "Ramp-up", "Main", "Ramp-down" or "Weight update".
QString groupName(const SlotGroup& group);

} // namespace tilescope::views
