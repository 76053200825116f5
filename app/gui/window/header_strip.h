// A line above the reports that shows which profiles are open.
#pragma once

#include <QFrame>
#include <optional>
#include <vector>

#include "core/analysis/memory/summary.h"
#include "views/session/view_context.h"

class QLabel;
class QPushButton;

namespace tilescope::gui {

/// Model, batch, machine, whether it fits, time and throughput of a profile; for two profiles, the
/// differences, as a link to the comparison, and the change of each figure. If there is less room,
/// the least important parts are shortened, then left out: the machine first, the name last.
class HeaderStrip : public QFrame {
    Q_OBJECT
public:
    explicit HeaderStrip(views::ViewContext& context, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {1, sizeHint().height()}; }

signals:
    /// The user has clicked the differences.
    void compareWanted();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// The fullest tiles of source and target, once they have been read.
    struct Fullest {
        MemorySummary source;
        std::optional<MemorySummary> target;
    };
    enum class Look { Plain, Muted, Good, Bad };
    /// In a narrow strip the last of these are left out first.
    enum class Rank { Name, Origin, Fits, Differences, Rate, Time, Batch, Machine };
    struct Part {
        QWidget* widget = nullptr;
        QString text; ///< in full
        Rank rank = Rank::Name;
        QStringList shorter = {}; ///< alternatives to the text if there is less room
        bool gives = false;       ///< can be elided before it is left out
        bool follows = false;     ///< belongs to the part before it
        int width = 0;            ///< pixels; 0: left out
    };
    void reload();
    void show();
    void showOne();
    void showTwo();
    void clear();
    void addName(const QString& text, const QString& toolTip);
    /// Where the figures come from, unless this program simulated them.
    void addOrigin(const ProfileInfo& info);
    void addText(const QString& text, Rank rank, Look look, const QString& toolTip = {},
                 const QStringList& shorter = {});
    void addChanges();
    void addFits();
    void addTimes();
    void addTimesOf(const ProfileInfo& info);
    void layOut();
    [[nodiscard]] std::vector<Part*> byRank();
    /// Assigns widths: as many parts as fit in their shortest form, the most important first; then,
    /// in that order, the longest form for which there is room.
    void share(int room);
    static void widen(Part& part, int& spare);
    [[nodiscard]] static QString fitted(const Part& part, int width);
    void place(const Part& part, const QString& text, int left, int width) const;
    [[nodiscard]] static int widthOf(const Part& part);
    [[nodiscard]] static int leastWidthOf(const Part& part);
    [[nodiscard]] static QFontMetrics metricsOf(const Part& part);

    views::ViewContext& context_;
    views::BackgroundQuery query_;
    std::optional<Fullest> fullest_;
    std::vector<Part> parts_; ///< from left to right
    QPushButton* changes_ = nullptr;
};

} // namespace tilescope::gui
