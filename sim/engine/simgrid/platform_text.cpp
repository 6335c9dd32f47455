// An allow-list of SimGrid's elements over Expat's events.
#include "sim/engine/simgrid/platform_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <expat.h>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "files/input_file.hpp"

namespace sim::engine {
namespace {

using netmodels::Error;
using netmodels::refuse;
using netmodels::Result;

constexpr std::size_t most_platform_bytes = 64'000'000;
constexpr int most_depth = 64;

/// An element that is passed on, with the attributes that are.
struct AcceptedElement {
  std::string_view name;
  std::span<const std::string_view> attributes;
};

// Source: simgrid.dtd 4.1. AS, ASroute and bypassASroute are former names of zones and their routes.
constexpr std::array<std::string_view, 1> of_platform{"version"};
constexpr std::array<std::string_view, 2> of_zone{"id", "routing"};
constexpr std::array<std::string_view, 2> of_prop{"id", "value"};
constexpr std::array<std::string_view, 5> of_host{"id", "speed", "core", "coordinates", "pstate"};
constexpr std::array<std::string_view, 3> of_disk{"id", "read_bw", "write_bw"};
constexpr std::array<std::string_view, 3> of_host_link{"id", "up", "down"};
constexpr std::array<std::string_view, 18> of_cluster{"id",
                                                      "prefix",
                                                      "suffix",
                                                      "radical",
                                                      "speed",
                                                      "core",
                                                      "bw",
                                                      "lat",
                                                      "bb_bw",
                                                      "bb_lat",
                                                      "bb_sharing_policy",
                                                      "sharing_policy",
                                                      "topology",
                                                      "topo_parameters",
                                                      "router_id",
                                                      "limiter_link",
                                                      "loopback_bw",
                                                      "loopback_lat"};
constexpr std::array<std::string_view, 7> of_cabinet{"id",    "prefix", "suffix", "radical",
                                                     "speed", "bw",     "lat"};
constexpr std::array<std::string_view, 6> of_peer{"id", "speed", "bw_in", "bw_out", "lat", "coordinates"};
constexpr std::array<std::string_view, 2> of_router{"id", "coordinates"};
constexpr std::array<std::string_view, 3> of_backbone{"id", "bandwidth", "latency"};
constexpr std::array<std::string_view, 4> of_link{"id", "bandwidth", "latency", "sharing_policy"};
constexpr std::array<std::string_view, 3> of_route{"src", "dst", "symmetrical"};
constexpr std::array<std::string_view, 5> of_zone_route{"src", "dst", "gw_src", "gw_dst", "symmetrical"};
constexpr std::array<std::string_view, 2> of_link_ctn{"id", "direction"};
constexpr std::array accepted{
    AcceptedElement{"platform", of_platform},
    AcceptedElement{"zone", of_zone},
    AcceptedElement{"AS", of_zone},
    AcceptedElement{"prop", of_prop},
    AcceptedElement{"host", of_host},
    AcceptedElement{"disk", of_disk},
    AcceptedElement{"host_link", of_host_link},
    AcceptedElement{"cluster", of_cluster},
    AcceptedElement{"cabinet", of_cabinet},
    AcceptedElement{"peer", of_peer},
    AcceptedElement{"router", of_router},
    AcceptedElement{"backbone", of_backbone},
    AcceptedElement{"link", of_link},
    AcceptedElement{"route", of_route},
    AcceptedElement{"bypassRoute", of_route},
    AcceptedElement{"zoneRoute", of_zone_route},
    AcceptedElement{"ASroute", of_zone_route},
    AcceptedElement{"bypassZoneRoute", of_zone_route},
    AcceptedElement{"bypassASroute", of_zone_route},
    AcceptedElement{"link_ctn", of_link_ctn},
};

/// Why SimGrid may not see an element or an attribute, and what to write instead.
struct Refused {
  std::string_view name;
  std::string_view why;
  std::string_view hint;
};

constexpr std::string_view as_changes =
    "state them as `cluster.traces` or `cluster.changes`, so that they are applied without stalling flows";
constexpr std::string_view leave_out = "leave it out";

constexpr std::array refused_elements{
    Refused{"config", "sets SimGrid up: it may name files to write, and other models of bandwidth",
            "leave it out; `cluster.preset` has SimGrid's models of TCP"},
    Refused{"include", "reads another file", "write its contents here"},
    Refused{"trace", "is a time-varying profile", as_changes},
    Refused{"trace_connect", "connects a time-varying profile", as_changes},
    Refused{"storage_type", "reads a file of contents", leave_out},
    Refused{"storage", "reads a file of contents", leave_out},
    Refused{"mount", "belongs to storage, which is not simulated", leave_out},
    Refused{"actor", "runs a program, and belongs to a deployment", leave_out},
    Refused{"process", "runs a program, and belongs to a deployment", leave_out},
};

constexpr std::array refused_attributes{
    Refused{"bandwidth_file", "is a time-varying profile", as_changes},
    Refused{"latency_file", "is a time-varying profile", as_changes},
    Refused{"state_file", "is a time-varying profile", as_changes},
    Refused{"speed_file", "is a time-varying profile", as_changes},
    Refused{"availability_file", "is a time-varying profile", as_changes},
};

/// Of a name in neither list: no part of simgrid.dtd 4.1 that hosts, links and routes need.
template <std::size_t N>
Refused refusal_of(std::string_view name, const std::array<Refused, N>& known) {
  const auto found = std::ranges::find(known, name, &Refused::name);
  if (found != known.end()) return *found;
  return {name, "is not accepted",
          "accepted are the parts of simgrid.dtd 4.1 that describe zones, hosts, links "
          "and routes"};
}

/// Hosts of "0-99,105"; infinite where it is no such list, which SimGrid refuses.
double hosts_of(std::string_view radical) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const auto number = [](std::string_view text) -> std::optional<double> {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
  };
  double hosts = 0;
  while (!radical.empty()) {
    const std::string_view part = radical.substr(0, radical.find(','));
    radical.remove_prefix(std::min(radical.size(), part.size() + 1));
    const auto dash = part.find('-');
    const auto first = number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
    if (!first || !last) return unknown;
    hosts += std::max(0.0, *last - *first) + 1;
  }
  return hosts;
}

std::string escaped(std::string_view value) {
  std::string text;
  for (const char letter : value) {
    switch (letter) {
      case '&': text += "&amp;"; break;
      case '<': text += "&lt;"; break;
      case '>': text += "&gt;"; break;
      case '"': text += "&quot;"; break;
      case '\n': text += "&#10;"; break;
      case '\t': text += "&#9;"; break;
      case '\r': text += "&#13;"; break;
      default: text += letter;
    }
  }
  return text;
}

/// Attributes as Expat gives them: names and values in turn.
struct Attribute {
  std::string_view name;
  std::string_view value;
};

class Scan {
 public:
  explicit Scan(std::string path) : path_(std::move(path)), parser_(XML_ParserCreate(nullptr)) {
    if (parser_ == nullptr) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &Scan::begin, &Scan::end);
    XML_SetCharacterDataHandler(parser_.get(), &Scan::characters);
    XML_SetEntityDeclHandler(parser_.get(), &Scan::entity);
    XML_SetSkippedEntityHandler(parser_.get(), &Scan::skipped);
  }

  Result<std::string> run(std::string_view text) {
    text_ = text;
    constexpr bool is_last = true;
    const auto status = XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()), is_last);
    if (error_) return tl::unexpected(*error_);
    const XML_Error code = XML_GetErrorCode(parser_.get());
    if (status != XML_STATUS_OK && code == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
    if (status != XML_STATUS_OK)
      return refuse(place(), fmt::format("the platform file is not XML: {}", XML_ErrorString(code)),
                    "check the element on this line and the one before it");
    return std::move(written_);
  }

 private:
  struct Free {
    void operator()(XML_ParserStruct* parser) const { XML_ParserFree(parser); }
  };

  static Scan& of(void* self) { return *static_cast<Scan*>(self); }
  static void begin(void* self, const XML_Char* name, const XML_Char** attributes) {
    of(self).element(name, attributes);
  }
  static void end(void* self, const XML_Char* name) { of(self).close(name); }
  static void characters(void* self, const XML_Char* text, int length) {
    const std::string_view said(text, static_cast<std::size_t>(length));
    if (said.find_first_not_of(" \t\r\n") != std::string_view::npos)
      of(self).stop("text between elements is not accepted", "write it as a comment, or leave it out");
  }
  static void entity(void* self, const XML_Char* name, int, const XML_Char*, int, const XML_Char*,
                     const XML_Char*, const XML_Char*, const XML_Char*) {
    of(self).stop_at_entity(name);
  }
  static void skipped(void* self, const XML_Char* name, int) { of(self).stop_at_entity(name); }

  [[nodiscard]] std::string place() const {
    return fmt::format("{}:{}:{}", path_, XML_GetCurrentLineNumber(parser_.get()),
                       XML_GetCurrentColumnNumber(parser_.get()) + 1);
  }

  /// The first refusal counts.
  void stop(const std::string& what, std::string_view hint) {
    if (error_) return;
    error_ = Error{place(), what, std::string(hint)};
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void stop_at_entity(std::string_view name) {
    stop(fmt::format("the entity `{}` is not accepted", name), "write its contents where it is used");
  }

  /// Expat leaves entities of attributes out where a DTD that it does not read may declare them.
  void check_entities() {
    std::string_view tag = text_.substr(static_cast<std::size_t>(XML_GetCurrentByteIndex(parser_.get())),
                                        static_cast<std::size_t>(XML_GetCurrentByteCount(parser_.get())));
    for (auto at = tag.find('&'); at != std::string_view::npos; at = tag.find('&')) {
      tag.remove_prefix(at + 1);
      const std::string_view name = tag.substr(0, tag.find(';'));
      constexpr std::array<std::string_view, 5> own{"amp", "lt", "gt", "quot", "apos"};
      if (!name.starts_with('#') && std::ranges::find(own, name) == own.end()) return stop_at_entity(name);
    }
  }

  void element(std::string_view name, const XML_Char** attributes) {
    const auto found = std::ranges::find(accepted, name, &AcceptedElement::name);
    if (found == accepted.end()) {
      const Refused known = refusal_of(name, refused_elements);
      return stop(fmt::format("<{}> {}", name, known.why), known.hint);
    }
    check_entities();
    if (++depth_ > most_depth) return stop("zones lie in more than 64 zones", "use fewer levels");
    begin_line();
    written_ += fmt::format("<{}", name);
    for (; *attributes != nullptr; attributes += 2) add(*found, {attributes[0], attributes[1]});
    written_ += '>';
    if (name == "host" || name == "peer") count(1);
  }

  void add(const AcceptedElement& element, Attribute attribute) {
    if (std::ranges::find(element.attributes, attribute.name) == element.attributes.end()) {
      const Refused known = refusal_of(attribute.name, refused_attributes);
      return stop(fmt::format("`{}` of <{}> {}", attribute.name, element.name, known.why), known.hint);
    }
    if (attribute.name == "sharing_policy" && attribute.value == "WIFI")
      return stop("links of Wi-Fi are not simulated", "write SHARED, SPLITDUPLEX or FATPIPE");
    if (attribute.name == "radical") count(hosts_of(attribute.value));
    written_ += fmt::format(" {}=\"{}\"", attribute.name, escaped(attribute.value));
  }

  void count(double hosts) {
    hosts_ += hosts;
    if (hosts_ > most_hosts)
      stop(fmt::format("the platform file has more than {:.0f} hosts", most_hosts),
           "leave out those that no worker is on");
  }

  void close(std::string_view name) {
    if (error_) return;
    --depth_;
    begin_line();
    written_ += fmt::format("</{}>", name);
  }

  /// SimGrid's own words name lines of the file.
  void begin_line() {
    const auto line = XML_GetCurrentLineNumber(parser_.get());
    written_.append(line - std::min(line, line_), '\n');
    line_ = std::max(line, line_);
  }

  std::string path_;
  std::string_view text_;
  std::unique_ptr<XML_ParserStruct, Free> parser_;
  std::optional<Error> error_;
  std::string written_ =
      "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">";
  XML_Size line_ = 1;
  double hosts_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<std::string> read_platform(const std::string& path) {
  GRADSIM_TRY(text, files::read_text(path, {most_platform_bytes}));
  return Scan(path).run(*text);
}

}  // namespace sim::engine
