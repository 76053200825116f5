// A file's lines with their costs beside them.
#pragma once

#include <QAbstractScrollArea>

#include "views/operations/source_content.h"
#include "views/session/view_context.h"

namespace tilescope::views {

/// Paints the lines that are in sight, each with its share of the cost as a bar and its cycles by
/// pass; of two versions with the change of its cycles, lines that one of them lacks tinted. Arrow
/// keys and the pointer choose a line, F8 and Shift+F8 the next and the previous hot one. A narrow
/// view leaves out columns, which tips have.
class CodeView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit CodeView(ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] static QString titleOf(CodeMetric metric);
    /// An amount of a metric, in the preferred units.
    [[nodiscard]] QString amountText(CodeMetric metric, std::int64_t amount) const;

    /// `total`: the whole cost, of which lines are shares. The file outlives the view or its next
    /// one.
    void setFile(const CodeFile* file, std::int64_t total);
    [[nodiscard]] const CodeFile* file() const { return file_; }
    /// Brings a line to the middle and marks it; an index of the file's lines, -1 for none.
    void setCurrent(int line);
    /// Scrolls to a line that is out of sight; -1 for none.
    void bringIntoView(int line);
    [[nodiscard]] int current() const { return current_; }
    /// The line at a height of the viewport; -1 for none.
    [[nodiscard]] int lineAt(int y) const;
    /// All figures of a line as text; empty if it has none.
    [[nodiscard]] QString textOf(int line) const;
    /// Lines from this share of the costliest line on (of two versions: of the largest change) are
    /// hot.
    static constexpr double hotShare = 0.1;
    /// The next hot line in a direction (1 or -1) from the current one; -1 if there is none.
    [[nodiscard]] int nextHot(int direction) const;

signals:
    /// The user has chosen a line.
    void chosen(int line);
    /// The user has pressed E: the current line is wanted in an editor.
    void editorWanted();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Columns {
        int share = 0, figure = 0, number = 0; ///< widths
        std::vector<std::size_t> figures;      ///< those that are shown
        int numbers = 0;                       ///< where the first number begins
        int text = 0;                          ///< where the text begins
    };
    [[nodiscard]] Columns columns() const;
    [[nodiscard]] int rowHeight() const;
    [[nodiscard]] QString titleOf(CodeColumn column) const;
    [[nodiscard]] QString figureText(CodeColumn column, std::int64_t amount) const;
    /// What makes a line hot.
    [[nodiscard]] std::int64_t heatOf(const CodeLine& line) const;
    void paintHeader(QPainter& painter, const Columns& widths) const;
    void paintLine(QPainter& painter, const Columns& widths, int line, int y) const;
    void paintCost(QPainter& painter, const Columns& widths, const CodeLine& line,
                   const QRect& row) const;
    [[nodiscard]] QColor backgroundOf(const CodeLine& line, bool current) const;
    void choose(int line);
    void updateScrollBars();

    ViewContext& context_;
    const CodeFile* file_ = nullptr;
    std::int64_t total_ = 0;
    std::int64_t costliest_ = 0; ///< the most heat of a line
    int longest_ = 0;            ///< characters of a line
    int current_ = -1;
};

} // namespace tilescope::views
