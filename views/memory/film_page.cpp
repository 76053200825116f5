#include "views/memory/film_page.h"

#include <QKeyEvent>
#include <algorithm>
#include <array>
#include <limits>

#include "views/session/time_texts.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

/// The value of an item in the choice of speeds: steps per second or, if negative, the seconds that
/// the whole film takes.
struct Speed {
    const char* text;
    double value;
};
constexpr auto speeds = std::to_array<Speed>({
    {QT_TRANSLATE_NOOP("tilescope::views::FilmPage", "2 steps a second"), 2},
    {QT_TRANSLATE_NOOP("tilescope::views::FilmPage", "10 steps a second"), 10},
    {QT_TRANSLATE_NOOP("tilescope::views::FilmPage", "30 steps a second"), 30},
    {QT_TRANSLATE_NOOP("tilescope::views::FilmPage", "All in a minute"), -60},
    {QT_TRANSLATE_NOOP("tilescope::views::FilmPage", "All in 15 seconds"), -15},
});
constexpr int usualSpeed = 1;

QString nameOf(FilmKind kind) {
    switch (kind) {
    case FilmKind::LiveMemory:
        return Text::tr("Live memory");
    case FilmKind::Activity:
        return Text::tr("Activity");
    case FilmKind::BytesReceived:
        return Text::tr("Bytes received");
    case FilmKind::BytesSent:
        return Text::tr("Bytes sent");
    }
    return {};
}

QString quantityOf(FilmKind kind) {
    return kind == FilmKind::Activity ? Text::tr("Share of the step that a tile works")
                                      : nameOf(kind);
}

} // namespace

FilmPage::FilmPage(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , frames_(context.workers)
    , search_(context.workers)
    , map_(new TileMap(context))
    , panel_(new LoadingPanel(context.workers)) {
    map_->setAccessibleName(tr("Film of the tiles"));
    map_->installEventFilter(this);
    panel_->setContent(map_);
    inColumn(this, {makeControls(), panel_}, panel_);
    timer_.setInterval(1000 / FilmPlayer::shownInSecond);
    timer_.setTimerType(Qt::PreciseTimer);
    connect(&timer_, &QTimer::timeout, this,
            [this] { player_.advance(static_cast<double>(clock_.restart())); });
    player_.setReady([this](std::int64_t frame) { return frames_.find(frame) != nullptr; });
    connect(&player_, &FilmPlayer::frameChanged, this, &FilmPage::frameChanged);
    connect(&player_, &FilmPlayer::frameWanted, this, &FilmPage::wantComing);
    connect(&player_, &FilmPlayer::playingChanged, this, &FilmPage::playingChanged);
    connect(&frames_, &FilmFrames::arrived, this, &FilmPage::showIfThere);
    // Stopping a film selects its step, which must not happen in the next profile.
    connect(&context.workers, &Workers::profilesLeft, &player_, &FilmPlayer::pause);
    connect(&frames_, &FilmFrames::failed, this, [this](const QString& text) {
        player_.pause();
        panel_->showMessage(tr("This step could not be read"), text);
    });
    connect(map_, &TileMap::hovered, this, &FilmPage::status);
}

QWidget* FilmPage::makeControls() {
    auto* row = controls_ = new ToolRow;
    side_ = row->addChoice(tr("Film of"), {tr("Source"), tr("Target")});
    side_->setToolTip(tr("Which of the two profiles plays; steps of the target are not selected "
                         "elsewhere"));
    row->setShown(side_, false);
    QStringList kinds;
    for (const FilmKind kind :
         {FilmKind::LiveMemory, FilmKind::Activity, FilmKind::BytesReceived, FilmKind::BytesSent})
        kinds.append(nameOf(kind));
    kind_ = row->addChoice(tr("Film shows"), kinds);
    kind_->setToolTip(tr("What the colours show: memory by program step, the others by executed "
                         "step"));
    auto* back = row->addButton(QStringLiteral("\u25c2"), tr("The step before (comma)"));
    back->setAccessibleName(tr("Step back"));
    play_ = row->addButton(tr("Play"), tr("Plays or pauses the film (Space)"));
    auto* forward = row->addButton(QStringLiteral("\u25b8"), tr("The next step (period)"));
    forward->setAccessibleName(tr("Step forward"));
    slider_ = new FilmSlider(context_.theme);
    slider_->setAccessibleName(tr("Step of the film"));
    slider_->setToolTip(tr("The step that is shown, with the memory that is live at each"));
    row->add(slider_, 1);
    row->setPriority(slider_, ToolRow::Priority::Always);
    QStringList texts;
    for (const Speed& speed : speeds)
        texts.append(tr(speed.text));
    speed_ = row->addChoice(tr("Speed"), texts);
    speed_->setToolTip(tr("How fast the film plays"));
    speed_->setCurrentIndex(usualSpeed);
    step_ = textLabel({}, "value");
    step_->setMinimumWidth(1);
    auto* both = new QWidget;
    auto* text = new QWidget;
    auto* textLayout = new QHBoxLayout(text);
    textLayout->setContentsMargins(14, 0, 12, 2);
    textLayout->addWidget(step_, 1);
    inColumn(both, {row, text});
    connect(side_, &QComboBox::currentIndexChanged, this, &FilmPage::startAnew);
    connect(kind_, &QComboBox::currentIndexChanged, this, [this] {
        emit kindChanged();
        startAnew();
    });
    connect(speed_, &QComboBox::currentIndexChanged, this, &FilmPage::setSpeed);
    connect(play_, &QToolButton::clicked, &player_, &FilmPlayer::toggle);
    connect(back, &QToolButton::clicked, this, [this] {
        player_.stepBy(-1);
        selectStep();
    });
    connect(forward, &QToolButton::clicked, this, [this] {
        player_.stepBy(1);
        selectStep();
    });
    connect(slider_, &QSlider::valueChanged, this, &FilmPage::sliderMoved);
    connect(slider_, &QSlider::sliderReleased, this, &FilmPage::selectStep);
    return both;
}

void FilmPage::startAnew() {
    forget();
    load();
}

bool FilmPage::ofTarget() const {
    return side_->currentIndex() == 1 && context_.reports.profiles().comparing();
}

const ProfileViewPtr& FilmPage::profile() const {
    return ofTarget() ? context_.reports.target() : context_.reports.source();
}

void FilmPage::forget() {
    controls_->setShown(side_, context_.reports.profiles().comparing());
    // Drop the frames first: stopping must not select a step in the profile that is now open.
    frames_.setFilm(nullptr);
    player_.setLength(0);
    selectWhenShown_ = false;
    search_.cancel();
    shown_ = -1;
    step_->clear();
    stale_ = true;
}

void FilmPage::load() {
    const ProfileViewPtr& profile = this->profile();
    if (!stale_ || !profile || !isVisible())
        return;
    stale_ = false;
    panel_->load([this, profile, kind = kind()](const std::stop_token& stop) {
        // Frames of live memory are the steps of the program.
        auto curve = kind == FilmKind::LiveMemory ? *profile->notAlwaysLive(stop)
                                                  : std::vector<std::int64_t>();
        return [this, film = tileFilm(*profile, kind, stop), curve = std::move(curve)]() mutable {
            slider_->setCurve(std::move(curve));
            open(film);
        };
    });
}

void FilmPage::open(std::shared_ptr<TileFilm> film) {
    if (film->frames() == 0) {
        setUp(0);
        return panel_->showMessage(kind() == FilmKind::LiveMemory
                                       ? tr("This profile has no program steps")
                                       : tr("This profile has no execution"),
                                   tr("There is nothing that a film could show."));
    }
    const Target& machine = profile()->machine();
    TileMapContent content;
    content.quantity = quantityOf(kind());
    content.perCent = kind() == FilmKind::Activity;
    content.limit = kind() == FilmKind::LiveMemory ? machine.bytesPerTile : 0;
    content.largest = film->largest();
    content.sides.push_back(
        {context_.reports.profiles().comparing() ? side_->currentText() : QString(),
         std::vector<std::int64_t>(static_cast<std::size_t>(machine.totalTiles()), 0), machine,
         false});
    map_->setContent(std::move(content));
    frames_.setFilm(film);
    setUp(film->frames());
    announced_ = {};
    // What is of most interest, unless a step is selected.
    player_.seek(slider_->peak());
    wantComing();
    followSelection();
}

void FilmPage::setUp(std::int64_t frames) {
    // A slider has 32-bit notches, more than a pointer can tell apart.
    perNotch_ = 1 + frames / std::numeric_limits<int>::max();
    const QSignalBlocker blocker(slider_);
    slider_->setRange(0, static_cast<int>(std::max<std::int64_t>(0, frames - 1) / perNotch_));
    slider_->setPageStep(std::max(1, slider_->maximum() / 20));
    slider_->setValue(0);
    for (QWidget* control : std::initializer_list<QWidget*>{slider_, play_, speed_})
        control->setEnabled(frames > 0);
    player_.setLength(frames);
    setSpeed();
}

void FilmPage::setSpeed() {
    const double value = speeds[std::max(0, speed_->currentIndex())].value;
    player_.setSpeed(value > 0 ? value : static_cast<double>(player_.length()) / -value);
    wantComing();
}

void FilmPage::frameChanged(std::int64_t frame) {
    const QSignalBlocker blocker(slider_);
    slider_->setValue(static_cast<int>(frame / perNotch_));
    showIfThere();
    wantComing();
}

void FilmPage::wantComing() {
    if (frames_.film())
        frames_.want(player_.coming(player_.playing() ? frames_.most() : frames_.most() / 8));
}

void FilmPage::showIfThere() {
    const FilmFrame* frame = frames_.find(player_.frame());
    if (frame == nullptr || frame->number == shown_)
        return;
    shown_ = frame->number;
    map_->setFrame(frame->values);
    const QString number = countText(frame->number);
    const QString name = shownName(frame->name);
    const QString last = countText(player_.length() - 1);
    step_->setText(frame->cycle < 0 ? tr("Step %1 of %2: %3").arg(number, last, name)
                                    : tr("Executed step %1 of %2, cycle %3: %4")
                                          .arg(number, last, countText(frame->cycle), name));
    if (selectWhenShown_ && !player_.playing())
        selectStep();
}

void FilmPage::playingChanged(bool playing) {
    play_->setText(playing ? tr("Pause") : tr("Play"));
    if (playing) {
        wantComing();
        clock_.start();
        return timer_.start();
    }
    timer_.stop();
    selectStep();
}

void FilmPage::sliderMoved(int value) {
    player_.seek(static_cast<std::int64_t>(value) * perNotch_);
    if (!slider_->isSliderDown() && !player_.playing())
        selectStep(); // by keys or a click
}

// A frame that is still being made is selected when it arrives.
void FilmPage::selectStep() {
    if (ofTarget())
        return;
    const FilmFrame* frame = frames_.find(player_.frame());
    selectWhenShown_ = frame == nullptr;
    if (frame == nullptr)
        return;
    announced_ = frame->step;
    context_.selection.update([frame](Selected& s) {
        s.step = frame->step;
        s.program = frame->program;
    });
}

void FilmPage::followSelection() {
    map_->setSelected(context_.selection.current().tiles);
    const IpuId ipu = context_.selection.current().ipu;
    const bool hasIpu = profile() && ipu.value() < profile()->machine().ipus;
    map_->setIpu(hasIpu ? ipu : IpuId());
    if (ofTarget())
        return;
    const StepId step = context_.selection.current().step;
    const std::shared_ptr<TileFilm>& film = frames_.film();
    if (!film || !step.valid() || step == announced_ || player_.playing() || !isVisible())
        return;
    announced_ = step;
    search_.start([this, film, step](const std::stop_token&) {
        return [this, frame = film->frameOf(step)] {
            if (frame >= 0 && !player_.playing())
                player_.seek(frame);
        };
    });
}

bool FilmPage::keyPressed(const QKeyEvent& event) {
    if (event.modifiers() != Qt::NoModifier || player_.length() == 0)
        return false;
    switch (event.key()) {
    case Qt::Key_Space:
        player_.toggle();
        return true;
    case Qt::Key_Comma:
        player_.stepBy(-1);
        break;
    case Qt::Key_Period:
        player_.stepBy(1);
        break;
    case Qt::Key_Home:
        player_.stepBy(-player_.length());
        break;
    case Qt::Key_End:
        player_.stepBy(player_.length());
        break;
    default:
        return false;
    }
    selectStep();
    return true;
}

void FilmPage::keyPressEvent(QKeyEvent* event) {
    if (!keyPressed(*event))
        QWidget::keyPressEvent(event);
}

bool FilmPage::eventFilter(QObject* watched, QEvent* event) {
    return event->type() == QEvent::KeyPress && keyPressed(static_cast<QKeyEvent&>(*event))
               ? true
               : QWidget::eventFilter(watched, event);
}

void FilmPage::hideEvent(QHideEvent* event) {
    player_.pause();
    QWidget::hideEvent(event);
}

} // namespace tilescope::views
