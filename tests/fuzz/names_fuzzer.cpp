// Names and patterns of users: what is printed commands no terminal, tables of them keep their
// shape.
#include <cstdlib>
#include <sstream>

#include "app/cli/document.h"
#include "core/base/error.h"
#include "core/base/pattern.h"
#include "core/base/suggest.h"

using namespace tilescope;

namespace {

void require(bool holds) {
    if (!holds)
        std::abort();
}

bool commandsNothing(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
        if (byte < 0x20 || byte == 0x7F || (byte == 0xC2 && next >= 0x80 && next <= 0x9F))
            return false;
    }
    return true;
}

void printed(const std::string& name) {
    require(commandsNothing(cli::printable(name)));
    Table table;
    table.columns = {{"name", "Name"}, {"value", "Value"}};
    table.add({name, std::int64_t{1}});
    std::ostringstream text;
    cli::writeText(text, table);
    std::ostringstream csv;
    writeCsv(csv, table);
    std::ostringstream json;
    cli::write(json, table, cli::Format::Json);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string pattern = text.substr(0, text.find('\0'));
    printed(text);
    require(shortened(text).size() <= text.size() + 3);
    static_cast<void>(didYouMean(text, {"model", "batchSize", pattern}));
    try {
        static_cast<void>(Pattern(pattern).isIn(text));
    } catch (const UserError&) {
    }
    return 0;
}
