// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "transport/guest_memory.hpp"
#include "common/unique_fd.hpp"
#include "transport/vhost_user_protocol.hpp"
#include "transport/virtqueue.hpp"

namespace vgpu::transport {

using common::UniqueFd;

/// One message as it came off the socket; nothing about it is believed yet.
struct VhostMessage {
  vhost::Header header{};
  std::vector<std::byte> payload;
  std::vector<UniqueFd> fds;
};

/// Reads one message. nullopt: the peer closed. Throws ProtocolError for one that is too long or cut short.
[[nodiscard]] std::optional<VhostMessage> receive_message(int socket);

/// The vhost-user back end: memory table and queues as the front end (the guest) sets them up.
///
/// A state machine without a socket: handle() takes one message and gives the bytes to send back, so that
/// tests and the fuzzer need no peer. How the guest wants to be called is recorded here; calling is call().
class VhostUser {
 public:
  enum class Notifications {
    file_descriptors,  ///< kicks and calls are eventfds and pipes: asynchronous
    in_band,           ///< kicks and calls are messages with answers: needed for virtual time
  };

  VhostUser(size_t queues, Notifications notifications);

  /// Applies a message. Returns the complete reply, empty when none is due. Throws ProtocolError for anything
  /// malformed; requests this device does not know are refused in the reply, if one is wanted.
  [[nodiscard]] std::vector<std::byte> handle(VhostMessage message);

  /// Called for an in-band kick before its reply is made.
  void on_kick(std::function<void(size_t queue)> callback) { on_kick_ = std::move(callback); }
  /// Blocks until the channel of in-band calls is readable, serving whatever the guest needs meanwhile; false
  /// when the guest is gone.
  void on_wait(std::function<bool(int fd)> callback) { on_wait_ = std::move(callback); }
  /// The queues' set-up changed (kick descriptors, enabling).
  void on_change(std::function<void()> callback) { on_change_ = std::move(callback); }

  /// Tells the driver about used buffers of a queue, if it wants to know. In band this waits until the guest
  /// has taken the interrupt.
  void call(size_t queue);

  [[nodiscard]] GuestMemory& memory() noexcept { return memory_; }
  [[nodiscard]] Virtqueue& queue(size_t index) { return queues_.at(index).ring; }
  [[nodiscard]] size_t queue_count() const noexcept { return queues_.size(); }
  /// The descriptor that becomes readable on a kick, -1 when there is none.
  [[nodiscard]] int kick_fd(size_t index) const { return queues_.at(index).kick.get(); }

 private:
  struct Queue {
    Virtqueue ring;
    std::optional<vhost::VringAddress> address;
    UniqueFd kick, call;
  };
  struct Handler;
  friend struct Handler;

  Queue& queue_at(uint64_t index);
  void map_rings(Queue& queue);
  void call_in_band(size_t queue);

  std::vector<Queue> queues_;
  Notifications notifications_;
  GuestMemory memory_;
  UniqueFd backend_channel_;
  std::function<void(size_t)> on_kick_;
  std::function<bool(int)> on_wait_;
  std::function<void()> on_change_;
};

}  // namespace vgpu::transport
