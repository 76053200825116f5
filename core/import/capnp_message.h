// Messages of Cap'n Proto, read by place: a field's bytes or pointer in its struct. The encoding is
// described at https://capnproto.org/encoding.html. Internal to core/import.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

class CapnpMessage;
class CapnpList;

/// A struct of a message, which outlives it. Fields that the writer did not know are 0 or empty.
class CapnpStruct {
public:
    /// A number of the data section at a byte.
    [[nodiscard]] std::uint16_t u16(std::size_t byte) const;
    [[nodiscard]] std::uint32_t u32(std::size_t byte) const;
    [[nodiscard]] std::uint64_t u64(std::size_t byte) const;
    /// What a pointer leads to. Throw UserError if it leads to something else, or out of the file.
    [[nodiscard]] std::string_view text(std::size_t pointer) const;
    [[nodiscard]] CapnpList list(std::size_t pointer) const;
    [[nodiscard]] CapnpStruct child(std::size_t pointer) const;
    /// Words of its sections.
    [[nodiscard]] std::size_t dataWords() const { return dataWords_; }
    [[nodiscard]] std::size_t pointers() const { return pointers_; }

private:
    friend class CapnpMessage;
    friend class CapnpList;
    const CapnpMessage* message_ = nullptr; ///< null: every field has its default
    std::size_t segment_ = 0;
    std::size_t at_ = 0; ///< word of the segment
    std::size_t dataWords_ = 0;
    std::size_t pointers_ = 0;
};

/// A list of structs.
class CapnpList {
public:
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] CapnpStruct operator[](std::size_t index) const;

private:
    friend class CapnpMessage;
    CapnpStruct first_;
    std::size_t size_ = 0;
};

/// A file that is one message in the standard framing.
class CapnpMessage {
public:
    /// Throws UserError that names the file if it is none, or is too large.
    explicit CapnpMessage(std::filesystem::path file);
    CapnpMessage(const CapnpMessage&) = delete;
    CapnpMessage& operator=(const CapnpMessage&) = delete;

    [[nodiscard]] CapnpStruct root() const;
    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    [[noreturn]] void damaged(std::string_view what) const;

private:
    friend class CapnpStruct;
    friend class CapnpList;
    /// Where a pointer leads, and the word that says what is there.
    struct Place {
        std::uint64_t word = 0; ///< 0: nowhere
        std::size_t segment = 0;
        std::size_t at = 0;
    };
    void readFrame();
    [[nodiscard]] std::uint64_t word(std::size_t segment, std::size_t at) const;
    [[nodiscard]] Place follow(std::size_t segment, std::size_t at) const;
    [[nodiscard]] Place followFar(std::uint64_t far) const;
    [[nodiscard]] Place placed(std::uint64_t pointer, std::size_t segment, std::size_t after) const;
    [[nodiscard]] CapnpStruct structAt(std::size_t segment, std::size_t at) const;
    [[nodiscard]] CapnpList listAt(std::size_t segment, std::size_t at) const;
    [[nodiscard]] std::string_view textAt(std::size_t segment, std::size_t at) const;
    /// Throws if words do not lie in a segment, or if more were asked for than the message has.
    void check(std::size_t segment, std::size_t at, std::size_t words) const;

    struct Segment {
        std::size_t begin = 0; ///< word of the file
        std::size_t words = 0;
    };
    std::filesystem::path file_;
    std::vector<std::uint64_t> words_;
    std::vector<Segment> segments_;
    /// Pointers may lead to the same words again and again.
    mutable std::size_t visitable_ = 0;
};

/// The root of a message: its sizes, and the words with which its data section begins.
struct CapnpRoot {
    std::size_t dataWords = 0;
    std::size_t pointers = 0;
    std::array<std::uint64_t, 2> data{};
};
/// Of a file that is framed as one message; none for any other. Reads little of it.
std::optional<CapnpRoot> capnpRoot(const std::filesystem::path& file);

} // namespace tilescope
