// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <variant>

#include "format/bytes.hpp"

/// The events of a recording, in the order in which the recorder saw them. docs/recording-format.md describes
/// the bytes; fields() below is what encodes and decodes them. Times are CLOCK_MONOTONIC in ns.
namespace recording {

/// The memory that one pointer of an ioctl's argument leads to.
struct Block {
  enum class State : uint8_t {
    present = 0,     ///< `bytes` were there
    unreadable = 1,  ///< the program passed a pointer to nothing, or more than Block::most_bytes
    output = 2       ///< only the kernel writes it: its size follows from the argument
  };
  static constexpr uint32_t most_bytes = 8 << 20;

  State state = State::present;
  Bytes bytes;
};

/// An ioctl's argument and the memory it points to, in the order of the call's table row.
struct CallImage {
  Bytes argument;
  std::vector<Block> blocks;
};

/// A panthor node was opened. `file` numbers open file descriptions from 1; duplicates share it.
struct FileOpened {
  static constexpr uint16_t type = 1;
  uint32_t file = 0;
  std::string node;  ///< file name without directory, e.g. renderD128
};

/// The last descriptor of a file was closed.
struct FileClosed {
  static constexpr uint16_t type = 2;
  uint32_t file = 0;
};

/// An ioctl is about to be issued; `image` has its inputs. On a DRM file `file` is set, on a dma-buf or
/// sync_file that came out of one `file` is 0 and `fd` is the number it had.
struct CallBegan {
  static constexpr uint16_t type = 3;
  uint64_t call = 0;
  uint64_t time_ns = 0;
  uint32_t thread = 0;  ///< threads of the program, numbered from 1 by their first recorded call
  uint32_t file = 0;
  int32_t fd = -1;
  uint32_t request = 0;
  CallImage image;
};

/// It returned; `image` has the argument afterwards and the blocks the kernel writes. A call without an end
/// was in the kernel when the program died.
struct CallEnded {
  static constexpr uint16_t type = 4;
  uint64_t call = 0;
  uint64_t time_ns = 0;
  int32_t error = 0;  ///< 0 or errno
  CallImage image;
};

/// mmap() of a BO (`handle`), or with handle 0 of a register page at `offset` of the file.
struct Mapped {
  static constexpr uint16_t type = 5;
  uint32_t mapping = 0;  ///< numbered from 1
  uint32_t file = 0;
  uint32_t handle = 0;
  uint64_t offset = 0;  ///< inside the BO
  uint64_t length = 0;
  uint32_t protection = 0;
};

struct Unmapped {
  static constexpr uint16_t type = 6;
  uint32_t mapping = 0;
};

/// Some bytes of a mapping, from `offset`.
struct Run {
  uint64_t offset = 0;
  Bytes bytes;
};

/// What changed in a mapping since the `written` before it.
struct Content {
  static constexpr uint16_t type = 7;
  enum class Origin : uint8_t {
    written = 0,  ///< seen before a submit, bind or wait: by the program, or by jobs that ran meanwhile
    observed = 1  ///< seen after a wait: by the GPU, or by another thread. Comes again as `written`
  };
  uint32_t mapping = 0;
  Origin origin = Origin::written;
  std::vector<Run> runs;
};

/// Nothing of this mapping is recorded: it is larger than the recorder's limit.
struct ContentSkipped {
  static constexpr uint16_t type = 8;
  uint32_t mapping = 0;
  uint64_t length = 0;
};

/// A dma-buf or sync_file was closed or duplicated.
struct FdClosed {
  static constexpr uint16_t type = 9;
  int32_t fd = -1;
};

struct FdDuplicated {
  static constexpr uint16_t type = 10;
  int32_t from = -1;
  int32_t to = -1;
};

/// Something the recorder could not record.
struct Note {
  static constexpr uint16_t type = 11;
  std::string text;
};

/// The program ended by itself: nothing is missing at the end.
struct Ended {
  static constexpr uint16_t type = 12;
  uint64_t time_ns = 0;
};

using Event = std::variant<FileOpened, FileClosed, CallBegan, CallEnded, Mapped, Unmapped, Content,
                           ContentSkipped, FdClosed, FdDuplicated, Note, Ended>;

// One description of each event for both directions: `archive` is an Encoder or a Decoder.
template <typename T, typename... U>
concept one_of = (std::is_same_v<std::remove_const_t<T>, U> || ...);

void fields(auto& archive, one_of<Block> auto& e) {
  archive(e.state), archive(e.bytes);
}
void fields(auto& archive, one_of<CallImage> auto& e) {
  archive(e.argument), archive(e.blocks);
}
void fields(auto& archive, one_of<Run> auto& e) {
  archive(e.offset), archive(e.bytes);
}
void fields(auto& archive, one_of<FileOpened> auto& e) {
  archive(e.file), archive(e.node);
}
void fields(auto& archive, one_of<FileClosed> auto& e) {
  archive(e.file);
}
void fields(auto& archive, one_of<CallBegan> auto& e) {
  archive(e.call), archive(e.time_ns), archive(e.thread), archive(e.file), archive(e.fd), archive(e.request);
  fields(archive, e.image);
}
void fields(auto& archive, one_of<CallEnded> auto& e) {
  archive(e.call), archive(e.time_ns), archive(e.error);
  fields(archive, e.image);
}
void fields(auto& archive, one_of<Mapped> auto& e) {
  archive(e.mapping), archive(e.file), archive(e.handle), archive(e.offset), archive(e.length);
  archive(e.protection);
}
void fields(auto& archive, one_of<Unmapped> auto& e) {
  archive(e.mapping);
}
void fields(auto& archive, one_of<Content> auto& e) {
  archive(e.mapping), archive(e.origin), archive(e.runs);
}
void fields(auto& archive, one_of<ContentSkipped> auto& e) {
  archive(e.mapping), archive(e.length);
}
void fields(auto& archive, one_of<FdClosed> auto& e) {
  archive(e.fd);
}
void fields(auto& archive, one_of<FdDuplicated> auto& e) {
  archive(e.from), archive(e.to);
}
void fields(auto& archive, one_of<Note> auto& e) {
  archive(e.text);
}
void fields(auto& archive, one_of<Ended> auto& e) {
  archive(e.time_ns);
}

/// Appends `event` to `out`: its type, the length of its fields, the fields.
void encode(Bytes& out, const Event& event);

/// Takes the event in front of `in`. Nothing: a type this version does not know (a newer minor version's),
/// which was skipped. Throws FormatError when the bytes are no event.
[[nodiscard]] std::optional<Event> decode(Decoder& in);

}  // namespace recording
