// Steps back and forward through what one has looked at.
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

/// The one history of a window: what was selected, the zooms of its plots, and what views add to
/// that. What changes in one go is one step: until a mouse button is pressed again, another key
/// selects something, or nothing has changed for a while; a row of wheel notches is one, and a drag
/// however long it rests. Changes that views make while undoing are not recorded.
class History : public QObject {
    Q_OBJECT
public:
    /// Both outlive the history.
    History(Selection& selection, ZoomRange& timeZoom);

    /// Takes the range of a plot in; one that has other limits now begins anew. May be called again
    /// for the same.
    void follow(ZoomRange& zoom);
    /// Of what kind a part is: zooms go on with what zooms, selections are a step each.
    enum class Kind { Selection, Zoom, Own };
    /// Takes in what a view has selected or zoomed by itself: how it is read, and shown again.
    void add(QObject& owner, std::function<QVariant()> read,
             std::function<void(const QVariant&)> show, Kind kind = Kind::Own);
    /// The owner's part may have changed.
    void note(const QObject& owner);
    /// The owner's part begins anew: what it was is of another profile.
    void forget(const QObject& owner);
    /// Forgets all: other profiles, other ids.
    void reset();

    void undo() { go(past_, future_); }
    void redo() { go(future_, past_); }
    [[nodiscard]] bool canUndo() const { return !past_.empty(); }
    [[nodiscard]] bool canRedo() const { return !future_.empty(); }
    /// Steps until the selection is another, over zooms in between.
    void back() { goToSelection(past_, future_); }
    void forward() { goToSelection(future_, past_); }
    [[nodiscard]] bool canGoBack() const { return hasSelection(past_); }
    [[nodiscard]] bool canGoForward() const { return hasSelection(future_); }
    /// A step back or forward is being shown: views stay where they are put.
    [[nodiscard]] bool restoring() const { return restoring_; }

    /// What changes from now on is another step.
    void endStep();
    /// The report in front; a step of zooms leads back to where it was made.
    void setPage(int page) { page_ = page; }
    /// How long nothing must change for a step to end.
    void setQuietTime(int milliseconds) { quiet_.setInterval(milliseconds); }

    static constexpr std::size_t longest = 500; ///< steps

signals:
    /// What can be undone or redone.
    void changed();
    void pageWanted(int page);

private:
    struct Part {
        std::function<QVariant()> read;
        std::function<void(const QVariant&)> show;
        Kind kind = Kind::Own;
        QVariant now;
    };
    /// Of each part that the step changed what it was on the other side of it.
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
    bool open_ = false;       ///< the last step of the past goes on
    bool keyPressed_ = false; ///< since the last change
    bool awaitsUser_ = true;  ///< what changes is what follows from a step back
    bool restoring_ = false;
};

} // namespace tilescope::views
