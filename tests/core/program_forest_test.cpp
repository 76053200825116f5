// Programs that run themselves are refused where programs are read, as who follows calls would not
// end and take all memory.
#include <QTest>
#include <algorithm>

#include "core/view/profile_view.h"
#include "tests/core/sample_copies.h"
#include "tests/support/test_main.h"

namespace program_forest_test {
using namespace tilescope;
using namespace tilescope::test;

class ProgramForestTest : public QObject, SampleCopies {
    Q_OBJECT

    static QString readError(const std::filesystem::path& file) {
        return userError([&] {
            const ProfileView view(file);
            (void)view.programs();
        });
    }

private slots:
    void callsOfOthersAreRead() {
        const ProfileView view(copy("sound.pop"));
        const auto& programs = *view.programs();
        QVERIFY(std::any_of(programs.begin(), programs.end(), [](const Program& program) {
            return program.kind == ProgramKind::Call;
        }));
    }

    void callsInACircle() {
        const auto bad = copy("bad.pop");
        execute(bad, "UPDATE programs SET target = (WITH RECURSIVE up(id, parent) AS ("
                     "SELECT id, parent FROM programs WHERE kind = 'Call' UNION ALL "
                     "SELECT p.id, p.parent FROM programs p JOIN up ON p.id = up.parent) "
                     "SELECT id FROM up WHERE parent IS NULL LIMIT 1) WHERE kind = 'Call'");
        QVERIFY2(readError(bad).contains("runs itself"), qPrintable(readError(bad)));
    }
};

TILESCOPE_TEST(ProgramForestTest)

} // namespace program_forest_test

#include "program_forest_test.moc"
