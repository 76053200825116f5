// JSON for people.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>

namespace tilescope {

/// A member a line, indented by two blanks a level; lists are on one line. Ends with a line break.
std::string indentedJson(const boost::json::value& value);

} // namespace tilescope
