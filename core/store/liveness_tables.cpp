// When each variable is live, and how many bytes are live at each step.
#include <algorithm>
#include <utility>

#include "core/profile/liveness_curve.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr auto stepTable = storedTable<ProgramId>({"liveness_steps"}, [](auto& to, auto& id) {
    to(rowNumber("step"), field("program", id, required), given("not_always_live"));
});

void writeLiveness(const Profile& profile, const Database& db) {
    IntegerRows<3> interval(db, "liveness_intervals");
    std::int64_t classId = 0;
    for (const LivenessClass& c : profile.livenessClasses) {
        for (const StepInterval& i : c.intervals)
            interval({classId, i.first.value(), i.end.value()});
        ++classId;
    }
    const LivenessCurve live = livenessCurveOf(profile);
    IntegerRows<3> row(db, stepTable.name);
    IntegerRows<3> byIpu(db, "liveness_by_ipu");
    for (std::size_t step = 0; step < profile.steps.size(); ++step) {
        const auto id = static_cast<std::int64_t>(step);
        for (std::size_t ipu = 0; ipu < live.byIpu.size(); ++ipu)
            if (live.byIpu[ipu][step] != 0)
                byIpu({id, static_cast<std::int64_t>(ipu), live.byIpu[ipu][step]});
        row({id, profile.steps[StepId(step)].value(), live.notAlwaysLive[step]});
    }
    for (IntegerRows<3>* rows : {&interval, &row, &byIpu})
        rows->finish();
}

IdVector<LivenessClassId, LivenessClass> readClasses(const ProfileReader::Impl& file) {
    IdVector<LivenessClassId, LivenessClass> classes;
    // Classes without an interval are not in the file, but each has a variable.
    const std::int64_t most = file.db.integer("SELECT count(*) FROM liveness_intervals") +
                              file.db.integer("SELECT count(*) FROM variables");
    const References<LivenessClassId> classAt(most);
    Statement row = file.db.prepare("SELECT liveness_class, first_step, end_step "
                                    "FROM liveness_intervals ORDER BY 1, 2");
    while (row.step()) {
        const LivenessClassId last = classAt.required(row, 0);
        while (classes.size() <= last.index())
            classes.add({});
        classes.back().intervals.push_back({idAt<StepId>(row, 1), idAt<StepId>(row, 2)});
    }
    const std::int64_t used =
        file.db.integer("SELECT coalesce(max(liveness_class), -1) FROM variables");
    if (used >= most)
        throw DamagedProfile("a variable has a liveness class that does not exist");
    while (static_cast<std::int64_t>(classes.size()) <= used)
        classes.add({});
    return classes;
}

} // namespace

std::vector<std::int64_t> ProfileReader::notAlwaysLive() const {
    std::vector<std::int64_t> bytes;
    Statement row = impl_->db.prepare("SELECT not_always_live FROM liveness_steps ORDER BY step");
    while (row.step())
        bytes.push_back(amountAt(row, 0));
    return bytes;
}

LivenessCurve ProfileReader::livenessCurve() const {
    LivenessCurve curve{notAlwaysLive(), {}};
    curve.byIpu.assign(static_cast<std::size_t>(info().target.ipus),
                       StepBytes(curve.notAlwaysLive.size()));
    Statement ipu = impl_->db.prepare(
        "SELECT ipu, step, not_always_live FROM liveness_by_ipu ORDER BY step, ipu");
    for (std::int64_t last = 0; ipu.step();) {
        const std::int64_t step = ipu.integer(1);
        (void)element(curve.notAlwaysLive, step); // there is one
        if (step < std::exchange(last, step))     // SQLite sorts what is no number to the end
            throw DamagedProfile("a step of the bytes of each IPU is not a number");
        element(curve.byIpu, ipu.integer(0)).set(static_cast<std::size_t>(step), amountAt(ipu, 2));
    }
    return curve;
}

TableGroup livenessTables() {
    return {1,
            tablesSql(R"sql(
-- Variables of one class are live over the same steps [first_step, end_step).
CREATE TABLE liveness_intervals(liveness_class INTEGER, first_step INTEGER, end_step INTEGER,
    PRIMARY KEY(liveness_class, first_step)) WITHOUT ROWID;

-- Liveness order: leaves of the program tree, depth first; those of a function at each of its calls,
-- but once, after all others, if slots of a pipeline call it. not_always_live: over all tiles.
CREATE TABLE liveness_steps{};
-- The same bytes of each IPU, where there are any.
CREATE TABLE liveness_by_ipu(step INTEGER, ipu INTEGER, not_always_live INTEGER,
    PRIMARY KEY(step, ipu)) WITHOUT ROWID;
)sql",
                      stepTable),
            {{partKey<&Profile::livenessClasses>(), writeLiveness,
              [](const ProfileReader::Impl& file, Profile& profile) {
                  profile.livenessClasses = readClasses(file);
              }},
             part<&Profile::steps>(stepTable, nullptr)}};
}

} // namespace tilescope
