// The summary's blocks: collapsible, kept, and with differences marked.
#include <QLabel>
#include <QSettings>
#include <QToolButton>
#include <QtTest>

#include "app/gui/window/main_window.h"
#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"
#include "tests/views/sample_files.h"
#include "views/summary/summary_view.h"
#include "views/theme/style.h"

namespace summary_test {
using namespace tilescope;
using namespace tilescope::gui;
using views::Card;
using views::SummaryView;

class SummaryTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    SummaryView& openView(const QStringList& files, Memory memory = Memory::None) {
        window_ = std::make_unique<MainWindow>(memory);
        window_->resize(1300, 900);
        window_->show();
        return test::openView<SummaryView>(*window_, files, Report::Summary);
    }
    static QLabel* labelOf(const Card& card, const QString& text) {
        for (QLabel* label : card.findChildren<QLabel*>())
            if (label->text() == text)
                return label;
        return nullptr;
    }

private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName("tilescope-tests");
        QCoreApplication::setApplicationName("summary");
        QApplication::setStyle(new views::WindowStyle);
    }
    void init() { QSettings().clear(); }
    void cleanup() { window_.reset(); }
    void cleanupTestCase() { QSettings().clear(); }

    void headingsHideTheirBlock() {
        SummaryView& view = openView({files_.write("a.pop")});
        Card* model = view.block("model");
        QVERIFY(model != nullptr && !model->collapsed());
        auto* heading = model->findChild<QToolButton*>("cardHeading");
        QVERIFY(heading != nullptr);
        const int before = model->sizeHint().height();
        QTest::mouseClick(heading, Qt::LeftButton);
        QVERIFY(model->collapsed());
        QVERIFY(model->sizeHint().height() < before);
        QCOMPARE(view.collapsed(), QStringList("model"));
        QTest::keyClick(heading, Qt::Key_Space);
        QVERIFY(!model->collapsed());
        QVERIFY(QSettings().allKeys().isEmpty()); // this window leaves no traces
    }

    void theStateIsKept() {
        const QString file = files_.write("a.pop");
        openView({file}, Memory::Persistent).block("options")->setCollapsed(true);
        window_.reset();
        QVERIFY(openView({file}, Memory::Persistent).block("options")->collapsed());
        QVERIFY(
            !static_cast<SummaryView&>(window_->view(Report::Summary)).block("files")->collapsed());
    }

    void differencesStandOut() {
        Profile other = test::sampleProfile();
        other.info.batchSize = 77;
        SummaryView& view = openView({files_.write("a.pop"), files_.writeProfile("b.pop", other)});
        const QLabel* batch = labelOf(*view.block("model"), "77");
        QVERIFY(batch != nullptr && batch->font().bold());
        for (const QLabel* label : view.block("machine")->findChildren<QLabel*>())
            QVERIFY(!label->font().bold());
    }

    void theFullestTileIsRedWhereItHasTooMuch() {
        const auto& figures = *openView({files_.write("a.pop")}).block("figures");
        const auto red = [](const QWidget& block) {
            for (const QLabel* label : block.findChildren<QLabel*>())
                if (label->objectName() == "error")
                    return true;
            return false;
        };
        QVERIFY(!red(figures));
        window_.reset();
        QVERIFY(red(*openView({files_.write("large.pop", {.tooLarge = true})}).block("figures")));
    }

    void filesAndCompilerAreNamed() {
        const QString file = files_.write("large.pop", {.tooLarge = true});
        SummaryView& view = openView({file});
        QStringList texts;
        for (const char* name : {"files", "compiler"})
            for (const QLabel* label : view.block(name)->findChildren<QLabel*>())
                texts << label->text();
        const QString all = texts.join('|').remove(QChar(0x200b));
        QVERIFY2(all.contains("large.pop") && all.contains("missing: the program does not fit"),
                 qPrintable(all));
        QVERIFY(all.contains("TileScope"));
    }
};

TILESCOPE_TEST(SummaryTest, QApplication)

} // namespace summary_test

#include "summary_test.moc"
