// The list of losses among the insights, and the dialog that tries their suggestions.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QtTest>

#include "app/gui/run/try_all_dialog.h"
#include "core/base/error.h"
#include "core/sweep/trials.h"
#include "tests/support/sample_pipeline.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/insights/losses_panel.h"
#include "views/tables/table_panel.h"
#include "views/theme/style.h"
#include "views/widgets/report_view.h"

namespace losses_panel_test {
using namespace tilescope;
using namespace tilescope::gui;
using views::LossesPanel;

namespace {

const QByteArray oneTrial =
    R"({"trials": [{"change": "--batch-size 8", "option": "batchSize", "value": "8",
        "predicted": 0.2, "gained": -0.1, "verdict": "wrong", "throughput": 90.0,
        "maxTileIncludingGaps": 1000, "message": null, "profile": "/trial.pop"}]})";

} // namespace

class LossesPanelTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;

    void open(const QStringList& files) {
        window_ = test::shownWindow({1280, 720});
        test::openProfiles(*window_, files);
        window_->showReport(Report::Insights);
        test::waitUntilIdle(*window_);
    }
    [[nodiscard]] QList<LossesPanel*> panels() const {
        return window_->view(Report::Insights).findChildren<LossesPanel*>();
    }
    static QStringList texts(const LossesPanel& panel) {
        QStringList all;
        for (const QLabel* label : panel.findChildren<QLabel*>())
            all << test::labelText(*label);
        return all;
    }
    [[nodiscard]] QString script(const QByteArray& text) const {
        QFile file(folder_.filePath(QStringLiteral("tilescope-%1").arg(qHash(text))));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write %s", qPrintable(file.fileName()));
        file.write("#!/bin/sh\n" + text + "\n");
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return file.fileName();
    }

private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName("tilescope-tests");
        QCoreApplication::setApplicationName("losses");
        QApplication::setStyle(new views::WindowStyle);
    }
    void init() { QSettings().clear(); }
    void cleanup() { window_.reset(); }
    void cleanupTestCase() { QSettings().clear(); }

    void listsLossesWithTheirShares() {
        open({files_.writeProfile("pipeline.pop", test::samplePipelineRun())});
        QCOMPARE(panels().size(), 1);
        const QStringList shown = texts(*panels().front());
        QVERIFY2(shown.contains("Imbalance of stages"), qPrintable(shown.join("|")));
        QVERIFY2(shown.contains("Mean over the IPUs"), qPrintable(shown.join("|")));
    }

    void eachOfTwoProfilesHasItsOwn() {
        open({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        QCOMPARE(panels().size(), 2);
    }

    void saysWhatIsMissing() {
        open({files_.write("large.pop", {.tooLarge = true})});
        const QStringList shown = texts(*panels().front());
        QVERIFY2(shown.contains("Memory over the limit") && shown.contains("Missing"),
                 qPrintable(shown.join("|")));
        QVERIFY2(!shown.contains("Of the run"), qPrintable(shown.join("|")));
    }

    void aPlaceLeadsToItsReport() {
        open({files_.write("a.pop", {.withCopy = true})});
        for (QPushButton* button : panels().front()->findChildren<QPushButton*>())
            if (button->isFlat() && button->text() == "conv1") {
                button->click();
                test::waitUntilIdle(*window_);
                QVERIFY(window_->view(Report::Operations).isVisible());
                return;
            }
        QFAIL("no row leads to conv1");
    }

    void smallLossesAreFoldedUntilAsked() {
        const auto loss = [](LossKind kind, std::int64_t cycles) {
            Loss one;
            one.kind = kind;
            one.cycles = cycles;
            one.share = static_cast<double>(cycles) / 3000;
            return one;
        };
        std::vector<Loss> losses(3, loss(LossKind::Host, 900));
        for (const LossKind kind : {LossKind::Sync, LossKind::Idle, LossKind::Exchange})
            losses.push_back(loss(kind, 3));
        open({files_.write("a.pop")});
        LossesPanel own(window_->context(), "x", losses, nullptr, true);
        own.show();
        QVERIFY(own.foldsSmall());
        const auto isShown = [&](const QString& text) {
            for (const QLabel* label : own.findChildren<QLabel*>())
                if (test::labelText(*label) == text)
                    return label->isVisible();
            return false;
        };
        QVERIFY(!isShown("Sync"));
        own.findChild<QToolButton*>()->click();
        QVERIFY(isShown("Sync") && isShown("Idle"));
    }

    // Long names and flags give way before a small screen has to be scrolled sideways.
    void longRowsFitASmallScreen() {
        Loss loss;
        loss.kind = LossKind::GlobalExchange;
        loss.cycles = 2'535'145'962;
        loss.share = 0.9;
        loss.place = "encoder/layer10/attention/self/output/MatMulLhsGrad/reduce/stage";
        loss.remedies = {{"availableMemoryProportionByOperation", Advice::Direction::Set,
                          "encoder/layer10/attention=0.4", "", "moves less", 1'000'000}};
        const QString file = files_.write("a.pop");
        open({file});
        LossesPanel own(window_->context(), "x", {loss}, test::openSample(file), true);
        constexpr int room = 1000; // beside the list of reports, 1280 pixels wide
        QVERIFY2(own.minimumSizeHint().width() <= room,
                 qPrintable(QString::number(own.minimumSizeHint().width())));
        own.resize(room, 200);
        own.show();
        QVERIFY(QTest::qWaitForWindowExposed(&own));
        bool shortened = false;
        for (QPushButton* button : own.findChildren<QPushButton*>()) {
            QVERIFY(button->width() >= button->fontMetrics().horizontalAdvance(button->text()));
            shortened = shortened || button->text().contains(QChar(0x2026));
        }
        QVERIFY(shortened);
    }

    void usualCyclesTakeOneLine() {
        Loss loss;
        loss.kind = LossKind::Host;
        loss.cycles = 3'834'300;
        loss.share = 0.4;
        loss.place = "layer2/attention/h2d_input";
        loss.remedies = {{"gradientAccumulation", Advice::Direction::Set, "32", "", "", 1'000}};
        const QString file = files_.write("a.pop");
        open({file});
        LossesPanel own(window_->context(), "x", {loss}, test::openSample(file), true);
        constexpr int room = 1060; // beside the list of reports, 1280 pixels wide
        own.resize(room, 200);
        own.show();
        QVERIFY(QTest::qWaitForWindowExposed(&own));
        for (const QLabel* label : own.findChildren<QLabel*>())
            if (test::labelText(*label).startsWith("3,834,300")) {
                QVERIFY(label->width() >= label->fontMetrics().horizontalAdvance(label->text()));
                return;
            }
        QFAIL("the cycles are not shown");
    }

    // What is not known to have been run cannot be run again.
    void importedProfilesHaveNoColumnOfTrials() {
        Profile profile = test::sampleProfile();
        open({files_.writeProfile("known.pop", profile)});
        const QString wanted = QStringLiteral("To try");
        const auto hasColumn = [&] {
            for (const QString& text : texts(*panels().front()))
                if (text.startsWith(wanted))
                    return true;
            return false;
        };
        QVERIFY(hasColumn());
        profile.info.options.clear();
        profile.info.coverage.rows = {{ProfilePart::Options, Covered::None, "not in the file"}};
        open({files_.writeProfile("imported.pop", profile)});
        QVERIFY(!hasColumn());
    }

    // Gains have no columns where nothing ran, and the best can be compared at once.
    void whatFitsIsToldWithAllThatDo() {
        open({files_.write("a.pop")});
        const auto row = [](const char* change) {
            return QJsonObject{{"change", change},
                               {"option", "x"},
                               {"value", "1"},
                               {"predicted", QJsonValue()},
                               {"gained", QJsonValue()},
                               {"verdict", "fits"},
                               {"throughput", 90.0},
                               {"maxTileIncludingGaps", 1000},
                               {"message", QJsonValue()},
                               {"profile", "/trial.pop"}};
        };
        const QByteArray trials =
            QJsonDocument(
                QJsonObject{{"trials", QJsonArray{row("--precision half"), row("--batch-size 8")}}})
                .toJson(QJsonDocument::Compact);
        TryAllDialog dialog(window_->context(), script("cat <<'X'\n" + trials + "\nX"),
                            "/before.pop");
        dialog.show();
        QSignalSpy ended(&dialog, &TryAllDialog::ended);
        dialog.start(folder_.filePath("trials"));
        QTRY_COMPARE(ended.count(), 1);
        QStringList labels;
        for (const QLabel* label : dialog.findChildren<QLabel*>())
            labels << test::labelText(*label);
        QVERIFY2(labels.contains("It fits with each of 2 suggestions; fastest with "
                                 "--precision half."),
                 qPrintable(labels.join("|")));
        const views::TableModel& model = dialog.table().model();
        QStringList titles;
        for (int column = 0; column < model.columnCount(); ++column)
            titles << model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        QVERIFY2(!titles.contains("Predicted gain") && !titles.contains("Message") &&
                     titles.contains("Fullest tile"),
                 qPrintable(titles.join("|")));
        QCOMPARE(dialog.table().chosenIds(), std::vector<std::int32_t>{0});
        for (QPushButton* button : dialog.findChildren<QPushButton*>())
            if (button->text() == "Compare")
                QVERIFY(button->isEnabled());
    }

    void showsAWrongPredictionAsWrong() {
        open({files_.write("a.pop")});
        TryAllDialog dialog(
            window_->context(),
            script("echo 'progress: 50 % 1 of 2 suggestions' >&2; cat <<'X'\n" + oneTrial + "\nX"),
            "/before.pop");
        dialog.show();
        QSignalSpy ended(&dialog, &TryAllDialog::ended);
        QSignalSpy wanted(&dialog, &TryAllDialog::comparisonWanted);
        dialog.start(folder_.filePath("trials"));
        QTRY_COMPARE(ended.count(), 1);
        const views::TableModel& model = dialog.table().model();
        QStringList row;
        for (int column = 0; column < model.columnCount(); ++column)
            row << model.index(0, column).data().toString();
        QVERIFY2(row.contains("wrong: no gain") && row.contains("--batch-size 8"),
                 qPrintable(row.join("|")));
        emit dialog.table().activated(0);
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.front().front().toStringList(), (QStringList{"/before.pop", "/trial.pop"}));
    }

    void saysWhyTrialsFailed_data() {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<QString>("says");
        QTest::newRow("its error")
            << QByteArray("echo 'tilescope: error: no such model' >&2; exit 2") << "no such model";
        QTest::newRow("nothing") << QByteArray("exit 0") << "no table";
        QTest::newRow("nonsense") << QByteArray("echo '{\"trials\": 3}'") << "no table";
    }
    void saysWhyTrialsFailed() {
        QFETCH(QByteArray, program);
        QFETCH(QString, says);
        open({files_.write("a.pop")});
        TryAllDialog dialog(window_->context(), script(program), "/before.pop");
        dialog.show();
        QSignalSpy ended(&dialog, &TryAllDialog::ended);
        dialog.start(folder_.filePath("trials"));
        QTRY_COMPARE(ended.count(), 1);
        QStringList shown;
        for (const QLabel* label : dialog.findChildren<QLabel*>())
            shown << label->text();
        QVERIFY2(shown.join("|").contains(says), qPrintable(shown.join("|")));
    }

    void endsWithTheDialog() {
        open({files_.write("a.pop")});
        TryAllDialog dialog(window_->context(), script("sleep 1000"), "/before.pop");
        dialog.show();
        dialog.start(folder_.filePath("trials"));
        dialog.close();
        QVERIFY(!dialog.isVisible());
    }

    void readsATableFromJson() {
        const Table table = tableFromJson(trialsTable({}), oneTrial.toStdString());
        QCOMPARE(table.rows.size(), std::size_t(1));
        QCOMPARE(std::get<double>(table.rows[0].cells[table.columnOf("gained")]), -0.1);
        QVERIFY_EXCEPTION_THROWN(tableFromJson(trialsTable({}), "[]"), UserError);
    }
};

} // namespace losses_panel_test

TILESCOPE_TEST(losses_panel_test::LossesPanelTest, QApplication)
#include "losses_panel_test.moc"
