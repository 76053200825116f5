// The option tables as a page of the manual.
#pragma once

#include <string>

namespace tilescope {

/// Options of a run by topic and engine options by effect, as Markdown:
/// resources/manual/options.md.
std::string optionPage();

} // namespace tilescope
