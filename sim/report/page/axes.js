// The data of a report, and what its charts have in common: units, colours, axes, legends.
"use strict";

const axes = (() => {
  const report = JSON.parse(document.getElementById("report-data").textContent);

  const palette = ["#3b7dd8", "#e07b39", "#2f9e6e", "#c6499a", "#8a6fd1", "#b0951c", "#d14b4b", "#3fa3b5",
    "#7f8894", "#95614f", "#4f5cae", "#8fae2b"];
  const marks = ["circle", "rect", "triangle", "rectRot", "star"];
  const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

  // The unit of an axis is the last one that its largest value reaches.
  const units = {
    none: [["", 1, 0]],
    share: [["%", 0.01, 0]],
    time: [["ns", 1e-9, 0], ["us", 1e-6, 1e-6], ["ms", 1e-3, 1e-3], ["s", 1, 1], ["h", 3600, 10800]],
    size: [["B", 1, 0], ["kB", 1e3, 1e3], ["MB", 1e6, 1e6], ["GB", 1e9, 1e9], ["TB", 1e12, 1e12]],
    rate: [["bit/s", 0.125, 0], ["kbit/s", 125, 125], ["Mbit/s", 1.25e5, 1.25e5], ["Gbit/s", 1.25e8, 1.25e8],
      ["Tbit/s", 1.25e11, 1.25e11]],
  };

  const unitOf = (measure, largest) => {
    const [name, size] = units[measure].filter(([, , from]) => largest >= from).pop() || units[measure][0];
    return { name, size };
  };

  const shown = (value) => Number(value.toPrecision(4)).toString();
  const within = (unit) => (unit.name ? ` (${unit.name})` : "");

  // --- the data -------------------------------------------------------------------------------------------

  const sheetOf = (spec) => report.data[spec.data];
  const isText = (column) => column.texts !== undefined;
  const textAt = (column, row) => {
    const value = column.values[row];
    return isText(column) ? column.texts[value] : String(value);
  };
  const numbersOf = (column) => column.values.filter((value) => value !== null);

  const extent = (values) => values.reduce(
    (range, value) => [Math.min(range[0], value), Math.max(range[1], value)], [Infinity, -Infinity]);

  const rowsBy = (sheet, key) => {
    const column = sheet.columns[key];
    const groups = column.texts.map((name) => ({ name, rows: [] }));
    column.values.forEach((code, row) => groups[code].rows.push(row));
    return groups;
  };

  // --- colours --------------------------------------------------------------------------------------------

  let printing = false;
  const print = (on) => { printing = on; };
  const themeColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const theme = () => (printing ? { text: "#000000", line: "#bbbbbb" }
    : { text: themeColour("--quiet"), line: themeColour("--line") });
  // An arm has the same colour wherever it is drawn.
  const arms = [...new Set(Object.values(report.data).flatMap((sheet) => (sheet.columns.arm ? sheet.columns.arm.texts : [])))];
  const placeOf = (key, name, place) => {
    if (key !== "fastest") return place;
    return arms.includes(name) ? arms.indexOf(name) : arms.length;
  };
  const colourOf = (place) => palette[place % palette.length];
  const dashOf = (place) => dashes[Math.floor(place / palette.length) % dashes.length];

  // --- axes -----------------------------------------------------------------------------------------------

  // A scale for one column and the ends of its band: unit, title, and whether it is logarithmic.
  const scaleOf = (sheet, key, mayBeLogarithmic) => {
    const column = sheet.columns[key];
    const ends = [key, key + "_least", key + "_most"].filter((name) => sheet.columns[name]);
    const [least, most] = extent(ends.flatMap((name) => numbersOf(sheet.columns[name])));
    const logarithmic = mayBeLogarithmic && least > 0 && most / least >= 50;
    const unit = unitOf(column.measure, logarithmic ? Math.sqrt(least * most) : Math.max(Math.abs(least), Math.abs(most)));
    const range = logarithmic ? { min: least / unit.size / 1.3, max: most / unit.size * 1.3 } : {};
    return { unit, logarithmic, range, title: column.title + within(unit) };
  };

  // 1, 2 or 5 times a power of ten.
  const isRound = (value) => {
    const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
    return [1, 2, 5].includes(Number((value / power).toPrecision(3)));
  };

  const axis = (scale, more = {}) => {
    const colours = theme();
    return {
      type: scale.logarithmic ? "logarithmic" : "linear",
      title: {
        display: true, text: scale.title + (scale.logarithmic ? ", logarithmic" : ""), color: colours.text,
      },
      ticks: {
        color: colours.text, maxRotation: 0, autoSkipPadding: 12, includeBounds: false,
        ...(scale.logarithmic ? { callback: (value) => (isRound(value) ? shown(value) : "") } : {}),
      },
      grid: { color: colours.line },
      ...scale.range,
      ...more,
    };
  };

  // From the first value, or from 0 where that is near, to the last one.
  const tight = (scale, column) => {
    const [least, most] = extent(numbersOf(column)).map((end) => end / scale.unit.size);
    const min = least > 0 && least < most / 4 ? 0 : least;
    return { ...scale, range: least < most ? { min, max: most } : {} };
  };

  // From the first value to the last one, of a logarithmic axis.
  const ends = (scale, column) => {
    const [min, max] = extent(numbersOf(column)).map((end) => end / scale.unit.size);
    return { ...scale, range: { min, max } };
  };

  // Texts on an axis: their numbers, each arm a little beside the others so that equal lines stay visible.
  const textAxis = (column) => {
    const scale = { title: column.title, logarithmic: false };
    const base = axis(scale, { min: -0.5, max: column.texts.length - 0.5, afterBuildTicks: (built) => {
      built.ticks = column.texts.map((_, value) => ({ value }));
    } });
    base.ticks = { ...base.ticks, autoSkip: false, callback: (value) => column.texts[value] || "none" };
    return base;
  };

  const optionsOf = (scales, more = {}) => ({
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    scales,
    ...more,
    plugins: {
      legend: {
        display: true,
        position: "bottom",
        labels: {
          color: theme().text, usePointStyle: true, boxWidth: 8, boxHeight: 7,
          filter: (item, data) => !data.datasets[item.datasetIndex].band,
        },
        onClick: (_, item, legend) => {
          const chart = legend.chart;
          const name = chart.data.datasets[item.datasetIndex].label;
          const visible = chart.isDatasetVisible(item.datasetIndex);
          chart.data.datasets.forEach((set, index) => {
            if (set.label === name) chart.setDatasetVisibility(index, !visible);
          });
          chart.update();
        },
      },
      ...more.plugins,
    },
  });

  return {
    report, sheetOf, isText, textAt, rowsBy, palette, placeOf, colourOf, dashOf, marks, theme, print, unitOf, shown,
    within, scaleOf, axis, tight, ends, textAxis, optionsOf,
  };
})();
