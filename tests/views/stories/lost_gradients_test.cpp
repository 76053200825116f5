// A training in half whose gradients are too small for it: named, seen, scaled, compared.
#include <QCheckBox>

#include "tests/support/test_main.h"
#include "tests/views/stories/story.h"
#include "views/compare/compare_view.h"
#include "views/tables/table_panel.h"
#include "views/values/values_view.h"

namespace lost_gradients_test {
using namespace tilescope;
using namespace tilescope::views;
using gui::Report;
using test::Story;

class LostGradientsStory : public QObject {
    Q_OBJECT

    static gui::OptionEditor& option(Story& story, const char* key) {
        return *test::child<gui::OptionForm>(story.dialog()).editor(key);
    }
    // The mean share of a tensor's elements below the least half that has all bits.
    static double belowHalf(HeatPlot& plot) {
        const HeatSide& side = plot.cells().side();
        double sum = 0;
        for (const HeatRow& row : side.rows)
            if (row.to <= half_range::leastNormal)
                for (const double share : row.values)
                    sum += std::isnan(share) ? 0 : share;
        return sum / static_cast<double>(std::max<std::size_t>(1, side.iterations.size()));
    }

private slots:
    void lossScalingBringsGradientsBack() {
        Story story;
        gui::MainWindow& window = story.window();
        Story::press(*Story::find<QPushButton>(window, "Run a model\u2026"));
        Story::type(*Story::named<QLineEdit>(story.dialog(), "Model"),
                    Story::job("tutorial_half.json"));
        const auto search = [&story](const char* text) {
            Story::type(*Story::named<QLineEdit>(story.dialog(), "Search options"), text);
        };
        search("--compute");
        static_cast<QCheckBox&>(option(story, "compute").editor()).click();
        search("--data");
        Story::type(static_cast<QLineEdit&>(option(story, "data").editor()),
                    TILESCOPE_SOURCE_DIR "/tests/data/mnist");
        search("--epochs");
        Story::type(static_cast<QLineEdit&>(option(story, "epochs").editor()), "2");
        story.run("half");

        // Insights names it alone, with what to set.
        story.openReport(Report::Insights);
        QWidget& card =
            Story::cardWith(window.view(Report::Insights), "of the gradients underflow in half");
        for (const char* text : {"loss scaling in force", "largest gradient"})
            Story::verifyReads(card, text);
        Story::press(*Story::find<QPushButton>(card, "Show in Values"));
        story.waitUntilIdle();

        // Values: the gradient that loses most, below the least half.
        auto& values = story.view<ValuesView>(Report::Values);
        QVERIFY(values.isVisible());
        const ValueTensor& shown = values.content().tensorOf(values.shownPair());
        QVERIFY(shown.kind == ValueKind::Gradient);
        QVERIFY(shown.type == "half");
        const QString gradient = QString::fromStdString(shown.name);
        const double lost = belowHalf(values.heat().plot());
        QVERIFY2(lost > 0.3, qPrintable(QString::number(lost)));
        story.picture("values");

        // The scale that the card names.
        story.openReport(Report::Insights);
        QPushButton* again = nullptr;
        for (auto* button : card.findChildren<QPushButton*>())
            if (button->text().startsWith("--loss-scaling "))
                again = button;
        QVERIFY(again != nullptr);
        Story::press(*again);
        QVERIFY(std::stod(option(story, "lossScaling").value()) > 1);
        story.run("scaled");

        // Compared: the gradients are there.
        QVERIFY(story.view<CompareView>(Report::Compare).isVisible());
        story.openReport(Report::Values);
        const ValuesContent& both = values.content();
        QVERIFY(both.comparing());
        test::choose(values, "Kind", "Gradient");
        QTableView& table = values.tensors().view();
        Story::clickRow(table, Story::rowWith(table, gradient));
        story.waitUntilIdle();
        QCOMPARE(belowHalf(values.heat().plot()), lost);
        QVERIFY(belowHalf(values.heat().plot(true)) < lost / 2);
        // AdamW compensates for the loss: both learn the same.
        QCOMPARE(both.source->curve.size(), both.target->curve.size());
        QVERIFY(both.target->epochs.back().loss < 1.02 * both.source->epochs.back().loss);
        story.picture("values-two-runs");
    }
};

TILESCOPE_TEST(LostGradientsStory, QApplication)

} // namespace lost_gradients_test

#include "lost_gradients_test.moc"
