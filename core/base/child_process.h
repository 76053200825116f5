// Child processes whose output is collected.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace tilescope {

/// A file descriptor that is closed with its owner.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number)
        : number_(number) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept;
    Descriptor& operator=(Descriptor&& other) noexcept;

    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] bool open() const { return number_ >= 0; }
    void close();

private:
    int number_ = -1;
};

struct ChildResult {
    int exitCode = 0; ///< as in shells: 128 + N if signal N ended the child
    std::string out;
    std::string err;
};

/// A running child, by default in its own process group, so that Ctrl+C reaches only us. The
/// destructor asks the child to end, kills it if it does not, and waits for it, so that no process
/// is left behind.
class ChildProcess {
public:
    enum class Input { None, FromUs };
    /// Ours: one that asks the user at the terminal. A session has none.
    enum class Group { Own, OwnSession, Ours };
    struct Start {
        Input input = Input::None;
        Group group = Group::Own;
        std::vector<std::string> environment = {}; ///< "NAME=value", in place of ours or added
    };
    /// Starts `program` (a path, or a name that is looked up in PATH) with arguments, argv[0]
    /// included. Throws UserError with the system's reason if that fails.
    ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
                 const Start& start);
    ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
                 Input input = Input::None)
        : ChildProcess(program, arguments, Start{input}) {}
    ~ChildProcess();
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&&) = delete;

    [[nodiscard]] const Descriptor& out() const { return out_.from; }
    [[nodiscard]] const Descriptor& err() const { return err_.from; }

    /// Reads what is available on both pipes, 1 MiB at most, without waiting. A child that
    /// writes endlessly cannot fill our memory: the first 64 MiB of standard output that are not
    /// taken and the end of standard error are kept.
    void read();
    /// Writes to the child's standard input if it was started with Input::FromUs. If the child is
    /// gone, the text is dropped; finish() reports that.
    void send(std::string_view text);
    /// Removes and returns the first line read from standard output, without its line feed; none
    /// if there is no complete line yet.
    std::optional<std::string> takeLine();
    /// Removes and returns all that was read from standard output.
    std::string takeOutput() { return std::exchange(out_.text, {}); }
    /// Ends the child's standard input.
    void closeInput() { input_.close(); }
    [[nodiscard]] bool outputEnded() const { return !out_.from.open(); }
    /// Listens to standard error no more: a grandchild may keep it open.
    void closeErrors() { err_.from.close(); }
    /// Discards what has been read from standard error so far.
    void forgetErrors() { err_.text.clear(); }
    /// The result, once both pipes are closed; then waits for the process itself to end.
    std::optional<ChildResult> finish();

private:
    struct Pipe {
        Descriptor from;
        std::string text;
    };
    void readPipe(Pipe& pipe, bool keepEnd);

    void signal(int number) const;

    pid_t process_ = -1; ///< -1: nothing to wait for
    bool ownGroup_ = true;
    Descriptor input_;
    Pipe out_;
    Pipe err_;
};

} // namespace tilescope
