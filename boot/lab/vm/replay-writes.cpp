// SPDX-License-Identifier: MIT
// Cuts the power of a disk at many points of a recorded run, and has each state of the disk judged.
//
//   replay-writes LOG IMAGE FROM TO COUNT COMMAND [ARGS…]
//
// LOG is what QEMU's blklogwrites wrote (the format of the kernel's dm-log-writes), IMAGE the raw disk as it was before. Writes that lie
// before byte FROM of LOG are simply made. From there to byte TO the power is cut at COUNT points, evenly: what was flushed is on the disk; of what
// was not, nothing is, or all, or every second write, or the last alone, in turn. COMMAND gets ARGS, the point and what became of the unflushed writes.
// IMAGE is changed in place. Exit code 1 if COMMAND failed anywhere.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace {

constexpr std::uint64_t kMagic = 0x6a736677736872;
constexpr std::uint64_t kFlush = 1, kDiscard = 4;

struct SuperBlock {
  std::uint64_t magic, version, entries;
  std::uint32_t sector_bytes;
};

struct EntryHeader {
  std::uint64_t sector, sectors, flags, data_bytes;
};

/// One write of the log: where it goes on the disk, and where its data lies in the log.
struct Write {
  std::uint64_t disk_offset, bytes, log_offset;
  bool flush, discard;
};

class File {
public:
  File(const char* path, int flags) : path_(path), fd_(open(path, flags | O_CLOEXEC)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), path_);
  }
  ~File() { close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Reads up to the end of the file; what is missing stays as it is.
  std::size_t read(void* to, std::size_t bytes, std::uint64_t offset) const {
    std::size_t done = 0;
    while (done < bytes) {
      const ssize_t n = pread(fd_, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(offset + done));
      if (n < 0) throw std::system_error(errno, std::generic_category(), path_);
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

  void write(const std::vector<char>& data, std::uint64_t offset) const {
    if (pwrite(fd_, data.data(), data.size(), static_cast<off_t>(offset)) != static_cast<ssize_t>(data.size()))
      throw std::system_error(errno, std::generic_category(), path_);
  }

private:
  std::string path_;
  int fd_;
};

/// The whole log, in order; the superblock's count is not trusted, since QEMU renews it only now and then.
std::vector<Write> read_log(const File& log) {
  SuperBlock super{};
  if (log.read(&super, sizeof super, 0) != sizeof super || super.magic != kMagic || super.sector_bytes == 0)
    throw std::runtime_error("not a log of writes");
  const std::uint64_t sector = super.sector_bytes;
  std::vector<Write> writes;
  EntryHeader entry{};
  for (std::uint64_t at = sector; log.read(&entry, sizeof entry, at) == sizeof entry;) {
    const bool discard = (entry.flags & kDiscard) != 0;
    writes.push_back({entry.sector * sector, entry.sectors * sector, at + sector, (entry.flags & kFlush) != 0, discard});
    at += sector + (discard ? 0 : entry.sectors * sector);
  }
  return writes;
}

/// Makes one write; gives what was there before.
std::vector<char> apply(const Write& write, const File& log, const File& image) {
  std::vector<char> before(write.bytes), data(write.bytes);
  image.read(before.data(), before.size(), write.disk_offset);
  if (!write.discard) log.read(data.data(), data.size(), write.log_offset);
  // A discarded block may keep its content; a disk that forgets it is the harder case.
  image.write(data, write.disk_offset);
  return before;
}

int run(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

enum class Unflushed { lost, written, every_second, last_alone };
constexpr const char* kUnflushedNames[] = {"lost", "written", "every-second", "last-alone"};

/// Is write \p index, which the disk was not told to flush, on the disk when the power goes before write \p cut?
bool survives(Unflushed fate, std::size_t index, std::size_t cut) {
  switch (fate) {
    case Unflushed::lost: return false;
    case Unflushed::written: return true;
    case Unflushed::every_second: return index % 2 == 0;
    case Unflushed::last_alone: return index + 1 == cut;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 7) {
    std::fprintf(stderr, "usage: replay-writes LOG IMAGE FROM TO COUNT COMMAND [ARGS...]\n");
    return 2;
  }
  const File log(argv[1], O_RDONLY), image(argv[2], O_RDWR);
  const std::uint64_t from = std::stoull(argv[3]), to = std::stoull(argv[4]);
  const std::size_t count = std::stoul(argv[5]);
  const std::vector<std::string> command(argv + 6, argv + argc);
  const std::vector<Write> writes = read_log(log);

  const auto at = [&](std::uint64_t offset) {
    return static_cast<std::size_t>(std::ranges::lower_bound(writes, offset, {}, &Write::log_offset) - writes.begin());
  };
  const std::size_t first = at(from), last = at(to);
  std::size_t durable = 0;  // writes before this one are on the disk
  bool failed = false;
  for (std::size_t point = 0; point < count; ++point) {
    const std::size_t cut = first + (last - first) * (point + 1) / count;
    std::size_t flushed = cut;
    while (flushed > durable && !writes[flushed - 1].flush) --flushed;
    for (; durable < flushed; ++durable) apply(writes[durable], log, image);

    const std::size_t fate = point % std::size(kUnflushedNames);
    std::vector<std::pair<std::uint64_t, std::vector<char>>> undo;
    for (std::size_t i = flushed; i < cut; ++i)
      if (survives(static_cast<Unflushed>(fate), i, cut))
        undo.emplace_back(writes[i].disk_offset, apply(writes[i], log, image));
    std::vector<std::string> words = command;
    words.push_back(std::to_string(cut - first));
    words.emplace_back(kUnflushedNames[fate]);
    if (run(words) != 0) failed = true;
    for (; !undo.empty(); undo.pop_back()) image.write(undo.back().second, undo.back().first);
  }
  std::printf("%zu points over %zu writes\n", count, last - first);
  return failed ? 1 : 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "replay-writes: %s\n", error.what());
  return 2;
}
