#include "app/cli/sweep/point_worker.h"

#include <boost/json.hpp>
#include <exception>
#include <istream>
#include <ostream>
#include <sstream>

namespace tilescope::cli {
namespace {

namespace json = boost::json;

/// Paths may consist of arbitrary bytes, and are returned unchanged.
json::value parsed(const std::string& line) {
    json::parse_options options;
    options.allow_invalid_utf8 = true;
    return json::parse(line, {}, options);
}

std::string answerLine(int exitCode, std::string_view out, std::string_view err) {
    return json::serialize(json::object{{"exitCode", exitCode}, {"out", out}, {"err", err}});
}

} // namespace

std::string requestLine(const std::vector<std::string>& words) {
    json::array list;
    for (const std::string& word : words)
        list.emplace_back(word);
    return json::serialize(list) + '\n';
}

ChildResult answerFrom(const std::string& line) {
    try {
        const json::value answer = parsed(line);
        return {answer.at("exitCode").to_number<int>(), std::string(answer.at("out").as_string()),
                std::string(answer.at("err").as_string())};
    } catch (const std::exception& error) {
        return {exitInternal, "", std::string("a worker gave no answer: ") + error.what()};
    }
}

int servePoints(
    std::istream& requests, std::ostream& answers,
    const std::function<int(const std::vector<std::string>& words, const Streams&)>& run) {
    for (std::string line; std::getline(requests, line);) {
        const json::value request = parsed(line);
        std::vector<std::string> words;
        for (const json::value& word : request.as_array())
            words.emplace_back(word.as_string());
        std::ostringstream out;
        std::ostringstream err;
        const int exitCode = run(words, {out, err});
        answers << answerLine(exitCode, out.str(), err.str()) << '\n' << std::flush;
        if (!answers)
            return exitUsage;
    }
    return exitYes;
}

} // namespace tilescope::cli
