// SPDX-License-Identifier: MIT
#include <drm/panthor_drm.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "calls/views.hpp"
#include "player/compare.hpp"
#include "player/player.hpp"

namespace recording {
namespace {

/// drmIoctl() restarts on these; so do we, but not for ever.
constexpr unsigned most_restarts = 10'000;

bool restarts(int error) {
  return error == EINTR || error == EAGAIN;
}

std::string error_text(int error) {
  return error == 0 ? "success" : std::strerror(error);
}

uint32_t field32(const CallImage& image, size_t offset) {
  return static_cast<uint32_t>(load_field(image.argument, offset, 4));
}

}  // namespace

void Player::on(const CallBegan& event) {
  const CallLayout* layout = find_call(event.request);
  const auto end = ends_.find(event.call);
  if (layout != nullptr && layout->call_class == CallClass::wait)
    waiting_.insert_or_assign(event.call, event);
  else
    run(event, end == ends_.end() ? nullptr : &end->second);
}

void Player::on(const CallEnded& event) {
  const auto begin = waiting_.find(event.call);
  if (begin == waiting_.end()) return;
  const CallBegan wait = std::move(begin->second);
  waiting_.erase(begin);
  run(wait, &event);
}

int Player::target(const CallBegan& begin) {
  if (begin.file == 0) {
    const auto fd = fds_.find(static_cast<uint32_t>(begin.fd));
    return fd ? static_cast<int>(*fd) : -1;
  }
  const auto file = files_.find(begin.file);
  return file == files_.end() ? -1 : file->second.fd;
}

void Player::run(const CallBegan& begin, const CallEnded* end) {
  if (end != nullptr && restarts(end->error)) return;  // the program's next call is the same again
  const CallLayout* layout = find_call(begin.request);
  if (layout == nullptr)
    return not_replayed(begin.call, fmt::format("{:#x}", begin.request),
                        "an ioctl this program does not know");
  const int fd = target(begin);
  if (fd < 0) return not_replayed(begin.call, layout->name, "its file is not there");
  try {
    RebuiltCall call(*layout, begin.request, begin.image, kernel_.unmapped_address());
    translate(call, begin.file);
    if (layout->call_class == CallClass::wait) set_timeout(call, begin, end);
    if (options_.recorded_speed && begin.time_ns > first_recorded_ns_)
      kernel_.sleep_until(first_replayed_ns_ + (begin.time_ns - first_recorded_ns_));
    const int error = issue(fd, begin, *layout, call);
    ++outcome_.calls;
    judge(begin, end, *layout, call, error);
    if (error == 0 && end != nullptr && end->error == 0) learn(begin, *end, *layout, call);
  } catch (const FormatError& error) {
    not_replayed(begin.call, layout->name, error.what());
  }
}

void Player::translate(RebuiltCall& call, uint32_t file) {
  const auto found = files_.find(file);
  call.for_each_struct([&](const StructLayout& layout, std::span<std::byte> bytes) {
    for (const IdField& field : layout.ids) {
      if (field.kind != IdKind::fd && found == files_.end()) continue;
      const IdMap& map = field.kind == IdKind::fd ? fds_ : of_kind(found->second.ids, field.kind);
      const auto recorded = static_cast<uint32_t>(load_field(bytes, field.offset, 4));
      // What a call makes is an output, except where it names something already.
      const uint32_t id =
          field.role == Role::makes ? map.find(recorded).value_or(recorded) : map.translate(recorded);
      store_field(bytes, field.offset, 4, id);
    }
    for (const VolatileField& field : layout.volatiles)
      if (field.what == VolatileField::What::flush_id && load_field(bytes, field.offset, 4) != 0)
        store_field(bytes, field.offset, 4, flush_id(file));
  });
}

/// Timeouts are absolute. A wait that ran into its own gets as long as then; any other one gets the deadline.
void Player::set_timeout(RebuiltCall& call, const CallBegan& begin, const CallEnded* end) {
  const size_t offset = wait_timeout_offset(begin.request);
  const auto deadline = static_cast<uint64_t>(options_.deadline.count());
  uint64_t wait_ns = deadline;
  if (end != nullptr && end->error != 0) {
    const auto recorded = static_cast<int64_t>(load_field(begin.image.argument, offset, 8));
    const bool later = recorded > 0 && static_cast<uint64_t>(recorded) > begin.time_ns;
    wait_ns = later ? std::min(static_cast<uint64_t>(recorded) - begin.time_ns, deadline) : 0;
  }
  store_field(call.argument_bytes(), offset, 8, wait_ns == 0 ? 0 : kernel_.now_ns() + wait_ns);
}

int Player::issue(int fd, const CallBegan& begin, const CallLayout& layout, RebuiltCall& call) {
  options_.in_call(fmt::format("call {} {}", begin.call, layout.name));
  int error = 0;
  unsigned attempts = 0;
  do error = kernel_.ioctl(fd, begin.request, call.argument());
  while (restarts(error) && ++attempts < most_restarts);
  options_.in_call({});
  return error;
}

void Player::judge(const CallBegan& begin, const CallEnded* end, const CallLayout& layout,
                   const RebuiltCall& call, int error) {
  if (layout.call_class == CallClass::wait) {
    ++outcome_.waits;
    judge_wait(begin, end, error);
    const bool told = error == ETIME ? end == nullptr || end->error == 0
                                     : error == 0 && end != nullptr && end->error == ETIME;
    if (told) return;
  }
  if (end == nullptr) return;  // it hung then; that it came back now is told by what follows
  if (error != end->error)
    return differ(begin.call, layout.name,
                  fmt::format("{}, recorded {}", error_text(error), error_text(end->error)));
  const Comparison comparison = compare_outputs(layout, end->image, call.outputs());
  if (!comparison.difference.empty()) differ(begin.call, layout.name, comparison.difference);
  if (comparison.timing) ++outcome_.timing;
}

void Player::judge_wait(const CallBegan& begin, const CallEnded* end, int error) {
  const auto wait = view_wait(begin.request, begin.image);
  if (!wait || (error != 0 && error != ETIME)) return;
  const bool timed_out_then = end != nullptr && end->error == ETIME;
  if (error == 0) {
    submits_.satisfied(begin.file, *wait);
    if (timed_out_then) ++outcome_.timing;
    if (end == nullptr) {
      outcome_.not_reproduced = true;
      outcome_.notes.push_back(
          fmt::format("the recording ends inside the wait of call {}; here it was satisfied", begin.call));
    }
    return;
  }
  if (end != nullptr && end->error != 0 && !timed_out_then) return;
  const SubmitRecord* submit = submits_.blocking(begin.file, *wait);
  if (timed_out_then) {
    if (submit != nullptr) timed_out_.push_back({begin.file, *wait, submit->number});
    return;
  }
  outcome_.stuck =
      fmt::format("{}: the fence that call {} waits for did not signal in {} ms, {}",
                  submit != nullptr ? describe(*submit) : "no submit of the recording", begin.call,
                  std::chrono::duration_cast<std::chrono::milliseconds>(options_.deadline).count(),
                  end == nullptr ? "as in the recording" : "unlike in the recording");
}

void Player::learn(const CallBegan& begin, const CallEnded& end, const CallLayout& layout,
                   RebuiltCall& call) {
  const auto found = files_.find(begin.file);
  const CallImage out = call.outputs();
  for (const IdField& field : layout.argument.ids) {
    if (field.kind != IdKind::fd && found == files_.end()) continue;
    IdMap& map = field.kind == IdKind::fd ? fds_ : of_kind(found->second.ids, field.kind);
    const uint32_t recorded = field32(end.image, field.offset);
    if (field.role == Role::makes) map.add(recorded, field32(out, field.offset));
    if (field.role == Role::destroys) map.remove(field32(begin.image, field.offset));
  }
  const uint32_t file = begin.file;
  if (layout.call_class == CallClass::submit) {
    if (auto view = view_submit(begin.request, begin.image)) submits_.add(begin.call, file, std::move(*view));
    outcome_.submits = submits_.all().size();
  } else if (layout.request == DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET && found != files_.end()) {
    found->second.mmap_offset[field32(begin.image, offsetof(drm_panthor_bo_mmap_offset, handle))] =
        load_field(out.argument, offsetof(drm_panthor_bo_mmap_offset, offset), 8);
  } else if (layout.request == DRM_IOCTL_PANTHOR_GROUP_DESTROY) {
    submits_.group_destroyed(file, field32(begin.image, offsetof(drm_panthor_group_destroy, group_handle)));
  } else if (layout.request == DRM_IOCTL_SYNCOBJ_DESTROY) {
    submits_.forget(file, field32(begin.image, offsetof(drm_syncobj_destroy, handle)));
  } else if (layout.request == DRM_IOCTL_SYNCOBJ_TRANSFER) {
    submits_.forget(file, field32(begin.image, offsetof(drm_syncobj_transfer, dst_handle)));
  } else if (layout.request == DRM_IOCTL_SYNCOBJ_RESET && !begin.image.blocks.empty()) {
    const Bytes& handles = begin.image.blocks[0].bytes;
    for (size_t at = 0; at < handles.size(); at += sizeof(uint32_t))
      submits_.forget(file, static_cast<uint32_t>(load_field(handles, at, 4)));
  }
}

/// A wait that timed out then and now is no hang if the same job was seen to end later.
void Player::look_again_at_timeouts() {
  for (const TimedOut& entry : timed_out_) {
    const SubmitRecord& submit = submits_.at(entry.submit);
    if (submit.done || signals_now(entry)) continue;
    outcome_.stuck = fmt::format("{}: its fence never signalled, as in the recording", describe(submit));
    return;
  }
}

/// The program may only have polled: gives the fence the deadline, if its syncobjs are still there.
bool Player::signals_now(const TimedOut& entry) {
  const auto file = files_.find(entry.file);
  if (file == files_.end()) return false;
  std::vector<uint32_t> handles;
  std::vector<uint64_t> points;
  for (size_t i = 0; i < entry.wait.handles.size(); ++i) {
    const auto handle = of_kind(file->second.ids, IdKind::syncobj).find(entry.wait.handles[i]);
    if (!handle) return false;
    handles.push_back(*handle);
    points.push_back(entry.wait.point(i));
  }
  drm_syncobj_timeline_wait args{};
  args.handles = reinterpret_cast<uint64_t>(handles.data());
  args.points = reinterpret_cast<uint64_t>(points.data());
  args.count_handles = static_cast<uint32_t>(handles.size());
  args.flags = entry.wait.flags;
  args.timeout_nsec = static_cast<int64_t>(kernel_.now_ns()) + options_.deadline.count();
  int error = 0;
  do error = kernel_.ioctl(file->second.fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
  while (restarts(error));
  return error == 0;
}

}  // namespace recording
