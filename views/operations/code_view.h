// A file's lines with their costs beside them.
#pragma once

#include <QAbstractScrollArea>

#include "views/operations/source_content.h"
#include "views/session/view_context.h"

namespace tilescope::views {

/// Paints the lines that are in sight, each with its share of the run as a bar and its cycles by
/// pass. Arrow keys and the pointer choose a line, F8 and Shift+F8 the next and the previous hot
/// one.
class CodeView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit CodeView(ViewContext& context, QWidget* parent = nullptr);

    /// `total`: cycles of which lines are shares. The file outlives the view or its next one.
    void setFile(const CodeFile* file, std::int64_t total);
    /// Brings a line to the middle and marks it; an index of the file's lines, -1 for none.
    void setCurrent(int line);
    /// Scrolls to a line that is out of sight; -1 for none.
    void bringIntoView(int line);
    [[nodiscard]] int current() const { return current_; }
    /// Lines from this share of the costliest line on are hot.
    static constexpr double hotShare = 0.1;
    /// The next hot line in a direction (1 or -1) from the current one; -1 if there is none.
    [[nodiscard]] int nextHot(int direction) const;

signals:
    /// The user has chosen a line.
    void chosen(int line);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Columns {
        int number = 0, share = 0, pass = 0, text = 0; ///< widths; of text: where it begins
    };
    [[nodiscard]] Columns columns() const;
    [[nodiscard]] int rowHeight() const;
    [[nodiscard]] int lineAt(int y) const;
    void paintHeader(QPainter& painter, const Columns& widths) const;
    void paintLine(QPainter& painter, const Columns& widths, int line, int y) const;
    void choose(int line);
    void updateScrollBars();

    ViewContext& context_;
    const CodeFile* file_ = nullptr;
    std::int64_t total_ = 0;
    std::int64_t costliest_ = 0; ///< cycles of a line
    int longest_ = 0;            ///< characters of a line
    int current_ = -1;
};

} // namespace tilescope::views
