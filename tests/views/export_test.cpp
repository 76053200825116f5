// Exports of the window: pictures, tables, the clipboard; and runs started from an insight.
#include <QClipboard>
#include <QComboBox>
#include <QImage>
#include <QPushButton>
#include <QSvgRenderer>
#include <QTableView>
#include <QTreeView>
#include <QtTest>

#include "app/gui/run/option_form.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/execution/tracks/track_plot.h"
#include "views/insights/insights_view.h"
#include "views/plot/plot_widget.h"
#include "views/plot/save_plot.h"
#include "views/tables/item_export.h"
#include "views/widgets/report_view.h"
#include "views/widgets/save_picture.h"

namespace export_test {
using namespace tilescope;
using namespace tilescope::gui;

namespace {

QByteArray read(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

int coloursIn(const QImage& image) {
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3)
            colours.insert(image.pixel(x, y));
    return static_cast<int>(colours.size());
}

QImage drawn(const QString& svg) {
    QSvgRenderer renderer(svg);
    QImage image(renderer.defaultSize(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    renderer.render(&painter);
    return image;
}

void checkPicture(const QString& file, int fewestColours) {
    if (file.endsWith(".pdf"))
        QVERIFY(read(file).startsWith("%PDF-") && read(file).size() > 2000);
    else
        QVERIFY2(coloursIn(file.endsWith(".svg") ? drawn(file) : QImage(file)) >= fewestColours,
                 qPrintable(file));
}

// The rows of a small table with values that CSV must quote.
class Texts : public QAbstractTableModel {
public:
    [[nodiscard]] int rowCount(const QModelIndex& at = {}) const override {
        return at.isValid() ? 0 : 3;
    }
    [[nodiscard]] int columnCount(const QModelIndex& at = {}) const override {
        return at.isValid() ? 0 : 3;
    }
    [[nodiscard]] QVariant data(const QModelIndex& at, int role) const override {
        static const QString cells[3][3] = {
            {"plain", "a,b", "1"}, {"say \"so\"", "two\nlines", "2"}, {"µs", "", "3"}};
        return role == Qt::DisplayRole ? cells[at.row()][at.column()] : QVariant();
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation, int role) const override {
        return role == Qt::DisplayRole ? QStringLiteral("Column %1").arg(section) : QVariant();
    }
};

} // namespace

class ExportTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;
    const QByteArray path_ = qgetenv("PATH");

    void open(const QStringList& files) { test::openProfiles(*window_, files); }
    template <class Widget> QList<Widget*> visibleIn(Report report) {
        window_->showReport(report);
        test::waitUntilIdle(*window_);
        QList<Widget*> list = window_->view(report).findChildren<Widget*>();
        list.removeIf([](const Widget* each) { return !each->isVisible(); });
        return list;
    }
    static QAction* action(const QWidget& widget, const QString& text) {
        for (QAction* each : widget.actions())
            if (each->text() == text)
                return each;
        return nullptr;
    }
    QPushButton* runAgainButton(const QString& text) {
        for (QPushButton* each : visibleIn<QPushButton>(Report::Insights))
            if (each->accessibleName() == "Run again with " + text)
                return each;
        return nullptr;
    }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() { window_ = test::shownWindow({1000, 700}); }
    void cleanup() {
        window_.reset();
        qputenv("PATH", path_);
    }

    void reportsBecomePictures() {
        open({files_.write("a.pop", {.withValues = true}),
              files_.write("b.pop", {.changed = true, .withValues = true})});
        for (const Report report : reports) {
            window_->showReport(report);
            test::waitUntilIdle(*window_);
            for (const QString kind : {".png", ".svg", ".pdf"}) {
                const QString file = files_.path(reportName(report) + kind);
                QCOMPARE(views::savePicture(window_->view(report), file), QString());
                checkPicture(file, 10);
            }
            // Twice as fine as the screen.
            QCOMPARE(QImage(files_.path(reportName(report) + ".png")).size(),
                     window_->view(report).size() * 2);
        }
    }

    void plotsBecomePictures() {
        open({files_.write("a.pop", {.withValues = true})});
        int plots = 0;
        for (const Report report : reports)
            for (views::PlotWidget* plot : visibleIn<views::PlotWidget>(report)) {
                const QString name = reportName(report) + QString::number(++plots);
                for (const QString kind : {".png", ".svg", ".pdf"}) {
                    QCOMPARE(views::savePlotAs(*plot, files_.path(name + kind)), QString());
                    checkPicture(files_.path(name + kind), 3);
                }
                // The overlay of the plot is part of the drawing, as text.
                QFile drawing(files_.path(name + ".svg"));
                QVERIFY(drawing.open(QIODevice::ReadOnly));
                const QByteArray text = drawing.readAll();
                if (const auto* track = qobject_cast<views::TrackPlot*>(plot))
                    QVERIFY(text.contains(track->track().name().toUtf8()));
                else if (report == Report::Trace)
                    QVERIFY(text.contains("IPU 0"));
                if (report == Report::Liveness)
                    QVERIFY(text.contains("Live at the step"));
                if (report == Report::Values) // the scale is part of the picture
                    QVERIFY(text.contains("Loss") || text.contains("Accuracy") ||
                            text.contains("of the elements"));
                QVERIFY2(action(*plot, "Save picture…"), qPrintable(reportName(report)));
                action(*plot, "Copy picture")->trigger();
                QVERIFY(coloursIn(QApplication::clipboard()->image()) >= 3);
            }
        QVERIFY(plots >= 4);
    }

    void picturesThatCannotBeWrittenSaySo() {
        open({files_.write("a.pop")});
        const QString nowhere = files_.path("no/such/folder/x.");
        views::ReportView& report = window_->view(Report::Memory);
        auto* plot = visibleIn<views::PlotWidget>(Report::Memory).front();
        for (const QString kind : {"png", "svg", "pdf"}) {
            QVERIFY(views::savePicture(report, nowhere + kind).contains("Cannot write"));
            QVERIFY2(views::savePlotAs(*plot, nowhere + kind).contains("Cannot write"),
                     qPrintable(kind));
        }
        // A refused export leaves the file as it was.
        const QString profile = files_.write("c.pop");
        const QByteArray before = read(profile);
        QVERIFY(views::savePicture(report, profile).contains(".png, .jpg, .svg or .pdf"));
        QCOMPARE(read(profile), before);
    }

    void tablesBecomeCsv() {
        Texts model;
        QTableView view;
        view.setModel(&model);
        QCOMPARE(views::csvText(view), "Column 0,Column 1,Column 2\nplain,\"a,b\",1\n"
                                       "\"say \"\"so\"\"\",\"two\nlines\",2\nµs,,3\n");
        view.horizontalHeader()->moveSection(2, 0);
        view.setColumnHidden(1, true);
        QCOMPARE(views::csvText(view), "Column 2,Column 0\n1,plain\n2,\"say \"\"so\"\"\"\n3,µs\n");
        QCOMPARE(views::saveCsv(view, files_.path("t.csv")), QString());
        QCOMPARE(QString::fromUtf8(read(files_.path("t.csv"))), views::csvText(view));
        QVERIFY(views::saveCsv(view, files_.path("no/t.csv")).contains("Cannot write"));
    }

    void everyTableIsCopiedAndSaved() {
        open({files_.write("a.pop", {.withValues = true}),
              files_.write("b.pop", {.changed = true, .withValues = true})});
        int tables = 0;
        for (const Report report : reports)
            for (QAbstractItemView* view : visibleIn<QAbstractItemView>(report)) {
                if (qobject_cast<QTableView*>(view) == nullptr &&
                    qobject_cast<QTreeView*>(view) == nullptr)
                    continue;
                QVERIFY2(action(*view, "Save as CSV…"), qPrintable(reportName(report)));
                if (view->model()->rowCount() == 0)
                    continue;
                ++tables;
                action(*view, "Copy all rows")->trigger();
                const QStringList all = QApplication::clipboard()->text().split('\n');
                QVERIFY(all.size() > view->model()->rowCount());
                view->setCurrentIndex(view->model()->index(0, 0));
                test::waitUntilIdle(*window_);
                view->setFocus();
                action(*view, "Copy row")->trigger();
                QVERIFY(!QApplication::clipboard()->text().isEmpty());
                QVERIFY(QApplication::clipboard()->text().size() <= all.join('\n').size());
            }
        QVERIFY(tables >= 5);
    }

    void anInsightIsRunAgain() {
        Profile large = test::sampleProfile({.tooLarge = true});
        large.info.options["precision"] = "single"; // a model in half gets no such advice
        const QString a = files_.writeProfile("large.pop", large);
        open({a});
        QPushButton* again = runAgainButton("--precision half");
        if (again == nullptr)
            again = runAgainButton("--precision …");
        QVERIFY(again);
        again->click();
        auto* dialog = window_->findChild<RunDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QVERIFY2(dialog->commandLine().startsWith("tilescope run sample "),
                 qPrintable(dialog->commandLine()));
        QTRY_VERIFY(test::child<OptionForm>(*dialog).editor("precision")->isVisibleTo(dialog));
        for (QComboBox* box : dialog->findChildren<QComboBox*>())
            if (box->accessibleName() == "When it is done")
                QCOMPARE(box->currentText(), "Compare the result with the open profile");
        dialog->hide();
    }

    // The same with the real program: a run, one option changed, the two compared.
    void aRunIsRepeatedAndCompared() {
        qputenv("PATH", test::programFolder().toUtf8() + ':' + path_);
        RunDialog& dialog = window_->dialogs().openRun({});
        dialog.setModel(TILESCOPE_SOURCE_DIR "/resources/jobs/matmul_chain.json");
        dialog.setFolder(files_.path("first"));
        const auto run = [&] {
            for (QPushButton* each : dialog.findChildren<QPushButton*>())
                if (each->text() == "Run")
                    each->click();
            QTRY_VERIFY_WITH_TIMEOUT(!dialog.isVisible(), 60000);
            test::waitUntilIdle(*window_);
        };
        run();
        QTRY_COMPARE(window_->session().files(), QStringList{files_.path("first/profile.pop")});
        const auto& source = *window_->context().reports.source();
        const RunRequest request = runAgain(source, "target", "mk1");
        QVERIFY2(request.model.endsWith("matmul_chain.json"), qPrintable(request.model));
        window_->dialogs().openRun(request);
        dialog.setFolder(files_.path("second"));
        run();
        QTRY_COMPARE(window_->session().files(), (QStringList{files_.path("first/profile.pop"),
                                                              files_.path("second/profile.pop")}));
        QCOMPARE(window_->context().reports.source()->machine().name, "mk2");
        QCOMPARE(window_->context().reports.target()->machine().name, "mk1");
    }

    // A remedy sets what `tilescope try` would set.
    void aRemedySetsWhatItNeedsAsWell() {
        const ProfileViewPtr profile = test::openSample(files_.write("remedy.pop"));
        const RunRequest request =
            runAgain(*profile, "ioTiles", "32", {{"exchangeStrategy", "overlap-inner-loop"}});
        QCOMPARE(request.options.at("ioTiles"), std::string("32"));
        QCOMPARE(request.options.at("exchangeStrategy"), std::string("overlap-inner-loop"));
        QCOMPARE(request.focusOption, std::string("ioTiles"));
    }
};

TILESCOPE_TEST(ExportTest, QApplication)

} // namespace export_test

#include "export_test.moc"
