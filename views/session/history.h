// Steps back and forward through the user's selections and zooms.
#pragma once

#include <QTimer>
#include <QVariant>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "views/session/selection.h"
#include "views/session/zoom_range.h"

namespace tilescope::views {

/// The one history of a window: selections, the zooms of its plots, and state that views add.
/// Changes belong to one step until a mouse button is pressed again, another key selects something,
/// or nothing has changed for a while; consecutive wheel notches are one step, and so is a drag
/// even with pauses. Changes that views make while undoing are not recorded.
class History : public QObject {
    Q_OBJECT
public:
    /// Both outlive the history.
    History(Selection& selection, ZoomRange& timeZoom);

    /// Adds the range of a plot; if its limits have changed its history begins anew. May be called
    /// again for the same range.
    void follow(ZoomRange& zoom);
    /// The kind of a part: consecutive zooms are one step, each selection is a step of its own.
    enum class Kind { Selection, Zoom, Own };
    /// Adds a view's own selection or zoom, with functions to read and to restore it.
    void add(QObject& owner, std::function<QVariant()> read,
             std::function<void(const QVariant&)> show, Kind kind = Kind::Own);
    /// The owner's part may have changed.
    void note(const QObject& owner);
    /// The owner's part begins anew: what it was is of another profile.
    void forget(const QObject& owner);
    /// Forgets everything, as ids of other profiles differ.
    void reset();

    void undo() { go(past_, future_); }
    void redo() { go(future_, past_); }
    [[nodiscard]] bool canUndo() const { return !past_.empty(); }
    [[nodiscard]] bool canRedo() const { return !future_.empty(); }
    /// Goes back until the selection differs, passing over zooms in between.
    void back() { goToSelection(past_, future_); }
    void forward() { goToSelection(future_, past_); }
    [[nodiscard]] bool canGoBack() const { return hasSelection(past_); }
    [[nodiscard]] bool canGoForward() const { return hasSelection(future_); }
    /// A step back or forward is being restored: views must not move.
    [[nodiscard]] bool restoring() const { return restoring_; }

    /// Further changes belong to another step.
    void endStep();
    /// The report in front; steps that zoom return to the report where they were made.
    void setPage(int page) { page_ = page; }
    /// How long nothing may change before a step ends.
    void setQuietTime(int milliseconds) { quiet_.setInterval(milliseconds); }

    static constexpr std::size_t longest = 500; ///< steps

signals:
    /// Whether something can be undone or redone has changed.
    void changed();
    void pageWanted(int page);

private:
    struct Part {
        std::function<QVariant()> read;
        std::function<void(const QVariant&)> show;
        Kind kind = Kind::Own;
        QVariant now;
    };
    /// For each part that the step changed, its value on the other side of the step.
    struct Step {
        std::map<const QObject*, QVariant> values;
        int page = -1;
    };
    using Steps = std::vector<Step>;

    void addPart(QObject& owner, Part part);
    void removePart(const QObject* owner);
    void zoomChanged(ZoomRange& zoom);
    void noteChange(const QObject* owner, Part& part);
    void beginStep();
    void go(Steps& from, Steps& to);
    void show(Step& step);
    void goToSelection(Steps& from, Steps& to);
    void eraseValues(const QObject* owner);
    [[nodiscard]] bool consistsOf(const Step& step, Kind kind) const;
    [[nodiscard]] bool hasAny(const Step& step, Kind kind) const;
    [[nodiscard]] bool changesAnything(const Step& step) const;
    [[nodiscard]] bool hasSelection(const Steps& steps) const;
    void quietTimeIsOver();
    bool eventFilter(QObject* watched, QEvent* event) override;

    std::map<const QObject*, Part> parts_;
    std::map<const QObject*, std::pair<double, double>> limits_; ///< of the zooms
    std::set<const QObject*> beginning_; ///< zooms whose first range is being set
    Steps past_;
    Steps future_;
    QTimer quiet_;
    int page_ = -1;
    bool open_ = false;       ///< the last step of the past is still open
    bool keyPressed_ = false; ///< since the last change
    bool awaitsUser_ = true;  ///< changes still follow from a step back
    bool restoring_ = false;
};

} // namespace tilescope::views
