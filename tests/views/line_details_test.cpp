// What the details of a line say beside its figures.
#include <QtTest>
#include <map>

#include "core/analysis/insights/insights.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_source.h"
#include "tests/support/test_main.h"
#include "tests/views/report_alone.h"
#include "tests/views/shown_window.h"
#include "views/operations/operations_view.h"

namespace line_details_test {
using namespace tilescope;
using namespace tilescope::views;

class LineDetailsTest : public test::ReportAlone {
    Q_OBJECT

    const Profile profile_ = test::sampleWithLines("a\nb\nc\nd\n", 4);

    static QStringList remarksOf(const ValueTree& tree) {
        QStringList remarks;
        for (const ValueNode& node : tree.roots)
            if (node.name == "What insights say")
                for (const ValueNode& remark : node.children)
                    remarks << test::text(std::get<std::string>(remark.values.at(0)));
        return remarks;
    }

private slots:
    void init() { newContext(); }

    // Each insight is at the line of the operation that it leads to, and lines without have none.
    void insightsAreAtTheirLines() {
        const auto made = ProfileView::of(profile_);
        const SourceNames names(*made);
        std::map<std::string, QStringList> wanted;
        for (const Insight& insight : findInsights(*made))
            if (const OperationId about = insight.link.things.operation; about.valid())
                wanted[names.name(names.frameOf(about), SourceGrain::Line)]
                    << test::text(insight.title);
        QVERIFY(!wanted.empty());
        const ProfilePair pair(made);
        for (const CostLayer layer : {CostLayer::Line, CostLayer::Place}) {
            const OperationsReport report = readOperations(pair, GroupChoice{layer}, {});
            int found = 0;
            int without = 0;
            for (std::size_t row = 0; row < report.source.rows.size(); ++row) {
                const QStringList remarks = remarksOf(
                    groupDetails(pair, report, row, context_->theme.current(), {}).summary);
                without += remarks.isEmpty();
                if (layer == CostLayer::Line)
                    for (const QString& title : wanted[report.source.rows[row].path]) {
                        QVERIFY2(remarks.contains(title), qPrintable(title));
                        ++found;
                    }
            }
            QCOMPARE(found > 0, layer == CostLayer::Line);
            QVERIFY(without > 0);
            if (layer == CostLayer::Place)
                QCOMPARE(without, static_cast<int>(report.source.rows.size()));
        }
    }

    void theyAreShownWithTheLine() {
        const auto view = show<OperationsView>({files_.writeProfile("lines.pop", profile_)});
        QTest::mouseClick(&test::button(*view, "Source"), Qt::LeftButton);
        settle();
        QTest::keyClick(&view->code().code(), Qt::Key_F8);
        settle();
        const auto* tree = view->tabs().findChild<ValueTreeView*>();
        QVERIFY(tree != nullptr && tree->isVisible());
        const QAbstractItemModel& model = *tree->model();
        QStringList below;
        for (int row = 0; row < model.rowCount(); ++row)
            if (const QModelIndex at = model.index(row, 0); at.data() == "What insights say") {
                QCOMPARE(model.index(row, 1).data().toString(), QString());
                for (int i = 0; i < model.rowCount(at); ++i)
                    below << model.index(i, 1, at).data().toString();
            }
        QVERIFY(!below.isEmpty());
    }
};

TILESCOPE_TEST(LineDetailsTest, QApplication)

} // namespace line_details_test

#include "line_details_test.moc"
