// The tile map as a film over the steps of the program.
#pragma once

#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QTimer>

#include "views/film/film_frames.h"
#include "views/film/film_player.h"
#include "views/memory/film_slider.h"
#include "views/memory/tile_map.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {

/// Live memory at each step of the program, from the step with the most, or what tiles do and
/// exchange at each executed step.
/// Space plays and pauses, comma and period go step by step, Home and End to the ends. The step at
/// which it stops is selected everywhere; a step selected elsewhere is shown.
class FilmPage : public QWidget {
    Q_OBJECT
public:
    explicit FilmPage(ViewContext& context, QWidget* parent = nullptr);

    /// Reads the film of the current source, or of the target if that is chosen, unless it was read
    /// already. Steps of the target cannot be selected: its film neither selects nor follows the
    /// selection.
    void load();
    /// Other profiles are open: the next load() reads.
    void forget();
    void followSelection();

    [[nodiscard]] TileMap& map() { return *map_; }
    [[nodiscard]] FilmPlayer& player() { return player_; }
    [[nodiscard]] const FilmFrames& frames() const { return frames_; }
    /// The number of the frame that is on the map; -1 for none.
    [[nodiscard]] std::int64_t shown() const { return shown_; }
    [[nodiscard]] QString stepText() const { return step_->text(); }
    [[nodiscard]] FilmKind kind() const { return static_cast<FilmKind>(kind_->currentIndex()); }

signals:
    void status(const QString& text);
    /// The colours have changed between bytes of a tile's memory and something else.
    void kindChanged();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeControls();
    void startAnew();
    /// Whose film it is; null if nothing is open.
    [[nodiscard]] const ProfileViewPtr& profile() const;
    [[nodiscard]] bool ofTarget() const;
    void setSpeed();
    void open(std::shared_ptr<TileFilm> film);
    void setUp(std::int64_t frames);
    void frameChanged(std::int64_t frame);
    void playingChanged(bool playing);
    void showIfThere();
    void wantComing();
    void sliderMoved(int value);
    void selectStep();
    bool keyPressed(const QKeyEvent& event);

    ViewContext& context_;
    FilmPlayer player_;
    FilmFrames frames_;
    BackgroundQuery search_; ///< for the frame of a step
    QTimer timer_;
    QElapsedTimer clock_;
    TileMap* map_;
    LoadingPanel* panel_;
    ToolRow* controls_ = nullptr;
    QComboBox* side_ = nullptr; ///< source or target; shown where there are two
    QComboBox* kind_ = nullptr;
    QComboBox* speed_ = nullptr;
    QToolButton* play_ = nullptr;
    FilmSlider* slider_ = nullptr;
    QLabel* step_ = nullptr;
    std::int64_t perNotch_ = 1; ///< frames of a notch of the slider
    std::int64_t shown_ = -1;
    StepId announced_;             ///< selected by this page, or shown because it was selected
    bool selectWhenShown_ = false; ///< select the frame that is being made
    bool stale_ = true;
};

} // namespace tilescope::views
