// SPDX-License-Identifier: MIT
#include "transport/vhost_user.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "transport/protocol_error.hpp"
#include "transport/unix_socket.hpp"

namespace vgpu::transport {
namespace {

using vhost::Request;

template <class T>
T payload_as(std::span<const std::byte> payload) {
  T value{};
  std::memcpy(&value, payload.data(), std::min(sizeof value, payload.size()));
  return value;
}

template <class T>
std::vector<std::byte> reply_with(uint32_t request, const T& value) {
  const vhost::Header header{request, vhost::version | vhost::flag_reply, sizeof value};
  std::vector<std::byte> bytes(sizeof header + sizeof value);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &value, sizeof value);
  return bytes;
}

const vhost::Shape* shape_of(uint32_t request) {
  const auto* found = std::find_if(vhost::shapes.begin(), vhost::shapes.end(), [&](const vhost::Shape& s) {
    return static_cast<uint32_t>(s.request) == request;
  });
  return found == vhost::shapes.end() ? nullptr : found;
}

void check_shape(const vhost::Shape& shape, const VhostMessage& message) {
  const size_t size = message.payload.size();
  if (size < shape.min_size || size > shape.max_size)
    throw ProtocolError(fmt::format("{} with a payload of {} bytes", shape.name, size));
  if (message.fds.size() > shape.max_fds)
    throw ProtocolError(fmt::format("{} with {} file descriptors", shape.name, message.fds.size()));
}

}  // namespace

std::optional<VhostMessage> receive_message(int socket) {
  VhostMessage message;
  std::array<int, vhost::max_fds> fds{};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof fds)> control{};
  iovec vector{&message.header, sizeof message.header};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();

  ssize_t received = 0;
  do {
    received = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  } while (received < 0 && errno == EINTR);
  if (received == 0 || (received < 0 && errno == ECONNRESET)) return std::nullopt;
  if (received < 0) throw std::system_error(errno, std::generic_category(), "recvmsg");

  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::memcpy(fds.data(), CMSG_DATA(c), count * sizeof(int));
    for (size_t i = 0; i < count; ++i) message.fds.emplace_back(fds[i]);
  }
  if (header.msg_flags & MSG_CTRUNC) throw ProtocolError("message with too many file descriptors");
  if (received != sizeof message.header) throw ProtocolError("message cut short");
  if (message.header.size > vhost::max_payload)
    throw ProtocolError(fmt::format("message of {} bytes", uint32_t{message.header.size}));
  message.payload.resize(message.header.size);
  if (!receive_all(socket, message.payload)) throw ProtocolError("message cut short");
  return message;
}

VhostUser::VhostUser(size_t queues, Notifications notifications)
    : queues_(queues), notifications_(notifications) {}

VhostUser::Queue& VhostUser::queue_at(uint64_t index) {
  if (index >= queues_.size()) throw ProtocolError(fmt::format("queue {} of {}", index, queues_.size()));
  return queues_[index];
}

void VhostUser::map_rings(Queue& queue) {
  queue.ring.forget_rings();
  if (!queue.address) return;
  const vhost::VringAddress& a = *queue.address;
  queue.ring.set_rings(memory_.user_span(a.descriptors, queue.ring.descriptors_bytes()),
                       memory_.user_span(a.available, queue.ring.available_bytes()),
                       memory_.user_span(a.used, queue.ring.used_bytes()));
}

/// What each request does. A handler that answers returns the reply.
struct VhostUser::Handler {
  using Reply = std::vector<std::byte>;
  using Function = Reply (*)(VhostUser&, VhostMessage&);
  struct Row {
    Request request;
    Function function;
  };

  static Reply ignore(VhostUser&, VhostMessage&) { return {}; }

  static Reply get_features(VhostUser&, VhostMessage& m) {
    return reply_with(m.header.request,
                      uint64_t{vhost::feature_version_1 | vhost::feature_protocol_features});
  }
  static Reply get_protocol_features(VhostUser& self, VhostMessage& m) {
    uint64_t features = vhost::protocol_mq | vhost::protocol_reply_ack | vhost::protocol_backend_req;
    if (self.notifications_ == Notifications::in_band) features |= vhost::protocol_inband_notifications;
    return reply_with(m.header.request, features);
  }
  static Reply get_queue_num(VhostUser& self, VhostMessage& m) {
    return reply_with(m.header.request, uint64_t{self.queues_.size()});
  }

  static Reply set_mem_table(VhostUser& self, VhostMessage& m) {
    const auto header = payload_as<vhost::MemoryTableHeader>(m.payload);
    if (header.count > GuestMemory::max_regions ||
        m.payload.size() != sizeof header + header.count * sizeof(vhost::MemoryRegion))
      throw ProtocolError(
          fmt::format("SET_MEM_TABLE of {} regions in {} bytes", uint32_t{header.count}, m.payload.size()));
    std::vector<RegionInfo> table;
    for (size_t i = 0; i < header.count; ++i) {
      const auto r = payload_as<vhost::MemoryRegion>(
          std::span(m.payload).subspan(sizeof header + i * sizeof(vhost::MemoryRegion)));
      table.push_back({r.guest_address, r.size, r.user_address, r.mapping_offset});
    }
    for (Queue& queue : self.queues_) queue.ring.forget_rings();
    self.memory_.set_table(table, m.fds);
    for (Queue& queue : self.queues_) self.map_rings(queue);
    return {};
  }

  static Reply set_vring_num(VhostUser& self, VhostMessage& m) {
    const auto state = payload_as<vhost::VringState>(m.payload);
    Queue& queue = self.queue_at(state.index);
    queue.ring.set_size(state.value);
    queue.address.reset();
    return {};
  }
  static Reply set_vring_addr(VhostUser& self, VhostMessage& m) {
    const auto address = payload_as<vhost::VringAddress>(m.payload);
    Queue& queue = self.queue_at(address.index);
    queue.address = address;
    self.map_rings(queue);
    return {};
  }
  static Reply set_vring_base(VhostUser& self, VhostMessage& m) {
    const auto state = payload_as<vhost::VringState>(m.payload);
    if (state.value > 0xffff) throw ProtocolError(fmt::format("queue base {}", uint32_t{state.value}));
    self.queue_at(state.index).ring.set_base(static_cast<uint16_t>(state.value));
    return {};
  }
  static Reply get_vring_base(VhostUser& self, VhostMessage& m) {
    auto state = payload_as<vhost::VringState>(m.payload);
    Queue& queue = self.queue_at(state.index);
    queue.ring.enable(false);
    state.value = queue.ring.base();
    if (self.on_change_) self.on_change_();
    return reply_with(m.header.request, state);
  }
  static Reply set_vring_enable(VhostUser& self, VhostMessage& m) {
    const auto state = payload_as<vhost::VringState>(m.payload);
    if (state.value > 1) throw ProtocolError("SET_VRING_ENABLE of neither 0 nor 1");
    self.queue_at(state.index).ring.enable(state.value != 0);
    if (self.on_change_) self.on_change_();
    return {};
  }

  static UniqueFd take_fd(VhostMessage& m) {
    const auto value = payload_as<uint64_t>(m.payload);
    if (value & ~(vhost::vring_index_mask | vhost::vring_no_fd)) throw ProtocolError("bad queue index");
    const size_t expected = value & vhost::vring_no_fd ? 0 : 1;
    if (m.fds.size() != expected) throw ProtocolError("file descriptor missing or in excess");
    return expected ? std::move(m.fds.front()) : UniqueFd();
  }
  static Queue& queue_of_fd(VhostUser& self, const VhostMessage& m) {
    return self.queue_at(payload_as<uint64_t>(m.payload) & vhost::vring_index_mask);
  }
  static Reply set_vring_kick(VhostUser& self, VhostMessage& m) {
    Queue& queue = queue_of_fd(self, m);
    queue.kick = take_fd(m);
    if (self.on_change_) self.on_change_();
    return {};
  }
  static Reply set_vring_call(VhostUser& self, VhostMessage& m) {
    Queue& queue = queue_of_fd(self, m);
    queue.call = take_fd(m);
    // A guest that does not take its interrupts must not stop the device.
    if (queue.call) ::fcntl(queue.call.get(), F_SETFL, O_NONBLOCK);
    return {};
  }
  static Reply set_vring_err(VhostUser& self, VhostMessage& m) {
    (void)queue_of_fd(self, m);
    (void)take_fd(m);
    return {};
  }
  static Reply set_backend_req_fd(VhostUser& self, VhostMessage& m) {
    if (m.fds.size() != 1) throw ProtocolError("SET_BACKEND_REQ_FD without a file descriptor");
    self.backend_channel_ = std::move(m.fds.front());
    return {};
  }
  static Reply vring_kick(VhostUser& self, VhostMessage& m) {
    const auto state = payload_as<vhost::VringState>(m.payload);
    (void)self.queue_at(state.index);
    if (self.on_kick_) self.on_kick_(state.index);
    return {};
  }

  static constexpr std::array rows{
      Row{Request::get_features, get_features},
      Row{Request::set_features, ignore},
      Row{Request::set_owner, ignore},
      Row{Request::reset_owner, ignore},
      Row{Request::set_mem_table, set_mem_table},
      Row{Request::set_vring_num, set_vring_num},
      Row{Request::set_vring_addr, set_vring_addr},
      Row{Request::set_vring_base, set_vring_base},
      Row{Request::get_vring_base, get_vring_base},
      Row{Request::set_vring_kick, set_vring_kick},
      Row{Request::set_vring_call, set_vring_call},
      Row{Request::set_vring_err, set_vring_err},
      Row{Request::get_protocol_features, get_protocol_features},
      Row{Request::set_protocol_features, ignore},
      Row{Request::get_queue_num, get_queue_num},
      Row{Request::set_vring_enable, set_vring_enable},
      Row{Request::set_backend_req_fd, set_backend_req_fd},
      Row{Request::vring_kick, vring_kick},
  };
};

std::vector<std::byte> VhostUser::handle(VhostMessage message) {
  const uint32_t request = message.header.request;
  if ((message.header.flags & vhost::version_mask) != vhost::version ||
      message.header.flags & vhost::flag_reply)
    throw ProtocolError(fmt::format("message {} with flags {:#x}", request, uint32_t{message.header.flags}));
  const bool wants_reply = message.header.flags & vhost::flag_need_reply;

  const vhost::Shape* shape = shape_of(request);
  if (!shape) return wants_reply ? reply_with(request, uint64_t{1}) : std::vector<std::byte>{};
  check_shape(*shape, message);

  const auto* row = std::find_if(Handler::rows.begin(), Handler::rows.end(),
                                 [&](const Handler::Row& r) { return r.request == shape->request; });
  std::vector<std::byte> reply = row->function(*this, message);
  if (reply.empty() && wants_reply) reply = reply_with(request, uint64_t{0});
  return reply;
}

void VhostUser::call(size_t index) {
  Queue& queue = queue_at(index);
  if (!queue.ring.wants_notification()) return;
  if (notifications_ == Notifications::in_band) {
    call_in_band(index);
  } else if (queue.call) {
    const uint64_t one = 1;
    // A full pipe means that an interrupt is pending already; a closed one that the guest is about to go.
    [[maybe_unused]] const ssize_t written = ::write(queue.call.get(), &one, sizeof one);
  }
}

void VhostUser::call_in_band(size_t index) {
  struct [[gnu::packed]] {
    vhost::Header header;
    vhost::VringState state;
  } message{{static_cast<uint32_t>(vhost::BackendRequest::vring_call),
             vhost::version | vhost::flag_need_reply, sizeof(vhost::VringState)},
            {static_cast<uint32_t>(index), 0}};
  if (!backend_channel_ || !send_all(backend_channel_.get(), std::as_bytes(std::span(&message, 1)))) return;

  if (on_wait_ && !on_wait_(backend_channel_.get())) return;
  struct [[gnu::packed]] {
    vhost::Header header;
    uint64_t status;
  } reply{};
  if (receive_all(backend_channel_.get(), std::as_writable_bytes(std::span(&reply, 1))) &&
      (reply.header.request != message.header.request || reply.header.size != sizeof reply.status))
    throw ProtocolError("unexpected answer to a call");
}

}  // namespace vgpu::transport
