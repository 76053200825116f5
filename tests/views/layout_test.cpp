// What fits on a small screen: no text cut off, no widget over another, every axis labelled.
#include <QAbstractButton>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSplitter>
#include <QStyleOptionComboBox>
#include <QStyleOptionFrame>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QtTest>

#include "app/gui/run/run_dialog.h"
#include "app/gui/window/command_palette.h"
#include "app/gui/window/help_window.h"
#include "app/gui/window/preferences_dialog.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/plot/plot_widget.h"
#include "views/plot/trace/cycle_plot.h"
#include "views/widgets/control_states.h"
#include "views/widgets/report_view.h"

namespace layout_test {
using namespace tilescope;
using namespace tilescope::gui;

namespace {

const QSize smallScreen(1280, 720);
const QSize halfScreen(960, 540); // half of Full HD, or all of it at scale 2
const QSize smallWindow(820, 520);

QString nameOf(const QWidget& widget) {
    QString path;
    for (const QWidget* w = &widget; w != nullptr; w = w->parentWidget())
        path += QStringLiteral(" < ") + QString(w->metaObject()->className()).section("::", -1);
    return path;
}

int advance(const QWidget& widget, const QString& text) {
    return widget.fontMetrics().horizontalAdvance(text);
}

// A label may be shorter than its text if its tool tip has all of it.
QString problemOf(const QLabel& label) {
    if (label.text().isEmpty() || !label.pixmap().isNull())
        return {};
    const QSize needed =
        label.wordWrap() ? QSize(0, label.heightForWidth(label.width())) : label.minimumSizeHint();
    if (needed.height() > label.height() || needed.width() > label.width())
        return QStringLiteral("label '%1' is cut off: %2x%3 of %4x%5")
            .arg(label.text().left(60))
            .arg(label.width())
            .arg(label.height())
            .arg(needed.width())
            .arg(needed.height());
    return {};
}

QString problemOf(const QAbstractButton& button) {
    const auto* tool = qobject_cast<const QToolButton*>(&button);
    if (button.text().isEmpty() ||
        (tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly &&
         !tool->icon().isNull()))
        return {};
    const QSize needed = button.minimumSizeHint(); // of most as wide as their text
    if (button.width() < needed.width() || button.height() < needed.height())
        return QStringLiteral("button '%1' is cut off: %2 of %3 pixels")
            .arg(button.text())
            .arg(button.width())
            .arg(needed.width());
    return {};
}

QString problemOf(const QComboBox& box) {
    QStyleOptionComboBox option;
    option.initFrom(&box);
    option.editable = box.isEditable();
    const QRect field = box.style()->subControlRect(QStyle::CC_ComboBox, &option,
                                                    QStyle::SC_ComboBoxEditField, &box);
    if (!box.isEditable() && advance(box, box.currentText()) > field.width())
        return QStringLiteral("choice '%1' is cut off: %2 of %3 pixels")
            .arg(box.currentText())
            .arg(field.width())
            .arg(advance(box, box.currentText()));
    return {};
}

// A text typed by the user may be longer than its field; the field's hint may not.
QString problemOf(const QLineEdit& field) {
    QStyleOptionFrame option;
    option.initFrom(&field);
    option.lineWidth = field.style()->pixelMetric(QStyle::PM_DefaultFrameWidth, &option, &field);
    const QRect inside =
        field.style()->subElementRect(QStyle::SE_LineEditContents, &option, &field);
    constexpr int margins = 4; // Qt's own, left and right of the text
    const QString text =
        field.isReadOnly() || field.text().isEmpty() ? field.placeholderText() : QString();
    if (advance(field, text) > inside.width() - margins)
        return QStringLiteral("field '%1' is cut off: %2 of %3 pixels")
            .arg(text)
            .arg(inside.width() - margins)
            .arg(advance(field, text));
    return {};
}

QString problemOf(const QTabBar& bar) {
    for (const QToolButton* scroller : bar.findChildren<QToolButton*>())
        if (scroller->isVisible())
            return QStringLiteral("tabs from '%1' on do not fit").arg(bar.tabText(0));
    return {};
}

QString problemOf(const QHeaderView& header) {
    if (header.orientation() != Qt::Horizontal || header.model() == nullptr)
        return {};
    for (int section = 0; section < header.count(); ++section) {
        const QString title = header.model()->headerData(section, Qt::Horizontal).toString();
        if (!header.isSectionHidden(section) &&
            header.sectionSize(section) < advance(header, title))
            return QStringLiteral("column '%1' is cut off: %2 of %3 pixels")
                .arg(title)
                .arg(header.sectionSize(section))
                .arg(advance(header, title));
    }
    return {};
}

QString textProblem(const QWidget& widget) {
    if (const auto* label = qobject_cast<const QLabel*>(&widget))
        return problemOf(*label);
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
        return problemOf(*button);
    if (const auto* box = qobject_cast<const QComboBox*>(&widget))
        return problemOf(*box);
    if (const auto* field = qobject_cast<const QLineEdit*>(&widget))
        return problemOf(*field);
    if (const auto* bar = qobject_cast<const QTabBar*>(&widget))
        return problemOf(*bar);
    if (const auto* header = qobject_cast<const QHeaderView*>(&widget))
        return problemOf(*header);
    return {};
}

// Widgets in a layout must neither overlap nor leave their parent.
QStringList placeProblems(const QWidget& parent) {
    QStringList problems;
    if (parent.layout() == nullptr)
        return problems;
    std::vector<const QWidget*> placed;
    for (const QObject* child : parent.children()) {
        const auto* widget = qobject_cast<const QWidget*>(child);
        if (widget == nullptr || !widget->isVisible() || widget->isWindow() ||
            parent.layout()->indexOf(const_cast<QWidget*>(widget)) < 0)
            continue;
        if (!parent.rect().contains(widget->geometry()))
            problems << QStringLiteral("%1 leaves its parent").arg(nameOf(*widget));
        for (const QWidget* other : placed)
            if (widget->geometry().intersects(other->geometry()))
                problems << QStringLiteral("%1 meets %2").arg(nameOf(*widget), nameOf(*other));
        placed.push_back(widget);
    }
    return problems;
}

// Scrolled widgets have no layout: they have their preferred width, and are cut off if that is too
// much.
QStringList pageProblems(const QScrollArea& area) {
    const QWidget* page = area.widget();
    if (page == nullptr || page->width() <= area.viewport()->width())
        return {};
    return {QStringLiteral("a page of %1 pixels scrolls sideways in %2%3")
                .arg(page->width())
                .arg(area.viewport()->width())
                .arg(nameOf(area))};
}

// Nor have panes, which overlap if they need more than there is.
QStringList paneProblems(const QSplitter& splitter) {
    QStringList problems;
    QRect before;
    for (int i = 0; i < splitter.count(); ++i) {
        const QWidget& pane = *splitter.widget(i);
        if (!pane.isVisible())
            continue;
        if (!splitter.rect().contains(pane.geometry()) || pane.geometry().intersects(before))
            problems << QStringLiteral("pane %1 has no room%2").arg(i).arg(nameOf(pane));
        const QSize least = pane.minimumSizeHint();
        if (pane.width() < least.width())
            problems << QStringLiteral("pane %1 has %2 of %3 pixels%4")
                            .arg(i)
                            .arg(pane.width())
                            .arg(least.width())
                            .arg(nameOf(pane));
        before = pane.geometry();
    }
    return problems;
}

QString axisProblem(const QCPAxis& axis, const QString& side) {
    if (!axis.visible() || !axis.tickLabels() || !axis.ticks())
        return {};
    if (axis.label().isEmpty())
        return QStringLiteral("the %1 axis has no label").arg(side);
    const int room =
        axis.orientation() == Qt::Horizontal ? axis.axisRect()->width() : axis.axisRect()->height();
    if (QFontMetrics(axis.labelFont()).horizontalAdvance(axis.label()) > room)
        return QStringLiteral("the label '%1' of the %2 axis is longer than it")
            .arg(axis.label(), side);
    return {};
}

QStringList plotProblems(const QCustomPlot& plot) {
    QStringList problems;
    const std::pair<const QCPAxis*, const char*> axes[] = {{plot.xAxis, "lower"},
                                                           {plot.xAxis2, "upper"},
                                                           {plot.yAxis, "left"},
                                                           {plot.yAxis2, "right"}};
    const auto* ours = qobject_cast<const views::PlotWidget*>(&plot);
    if (const auto* cycles = qobject_cast<const views::CyclePlot*>(&plot)) {
        for (const QString& name : {cycles->lowerName(), cycles->upperName()})
            if (name.isEmpty() ||
                plot.fontMetrics().horizontalAdvance(name) > views::CyclePlot::widestName)
                problems << QStringLiteral("'%1' has no room%2").arg(name, nameOf(plot));
        return problems;
    }
    for (const auto& [axis, side] : axes)
        if (axis == plot.yAxis && ours != nullptr && !ours->valueTitle().isEmpty())
            continue;
        else if (const QString problem = axisProblem(*axis, QLatin1String(side));
                 !problem.isEmpty())
            problems << problem + nameOf(plot);
    return problems;
}

QStringList problemsIn(const QWidget& in, const QString& where) {
    QStringList problems;
    QList<QWidget*> all = in.findChildren<QWidget*>();
    all << const_cast<QWidget*>(&in);
    for (const QWidget* widget : std::as_const(all)) {
        if (!widget->isVisible())
            continue;
        QStringList found = placeProblems(*widget);
        if (const QString problem = textProblem(*widget); !problem.isEmpty())
            found << problem + nameOf(*widget);
        if (const auto* plot = qobject_cast<const QCustomPlot*>(widget))
            found << plotProblems(*plot);
        if (const auto* area = qobject_cast<const QScrollArea*>(widget))
            found << pageProblems(*area);
        if (const auto* splitter = qobject_cast<const QSplitter*>(widget))
            found << paneProblems(*splitter);
        for (const QString& problem : std::as_const(found))
            problems << where + QStringLiteral(": ") + problem;
    }
    return problems;
}

// All of them at once, a line each.
QString firstOf(QStringList problems) {
    problems.removeDuplicates();
    for (const QString& problem : std::as_const(problems))
        qWarning("%s", qPrintable(problem));
    return problems.value(0);
}

} // namespace

class LayoutTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;
    QStringList profiles_;

    void open(const QStringList& files) { test::openProfiles(*window_, files); }
    // Each report with each of its tabs and of the choices that change what it shows.
    void visitReport(Report report, const std::function<void(const QString&)>& look) {
        window_->showReport(report);
        test::waitUntilIdle(*window_);
        look(reportName(report));
        views::ReportView& view = window_->view(report);
        for (QTabWidget* tabs : view.findChildren<QTabWidget*>())
            for (int tab = 0; tab < tabs->count(); ++tab) {
                if (!tabs->isVisible() || !tabs->isTabVisible(tab))
                    continue;
                tabs->setCurrentIndex(tab);
                test::waitUntilIdle(*window_);
                look(reportName(report) + QStringLiteral(", ") + tabs->tabText(tab));
            }
        for (const QString part :
             {"flat", "tiles (bsp)", "variables", "tile map", "separate", "tensors: underflow"})
            if ((report == Report::Trace || report == Report::Memory ||
                 report == Report::Liveness || report == Report::Values) &&
                views::chooseByText(view, part)) {
                test::waitUntilIdle(*window_);
                look(reportName(report) + QStringLiteral(", ") + part);
            }
    }

private slots:
    void initTestCase() {
        test::prepareWindows();
        profiles_ = {files_.write("a.pop", {.withValues = true}),
                     files_.write("b.pop", {.changed = true, .withValues = true})};
    }
    void init() {
        window_ = test::shownWindow(smallScreen);
        QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    }
    void cleanup() { window_.reset(); }

    void reportsFitASmallScreen_data() {
        QTest::addColumn<bool>("comparing");
        QTest::newRow("one profile") << false;
        QTest::newRow("two profiles") << true;
    }
    void reportsFitASmallScreen() {
        QFETCH(bool, comparing);
        open(comparing ? profiles_ : QStringList{profiles_[0]});
        QStringList problems;
        for (const Report report : reports)
            visitReport(report, [&](const QString& where) {
                QCOMPARE(window_->size(), smallScreen);
                problems << problemsIn(*window_, where);
            });
        QCOMPARE(firstOf(problems), QString());
    }

    void reportsFitANarrowWindow_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("comparing");
        QTest::newRow("half a screen") << halfScreen << false;
        QTest::newRow("half a screen, two profiles") << halfScreen << true;
        QTest::newRow("a small window") << smallWindow << false;
        QTest::newRow("a small window, two profiles") << smallWindow << true;
    }
    void reportsFitANarrowWindow() {
        QFETCH(QSize, size);
        QFETCH(bool, comparing);
        window_->resize(size);
        open(comparing ? profiles_ : QStringList{profiles_[0]});
        QStringList problems;
        for (const Report report : reports)
            visitReport(report, [&](const QString& where) {
                QCOMPARE(window_->size(), size);
                problems << problemsIn(*window_, where);
            });
        QCOMPARE(firstOf(problems), QString());
    }

    void screensAndDialogsFit() {
        QStringList problems = problemsIn(*window_, QStringLiteral("home"));
        std::vector<std::unique_ptr<QDialog>> dialogs;
        dialogs.push_back(std::make_unique<RunDialog>(QString()));
        dialogs.push_back(std::make_unique<HelpWindow>());
        dialogs.push_back(std::make_unique<PreferencesDialog>(window_->context()));
        auto palette = std::make_unique<CommandPalette>(*window_);
        palette->setAttribute(Qt::WA_DeleteOnClose, false);
        dialogs.push_back(std::move(palette));
        for (const auto& dialog : dialogs) {
            dialog->show();
            QCoreApplication::processEvents();
            const QString where = QString::fromLatin1(dialog->metaObject()->className());
            QVERIFY2(dialog->width() <= smallScreen.width() &&
                         dialog->height() <= smallScreen.height(),
                     qPrintable(where));
            problems << problemsIn(*dialog, where);
            dialog->hide();
        }
        QCOMPARE(firstOf(problems), QString());
    }

    // https://www.w3.org/TR/WCAG21/#contrast-minimum
    void textsStandOut() {
        constexpr double least = 4.5;
        QStringList problems;
        for (const views::Theme& theme : {views::lightTheme(), views::darkTheme()}) {
            const std::map<const char*, QColor> texts{
                {"text", theme.text}, {"muted", theme.mutedText}, {"accent", theme.accent},
                {"good", theme.good}, {"warning", theme.warning}, {"bad", theme.bad}};
            const std::map<const char*, QColor> backgrounds{{"window", theme.window},
                                                            {"surface", theme.surface},
                                                            {"raised", theme.raised},
                                                            {"selected", theme.selected}};
            for (const auto& [textName, text] : texts)
                for (const auto& [backName, back] : backgrounds)
                    if (views::contrast(text, back) < least)
                        problems << QStringLiteral("%1 on %2, %3: %4")
                                        .arg(QLatin1String(textName), QLatin1String(backName),
                                             theme.dark ? QStringLiteral("dark")
                                                        : QStringLiteral("light"))
                                        .arg(views::contrast(text, back), 0, 'f', 2);
        }
        QCOMPARE(firstOf(problems), QString());
    }

    // The checks themselves detect errors.
    void theChecksFindFaults() {
        QWidget parent;
        parent.resize(100, 60);
        auto* row = new QHBoxLayout(&parent);
        auto* label = new QLabel(QStringLiteral("a text that is longer than a hundred pixels"));
        row->addWidget(label);
        auto* plot = new QCustomPlot;
        row->addWidget(plot);
        parent.show();
        QVERIFY(problemsIn(parent, {}).filter(QStringLiteral("axis has no label")).size() >= 2);
        parent.resize(600, 300);
        QCoreApplication::processEvents();
        label->setGeometry(0, 0, 50, 20);
        plot->setGeometry(40, 0, 590, 300);
        const QStringList problems = problemsIn(parent, {});
        QVERIFY(!problems.filter(QStringLiteral("is cut off")).isEmpty());
        QVERIFY(!problems.filter(QStringLiteral("meets")).isEmpty());
        QVERIFY(!problems.filter(QStringLiteral("leaves its parent")).isEmpty());
    }
};

TILESCOPE_TEST(LayoutTest, QApplication)

} // namespace layout_test

#include "layout_test.moc"
