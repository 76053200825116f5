#include "tests/bench/damage/window_visit.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QLabel>
#include <QPointer>
#include <QTabBar>
#include <QTreeView>
#include <QWheelEvent>

#include "app/gui/window/main_window.h"
#include "app/gui/window/message_bar.h"
#include "views/plot/plot_widget.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"

namespace tilescope::bench {
namespace {

/// Uses one window as somebody would who looks at everything once.
class Visitor {
public:
    Visitor(const QStringList& profiles, Progress at)
        : at_(std::move(at))
        , window_(gui::Memory::None) {
        QObject::connect(&window_.context().reports, &views::ReportPair::failed, &window_,
                         [this](const QString&, const QString& text) {
                             refused_ = true;
                             texts_.append(text);
                         });
        // The message bar has room for one: all that it is told are heard.
        QObject::connect(&window_.context().workers, &views::Workers::failed, &window_,
                         [this](const QString& text) { texts_.append(text); });
        // Small, since painting is what takes longest.
        window_.resize(window_.minimumSize());
        window_.show();
        window_.openProfiles(profiles);
        settle();
    }

    QStringList visitAll() {
        // A refused profile must be a message in the bar.
        if (refused_ && !window_.findChild<gui::MessageBar*>()->isVisible())
            texts_.append(QStringLiteral("(nothing is shown)"));
        if (!refused_)
            for (const gui::Report report : gui::reports)
                visit(report);
        texts_.removeDuplicates();
        return texts_;
    }

private:
    void step(const QString& what) { at_(what.toStdString()); }

    /// Until every query has been answered and all that follows from it is done.
    void settle() {
        do {
            while (!window_.context().workers.idle())
                QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
            QApplication::processEvents();
        } while (!window_.context().workers.idle());
    }

    /// Children of a kind that can be seen; using one may remove another.
    template <class Kind> std::vector<QPointer<Kind>> seen(const QWidget& parent) {
        std::vector<QPointer<Kind>> found;
        for (Kind* child : parent.findChildren<Kind*>())
            if (child->isVisible())
                found.emplace_back(child);
        return found;
    }

    void visit(gui::Report report) {
        step(gui::reportName(report));
        window_.showReport(report);
        settle();
        look();
        for (const QPointer<QTabBar>& tabs : seen<QTabBar>(window_.view(report)))
            for (int tab = 1; tabs && tab < tabs->count(); ++tab) {
                step(gui::reportName(report) + QLatin1Char('/') + tabs->tabText(tab));
                tabs->setCurrentIndex(tab);
                settle();
                look();
            }
    }

    /// Uses what is on the screen and notes what it says.
    void look() {
        useTables();
        usePlots();
        settle();
        window_.grab();
        listen();
    }

    void useTables() {
        for (const QPointer<QAbstractItemView>& view : seen<QAbstractItemView>(window_)) {
            if (!view || view->model() == nullptr)
                continue;
            if (auto* tree = qobject_cast<QTreeView*>(view.data())) {
                constexpr int depth = 3;
                tree->expandToDepth(depth);
                for (int column = 0; column < tree->model()->columnCount(); ++column)
                    if (tree->isSortingEnabled())
                        tree->sortByColumn(column, Qt::DescendingOrder);
            }
            for (const bool last : {true, false})
                if (view && view->model()->rowCount() > 0)
                    view->setCurrentIndex(
                        view->model()->index(last ? view->model()->rowCount() - 1 : 0, 0));
            settle();
        }
    }

    void usePlots() {
        constexpr int notch = 120;
        for (const QPointer<views::PlotWidget>& plot : seen<views::PlotWidget>(window_)) {
            if (!plot)
                continue;
            const QPointF where(plot->width() / 2.0, plot->height() / 2.0);
            const QPointF screen = plot->mapToGlobal(where);
            for (const int delta : {notch, notch, -notch}) {
                QWheelEvent wheel(where, screen, {}, {0, delta}, Qt::NoButton, Qt::NoModifier,
                                  Qt::NoScrollPhase, false);
                QApplication::sendEvent(plot, &wheel);
            }
            const auto send = [&](QEvent::Type type, Qt::MouseButton button) {
                QMouseEvent event(type, where, screen, button, button, Qt::NoModifier);
                QApplication::sendEvent(plot, &event);
            };
            send(QEvent::MouseMove, Qt::NoButton);
            send(QEvent::MouseButtonPress, Qt::LeftButton);
            send(QEvent::MouseButtonRelease, Qt::LeftButton);
            plot->replot(QCustomPlot::rpImmediateRefresh);
        }
    }

    void listen() {
        for (auto* panel : window_.findChildren<views::LoadingPanel*>())
            if (panel->isVisible() && panel->showsMessage())
                for (const QLabel* label : panel->currentWidget()->findChildren<QLabel*>())
                    texts_.append(label->text());
    }

    Progress at_;
    gui::MainWindow window_;
    QStringList texts_;
    bool refused_ = false;
};

Verdict verdictOf(const QString& text) {
    if (text.contains(QLatin1String("nternal error")))
        return Verdict::Internal;
    return text.startsWith(QLatin1String("(nothing")) ? Verdict::NoMessage : Verdict::Message;
}

} // namespace

JobResult visitByWindow(const QStringList& profiles, const QStringList& usual, const Progress& at) {
    JobResult result;
    for (const QString& text : Visitor(profiles, at).visitAll()) {
        if (usual.contains(text))
            continue;
        const Verdict verdict = verdictOf(text);
        if (result.text.empty() || verdict > result.verdict)
            result.text = text.toStdString();
        result.verdict = std::max(result.verdict, verdict);
    }
    return result;
}

QStringList textsOfWindow(const QStringList& profiles, const Progress& at) {
    return Visitor(profiles, at).visitAll();
}

} // namespace tilescope::bench
