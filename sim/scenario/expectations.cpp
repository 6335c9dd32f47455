// The rows under `expect`: figures that others found, and bounds on how well ours agree.
#include "sim/scenario/expectations.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/catalogue.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/nearest.hpp"
#include "sim/language/metric.hpp"
#include "sim/language/place.hpp"
#include "sim/language/reader.hpp"
#include "sim/scenario/arms.hpp"
#include "sim/scenario/fields_scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

/// One row, for messages.
struct Row {
  const language::Value& value;
  std::string path;  ///< `expect[3]`
  language::ExpectableMetrics metrics;

  [[nodiscard]] tl::unexpected<netmodels::Error> refuse(std::string_view key, const std::string& what,
                                                        std::string hint) const {
    const language::Value* at = value.find(key);
    return netmodels::refuse((at ? *at : value).origin().text(),
                             "`" + path + "." + std::string(key) + "`: " + what, std::move(hint));
  }
};

Result<void> check_metric(const Row& row, const std::string& name) {
  const auto metric = find_metric(row.metrics, name);
  if (metric) return {};
  return row.refuse("metric", metric.error().what, metric.error().hint);
}

template <class T>
Result<T> read_row(const Row& row) {
  T read{};
  const language::Field field{row.value, row.path, settings::Key{.name = "expect", .doc = "One row."}};
  if (!row.value.is_map()) return tl::unexpected(language::refuse_shape(field, "a map of keys"));
  language::Reader reader(row.value, row.path, row.metrics);
  describe(reader, read);
  if (auto done = reader.finish(); !done) return tl::unexpected(done.error());
  if (auto known = check_metric(row, read.metric); !known) return tl::unexpected(known.error());
  read.where = row.value.origin().text();
  return read;
}

std::vector<std::string_view> arm_names(const Study& study) {
  std::vector<std::string_view> names;
  for (const Scenario& arm : study.arms) names.push_back(arm.name);
  return names;
}

/// The known names, cut short where they would fill the screen.
std::string some_names(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr std::size_t legible = 20;
  if (known.size() <= legible) return netmodels::accepted_names(name, known);
  const std::string guess = netmodels::suggestion(name, known);
  return (guess.empty() ? "" : guess + " ") +
         "accepted: " + netmodels::join(std::span(known).first(legible)) + ", and " +
         std::to_string(known.size() - legible) + " more";
}

Result<void> check_arm(const Row& row, std::string_view key, const std::string& arm, const Study& study) {
  const std::vector<std::string_view> names = arm_names(study);
  if (std::ranges::find(names, arm) != names.end()) return {};
  return row.refuse(key, "unknown arm `" + arm + "`", some_names(arm, names));
}

/// Two ratios, or the name of a row.
Result<void> check_of(const Row& row, language::ShareOf share, const std::string& of) {
  const auto refuse_of = [&](const netmodels::Error& error) {
    return row.refuse("of", error.what, error.hint);
  };
  if (share == language::ShareOf::ratios) {
    const auto range = language::parse_ratio_range(of);
    return range ? Result<void>() : refuse_of(range.error());
  }
  const auto known = share == language::ShareOf::method ? kernels::find_wire_format(of).map([](auto) {})
                                                        : netmodels::find_collective(of).map([](auto) {});
  return known ? known : refuse_of(known.error());
}

/// What `of` must say.
std::string wanted_of(language::ShareOf share) {
  if (share == language::ShareOf::ratios) return "two ratios such as `1 % to 10 %`";
  return share == language::ShareOf::method ? "a row of `sim list compressors`"
                                            : "a row of `sim list collectives`";
}

/// Only a share has a key `of`.
Result<void> check_share(const Row& row, const Expectation& figure) {
  const language::ShareOf share = (*find_metric(row.metrics, figure.metric))->of;
  if (share == language::ShareOf::nothing && !figure.of) return {};
  if (share == language::ShareOf::nothing) {
    return row.refuse("of", "`" + figure.metric + "` is not a share",
                      "leave it out, or write `metric: method_share`");
  }
  if (!figure.of) {
    return row.refuse("metric", "`" + figure.metric + "` needs `of`", "write `of`: " + wanted_of(share));
  }
  return check_of(row, share, *figure.of);
}

/// Keys that need each other, or rule each other out.
Result<void> check_judging(const Row& row, const Expectation& figure) {
  if (figure.over == figure.arm)
    return row.refuse("over", "a figure over itself is always 1", "name another arm");
  if (figure.within && !figure.value)
    return row.refuse("within", "`within` needs a `value`", "write `value`, or leave `within` out");
  if (!figure.reason || !figure.judged) return {};
  return row.refuse("reason", "the figure is judged, so that it needs no reason for not being judged",
                    "write `judged: false`, or leave `reason` out");
}

/// There is something to hold the figure against.
Result<void> check_bounds(const Row& row, const Expectation& figure) {
  if (!figure.value && !figure.at_least && !figure.at_most) {
    return netmodels::refuse(row.value.origin().text(), "the key `" + row.path + ".value` is missing",
                             "write for example `value: 152.5 ms` (the published or measured figure), or "
                             "`at_least` or `at_most` where no figure was published");
  }
  if (figure.at_least && figure.at_most && *figure.at_least > *figure.at_most)
    return row.refuse("at_most", "`at_most` is below `at_least`", "write a larger `at_most`");
  if (auto checked = check_judging(row, figure); !checked) return checked;
  if (figure.value && *figure.value == 0) {
    return row.refuse("value", "0 is too small",
                      "accepted: above 0, because errors are relative; or write "
                      "`at_most`");
  }
  return {};
}

Result<void> read_figure(const Row& row, Study& study) {
  language::Value named = row.value;
  const bool alone = study.arms.size() == 1 && study.arms.front().name == only_arm;
  if (alone && named.is_map() && !named.find("arm"))
    named.set("arm", language::Value::scalar(std::string(only_arm), language::Origin()));
  GRADSIM_TRY(figure, read_row<Expectation>({named, row.path, row.metrics}));
  if (auto known = check_arm(row, "arm", figure->arm, study); !known) return known;
  if (figure->over) {
    if (auto known = check_arm(row, "over", *figure->over, study); !known) return known;
  }
  if (auto checked = check_share(row, *figure); !checked) return checked;
  if (auto checked = check_bounds(row, *figure); !checked) return checked;
  study.expectations.push_back(std::move(*figure));
  return {};
}

/// The pattern must match a figure of that metric, or the bound would check nothing.
Result<void> check_pattern(const Row& row, const MeanErrorBound& bound, const Study& study) {
  for (const Expectation& figure : study.expectations) {
    if (figure.metric == bound.metric && matches(bound.arms, figure.arm)) return {};
  }
  return row.refuse("mean_error_of",
                    "no expected `" + bound.metric + "` has an arm that matches `" + bound.arms + "`",
                    "write a pattern such as `*/ag` that fits arms under `expect`");
}

Result<void> check_axis(const Row& row, const BestAlongAxis& bound, const Study& study) {
  const std::vector<std::string_view> axes(study.axes.begin(), study.axes.end());
  if (std::ranges::find(axes, bound.axis) != axes.end()) return {};
  return row.refuse(
      "best_along", "unknown axis `" + bound.axis + "`",
      axes.empty() ? "write `axes` in place of `compare`" : netmodels::accepted_names(bound.axis, axes));
}

Result<void> read_bound(const Row& row, Study& study) {
  if (row.value.find("mean_error_of")) {
    GRADSIM_TRY(bound, read_row<MeanErrorBound>(row));
    if (auto checked = check_pattern(row, *bound, study); !checked) return checked;
    study.mean_errors.push_back(std::move(*bound));
    return {};
  }
  GRADSIM_TRY(bound, read_row<BestAlongAxis>(row));
  if (auto checked = check_axis(row, *bound, study); !checked) return checked;
  study.best_along.push_back(std::move(*bound));
  return {};
}

bool is_bound(const language::Value& row) { return row.find("mean_error_of") || row.find("best_along"); }

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

Result<void> read_expectations(const language::Value& rows, Study& study,
                               language::ExpectableMetrics metrics) {
  if (!rows.is_list()) {
    return netmodels::refuse(
        rows.origin().text(), "`expect`: expected a list, found " + std::string(rows.kind_text()),
        "write `- {arm: dense, metric: step_time, value: 152.5 ms, within: 2 %, source: ...}`");
  }
  std::vector<netmodels::Error> errors;
  for (const bool bounds : {false, true}) {  // figures first: bounds refer to them
    if (!errors.empty()) break;
    for (std::size_t i = 0; i < rows.items().size(); ++i) {
      const Row row{rows.items()[i], language::item("expect", i), metrics};
      if (is_bound(row.value) != bounds) continue;
      if (auto done = bounds ? read_bound(row, study) : read_figure(row, study); !done)
        errors.push_back(std::move(done.error()));
    }
  }
  if (errors.empty()) return {};
  return tl::unexpected(netmodels::merge_errors(std::move(errors)));
}

}  // namespace sim::scenario
