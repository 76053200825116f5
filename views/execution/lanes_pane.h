// The steps of an execution over time.
#pragma once

#include <QJsonObject>
#include <QWidget>

#include "views/execution/trace_items.h"
#include "views/plot/legend_bar.h"
#include "views/plot/trace/trace_plot.h"
#include "views/query/background_query.h"
#include "views/widgets/pointed.h"

namespace tilescope::views {

/// A TracePlot that reads its own data: everything coarsely, then what is in sight whenever the
/// range of cycles or the rows change, stretching the last picture meanwhile. The user's
/// arrangement of the lanes is kept for other looks and for profiles with as many IPUs, and is
/// saved with the session.
class LanesPane : public QWidget {
    Q_OBJECT
    /// See controlStates().
    Q_PROPERTY(QJsonObject keptState READ keptState WRITE setKeptState)
public:
    LanesPane(ViewContext& context, TraceSelection& selection);

    /// Reads another execution or other rows of it, `length` cycles, in colours of this kind.
    void load(TraceQuestion question, std::int64_t length, ColourBy colours = ColourBy::Kind);
    void cancel() { query_.cancel(); }
    /// Marks the way of a micro-batch of the pipeline in both profiles; none for an invalid id.
    void follow(MicroBatchId microBatch);
    /// Whether there is an execution to show.
    [[nodiscard]] bool loaded() const { return plot_->trace().overview() != nullptr; }
    [[nodiscard]] TracePlot& plot() { return *plot_; }
    /// The meaning of the colours, unless they are those of kinds.
    [[nodiscard]] std::vector<LegendBar::Entry> legend() const;
    /// The colours of the host's channels; none without any.
    [[nodiscard]] std::vector<LegendBar::Entry> channels() const;

    [[nodiscard]] QJsonObject keptState() const;
    void setKeptState(const QJsonObject& state);

signals:
    /// The steps of each lane, coarsely; the host's are those before the runs, if shown.
    void overviewRead(const tilescope::views::SharedRows& rows);
    /// The meaning of the colours has changed.
    void legendChanged();
    /// Only this IPU is to be shown.
    void ipuWanted(qint32 ipu);
    /// Only steps of this name are to stay bright.
    void searchWanted(const QString& name);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void refresh();
    /// A place in one of the items.
    struct Found {
        std::size_t lane = 0;
        ItemPlace place;
    };
    /// None where there is no box.
    [[nodiscard]] std::optional<Found> at(double x, double y) const;
    void clicked(double x, double y);
    void pointAt(const std::optional<QPoint>& position, const ShowMenu& show);
    void arrangeFor(const TraceQuestion& question);
    [[nodiscard]] std::vector<LaneWish> wishes() const;

    ViewContext& context_;
    TraceSelection& selection_;
    TracePlot* plot_;
    TraceQuestion question_;
    ProfilePair shown_; ///< whose items and lanes are on the screen
    TraceItems items_;
    MicroBatchId followed_;
    std::shared_ptr<const BoxTints::Legend> legend_;
    std::int32_t ipus_ = 0; ///< of the profile that lanes are arranged for
    BackgroundQuery query_;
    BackgroundQuery menuQuery_;
};

} // namespace tilescope::views
