// Runs from the window: the form, the corresponding command line, and the program it starts.
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

#include "app/gui/run/option_form.h"
#include "app/gui/run/run_dialog.h"
#include "core/options/option_table.h"
#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"

namespace run_dialog_test {
using namespace tilescope;
using namespace tilescope::gui;

class RunDialogTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    std::unique_ptr<RunDialog> dialog_;

    // A program of this name that is a shell script; it answers 'models' as the real one does.
    QString script(const QString& name, const QByteArray& text) const {
        const QString file = folder_.filePath(name);
        QFile out(file);
        const QByteArray models =
            R"(if [ "$1" = models ]; then echo '[{"name": "resnet50", "description": "x",)"
            R"( "options": "depth=50"}]'; exit 0; fi)";
        if (!out.open(QIODevice::WriteOnly) ||
            out.write("#!/bin/sh\n" + models + "\n" + text + "\n") < 0)
            qFatal("cannot write %s", qPrintable(file));
        out.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return file;
    }
    // Writes a file of the profile's name into the folder after -o.
    static QByteArray writes(const QByteArray& content) {
        return R"(while [ "$1" != -o ]; do shift; done
mkdir -p "$2"; printf ')" +
               content + R"(' > "$2/profile.pop")";
    }
    void make(const QString& program) {
        dialog_ = std::make_unique<RunDialog>(program);
        dialog_->show();
        dialog_->setModel(QStringLiteral("resnet50"));
        dialog_->setFolder(folder_.filePath(QStringLiteral("out")));
    }
    QPushButton* button(const QString& text) const {
        for (QPushButton* each : dialog_->findChildren<QPushButton*>())
            if (each->text() == text)
                return each;
        qFatal("no button '%s'", qPrintable(text));
    }
    template <class Widget> Widget* named(const QString& name) const {
        for (Widget* each : dialog_->findChildren<Widget*>())
            if (each->accessibleName() == name)
                return each;
        qFatal("nothing is called '%s'", qPrintable(name));
    }
    OptionEditor& option(const char* key) const {
        return *test::child<gui::OptionForm>(*dialog_).editor(key);
    }
    void type(const char* key, const QString& text) const {
        auto& field = static_cast<QLineEdit&>(option(key).editor());
        field.setFocus();
        field.clear();
        QTest::keyClicks(&field, text);
    }
    QString log() const { return named<QPlainTextEdit>(QStringLiteral("Log"))->toPlainText(); }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() {
        QDir(folder_.filePath(QStringLiteral("out"))).removeRecursively();
        make(script(QStringLiteral("good"), writes("new")));
    }
    void cleanup() { dialog_.reset(); }

    void theFormHasEveryOption() {
        for (const OptionSpec& spec : runOptionTable()) {
            OptionEditor* editor = test::child<gui::OptionForm>(*dialog_).editor(spec.key);
            QVERIFY2(editor != nullptr, spec.key.c_str());
            QVERIFY(!editor->changed());
            QCOMPARE(editor->value(), spec.defaultValue);
            QCOMPARE(editor->problem(), QString());
            if (spec.type != OptionSpec::Type::Choice)
                continue;
            auto& box = static_cast<QComboBox&>(editor->editor());
            for (const std::string& choice : spec.choices)
                QVERIFY2(box.findText(QString::fromStdString(choice)) >= 0, spec.key.c_str());
        }
    }

    void aTargetMayBeAFile() {
        OptionEditor& target = *test::child<gui::OptionForm>(*dialog_).editor("target");
        target.setValue("/my/pod.json");
        QCOMPARE(target.value(), "/my/pod.json");
        target.setValue({});
        QCOMPARE(target.value(), "mk2");
        auto& box = static_cast<QComboBox&>(target.editor());
        box.setCurrentIndex(box.findText(QStringLiteral("File"), Qt::MatchStartsWith));
        QCOMPARE(target.value(), "mk2");
    }

    /// At the first option, or at the one that an advice changed, whatever has the focus.
    void itOpensWhereTheChangeIs() {
        auto& form = test::child<gui::OptionForm>(*dialog_);
        auto& area = test::child<QScrollArea>(form);
        const auto isInSight = [&](const char* key) {
            const QRect place(option(key).mapTo(area.viewport(), QPoint()), option(key).size());
            return area.viewport()->rect().intersects(place);
        };
        const auto reopen = [&](const std::string& focus) {
            dialog_->hide();
            RunRequest request;
            request.model = QStringLiteral("resnet50");
            request.focusOption = focus;
            dialog_->setRequest(request);
            dialog_->show();
            QTest::qWait(50);
        };
        reopen("lossScaling");
        QVERIFY(isInSight("lossScaling"));
        QVERIFY(!isInSight("target"));
        reopen("");
        QVERIFY(isInSight("target"));
        QCOMPARE(area.verticalScrollBar()->value(), 0);
    }

    void theCommandLineHasOnlyWhatIsChanged() {
        const QString out = folder_.filePath(QStringLiteral("out"));
        QCOMPARE(dialog_->commandLine(), QStringLiteral("tilescope run resnet50 -o %1").arg(out));
        type("batchSize", QStringLiteral("16"));
        static_cast<QCheckBox&>(option("foldBatchNorm").editor()).click();
        static_cast<QComboBox&>(option("target").editor()).setCurrentText(QStringLiteral("mk1"));
        const QString line = dialog_->commandLine();
        QVERIFY2(line.contains(QStringLiteral("--target mk1")), qPrintable(line));
        QVERIFY2(line.contains(QStringLiteral("--batch-size 16")), qPrintable(line));
        QVERIFY2(line.contains(QStringLiteral("--fold-batch-norm")), qPrintable(line));
        QCOMPARE(line.count(QStringLiteral("--")), 3);
        button(QStringLiteral("Copy"))->click();
        QCOMPARE(QApplication::clipboard()->text(), line);
        for (const char* key : {"batchSize", "foldBatchNorm", "target"})
            for (QToolButton* reset : option(key).findChildren<QToolButton*>())
                if (reset->text() == QStringLiteral("Reset"))
                    reset->click();
        QCOMPARE(dialog_->commandLine(), QStringLiteral("tilescope run resnet50 -o %1").arg(out));
    }

    void searchFindsOptionsByWhatTheyDo() {
        auto* search = named<QLineEdit>(QStringLiteral("Search options"));
        QTest::keyClicks(search, QStringLiteral("pipeline schedule"));
        QVERIFY(option("schedule").isVisible());
        QVERIFY(!option("batchSize").isVisible());
        search->clear();
        QVERIFY(option("batchSize").isVisibleTo(dialog_.get()));
        type("batchSize", QStringLiteral("4"));
        for (QCheckBox* box : dialog_->findChildren<QCheckBox*>())
            if (box->text() == QStringLiteral("Only changed"))
                box->click();
        QVERIFY(option("batchSize").isVisibleTo(dialog_.get()));
        QVERIFY(!option("schedule").isVisibleTo(dialog_.get()));
        // A requested option is shown whatever the filter.
        test::child<gui::OptionForm>(*dialog_).focusOption("schedule");
        QVERIFY(option("schedule").isVisibleTo(dialog_.get()));
    }

    void theSearchIsReachedByKeys() {
        // Keys go to the window in front.
        dialog_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(dialog_.get()));
        auto* search = named<QLineEdit>(QStringLiteral("Search options"));
        button(QStringLiteral("Copy"))->setFocus();
        QTest::keyClick(dialog_.get(), Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY(search->hasFocus());
        button(QStringLiteral("Copy"))->setFocus();
        QTest::keyClick(dialog_.get(), Qt::Key_Slash);
        QTRY_VERIFY(search->hasFocus());
        // In a field it is a letter of a path.
        type("split", QStringLiteral("a/b"));
        QCOMPARE(option("split").value(), std::string("a/b"));
    }

    void hintsSayOnlyBoundsThatMatter() {
        const auto hintOf = [&](const char* key) {
            return option(key).editor().accessibleDescription();
        };
        QVERIFY2(hintOf("gradientAccumulation").endsWith("(1 or more)"),
                 qPrintable(hintOf("gradientAccumulation")));
        QVERIFY2(hintOf("replicas").endsWith("(1 to 256)"), qPrintable(hintOf("replicas")));
        QCOMPARE(OptionEditor::titleOf(*findOption("fpExceptions")),
                 QStringLiteral("FP exceptions"));
    }

    void aWrongValueIsSaidAtItsOption() {
        type("batchSize", QStringLiteral("many"));
        QVERIFY2(option("batchSize").problem().contains(QStringLiteral("'many' is not a whole")),
                 qPrintable(option("batchSize").problem()));
        QVERIFY(!button(QStringLiteral("Run"))->isEnabled());
        QCOMPARE(button(QStringLiteral("Run"))->toolTip(),
                 QStringLiteral("An option above has an error"));
        type("batchSize", QStringLiteral("8"));
        QCOMPARE(option("batchSize").problem(), QString());
        QVERIFY(button(QStringLiteral("Run"))->isEnabled());
        // Tiles are counted against the target that is chosen.
        static_cast<QComboBox&>(option("target").editor()).setCurrentText(QStringLiteral("mk1"));
        type("tilesPerIpu", QStringLiteral("1472"));
        QVERIFY(!option("tilesPerIpu").problem().isEmpty());
        static_cast<QComboBox&>(option("target").editor()).setCurrentText(QStringLiteral("mk2"));
        QCOMPARE(option("tilesPerIpu").problem(), QString());
    }

    void withoutModelOrProgramItSaysWhy() {
        dialog_->setModel({});
        QVERIFY(!button(QStringLiteral("Run"))->isEnabled());
        QCOMPARE(button(QStringLiteral("Run"))->toolTip(), QStringLiteral("Choose a model first"));
        const auto says = [this](const QString& text) {
            const QList<QLabel*> labels = dialog_->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->isVisible() && label->text().contains(text);
            });
        };
        // Beside the button, as users do not look for the tool tip of a disabled one.
        QVERIFY(says(QStringLiteral("Choose a model first")));
        dialog_->setModel(QStringLiteral("resnet50"));
        QVERIFY(!says(QStringLiteral("Choose a model first")));
        make({});
        QVERIFY(!button(QStringLiteral("Run"))->isEnabled());
        QVERIFY(button(QStringLiteral("Run"))->toolTip().contains(QStringLiteral("PATH")));
    }

    void builtInModelsAreOffered() {
        auto* models = named<QComboBox>(QStringLiteral("Model"));
        QTRY_COMPARE(models->count(), 1);
        QCOMPARE(models->itemText(0), QStringLiteral("resnet50"));
        QTRY_COMPARE(static_cast<QLineEdit&>(option("modelOptions").editor()).placeholderText(),
                     QStringLiteral("depth=50"));
    }

    // The form shows what runs: with a job file that is the job's options.
    void aJobFileFillsTheForm() {
        const QString job = folder_.filePath(QStringLiteral("job.json"));
        QFile file(job);
        QVERIFY(file.open(QIODevice::WriteOnly) &&
                file.write(R"({"model": "resnet50", "batchSize": 8, "foldBatchNorm": true})") > 0);
        file.close();
        type("deviceIterations", QStringLiteral("2"));
        dialog_->setModel(job);
        QCOMPARE(option("batchSize").value(), std::string("8"));
        QCOMPARE(option("deviceIterations").value(), std::string("2"));
        QVERIFY(button(QStringLiteral("Run"))->isEnabled());
        QVERIFY(!dialog_->commandLine().contains(QStringLiteral("--batch-size")));
        type("batchSize", QStringLiteral("16"));
        QVERIFY(dialog_->commandLine().contains(QStringLiteral("--batch-size 16")));
        static_cast<QCheckBox&>(option("foldBatchNorm").editor()).click();
        QVERIFY(option("foldBatchNorm").problem().contains(QStringLiteral("The job file")));
        QVERIFY(!button(QStringLiteral("Run"))->isEnabled());
        dialog_->setModel(QStringLiteral("resnet50"));
        QCOMPARE(option("foldBatchNorm").problem(), QString());
        QCOMPARE(option("batchSize").value(), std::string("16")); // the user's own
        QVERIFY(button(QStringLiteral("Run"))->isEnabled());
    }

    void theResultIsOpened() {
        QSignalSpy ready(dialog_.get(), &RunDialog::resultReady);
        button(QStringLiteral("Run"))->click();
        QTRY_COMPARE(ready.count(), 1);
        QCOMPARE(ready[0][0].toString(), folder_.filePath(QStringLiteral("out/profile.pop")));
        QCOMPARE(ready[0][1].toString(), QString());
        QVERIFY(!dialog_->isVisible());
    }

    void theResultIsComparedIfThatIsWanted() {
        dialog_->setRequest({QStringLiteral("resnet50"),
                             {{"batchSize", "2"}},
                             "batchSize",
                             QStringLiteral("/tmp/before.pop")});
        QVERIFY(dialog_->commandLine().contains(QStringLiteral("--batch-size 2")));
        QSignalSpy ready(dialog_.get(), &RunDialog::resultReady);
        button(QStringLiteral("Run"))->click();
        QTRY_COMPARE(ready.count(), 1);
        QCOMPARE(ready[0][1].toString(), QStringLiteral("/tmp/before.pop"));
    }

    void progressLogAndCancel() {
        make(script(QStringLiteral("hangs"),
                    "echo 'progress: 40 % planning' >&2; echo 'a warning' >&2; exec cat"));
        QSignalSpy ready(dialog_.get(), &RunDialog::resultReady);
        button(QStringLiteral("Run"))->click();
        auto* bar = named<QProgressBar>(QStringLiteral("Progress"));
        QTRY_COMPARE(bar->value(), 40);
        QVERIFY(bar->isVisible());
        QTRY_COMPARE(log(), QStringLiteral("a warning"));
        QVERIFY(!button(QStringLiteral("Run"))->isEnabled());
        QVERIFY(!test::child<gui::OptionForm>(*dialog_).isEnabled());
        // Escape and Cancel end the run, not the dialog.
        QTest::keyClick(dialog_.get(), Qt::Key_Escape);
        QVERIFY(!dialog_->running());
        QVERIFY(dialog_->isVisible());
        QVERIFY(!bar->isVisible());
        QVERIFY(button(QStringLiteral("Run"))->isEnabled());
        QCOMPARE(ready.count(), 0);
        button(QStringLiteral("Close"))->click();
        QVERIFY(!dialog_->isVisible());
    }

    void errorsAreShownAtTheirOption() {
        make(script(QStringLiteral("refuses"),
                    "echo 'option: split' >&2; "
                    "echo 'tilescope: error: option split (--split): no operation conv9' >&2; "
                    "exit 2"));
        button(QStringLiteral("Run"))->click();
        QTRY_VERIFY(option("split").problem().contains(QStringLiteral("no operation conv9")));
        QVERIFY(option("split").editor().hasFocus() || !dialog_->isActiveWindow());
        QVERIFY(dialog_->isVisible());
        make(script(QStringLiteral("fails"), "echo 'tilescope: error: no such file' >&2; exit 2"));
        button(QStringLiteral("Run"))->click();
        bool shown = false;
        QTRY_VERIFY(!dialog_->running());
        for (const QLabel* label : dialog_->findChildren<QLabel*>())
            shown = shown || (label->isVisible() &&
                              label->text() == QStringLiteral("tilescope: error: no such file"));
        QVERIFY(shown);
    }

    // The log has the earlier output; the error's text appears once.
    void anErrorIsSaidOnce() {
        const auto run = [&](const QByteArray& program) {
            make(script(QStringLiteral("fails"), program));
            button(QStringLiteral("Run"))->click();
            [&] { QTRY_VERIFY(!dialog_->running()); }();
            QStringList said;
            for (const QLabel* label : dialog_->findChildren<QLabel*>())
                if (label->isVisible() && label->objectName() == QLatin1String("error"))
                    said << label->text();
            if (named<QPlainTextEdit>(QStringLiteral("Log"))->isVisible())
                said << log();
            said.removeAll(QString());
            return said;
        };
        QCOMPARE(run("echo 'a warning' >&2; echo 'tilescope: error: no such file' >&2; "
                     "echo 'and its second line' >&2; exit 2"),
                 (QStringList{"tilescope: error: no such file\nand its second line", "a warning"}));
        QCOMPARE(run("echo 'Segmentation fault' >&2; kill -9 $$"),
                 QStringList{"Segmentation fault"});
    }

    void aModelThatDoesNotFitIsAResult() {
        make(script(QStringLiteral("oom"), writes("new") + "; exit 1"));
        QSignalSpy ready(dialog_.get(), &RunDialog::resultReady);
        button(QStringLiteral("Run"))->click();
        QTRY_COMPARE(ready.count(), 1);
    }

    void aProfileIsNotReplacedUnasked() {
        QDir(folder_.path()).mkpath(QStringLiteral("out"));
        const QString profile = folder_.filePath(QStringLiteral("out/profile.pop"));
        QFile file(profile);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("old") == 3);
        file.close();
        QStringList asked;
        bool answer = false;
        dialog_->confirm = [&](const QString& text) {
            asked << text;
            return answer;
        };
        const auto content = [&] {
            QFile now(profile);
            return now.open(QIODevice::ReadOnly) ? now.readAll() : QByteArray();
        };
        button(QStringLiteral("Run"))->click();
        QVERIFY(!dialog_->running());
        QCOMPARE(content(), QByteArray("old"));
        dialog_->setOpenProfiles({profile});
        answer = true;
        QSignalSpy ready(dialog_.get(), &RunDialog::resultReady);
        button(QStringLiteral("Run"))->click();
        QTRY_COMPARE(ready.count(), 1);
        QCOMPARE(content(), QByteArray("new"));
        QCOMPARE(asked.size(), 2);
        QVERIFY2(asked[0].endsWith(QStringLiteral("exists. Replace it?")), qPrintable(asked[0]));
        QVERIFY2(asked[1].contains(QStringLiteral("is open in a window")), qPrintable(asked[1]));
    }

    void eachRunGetsAFolderOfItsOwn() {
        const QString first = RunDialog::freshFolder(QStringLiteral("/x/model.onnx"));
        QVERIFY2(first.endsWith(QStringLiteral("/runs/model-1")), qPrintable(first));
        QVERIFY(QDir().mkpath(first));
        QVERIFY(RunDialog::freshFolder(QStringLiteral("model"))
                    .endsWith(QStringLiteral("/runs/model-2")));
        QDir(first).removeRecursively();
    }

    void theWheelDoesNotChangeOptions() {
        auto& box = static_cast<QComboBox&>(option("target").editor());
        const QString before = box.currentText();
        named<QLineEdit>(QStringLiteral("Search options"))->setFocus();
        QWheelEvent wheel({5, 5}, box.mapToGlobal(QPointF(5, 5)), {}, {0, -120}, Qt::NoButton, {},
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&box, &wheel);
        QCOMPARE(box.currentText(), before);
    }
};

TILESCOPE_TEST(RunDialogTest, QApplication)

} // namespace run_dialog_test

#include "run_dialog_test.moc"
