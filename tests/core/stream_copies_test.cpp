// Stream copies of a long trace from the pages that its file has, against its rows.
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "core/database/database.h"
#include "core/store/profile_writer.h"
#include "core/trace/trace_reader.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/scale_profile.h"
#include "tests/support/test_main.h"

namespace stream_copies_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

/// All that a copy on an IPU is, in the order of the trace.
std::vector<std::vector<std::int64_t>> listed(const Trace& trace) {
    std::vector<std::vector<std::int64_t>> all;
    for (std::size_t body = 0; body < trace.bodies.size(); ++body) {
        const TraceBody& b = trace.bodies[TraceBodyId(body)];
        for (const TraceItem& item : b.items) {
            if (item.step < 0) {
                all.push_back({static_cast<std::int64_t>(body), item.call});
                continue;
            }
            const TraceStep& step = b.steps[static_cast<std::size_t>(item.step)];
            for (const StepOnIpu& on : step.ipus)
                all.push_back({static_cast<std::int64_t>(body),
                               static_cast<std::int64_t>(step.kind), step.program.value(),
                               on.ipu.value(), on.start, on.cycles, on.activeTiles, on.activeCycles,
                               on.bytesIn, on.bytesOut});
        }
    }
    return all;
}

/// A long trace, and a run with enough copies for several pages, the IPUs of each at times of their
/// own.
Profile longProfile() {
    Profile p = scaleProfile({.steps = 400'000, .ipus = 3, .variables = 200, .tilesPerIpu = 8});
    const auto isCopy = [](const TraceStep& step) { return isStreamCopy(step.kind); };
    TraceBody many;
    for (const TraceBody& body : p.trace.bodies)
        if (const auto found = std::find_if(body.steps.begin(), body.steps.end(), isCopy);
            found != body.steps.end())
            many.program = found->program;
    const ProgramId copied = many.program;
    constexpr std::int32_t copies = 3'000;
    for (std::int32_t i = 0; i < copies; ++i) {
        many.items.push_back({i, -1});
        many.steps.push_back({ProgramKind::StreamCopyMid, copied, {}});
        for (std::int32_t ipu = i % 3; ipu < 3; ++ipu)
            many.steps.back().ipus.push_back(
                {IpuId(ipu), std::int64_t{i} * 10 + ipu, 5 + i % 4, 1, 2, 8 * i, i});
    }
    const TraceRun& last = p.trace.runs.back();
    const std::int64_t start = last.start + last.cycles;
    p.trace.runs.push_back(
        {"Engine::run (copies)", p.trace.bodies.add(std::move(many)), start, copies * 10 + 10});
    return p;
}

} // namespace

class StreamCopiesTest : public QObject {
    Q_OBJECT

    const Profile p_ = longProfile();
    QTemporaryDir folder_;
    const std::string file_ = folder_.filePath(QStringLiteral("long.pop")).toStdString();
    std::vector<std::vector<std::int64_t>> fromRows_;

    [[nodiscard]] std::string changed(const std::string& sql) const {
        const QString copy = folder_.filePath(QStringLiteral("changed.pop"));
        QFile::remove(copy);
        QFile::copy(QString::fromStdString(file_), copy);
        if (const auto problem = text(changeProfile(copy.toStdString(), sql)); !problem.isEmpty())
            throw InternalError(problem.toStdString());
        return copy.toStdString();
    }

private slots:
    void initTestCase() {
        writeProfile(p_, file_);
        const auto rows =
            readStreamCopies(changed("DROP TABLE trace_stream_copies; PRAGMA user_version = 15"));
        QVERIFY(rows.has_value());
        fromRows_ = listed(*rows);
        QVERIFY(fromRows_.size() > 6'000);
    }

    void pagesSayWhatRowsSay() {
        const auto pages = readStreamCopies(file_);
        QVERIFY(pages.has_value());
        QVERIFY(listed(*pages) == fromRows_);
    }

    void rowsOfStepsAreNotRead() {
        const auto pages =
            readStreamCopies(changed("DELETE FROM trace_step_ipus; DELETE FROM trace_steps"));
        QVERIFY(pages.has_value());
        QVERIFY(listed(*pages) == fromRows_);
    }

    void tooManyStayUnknown() {
        QVERIFY(!readStreamCopies(changed("UPDATE trace_stream_copies SET copies = 500000")));
    }

    // Only their number is written, as no more is read.
    void pagesOfTooManyAreEmpty() {
        const auto pagesOf = [](std::int64_t copies) {
            Trace trace;
            TraceBody body;
            body.steps.push_back({ProgramKind::StreamCopyMid, ProgramId(0), {{IpuId(0), 1, 2}}});
            body.items.assign(static_cast<std::size_t>(copies), {0, -1});
            trace.bodies.add(std::move(body));
            const Database db(DatabaseOrigin{.file = ":memory:"}, Database::Mode::Create);
            db.execute("CREATE TABLE trace_stream_copies(body, page, copies, steps)");
            writeStreamCopies(db, trace);
            return std::pair(db.integer("SELECT sum(copies) FROM trace_stream_copies"),
                             db.integer("SELECT min(length(steps) > 0) + max(length(steps) > 0) "
                                        "FROM trace_stream_copies"));
        };
        QCOMPARE(pagesOf(mostStreamCopies), std::pair(mostStreamCopies, std::int64_t{2}));
        QCOMPARE(pagesOf(mostStreamCopies + 1), std::pair(mostStreamCopies + 1, std::int64_t{0}));
    }

    void damagedPagesAreUserErrors_data() {
        QTest::addColumn<QString>("sql");
        // position, kind, program, IPUs; the IPU, start, cycles and four amounts
        const auto page = [](const char* name, const char* set) {
            QTest::newRow(name)
                << QStringLiteral("UPDATE trace_stream_copies SET %1").arg(QString::fromUtf8(set));
        };
        page("ends in a number", "steps = x'ff'");
        page("ends in a copy", "steps = x'000700010000000000'");
        page("a kind that is no copy", "copies = 1, steps = x'0004000100000000000000'");
        page("a kind that there is not", "copies = 1, steps = x'007f000100000000000000'");
        page("a program that there is not", "copies = 1, steps = x'0007feffff0f0100000000000000'");
        page("a program below none", "copies = 1, steps = x'0007090100000000000000'");
        page("IPUs that do not fit", "copies = 1, steps = x'000700ff7f00000000000000'");
        page("fewer copies than it says", "copies = copies + 1");
        page("more copies than it says", "copies = copies - 1");
        page("copies below none", "copies = -1");
        page("more copies than a page has", "copies = 1025");
        page("another body", "body = body + 1000000");
    }
    void damagedPagesAreUserErrors() {
        QFETCH(QString, sql);
        const std::string file = changed(sql.toStdString());
        QVERIFY(userError([&] { (void)readStreamCopies(file); }).contains("damaged profile"));
    }
};

TILESCOPE_TEST(StreamCopiesTest)

} // namespace stream_copies_test

#include "stream_copies_test.moc"
