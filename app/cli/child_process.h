// Child processes whose output is collected.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace tilescope::cli {

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
    int exitCode = 0; ///< as shells say it: 128 + N if signal N ended the child
    std::string out;
    std::string err;
};

/// A running child. It has a process group of its own, so that Ctrl+C reaches only us. Destroying
/// the object asks the child to end, kills one that does not, and waits for it: none is left
/// behind.
class ChildProcess {
public:
    enum class Input { None, FromUs };
    /// Starts `program` (a path) with arguments; the first is its name for itself. Throws UserError
    /// with the system's reason if that fails.
    ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
                 Input input = Input::None);
    ~ChildProcess();
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&&) = delete;

    [[nodiscard]] const Descriptor& out() const { return out_.from; }
    [[nodiscard]] const Descriptor& err() const { return err_.from; }

    /// Takes what has come on both pipes, without waiting. A child that writes without end cannot
    /// fill our memory: of standard output the first 64 MiB are kept, of standard error the end.
    void read();
    /// Writes to the standard input of a child that has one from us. A child that is gone takes
    /// nothing; finish() tells that.
    void send(std::string_view text);
    /// Takes the first line from what was read of standard output, without its end; none if there
    /// is no whole line yet.
    std::optional<std::string> takeLine();
    /// Forgets what was read of standard error so far.
    void forgetErrors() { err_.text.clear(); }
    /// The result, once both pipes have ended; waits for the process itself, which ends then.
    std::optional<ChildResult> finish();

private:
    struct Pipe {
        Descriptor from;
        std::string text;
    };
    void readPipe(Pipe& pipe, bool keepEnd);

    pid_t process_ = -1; ///< -1: nothing to wait for
    Descriptor input_;
    Pipe out_;
    Pipe err_;
};

} // namespace tilescope::cli
