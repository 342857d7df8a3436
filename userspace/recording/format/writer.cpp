// SPDX-License-Identifier: MIT
#include "format/writer.hpp"

#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <system_error>

#include "format/crc32.hpp"

namespace recording {
namespace {

/// Enough for compression to pay, little enough to be written without a pause anybody notices.
constexpr size_t chunk_target = 1 << 20;
/// The fastest ordinary level: the recorded program waits for it.
constexpr int compression_level = 1;

void write_all(int fd, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category(), "write");
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

}  // namespace

struct Writer::Compressor {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ~Compressor() { ZSTD_freeCCtx(context); }
};

Writer::Writer(common::UniqueFd file, const Info& info)
    : file_(std::move(file)), compressor_(std::make_unique<Compressor>()) {
  if (compressor_->context == nullptr) throw std::bad_alloc();
  write_all(file_.get(), encode_preamble());
  write_chunk(ChunkKind::info, encode_info(info));
}

Writer::~Writer() = default;

void Writer::append(const Event& event) {
  const size_t before = pending_.size();
  encode(pending_, event);
  if (pending_.size() > most_chunk_bytes) {
    // The one event that may be this long ends a chunk, so that no chunk is longer than a reader takes.
    Bytes alone(pending_.begin() + static_cast<ptrdiff_t>(before), pending_.end());
    pending_.resize(before);
    flush();
    if (alone.size() > most_chunk_bytes) throw std::system_error(EMSGSIZE, std::generic_category(), "event");
    pending_ = std::move(alone);
  }
  if (pending_.size() >= chunk_target) flush();
}

void Writer::flush() {
  if (pending_.empty()) return;
  write_chunk(ChunkKind::events, pending_);
  pending_.clear();
}

void Writer::write_chunk(ChunkKind kind, ByteView raw) {
  Bytes packed(ZSTD_compressBound(raw.size()));
  const size_t size = ZSTD_compressCCtx(compressor_->context, packed.data(), packed.size(), raw.data(),
                                        raw.size(), compression_level);
  const bool smaller = ZSTD_isError(size) == 0 && size < raw.size();
  const ByteView stored = smaller ? ByteView(packed).first(size) : raw;
  Bytes chunk = encode_chunk_header({.kind = kind,
                                     .codec = smaller ? Codec::zstd : Codec::none,
                                     .stored_bytes = static_cast<uint32_t>(stored.size()),
                                     .raw_bytes = static_cast<uint32_t>(raw.size()),
                                     .payload_crc = crc32(stored)});
  chunk.insert(chunk.end(), stored.begin(), stored.end());
  write_all(file_.get(), chunk);  // one write: a kill leaves a whole chunk or none, or a short file
}

}  // namespace recording
