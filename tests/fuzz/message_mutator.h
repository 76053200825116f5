// Mutations of a protocol buffer that leave it one.
#pragma once

namespace google::protobuf {
class Message;
}

namespace tilescope::fuzz {

/// Changes one to three fields somewhere in a message: numbers become odd ones, texts those of
/// other fields, elements are removed, doubled, swapped or added, fields are cleared.
void mutateMessage(google::protobuf::Message& message, unsigned seed);

} // namespace tilescope::fuzz
