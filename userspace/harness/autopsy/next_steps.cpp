// SPDX-License-Identifier: MIT
#include "autopsy/next_steps.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace harness::autopsy {
namespace {

constexpr size_t most_steps = 4;

/// Text may hold {pid} (of the waiter) and {node} ("fb000000.gpu").
struct StepRow {
  StageSet stages;         ///< it helps when one of these is left
  std::string_view cause;  ///< ... and this is the cause; empty: any
  bool (*when)(const Facts& facts, const Diagnosis& diagnosis);
  std::string_view text;
};

bool always(const Facts&, const Diagnosis&) {
  return true;
}
bool unclear(const Facts&, const Diagnosis& diagnosis) {
  return diagnosis.stages.list().size() > 1;
}
bool without_root(const Facts&, const Diagnosis&) {
  return ::geteuid() != 0;
}
bool without_dump(const Facts& facts, const Diagnosis& diagnosis) {
  return !facts.dump && diagnosis.confidence != Confidence::certain;
}
bool without_trace(const Facts& facts, const Diagnosis& diagnosis) {
  return !facts.trace && unclear(facts, diagnosis);
}
bool without_probe(const Facts& facts, const Diagnosis& diagnosis) {
  return !facts.probe && unclear(facts, diagnosis);
}
bool short_wait(const Facts& facts, const Diagnosis& diagnosis) {
  return facts.waiter && facts.waiter->seconds < 7 && unclear(facts, diagnosis);
}
bool probe_failed(const Facts& facts, const Diagnosis&) {
  return facts.probe && !facts.probe->passed();
}
bool stock(const Facts& facts, const Diagnosis&) {
  return !facts.dump;
}

const StepRow rows[] = {
    {StageSet::all(), "", without_root,
     "sudo panthor-harness autopsy: most of what tells the stages apart needs root"},
    {{Stage::not_fetched, Stage::executing, Stage::completion},
     "",
     short_wait,
     "panthor-harness autopsy --window 8: the driver's own job timeout ends what hangs on a slot after 5 s, "
     "so a longer "
     "wait rules S5 to S7 out"},
    {StageSet::all(), "", without_probe,
     "panthor-harness autopsy --probe: a job of a fresh process tells a wedged GPU from one job that hangs"},
    {StageSet::all(), "", without_trace,
     "panthor-harness autopsy --watch, then start the work again: the trace shows how far each job gets"},
    {StageSet::all(), "", without_dump,
     "boot a kernel with the series \"hang\": its dump names the stage by itself"},
    {{Stage::ioctl},
     "",
     always,
     "echo w >/proc/sysrq-trigger; dmesg | tail -100: the kernel stack of every blocked task; look for who "
     "holds the lock"},
    {{Stage::dependency},
     "",
     always,
     "find who should signal the fence named above: its process must run, its own job must end (autopsy "
     "--pid of it)"},
    {{Stage::queued},
     "paused",
     always,
     "dmesg | grep -i panthor: a reset or a timeout stopped the queue and did not restart it"},
    {{Stage::queued, Stage::not_fetched},
     "behind",
     always,
     "grep '^job ' /sys/kernel/debug/dri/*/hang: the first job of the same group and queue is the one that "
     "hangs, the rest wait for it"},
    {{Stage::queued},
     "",
     stock,
     "echo t >/proc/sysrq-trigger; dmesg | grep -A8 panthor-csf-sched: is the workqueue's worker stuck"},
    {{Stage::refused},
     "",
     always,
     "grep . /sys/bus/platform/devices/{node}/power/runtime_*; dmesg | grep -iE "
     "'panthor|genpd|regulator|clk'"},
    {{Stage::no_slot},
     "slots-full",
     always,
     "panthor-harness autopsy for each other user of the GPU: one of them holds the slots"},
    {{Stage::no_slot},
     "reset-pending",
     always,
     "grep '^reset ' /sys/kernel/debug/dri/*/hang twice: pending=1 with queued=0 and in_progress=0 never "
     "ends by "
     "itself"},
    {{Stage::no_slot},
     "dead",
     always,
     "the group cannot run any more: dmesg | grep panthor says what it died of; its process must make a new "
     "one"},
    {{Stage::no_slot},
     "no-ack",
     always,
     "dmesg | grep 'update request timedout': the firmware does not answer; a reset must follow within a "
     "second"},
    {{Stage::no_slot},
     "",
     always,
     "submit anything (panthor-harness ladder --rung nop-stream): if the old job then goes on, a scheduler "
     "tick was lost"},
    {{Stage::not_fetched},
     "mcu-dead",
     always,
     "the firmware has died, only a reset starts it again: does count= of '^reset ' in "
     "/sys/kernel/debug/dri/*/hang rise; its version: dmesg | grep 'FW using'"},
    {{Stage::not_fetched},
     "",
     always,
     "submit to the same queue again, or wait for the job timeout: a second doorbell wakes a queue whose "
     "first was lost"},
    {{Stage::executing},
     "sync-wait",
     always,
     "the stream waits for a sync object (address above): look for who should have signalled it"},
    {{Stage::executing},
     "page-fault",
     always,
     "dmesg | grep -A6 'Unhandled Page fault'; compare with the VM's mappings (gpuvas)"},
    {{Stage::executing},
     "",
     always,
     "panthor-harness ladder: do a plain loop, a sync wait and a dispatch end on this machine"},
    {{Stage::completion},
     "irq-masked",
     always,
     "grep '^mcu ' /sys/kernel/debug/dri/*/hang: int_mask=0x0 with mask= set is an unmask that got lost; the "
     "next "
     "resume or reset writes it again"},
    {{Stage::completion},
     "no-seqno",
     always,
     "the stream has ended, its seqno is not in memory: a lost write, or memory that is not coherent; "
     "compare "
     "dma-coherent of the GPU's node below /proc/device-tree with a kernel that works"},
    {{Stage::completion},
     "",
     always,
     "grep panthor /proc/interrupts twice: if panthor-job stands still while jobs run, its line or its mask "
     "is the fault"},
    {{Stage::wake_up},
     "never-submitted",
     always,
     "this is user space's: gdb -p {pid}, look at who calls the wait and who should submit"},
    {{Stage::wake_up},
     "",
     always,
     "gdb -p {pid} -batch -ex 'thread apply all bt': which object does it wait for, and was it reset "
     "meanwhile"},
    {StageSet::all(), "", probe_failed,
     "echo {node} >/sys/bus/platform/drivers/panthor/unbind; echo {node} "
     ">/sys/bus/platform/drivers/panthor/bind: a fresh start "
     "of the driver, which ends every user's jobs"},
    {StageSet::all(), "", always,
     "panthor-harness autopsy --bundle hang.tar.gz: everything seen here, for a bug report"},
};

void replace_all(std::string& text, std::string_view key, const std::string& value) {
  for (size_t at = 0; (at = text.find(key, at)) != std::string::npos; at += value.size())
    text.replace(at, key.size(), value);
}

}  // namespace

std::vector<std::string> next_steps(const Facts& facts, const Diagnosis& diagnosis) {
  std::vector<std::string> steps;
  for (const StepRow& row : rows) {
    const bool last = &row == std::end(rows) - 1;
    if (steps.size() >= most_steps - (last ? 0 : 1)) continue;
    if (!row.stages.intersects(diagnosis.stages) || !row.when(facts, diagnosis)) continue;
    if (!row.cause.empty() && row.cause != diagnosis.cause) continue;
    std::string text(row.text);
    replace_all(text, "{pid}", facts.waiter ? std::to_string(facts.waiter->pid) : "PID");
    replace_all(text, "{node}", facts.node);
    steps.push_back(std::move(text));
  }
  return steps;
}

}  // namespace harness::autopsy
