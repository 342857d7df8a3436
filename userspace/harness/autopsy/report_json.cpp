// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "autopsy/report.hpp"

namespace harness::autopsy {

using Json = nlohmann::ordered_json;

std::string json_report(const Facts& facts, const Diagnosis& diagnosis) {
  const bool stopped = !diagnosis.stages.empty();
  Json json{{"schema", 1},
            {"verdict", verdict_name(diagnosis.verdict)},
            {"stage", stopped ? Json(diagnosis.stages.text()) : Json()},
            {"stages", Json::array()},
            {"cause", diagnosis.cause},
            {"confidence", stopped ? Json(confidence_name(diagnosis.confidence)) : Json()},
            {"headline", diagnosis.headline},
            {"evidence", diagnosis.evidence},
            {"ruled_out", Json::array()},
            {"next", diagnosis.next},
            {"process", Json()},
            {"kernel", facts.release},
            {"uptime_s", facts.uptime_s},
            {"window_s", facts.window_s},
            {"sources", Json::array()}};
  for (const Stage stage : diagnosis.stages.list()) json["stages"].push_back(stage_name(stage));
  for (const RuledOut& row : diagnosis.ruled_out)
    json["ruled_out"].push_back({{"stage", row.stages.text()}, {"why", row.why}});
  if (facts.waiter)
    json["process"] = {{"pid", facts.waiter->pid},
                       {"comm", facts.waiter->comm},
                       {"tid", facts.waiter->thread.snapshot.pid},
                       {"state", std::string(1, facts.waiter->thread.snapshot.state)},
                       {"doing", facts.waiter->thread.doing},
                       {"waited_s", facts.waiter->seconds}};
  for (const Source& source : facts.sources)
    json["sources"].push_back({{"name", source.name}, {"seen", source.seen}, {"note", source.note}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace harness::autopsy
