#include "views/session/query_book.h"

#include <QSettings>
#include <algorithm>

namespace tilescope::views {
namespace {
const QString historyKey = QStringLiteral("query/history");
const QString savedKey = QStringLiteral("query/saved");
} // namespace

void QueryBook::keep() {
    kept_ = true;
    read();
    emit changed();
}

void QueryBook::read() {
    if (!kept_)
        return;
    const QSettings settings;
    history_ = settings.value(historyKey).toStringList();
    saved_.clear();
    const QVariantMap saved = settings.value(savedKey).toMap();
    for (auto it = saved.begin(); it != saved.end(); ++it)
        saved_.push_back({it.key(), it.value().toString()});
}

void QueryBook::write() {
    if (kept_) {
        QSettings settings;
        settings.setValue(historyKey, history_);
        QVariantMap saved;
        for (const Saved& query : saved_)
            saved.insert(query.name, query.sql);
        settings.setValue(savedKey, saved);
    }
    emit changed();
}

void QueryBook::addToHistory(const QString& sql) {
    read();
    history_.removeAll(sql);
    history_.prepend(sql);
    if (history_.size() > historySize)
        history_.resize(historySize);
    write();
}

void QueryBook::clearHistory() {
    read();
    history_.clear();
    write();
}

void QueryBook::save(const QString& name, const QString& sql) {
    read();
    std::erase_if(saved_, [&](const Saved& query) { return query.name == name; });
    const auto place = std::find_if(saved_.begin(), saved_.end(),
                                    [&](const Saved& query) { return query.name > name; });
    saved_.insert(place, {name, sql});
    write();
}

void QueryBook::remove(const QString& name) {
    read();
    std::erase_if(saved_, [&](const Saved& query) { return query.name == name; });
    write();
}

} // namespace tilescope::views
