// Operations of the program: one for each debug context that an operation names.
#include <boost/json.hpp>

#include "core/import/readers.h"

namespace tilescope {
namespace {

/// A text in a context's JSON under one of two keys: layers spell them differently.
std::string detail(const boost::json::value& said, const char* key, const char* otherKey) {
    if (const auto* object = said.if_object())
        for (const char* name : {key, otherKey})
            if (const auto* value = object->if_contains(name); value && value->is_string())
                return std::string(value->as_string());
    return {};
}

/// What a layer wrote about its operation; nothing if it is no JSON.
boost::json::value parsed(const std::string& text) {
    boost::system::error_code error;
    boost::json::value value = boost::json::parse(text, error);
    return error ? boost::json::value() : value;
}

} // namespace

void importOperations(Importing& import) {
    struct Context {
        std::string name, json;
    };
    std::unordered_map<std::int64_t, Context> said;
    CaptureRows context(import.file, "contexts", {"id", "name", "json"});
    while (context.next())
        said[context.anyNumber(0).value_or(-1)] = {context.text(1), context.text(2)};
    CaptureRows row(import.file, "operations", {"id", "name", "context", "flops"});
    while (row.next()) {
        const auto id = row.anyNumber(2);
        if (id && import.operationOfContext.contains(*id))
            continue; // the same at another place
        Operation operation;
        operation.name = row.text(1);
        if (const auto found = id ? said.find(*id) : said.end(); found != said.end()) {
            if (operation.name.empty())
                operation.name = found->second.name;
            const boost::json::value value = parsed(found->second.json);
            operation.type = detail(value, "op_type", "opType");
            operation.outputShape = detail(value, "outputShape", "output_shape");
        }
        if (operation.name.empty())
            continue; // nobody could tell it from others
        operation.flops = std::max(0.0, row.real(3).value_or(0));
        const OperationId added = import.profile.operations.add(std::move(operation));
        if (id)
            import.operationOfContext[*id] = added;
    }
}

} // namespace tilescope
