#include "core/analysis/insights/largest_parts.h"

#include <QTest>
#include <algorithm>

#include "core/analysis/liveness/liveness.h"
#include "core/base/error.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace largest_parts_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

std::vector<SizedPart> largest(const Profile& profile, PartKind kind,
                               const TileSelection& selection) {
    return largestParts(*ProfileView::of(profile), kind, selection);
}

std::int64_t total(const std::vector<SizedPart>& parts) {
    std::int64_t sum = 0;
    for (const SizedPart& part : parts)
        sum += part.bytes;
    return sum;
}

} // namespace

class LargestPartsTest : public QObject {
    Q_OBJECT

private slots:
    void aTileHasItsOwn() {
        const Profile p = sampleProfile();
        const auto parts = largest(p, PartKind::PeakVariable, TileSelection::ofTile(TileId(0)));
        QCOMPARE(text(parts.front().name), "layer1/conv/partials");
        QCOMPARE(parts.front().bytes, sample::partialsBytes);
        QCOMPARE(text(parts.front().link.report), "liveness");
        QCOMPARE(parts.front().link.things.tile().value(), 0);
        QVERIFY(parts.front().link.things.step.valid());
        // Convolution weights are on the first 64 tiles only.
        const auto named = [&](std::int32_t tile) {
            const auto always =
                largest(p, PartKind::AlwaysLiveVariable, TileSelection::ofTile(TileId(tile)));
            return std::any_of(always.begin(), always.end(), [](const SizedPart& part) {
                return part.bytes == sample::conv1WeightBytes;
            });
        };
        QVERIFY(named(0));
        QVERIFY(!named(1471));
    }

    void theIpusAddUpToTheModel() {
        const Profile p = sampleProfile({.ipus = 2});
        for (const PartKind kind : allPartKinds) {
            if (kind == PartKind::PeakVariable)
                continue; // each IPU has its own peak
            QCOMPARE(total(largest(p, kind, TileSelection::ofIpu(IpuId(0)))) +
                         total(largest(p, kind, TileSelection::ofIpu(IpuId(1)))),
                     total(largest(p, kind, TileSelection::all())));
        }
    }

    void thePeakIsThatOfTheSelection() {
        const Profile p = sampleProfile();
        for (const TileSelection& selection : {TileSelection::all(), TileSelection::ofIpu(IpuId(0)),
                                               TileSelection::ofTile(TileId(9))}) {
            const LivenessSeries liveness = livenessOf(
                p.info.target, p.variables, p.livenessClasses, p.steps.size(), selection);
            QCOMPARE(total(largest(p, PartKind::PeakVariable, selection)),
                     liveness.maxNotAlwaysLive());
        }
    }

    void largestComeFirstAndNothingIsEmpty() {
        const Profile p = sampleProfile();
        for (const PartKind kind : allPartKinds) {
            const auto parts = largest(p, kind, TileSelection::all());
            QVERIFY2(!parts.empty(), toString(kind).data());
            for (std::size_t i = 0; i < parts.size(); ++i) {
                QVERIFY(parts[i].bytes > 0);
                QVERIFY(i == 0 || parts[i].bytes <= parts[i - 1].bytes);
            }
        }
    }

    void aTileThatDoesNotExistIsRefused() {
        const Profile p = sampleProfile();
        QVERIFY_EXCEPTION_THROWN(
            largest(p, PartKind::VertexCode, TileSelection::ofTile(TileId(999999))), UserError);
    }
};

TILESCOPE_TEST(LargestPartsTest)

} // namespace largest_parts_test

#include "largest_parts_test.moc"
