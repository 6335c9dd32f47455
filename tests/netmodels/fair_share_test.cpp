// Fair rates by hand, and the conditions of max-min fairness, on many networks.
#include "netmodels/fair_share.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

std::vector<LinkState> links_of(const std::vector<double>& bandwidths) {
  std::vector<LinkState> links;
  for (const double bandwidth : bandwidths) links.push_back({{}, Bandwidth{bandwidth}});
  return links;
}

std::vector<double> rates_of(const std::vector<Route>& routes, const std::vector<double>& bandwidths) {
  std::vector<const Route*> pointers;
  for (const Route& route : routes) pointers.push_back(&route);
  std::vector<double> rates;
  for (const Bandwidth rate : fair_rates(pointers, links_of(bandwidths))) rates.push_back(rate.count);
  return rates;
}

TEST(FairRates, NobodyHasNoRates) { EXPECT_TRUE(rates_of({}, {100}).empty()); }

TEST(FairRates, AFlowAloneHasItsNarrowestLink) {
  EXPECT_EQ(rates_of({{0, 1, 2}}, {100, 30, 70}), (std::vector<double>{30}));
}

TEST(FairRates, FlowsOnOneLinkShareItEvenly) {
  EXPECT_EQ(rates_of({{0}, {0}, {0}, {0}}, {100}), (std::vector<double>{25, 25, 25, 25}));
}

TEST(FairRates, AFlowOnALinkOfItsOwnIsNotSlowedByOthers) {
  EXPECT_EQ(rates_of({{0}, {0}, {1}}, {100, 80}), (std::vector<double>{50, 50, 80}));
}

TEST(FairRates, WhatABoundFlowLeavesGoesToTheOthers) {  // link 1 bounds the first to 20; 80 are left
  EXPECT_EQ(rates_of({{0, 1}, {0}}, {100, 20}), (std::vector<double>{20, 80}));
}

// Link 0 of 90 has three flows: 30 each. One of them also crosses link 1 of 100, where 70 are left for the
// fourth; the fifth shares link 2 of 200 with it and has the other 130.
TEST(FairRates, FillUpLinkAfterLink) {
  EXPECT_EQ(rates_of({{0}, {0}, {0, 1}, {1, 2}, {2}}, {90, 100, 200}),
            (std::vector<double>{30, 30, 30, 70, 130}));
}

TEST(FairRates, AFlowWithoutLinksIsNotBoundAtAll) {
  const auto rates = rates_of({{}, {0}}, {100});
  EXPECT_TRUE(std::isinf(rates[0]));
  EXPECT_EQ(rates[1], 100);
}

TEST(FairRates, NothingFlowsOverALinkWithoutBandwidth) {
  EXPECT_EQ(rates_of({{0, 1}, {1}}, {0, 60}), (std::vector<double>{0, 60}));
}

/// Routes over some of the links, each link at most once.
std::vector<Route> some_routes(std::mt19937& random, std::size_t flows, LinkId links) {
  std::vector<Route> routes(flows);
  for (Route& route : routes) {
    for (LinkId link = 0; link < links; ++link) {
      if (random() % 3 == 0) route.push_back(link);
    }
    if (route.empty()) route.push_back(static_cast<LinkId>(random() % links));
  }
  return routes;
}

bool crosses(const Route& route, LinkId link) { return std::ranges::find(route, link) != route.end(); }

/// Whether a link of this flow is full and no other flow on it has more.
bool has_bottleneck(std::size_t flow, const std::vector<Route>& routes, const std::vector<double>& rates,
                    const std::vector<double>& bandwidths) {
  return std::ranges::any_of(routes[flow], [&](LinkId link) {
    double used = 0;
    double largest = 0;
    for (std::size_t other = 0; other < routes.size(); ++other) {
      if (!crosses(routes[other], link)) continue;
      used += rates[other];
      largest = std::max(largest, rates[other]);
    }
    return used >= bandwidths[link] * (1 - 1e-9) && rates[flow] >= largest * (1 - 1e-9);
  });
}

TEST(FairRates, FitIntoEveryLinkAndEveryFlowHasABottleneck) {
  std::mt19937 random(1);
  for (int network = 0; network < 300; ++network) {
    const auto count = static_cast<LinkId>(1 + random() % 8);
    const std::vector<Route> routes = some_routes(random, 1 + random() % 12, count);
    std::vector<double> bandwidths(count);
    for (double& bandwidth : bandwidths) bandwidth = static_cast<double>(1 + random() % 1000);
    const std::vector<double> rates = rates_of(routes, bandwidths);
    for (LinkId link = 0; link < count; ++link) {
      double used = 0;
      for (std::size_t flow = 0; flow < routes.size(); ++flow)
        used += crosses(routes[flow], link) ? rates[flow] : 0;
      ASSERT_LE(used, bandwidths[link] * (1 + 1e-9)) << network;
    }
    for (std::size_t flow = 0; flow < routes.size(); ++flow)
      ASSERT_TRUE(has_bottleneck(flow, routes, rates, bandwidths)) << network << ' ' << flow;
  }
}

TEST(FairRates, LinksThatNobodyUsesCostNothing) {
  std::vector<double> bandwidths(1000, 1);
  bandwidths[999] = 100;
  bandwidths[500] = 40;
  EXPECT_EQ(rates_of({{999}, {500, 999}}, bandwidths), (std::vector<double>{60, 40}));
}

}  // namespace
}  // namespace netmodels
