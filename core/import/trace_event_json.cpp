#include "core/import/trace_event_json.h"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <zlib.h>

#include "core/base/error.h"

namespace tilescope {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

/// Longer names are cut: they are shown, not compared.
constexpr std::size_t longestName = 1024;
/// A counter with more lines than this is not one that people look at.
constexpr std::size_t mostValues = 256;

/// What boost::json::basic_parser tells of a document. Events are the objects of a list that is the
/// document itself or its member "traceEvents".
class Handler {
public:
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

    explicit Handler(const std::function<void(JsonEvent&, const JsonTraceEnd&)>& take)
        : take_(take) {}

    bool isInEvents() const { return eventsDepth_ > 0; }
    bool hadEvents() const { return hadEvents_; }
    JsonTraceEnd end;

    bool on_document_begin(json::error_code&) { return true; }
    bool on_document_end(json::error_code&) { return true; }
    bool on_array_begin(json::error_code&) {
        const bool isList = depth_ == 0 || (depth_ == 1 && key_ == "traceEvents");
        ++depth_;
        if (isList && eventsDepth_ == 0) {
            eventsDepth_ = depth_;
            hadEvents_ = true;
        }
        return true;
    }
    bool on_array_end(std::size_t, json::error_code&) {
        if (depth_ == eventsDepth_)
            eventsDepth_ = 0;
        --depth_;
        return true;
    }
    bool on_object_begin(json::error_code&) {
        ++depth_;
        if (eventsDepth_ > 0 && depth_ == eventsDepth_ + 1)
            event_ = {};
        if (eventsDepth_ > 0 && depth_ == eventsDepth_ + 2)
            isInArguments_ = key_ == "args";
        if (eventsDepth_ == 0 && depth_ == 2)
            isInOther_ = key_ == "otherData";
        return true;
    }
    bool on_object_end(std::size_t, json::error_code&) {
        if (eventsDepth_ > 0 && depth_ == eventsDepth_ + 1)
            take_(event_, end);
        isInArguments_ = isInArguments_ && depth_ != eventsDepth_ + 2;
        isInOther_ = isInOther_ && depth_ != 2;
        --depth_;
        return true;
    }
    bool on_key_part(json::string_view part, std::size_t size, json::error_code&) {
        append(key_, part, size);
        return true;
    }
    bool on_key(json::string_view part, std::size_t size, json::error_code&) {
        append(key_, part, size);
        return true;
    }
    bool on_string_part(json::string_view part, std::size_t size, json::error_code&) {
        append(text_, part, size);
        return true;
    }
    bool on_string(json::string_view part, std::size_t size, json::error_code&) {
        append(text_, part, size);
        takeText();
        return true;
    }
    bool on_number_part(json::string_view, json::error_code&) { return true; }
    bool on_int64(std::int64_t value, json::string_view, json::error_code&) {
        takeNumber(static_cast<double>(value), [&] { return std::to_string(value); });
        return true;
    }
    bool on_uint64(std::uint64_t value, json::string_view, json::error_code&) {
        takeNumber(static_cast<double>(value), [&] { return std::to_string(value); });
        return true;
    }
    bool on_double(double value, json::string_view, json::error_code&) {
        takeNumber(value, [&] { return fmt::format("{}", value); });
        return true;
    }
    bool on_bool(bool, json::error_code&) { return true; }
    bool on_null(json::error_code&) { return true; }
    bool on_comment_part(json::string_view, json::error_code&) { return true; }
    bool on_comment(json::string_view, json::error_code&) { return true; }

private:
    /// A key or a string may come in parts; `size` is that of all parts so far.
    static void append(std::string& text, json::string_view part, std::size_t size) {
        if (size == part.size())
            text.clear();
        text.append(part.data(),
                    std::min(part.size(), longestName - std::min(text.size(), longestName)));
    }
    [[nodiscard]] bool isField() const { return eventsDepth_ > 0 && depth_ == eventsDepth_ + 1; }
    [[nodiscard]] bool isArgument() const { return isInArguments_ && depth_ == eventsDepth_ + 2; }
    [[nodiscard]] std::string* textField() {
        using Field = std::pair<std::string_view, std::string*>;
        const std::array<Field, 6> fields{
            Field{"ph", &event_.phase},     Field{"name", &event_.name},
            Field{"cat", &event_.category}, Field{"pid", &event_.process},
            Field{"tid", &event_.thread},   Field{"id", &event_.id},
        };
        for (const auto& [key, field] : fields)
            if (key_ == key)
                return field;
        return nullptr;
    }
    void takeText() {
        if (isField()) {
            if (std::string* field = textField())
                *field = text_;
        } else if (isArgument() && key_ == "name") {
            event_.givenName = text_;
        } else if (isInOther_ && depth_ == 2 && key_ == "producer") {
            end.producer = text_;
        }
    }
    template <class Text> void takeNumber(double value, const Text& text) {
        if (isField()) {
            if (key_ == "ts")
                event_.time = value;
            else if (key_ == "dur")
                event_.length = value;
            else if (std::string* field = textField())
                *field = text();
        } else if (isArgument() && event_.values.size() < mostValues) {
            event_.values.emplace_back(key_, value);
        }
    }

    const std::function<void(JsonEvent&, const JsonTraceEnd&)>& take_;
    JsonEvent event_;
    std::string key_, text_;
    int depth_ = 0;
    int eventsDepth_ = 0; ///< of the list of events while it is read
    bool hadEvents_ = false, isInArguments_ = false, isInOther_ = false;
};

/// A file, unpacked if it is gzipped.
class Unpacked {
public:
    explicit Unpacked(const fs::path& file)
        : file_(file)
        , stream_(gzopen(file.c_str(), "rb"), &gzclose) {
        if (!stream_)
            throw UserError(fmt::format("cannot open '{}': it cannot be read", file.string()));
    }
    /// Bytes of text at the beginning of the buffer; 0 at the end. Some editors mark UTF-8 with
    /// three bytes, which are no text.
    std::size_t read(std::vector<char>& buffer) {
        constexpr std::string_view mark = "\xEF\xBB\xBF";
        std::size_t bytes = readSome(buffer.data(), buffer.size());
        if (std::exchange(isFirst_, false) &&
            std::string_view(buffer.data(), bytes).starts_with(mark)) {
            bytes -= mark.size();
            std::copy_n(buffer.begin() + mark.size(), bytes, buffer.begin());
            bytes += readSome(buffer.data() + bytes, mark.size()); // or the text would end here
        }
        return bytes;
    }
    /// Bytes of the file itself that have been read.
    double consumed() const { return static_cast<double>(gzoffset(stream_.get())); }

private:
    std::size_t readSome(char* to, std::size_t most) {
        const int bytes = gzread(stream_.get(), to, static_cast<unsigned>(most));
        if (bytes < 0)
            throw UserError(fmt::format("'{}' cannot be unpacked: {}; copy it again",
                                        file_.string(), reason()));
        return static_cast<std::size_t>(bytes);
    }
    std::string reason() const {
        int code = 0;
        const char* text = gzerror(stream_.get(), &code);
        return text == nullptr || *text == 0 ? "it is damaged" : text;
    }
    fs::path file_;
    bool isFirst_ = true;
    std::unique_ptr<gzFile_s, int (*)(gzFile)> stream_;
};

} // namespace

std::string unpackedBeginning(const fs::path& file) {
    // Perfetto and PyTorch write some metadata before the list.
    constexpr std::size_t enough = 16384;
    std::vector<char> buffer(enough);
    std::size_t bytes = 0;
    try {
        bytes = Unpacked(file).read(buffer);
    } catch (const UserError&) {
        return {};
    }
    return {buffer.data(), bytes};
}

JsonTraceEnd readJsonEvents(const fs::path& file,
                            const std::function<void(JsonEvent&, const JsonTraceEnd&)>& take,
                            const ImportProgress& progress, const std::stop_token& stop) {
    Unpacked text(file);
    std::error_code noSize;
    const auto size = static_cast<double>(fs::file_size(file, noSize));
    json::parse_options options;
    constexpr std::size_t deepest = 128; // arguments nest
    options.max_depth = deepest;
    options.allow_trailing_commas = true;
    options.allow_invalid_utf8 = true;
    json::basic_parser<Handler> parser(options, take);
    Handler& handler = parser.handler();
    constexpr std::size_t bufferBytes = std::size_t{1} << 20;
    std::vector<char> buffer(bufferBytes);
    std::uint64_t before = 0; // bytes parsed
    json::error_code error;
    while (const std::size_t bytes = text.read(buffer)) {
        if (stop.stop_requested())
            throw Cancelled();
        if (progress && !noSize && size > 0)
            progress(std::min(1.0, text.consumed() / size), "events");
        const std::size_t parsed = parser.write_some(true, buffer.data(), bytes, error);
        if (error || (parsed < bytes && parser.done()))
            throw UserError(fmt::format(
                "'{}' is no trace in JSON: byte {}: {}; record it again, or "
                "mend that place",
                file.string(), before + parsed, error ? error.message() : "text after its end"));
        before += bytes;
    }
    handler.end.isCut = handler.isInEvents();
    if (!handler.hadEvents())
        throw UserError(fmt::format("'{}' has no list of trace events: a list, or a member "
                                    "\"traceEvents\", is needed",
                                    file.string()));
    return handler.end;
}

} // namespace tilescope
