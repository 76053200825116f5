// Context menus: show in, filter to this, copy; by mouse and by keyboard.
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QTableView>
#include <QTreeView>
#include <QtTest>

#include "app/gui/window/trace_export.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/execution/trace_view.h"
#include "views/liveness/liveness_view.h"
#include "views/memory/memory_view.h"
#include "views/operations/operations_view.h"
#include "views/programs/programs_view.h"
#include "views/tables/item_menu.h"

namespace item_menu_test {
using namespace tilescope;
using namespace tilescope::gui;

class ItemMenuTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    void settle() { test::waitUntilIdle(*window_); }
    template <class View> View& show(Report report) {
        window_->showReport(report);
        settle();
        return static_cast<View&>(window_->view(report));
    }
    // The menu at a position of a widget (or of its viewport), or of the keyboard.
    QMenu* menuAt(QWidget& widget, const std::optional<QPoint>& position) {
        delete window_->findChild<QMenu*>(views::itemMenuName);
        QContextMenuEvent event(position ? QContextMenuEvent::Mouse : QContextMenuEvent::Keyboard,
                                position.value_or(QPoint()),
                                widget.mapToGlobal(position.value_or(QPoint())));
        QCoreApplication::sendEvent(&widget, &event);
        settle();
        return window_->findChild<QMenu*>(views::itemMenuName);
    }
    static QStringList textsOf(const QMenu& menu) {
        QStringList texts;
        for (const QAction* action : menu.actions())
            texts << (action->menu() == nullptr ? action->text()
                                                : textsOf(*action->menu()).join('|'));
        return texts;
    }
    void trigger(QMenu& menu, const QString& text) {
        for (QAction* action : menu.actions()) {
            if (action->menu() != nullptr)
                trigger(*action->menu(), text);
            if (action->text() == text)
                action->trigger();
        }
        settle();
    }
    static QPoint cellAt(QAbstractItemView& view, int row, int column) {
        return view.visualRect(view.model()->index(row, column)).center();
    }
    // Totals are not things, and host time belongs to no operation.
    static int firstOperation(views::OperationsView& operations) {
        const views::TableModel& model = operations.table().model();
        int row = 0;
        while (model.idAt(row) < 0 || model.index(row, 0).data().toString().startsWith('('))
            ++row;
        return row;
    }
    const views::Selected& selected() { return window_->context().selection.current(); }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() {
        window_ = test::shownWindow();
        test::openProfiles(*window_, {files_.write("a.pop")});
    }
    void cleanup() { window_.reset(); }

    void aRowLeadsToOtherReports() {
        auto& operations = show<views::OperationsView>(Report::Operations);
        QTableView& table = operations.table().view();
        const int row = firstOperation(operations);
        QMenu* menu = menuAt(*table.viewport(), cellAt(table, row, 0));
        QVERIFY(menu);
        const QString all = textsOf(*menu).join('\n');
        QVERIFY2(all.contains("Operations: Graph|Execution Trace|Program Tree"), qPrintable(all));
        for (const char* entry : {"Filter to '", "Copy cell", "Copy row", "Copy all rows"})
            QVERIFY2(all.contains(entry), qPrintable(all));
        const QString name = table.model()->index(row, 0).data().toString();
        trigger(*menu, "Copy cell");
        QCOMPARE(QApplication::clipboard()->text(), name);
        trigger(*menu, QStringLiteral("Filter to '%1'").arg(name));
        QVERIFY(operations.table().model().shownRows() >= 1);
        QCOMPARE(table.model()->index(firstOperation(operations), 0).data().toString(), name);
        trigger(*menu, "Program Tree");
        QCOMPARE(window_->currentReport(), Report::Programs);
        QVERIFY(selected().operation.valid());
    }

    void onlyTextsAreFilteredBy() {
        auto& operations = show<views::OperationsView>(Report::Operations);
        views::TableModel& model = operations.table().model();
        Table table{"rows", "", {{"name", "Name"}, {"type", "Type"}, {"bytes", "Bytes"}}};
        table.columns.back().summed = true;
        table.add({std::string("first"), Cell(), std::int64_t{7}}, 0);
        operations.table().setTable(table);
        const auto offered = [&](int row, int column) {
            QMenu* menu = menuAt(*operations.table().view().viewport(),
                                 cellAt(operations.table().view(), row, column));
            return menu == nullptr ? QString() : textsOf(*menu).join('\n');
        };
        QCOMPARE(model.rowCount(), 2); // the totals are first
        QVERIFY(offered(1, 0).contains("Filter to 'first'"));
        QVERIFY(offered(1, 2).contains("Filter to 'first'"));
        for (const auto& [row, column] : {std::pair{0, 0}, {0, 2}, {1, 1}})
            QVERIFY2(!offered(row, column).contains("Filter to"), qPrintable(offered(row, column)));
    }

    void theKeyboardOpensTheMenuOfTheCurrentRow() {
        auto& operations = show<views::OperationsView>(Report::Operations);
        QTableView& table = operations.table().view();
        const int row = firstOperation(operations);
        table.setCurrentIndex(table.model()->index(row, 0));
        table.setFocus();
        for (const auto& [key, modifiers] :
             {std::pair<Qt::Key, Qt::KeyboardModifiers>{Qt::Key_Menu, {}},
              {Qt::Key_F10, Qt::ShiftModifier}}) {
            delete window_->findChild<QMenu*>(views::itemMenuName);
            QTest::keyClick(&table, key, modifiers);
            settle();
            auto* menu = window_->findChild<QMenu*>(views::itemMenuName);
            QVERIFY(menu);
            QVERIFY(textsOf(*menu).join('\n').contains("Execution Trace"));
            QVERIFY(menu->activeAction());
        }
    }

    void aLineOfTheTreeHasOne() {
        auto& programs = show<views::ProgramsView>(Report::Programs);
        const ProgramId convolve = programs.model().find("layer1/conv/Convolve", {}, true);
        programs.tree().setCurrentIndex(programs.model().indexOf(convolve));
        settle();
        QMenu* menu = menuAt(programs.tree(), {});
        QVERIFY(menu);
        trigger(*menu, "Memory: Compute sets");
        QCOMPARE(window_->currentReport(), Report::Memory);
        QVERIFY(selected().computeSet.valid());
        auto& memory = static_cast<views::MemoryView&>(window_->view(Report::Memory));
        QCOMPARE(memory.tabs().currentIndex(), static_cast<int>(views::MemoryTabs::ComputeSets));
    }

    void boxesOfTheTraceHaveOne() {
        auto& trace = show<views::TraceView>(Report::Trace);
        views::TracePlot& plot = trace.plot();
        QTest::keyClick(&plot, Qt::Key_Period); // a step, in sight
        settle();
        QMenu* menu = menuAt(plot, {});
        QVERIFY(menu);
        QVERIFY(textsOf(*menu).contains("Save picture…"));
        // Wherever there is a box of one step.
        bool found = false;
        for (int x = plot.axisRect()->left(); x < plot.axisRect()->right() && !found; x += 7)
            for (int y = plot.axisRect()->top(); y < plot.axisRect()->bottom() && !found; y += 9)
                if (const auto hit =
                        plot.trace().hit(plot.xAxis->pixelToCoord(x), plot.yAxis->pixelToCoord(y));
                    hit.box != nullptr && hit.box->look == views::TraceBox::Look::Step &&
                    hit.box->steps == 1 && hit.box->kind == ProgramKind::OnTileExecute) {
                    menu = menuAt(plot, QPoint(x, y));
                    found = true;
                }
        QVERIFY(found && menu);
        const QString all = textsOf(*menu).join('\n');
        QVERIFY2(all.contains("Program Tree|Operations"), qPrintable(all));
        QVERIFY2(all.contains("Filter to '"), qPrintable(all));
        trigger(*menu, "Operations");
        QCOMPARE(window_->currentReport(), Report::Operations);
    }

    void tilesHaveOne() {
        auto& memory = show<views::MemoryView>(Report::Memory);
        views::PlotWidget& plot = memory.plot().plot();
        QMenu* menu = menuAt(
            plot, QPoint(static_cast<int>(plot.xAxis->coordToPixel(100.5)), plot.height() / 2));
        QVERIFY(menu);
        trigger(*menu, "Memory: Tile map");
        QCOMPARE(selected().tiles.size(), std::size_t(1));
        QVERIFY(memory.map().isVisible());
        const QRectF tile = memory.map().tileRect(0, TileId(3));
        menu = menuAt(memory.map(), tile.center().toPoint());
        QVERIFY(menu);
        trigger(*menu, "Copy name");
        QCOMPARE(QApplication::clipboard()->text(), QString("Tile 3"));
    }

    void theExecutionIsExported() {
        TraceExport writer(window_->context(), window_.get());
        QSignalSpy written(&writer, &TraceExport::written);
        QSignalSpy failed(&writer, &TraceExport::failed);
        const QString file = files_.path("trace.json");
        writer.write(file, {});
        QTRY_COMPARE(written.count(), 1);
        QVERIFY(written[0][0].toString().contains("events"));
        QFile all(file);
        QVERIFY(all.open(QIODevice::ReadOnly));
        QVERIFY(!QJsonDocument::fromJson(all.readAll()).isNull());
        writer.write("/proc/nowhere.json", {});
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY(!failed[0][0].toString().isEmpty());
    }
};

TILESCOPE_TEST(ItemMenuTest, QApplication)

} // namespace item_menu_test

#include "item_menu_test.moc"
