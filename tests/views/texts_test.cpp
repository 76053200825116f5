// Every text and every widget of the window: translatable, explained, named, reachable by keyboard.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAccessible>
#include <QButtonGroup>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QTranslator>
#include <QtTest>
#include <algorithm>
#include <set>

#include "app/gui/help/help_pages.h"
#include "app/gui/window/command_palette.h"
#include "app/gui/window/help_window.h"
#include "app/gui/window/preferences_dialog.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"

namespace texts_test {
using namespace tilescope;
using namespace tilescope::gui;

namespace {

// A language in which every text is marked; records the requested texts.
class MarkingTranslator : public QTranslator {
public:
    [[nodiscard]] bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char*, int) const override {
        const QString text = QString::fromUtf8(source);
        if (QByteArray(context).startsWith("Q")) // Qt's own
            return {};
        seen.insert(text);
        return QChar(0x2039) + text + QChar(0x203a);
    }
    mutable std::set<QString> seen;
};

bool hasLetters(const QString& text) {
    static const QRegularExpression word(QStringLiteral("[A-Za-z]{3}"));
    return text.contains(word);
}

// Parts of Qt's widgets are not ours.
bool isPartOfQt(const QWidget& widget) {
    return widget.objectName().startsWith(QStringLiteral("qt_")) ||
           (widget.parentWidget() != nullptr &&
            (qobject_cast<QComboBox*>(widget.parentWidget()) != nullptr ||
             qobject_cast<QLineEdit*>(widget.parentWidget()) != nullptr ||
             qobject_cast<QHeaderView*>(widget.parentWidget()) != nullptr ||
             (qobject_cast<QAbstractScrollArea*>(widget.parentWidget()) != nullptr &&
              static_cast<QAbstractScrollArea*>(widget.parentWidget())->viewport() == &widget)));
}

QString describe(const QWidget& widget) {
    QString path;
    for (const QWidget* w = &widget; w != nullptr; w = w->parentWidget())
        path += QStringLiteral(" < ") + QString(w->metaObject()->className()).section("::", -1);
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    return (button != nullptr ? button->text() : widget.toolTip()) + path;
}

// All of them at once, a line each: QVERIFY2 cuts long texts.
QString firstOf(QStringList problems) {
    problems.removeDuplicates();
    for (const QString& problem : problems)
        qWarning("%s", qPrintable(problem));
    return problems.isEmpty() ? QString() : problems.front();
}

} // namespace

class TextsTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    MarkingTranslator translator_;
    std::unique_ptr<MainWindow> window_;
    QStringList profiles_;

    void open(const QStringList& files) { test::openProfiles(*window_, files); }
    // Calls `look` with each thing that has widgets: home screen, reports, dialogs.
    void visit(const std::function<void(QWidget&, const QString&)>& look) {
        look(*window_, QStringLiteral("home"));
        for (const QStringList& files : {QStringList{profiles_[0]}, profiles_}) {
            open(files);
            for (const Report report : reports) {
                window_->showReport(report);
                test::waitUntilIdle(*window_);
                look(*window_, reportName(report));
            }
        }
        window_->context().reports.close();
        std::vector<std::unique_ptr<QDialog>> dialogs;
        dialogs.push_back(std::make_unique<RunDialog>(QString()));
        dialogs.push_back(std::make_unique<HelpWindow>());
        dialogs.push_back(std::make_unique<PreferencesDialog>(window_->context(), nullptr));
        auto palette = std::make_unique<CommandPalette>(*window_);
        palette->setAttribute(Qt::WA_DeleteOnClose, false);
        dialogs.push_back(std::move(palette));
        for (const auto& dialog : dialogs) {
            dialog->show();
            look(*dialog, QString::fromLatin1(dialog->metaObject()->className()));
            dialog->hide();
        }
    }

    static bool isDefaultOfAnOption(const QString& text) {
        const auto& specs = runOptionTable();
        return std::any_of(specs.begin(), specs.end(), [&](const OptionSpec& spec) {
            return text == QString::fromStdString(spec.defaultValue);
        });
    }

private slots:
    void initTestCase() {
        test::prepareWindows();
        profiles_ = {files_.write("a.pop", {.withValues = true}),
                     files_.write("b.pop", {.changed = true, .withValues = true})};
        QCoreApplication::installTranslator(&translator_);
    }
    void cleanupTestCase() { QCoreApplication::removeTranslator(&translator_); }
    void init() {
        window_ = test::shownWindow();
        window_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    }
    void cleanup() { window_.reset(); }

    void everyTextCanBeTranslated() {
        QStringList missing;
        const auto check = [&](const QString& text, const QString& where, const QWidget& widget) {
            // Options and their values, and what a profile names, are the same in all languages.
            if (widget.objectName() != "nameOfProfile" && hasLetters(text) &&
                !text.contains(QChar(0x2039)) && !text.startsWith("--") &&
                !isDefaultOfAnOption(text))
                missing << QStringLiteral("%1: '%2' of %3").arg(where, text, describe(widget));
        };
        visit([&](QWidget& in, const QString& where) {
            check(in.windowTitle().remove(QStringLiteral("TileScope")), where, in);
            for (const QWidget* widget : in.findChildren<QWidget*>()) {
                if (!widget->isVisible() || isPartOfQt(*widget))
                    continue;
                if (const auto* field = qobject_cast<const QLineEdit*>(widget))
                    check(field->placeholderText(), where, *widget);
                if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
                    check(button->text(), where, *widget);
            }
            for (const QAction* action : in.findChildren<QAction*>())
                if (!action->text().isEmpty() && action->parent() == window_.get())
                    check(action->text(), where, *window_);
        });
        QCOMPARE(firstOf(missing), QString());
        QVERIFY(translator_.seen.size() > 200);
    }

    void everyAbbreviationIsExplained() {
        visit([](QWidget&, const QString&) {});
        QStringList texts;
        for (const QString& text : translator_.seen)
            texts << text;
        for (const QString& page : HelpWindow::pages())
            texts << helpMarkdown(page);
        for (const OptionSpec& spec : runOptionTable())
            texts << QString::fromStdString(spec.help);
        QSet<QString> explained;
        static const QRegularExpression bold(QStringLiteral(R"(\*\*([^*]+)\*\*)"));
        auto terms = bold.globalMatch(helpMarkdown(QStringLiteral("glossary")));
        while (terms.hasNext())
            for (const QString& term : terms.next().captured(1).split(QStringLiteral(", ")))
                explained << term;
        // Two or more capitals, and units; plurals have an s.
        static const QRegularExpression abbreviation(
            QStringLiteral(R"(\b(?:[A-Z]{2,}|I/O|[KMG]i?B|kB)(?=s?\b))"));
        QSet<QString> unknown;
        for (QString text : std::as_const(texts)) {
            static const QRegularExpression code(QStringLiteral("`[^`]*`|[A-Z]+_[A-Z_]+"));
            text.remove(code); // names that a program reads, word by word
            auto found = abbreviation.globalMatch(text);
            while (found.hasNext()) {
                const QString word = found.next().captured();
                // What the user has to fill in.
                static const QSet<QString> places{"KEY", "VALUE", "NAME", "MODEL", "DIR"};
                if (!explained.contains(word) && !places.contains(word))
                    unknown << word + QStringLiteral(" in '") + text.left(60) + QLatin1Char('\'');
            }
        }
        QCOMPARE(firstOf(unknown.values()), QString());
        QVERIFY(explained.size() > 25);
    }

    void everyWidgetHasAName() {
        QStringList nameless;
        visit([&](QWidget& in, const QString& where) {
            for (QWidget* widget : in.findChildren<QWidget*>()) {
                if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus ||
                    isPartOfQt(*widget) || qobject_cast<QMenuBar*>(widget) != nullptr)
                    continue;
                const QAccessibleInterface* seen = QAccessible::queryAccessibleInterface(widget);
                if (seen == nullptr || seen->text(QAccessible::Name).trimmed().isEmpty())
                    nameless << where + QStringLiteral(": ") + describe(*widget);
            }
        });
        QCOMPARE(firstOf(nameless), QString());
    }

    void everyWidgetIsReachedByTab() {
        QStringList unreached;
        visit([&](QWidget& in, const QString& where) {
            in.activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(&in));
            QSet<const QWidget*> reached;
            // Twice round at most; a widget that keeps Tab to itself would end it early.
            const qsizetype most = 2 * in.findChildren<QWidget*>().size();
            for (qsizetype i = 0; i < most; ++i) {
                QWidget* focused = QApplication::focusWidget();
                QTest::keyClick(focused == nullptr ? &in : focused, Qt::Key_Tab);
                const QWidget* now = QApplication::focusWidget();
                if (now == nullptr || (reached.contains(now) && reached.size() > 1 && i > most / 2))
                    break;
                reached << now;
            }
            for (const QWidget* widget : in.findChildren<QWidget*>()) {
                if (!widget->isVisible() || !widget->isEnabled() || isPartOfQt(*widget) ||
                    !(widget->focusPolicy() & Qt::TabFocus) || widget->focusProxy() != nullptr)
                    continue;
                // Of exclusive buttons Tab takes the chosen one, arrow keys the others.
                const auto* button = qobject_cast<const QAbstractButton*>(widget);
                if (button != nullptr && button->group() != nullptr && button->group()->exclusive())
                    continue;
                if (!reached.contains(widget))
                    unreached << where + QStringLiteral(": ") + describe(*widget);
            }
        });
        QCOMPARE(firstOf(unreached), QString());
    }
};

TILESCOPE_TEST(TextsTest, QApplication)

} // namespace texts_test

#include "texts_test.moc"
