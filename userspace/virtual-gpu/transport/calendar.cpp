// SPDX-License-Identifier: MIT
#include "transport/calendar.hpp"

#include <fmt/format.h>

#include <span>

#include "transport/protocol_error.hpp"
#include "transport/unix_socket.hpp"

namespace vgpu::transport {
namespace {

/// Operations of include/uapi/linux/um_timetravel.h; distributions ship older versions of that header.
enum Operation : uint32_t {
  op_ack = 0,
  op_start = 1,
  op_request = 2,
  op_wait = 3,
  op_get = 4,
  op_update = 5,
  op_run = 6,
  op_free_until = 7,
  op_get_tod = 8,
  op_broadcast = 9,
};

/// The time of day every virtual machine starts at: 2024-01-01 00:00:00 UTC, so that runs are reproducible.
constexpr uint64_t epoch_ns = uint64_t{1'704'067'200} * 1'000'000'000;

}  // namespace

void Calendar::acknowledge(const Message& message, uint64_t time) {
  const Message reply{op_ack, message.sequence, time};
  send_all(connection_.get(), std::as_bytes(std::span(&reply, 1)));
}

bool Calendar::serve() {
  static_assert(sizeof(Message) == 16);
  Message message{};
  if (!receive_all(connection_.get(), std::as_writable_bytes(std::span(&message, 1)))) return false;
  switch (message.op) {
    case op_ack:
      if (acknowledged_ == sequence_ || message.sequence != acknowledged_ + 1)
        throw ProtocolError("calendar: unexpected ACK");
      ++acknowledged_;
      return true;
    case op_start:
      acknowledge(message, 0);
      return true;
    case op_request:
      if (message.time < clock_.now_ns())
        throw ProtocolError(fmt::format("calendar: request to run at {} ns, in the past", message.time));
      requested_ = message.time >= never ? std::nullopt : std::optional(message.time);
      acknowledge(message, 0);
      return true;
    case op_wait:
      waiting_ = true;
      free_until_.reset();
      acknowledge(message, 0);
      return true;
    case op_get:
      acknowledge(message, clock_.now_ns());
      return true;
    case op_update:
      clock_.advance_to(message.time);
      acknowledge(message, 0);
      return true;
    case op_get_tod:
      acknowledge(message, epoch_ns + clock_.now_ns());
      return true;
    case op_broadcast:
      acknowledge(message, 0);
      return true;
    default:
      throw ProtocolError(fmt::format("calendar: message {}", message.op));
  }
}

bool Calendar::send(uint32_t op, uint64_t time) {
  const Message message{op, ++sequence_, time};
  return send_all(connection_.get(), std::as_bytes(std::span(&message, 1)));
}

bool Calendar::await_acknowledgements() {
  while (acknowledged_ != sequence_)
    if (!serve()) return false;
  return true;
}

bool Calendar::run(std::optional<uint64_t> free_until) {
  clock_.advance_to(requested_.value());
  waiting_ = false;
  requested_.reset();
  free_until_ = free_until;
  if (free_until && !send(op_free_until, *free_until)) return false;
  return send(op_run, clock_.now_ns()) && await_acknowledgements();
}

bool Calendar::lower_free_until(uint64_t free_until) {
  if (waiting_ || !free_until_ || *free_until_ <= free_until) return true;
  free_until_ = free_until;
  return send(op_free_until, free_until) && await_acknowledgements();
}

}  // namespace vgpu::transport
