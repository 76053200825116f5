#include "app/cli/sweep/ranks.h"

#include <boost/json.hpp>

#include "app/cli/sweep/messages.h"

namespace tilescope::cli {
namespace {

namespace json = boost::json;

enum Tag { Request = 1, Answer = 2, Result = 3 };
constexpr std::string_view nothingMore = "none";

std::string textOf(const RankResult& result) {
    return json::serialize(json::object{{"point", result.point},
                                        {"exitCode", result.child.exitCode},
                                        {"out", result.child.out},
                                        {"err", result.child.err},
                                        {"seconds", result.seconds}});
}

RankResult resultFrom(const std::string& text) {
    const json::object object = json::parse(text).get_object();
    return {object.at("point").to_number<std::size_t>(),
            {object.at("exitCode").to_number<int>(), std::string(object.at("out").get_string()),
             std::string(object.at("err").get_string())},
            object.at("seconds").to_number<double>()};
}

} // namespace

Ranks::Ranks() {
    if (launchedRanks() == 1)
        return;
    messages_ = openMessages();
    rank_ = messages_->rank();
    size_ = static_cast<std::size_t>(messages_->size());
    working_ = isFirst() ? size_ - 1 : 0;
}

Ranks::~Ranks() {
    while (isFirst() && working_ > 0) {
        const Messages::Arrival arrival = messages_->next();
        messages_->take(arrival);
        if (arrival.tag != Request)
            continue;
        messages_->send(std::string(nothingMore), arrival.from, Answer);
        --working_;
    }
}

bool Ranks::attend(const NextPoint& next, const std::function<void(const RankResult&)>& finished) {
    while (working_ > 0) {
        const std::optional<Messages::Arrival> arrival = messages_->arrived();
        if (!arrival)
            break;
        const std::string text = messages_->take(*arrival);
        if (arrival->tag != Request) {
            finished(resultFrom(text));
            continue;
        }
        const std::optional<std::size_t> point =
            next(static_cast<std::size_t>(arrival->from), std::stoul(text));
        working_ -= point ? 0 : 1;
        messages_->send(point ? std::to_string(*point) : std::string(nothingMore), arrival->from,
                        Answer);
    }
    return working_ > 0;
}

std::optional<std::size_t> Ranks::ask(std::size_t worker) {
    messages_->send(std::to_string(worker), 0, Request);
    const std::string answer = messages_->take(messages_->next());
    return answer == nothingMore ? std::nullopt : std::optional(std::stoul(answer));
}

void Ranks::tell(const RankResult& result) {
    messages_->send(textOf(result), 0, Result);
}

void Ranks::abandon(int status) {
    if (messages_)
        messages_->endAll(status);
    std::_Exit(status);
}

} // namespace tilescope::cli
