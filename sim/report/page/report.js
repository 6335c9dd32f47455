// The charts of a report: lets the reader choose axes, and has Chart.js draw.
(() => {
  const {
    report, sheetOf, isText, textAt, rowsBy, palette, placeOf, colourOf, dashOf, marks, theme, print, unitOf, shown,
    within, scaleOf, axis, tight, ends, textAxis, optionsOf,
  } = axes;
  const mostSeries = 12; // lines that a reader can tell apart

  // --- lines ----------------------------------------------------------------------------------------------

  const pointsOf = (rows, x, y) => rows
    .filter((row) => x.values[row] !== null && y.values[row] !== null)
    .map((row) => ({ x: x.values[row], y: y.values[row] }));

  const scaled = (points, xUnit, yUnit) =>
    points.map((point) => ({ x: point.x / xUnit.size, y: point.y / yUnit.size }));

  const band = (sheet, group, x, key, scales, colour) => {
    const [least, most] = ["_least", "_most"].map((end) => sheet.columns[key + end]);
    if (!least || !most) return [];
    const edge = (column, fill) => ({
      label: group.name, band: true, fill,
      data: scaled(pointsOf(group.rows, x, column), scales.x.unit, scales.y.unit),
      pointRadius: 0, pointHitRadius: 0, borderWidth: 0, backgroundColor: colour + "2e",
    });
    return [edge(least, false), edge(most, "-1")];
  };

  const lineDatasets = (view, sheet, x, y, scales) => {
    const groups = rowsBy(sheet, view.spec.by[0]);
    return groups.flatMap((group, place) => {
      if (!view.shows(group.name)) return [];
      const colour = colourOf(place);
      const steps = isText(y);
      const points = scaled(pointsOf(group.rows, x, y), scales.x.unit, scales.y.unit);
      if (steps) points.forEach((point) => { point.y += 0.5 * ((place + 0.5) / groups.length - 0.5); });
      const line = {
        label: group.name, data: points, borderColor: colour, backgroundColor: colour,
        borderDash: dashOf(place),
        borderWidth: 1.8, pointStyle: marks[place % marks.length], pointRadius: points.length > 40 ? 0 : 2.5,
        pointHitRadius: 6, stepped: steps,
      };
      return [line, ...(steps ? [] : band(sheet, group, x, view.chosen.y, scales, colour))];
    });
  };

  // Shades ranges of x, behind the lines.
  const stripes = (ranges, unit) => ({
    id: "stripes",
    beforeDatasetsDraw: ({ ctx, chartArea, scales }) => {
      ctx.save();
      ctx.fillStyle = theme().line;
      for (const range of ranges) {
        const [left, right] = range.map((end) => scales.x.getPixelForValue(end / unit.size));
        ctx.fillRect(left, chartArea.top, Math.max(1, right - left), chartArea.bottom - chartArea.top);
      }
      ctx.restore();
    },
  });

  const lines = (view) => {
    const sheet = sheetOf(view.spec);
    const [x, y] = [sheet.columns[view.chosen.x], sheet.columns[view.chosen.y]];
    const scaleX = scaleOf(sheet, view.chosen.x, view.spec.wide);
    const scales = {
      x: scaleX.logarithmic ? ends(scaleX, x) : tight(scaleX, x),
      y: isText(y) ? { unit: { size: 1 } } : scaleOf(sheet, view.chosen.y, true),
    };
    const datasets = lineDatasets(view, sheet, x, y, scales);
    const label = (item) => {
      const value = isText(y) ? y.texts[Math.round(item.parsed.y)] || "none" : shown(item.parsed.y);
      return `${item.dataset.label}: ${value} at ${shown(item.parsed.x)}`;
    };
    return {
      type: "line",
      plugins: [stripes(view.spec.stripes, scales.x.unit)],
      data: { datasets },
      options: optionsOf({ x: axis(scales.x), y: isText(y) ? textAxis(y) : axis(scales.y) }, {
        interaction: { mode: "nearest", intersect: false },
        plugins: { tooltip: { filter: (item) => !item.dataset.band, callbacks: { title: () => "", label } } },
      }),
    };
  };

  // --- bars -----------------------------------------------------------------------------------------------

  // The intervals of lone bars, row by row, in the unit of the axis; null where the sheet has none.
  const intervalsOf = (sheet, rows, key, unit) => {
    const [least, most] = ["_least", "_most"].map((end) => sheet.columns[key + end]);
    if (!least || !most) return null;
    return rows.map((row) => (least.values[row] === null ? null : [least.values[row] / unit.size, most.values[row] / unit.size]));
  };

  // Draws them as lines with caps, over the bars; an interval without width is none.
  const whiskers = (intervals) => ({
    id: "whiskers",
    afterDatasetsDraw: ({ ctx, scales }) => {
      const cap = 5;
      ctx.save();
      ctx.strokeStyle = theme().text;
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      intervals.forEach((ends, place) => {
        if (!ends || ends[0] === ends[1]) return;
        const y = scales.y.getPixelForValue(place);
        const [left, right] = ends.map((end) => scales.x.getPixelForValue(end));
        ctx.moveTo(left, y);
        ctx.lineTo(right, y);
        for (const x of [left, right]) {
          ctx.moveTo(x, y - cap);
          ctx.lineTo(x, y + cap);
        }
      });
      ctx.stroke();
      ctx.restore();
    },
  });

  // Where all intervals lie close together, far from 0, bars from 0 would hide them: the range of an axis around them.
  const closeRange = (intervals) => {
    const ends = (intervals || []).filter((pair) => pair).flat();
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    if (!(low < high) || low < high / 2) return null;
    const beyond = (high - low) / 8;
    return { min: low - beyond, max: high + beyond };
  };

  const bars = (view) => {
    const sheet = sheetOf(view.spec);
    const rows = [...Array(sheet.rows).keys()].filter((row) => view.admits(sheet, row));
    const columns = view.spec.y.map((key) => sheet.columns[key])
      .filter((column) => rows.some((row) => column.values[row]));
    const totalOf = (row) => columns.reduce((sum, column) => sum + Math.abs(column.values[row] || 0), 0);
    const measure = columns.length > 0 ? columns[0].measure : "none";
    const unit = unitOf(measure, Math.max(0, ...rows.map(totalOf)));
    const names = sheet.columns[view.spec.by[0]];
    const alone = view.spec.y.length === 1;
    view.height(rows.length * 28 + 110);
    const title = alone ? columns[0]?.title || "" : view.spec.title.toLowerCase();
    const scale = { title: title + within(unit), unit };
    const intervals = alone ? intervalsOf(sheet, rows, view.spec.y[0], unit) : null;
    const close = closeRange(intervals);
    const valueAt = (column, row) => (column.values[row] || 0) / unit.size;
    const dot = close ? (close.max - close.min) / 200 : 0;    // half the width of a mean's mark
    return {
      type: "bar",
      plugins: intervals ? [whiskers(intervals)] : [],
      data: {
        labels: rows.map((row) => textAt(names, row)),
        datasets: columns.map((column, place) => ({
          label: column.title,
          data: rows.map((row) => (close ? [valueAt(column, row) - dot, valueAt(column, row) + dot] : valueAt(column, row))),
          backgroundColor: colourOf(place), maxBarThickness: 24, pointStyle: "rect",
        })),
      },
      options: optionsOf({
        x: axis(scale, {
          stacked: !close,
          ...(measure === "share" && !alone ? { max: 1 / unit.size } : {}),
          ...(intervals ? { suggestedMax: Math.max(0, ...intervals.flat().filter((end) => end)) } : {}),
          ...close,
        }),
        y: {
          stacked: true,
          ticks: {
            color: theme().text, autoSkip: false, callback: (_, place) => shorter(textAt(names, rows[place])),
          },
          grid: { display: false },
        },
      }, {
        indexAxis: "y",
        plugins: {
          ...(alone ? { legend: { display: false } } : {}),
          tooltip: {
            callbacks: {
              label: (item) => {
                const mean = shown(valueAt(columns[item.datasetIndex], rows[item.dataIndex]));
                const ends = intervals && intervals[item.dataIndex];
                return `${item.dataset.label}: ${mean}${ends ? ` (${ends.map(shown).join(" to ")})` : ""} ${unit.name}`;
              },
            },
          },
        },
      }),
    };
  };

  const shorter = (text) => {
    const most = window.innerWidth < 640 ? 16 : 44;
    return text.length > most ? text.slice(0, most - 1) + "\u2026" : text;
  };

  // --- scatter and front ----------------------------------------------------------------------------------

  // Whether more of it is better.
  const isGain = (view, key) => view.spec.greatest.includes(key);

  // Rows that no other one beats in both columns, by x.
  const frontOf = (view, rows, x, y) => {
    const sign = (key) => (isGain(view, key) ? -1 : 1);
    const [signX, signY] = [sign(view.chosen.x), sign(view.chosen.y)];
    const sorted = [...rows].sort((a, b) =>
      signX * (x.values[a] - x.values[b]) || signY * (y.values[a] - y.values[b]) || a - b);
    let best = Infinity;
    return sorted.filter((row) => {
      const value = signY * y.values[row];
      if (value >= best) return false;
      best = value;
      return true;
    });
  };

  const describeRow = (view, sheet, row) =>
    view.spec.told.map((key) => `${sheet.columns[key].title}: ${textAt(sheet.columns[key], row)}`);

  // The table of the first axes was made of all rows: it stays, and comes back with them.
  const fillTable = (view, sheet, front, columns, scales) => {
    const table = view.figure.parentElement.querySelector("table");
    if (!table) return;
    const parts = [table.tHead, table.tBodies[0]];
    view.madeOfAll = view.madeOfAll || parts.map((part) => [...part.childNodes]);
    if (view.chosen.x === view.spec.x[0] && view.chosen.y === view.spec.y[0]) {
      parts.forEach((part, place) => part.replaceChildren(...view.madeOfAll[place]));
      return;
    }
    const head = [...view.spec.told.map((key) => sheet.columns[key].title), scales.x.title, scales.y.title];
    const cellsOf = (row) => [...view.spec.told.map((key) => textAt(sheet.columns[key], row)),
      ...["x", "y"].map((end) => shown(columns[end].values[row] / scales[end].unit.size))];
    const line = (kind, texts) => {
      const element = document.createElement("tr");
      texts.forEach((text, place) => {
        const cell = document.createElement(kind);
        cell.textContent = text;
        if (place >= view.spec.told.length) cell.className = "number";
        element.append(cell);
      });
      return element;
    };
    table.tHead.replaceChildren(line("th", head));
    table.tBodies[0].replaceChildren(...front.slice(0, 50).map((row) => line("td", cellsOf(row))));
  };

  const counted = (view, points) => (view.spec.thinned ? `the ${points} drawn points` : `${points} points`);

  const scatter = (view) => {
    const sheet = sheetOf(view.spec);
    const isFront = view.spec.kind === "front";
    const columns = { x: sheet.columns[view.chosen.x], y: sheet.columns[view.chosen.y] };
    const scales = { x: scaleOf(sheet, view.chosen.x, true), y: scaleOf(sheet, view.chosen.y, true) };
    const isMap = view.spec.kind === "map";
    const hasBoth = (row) =>
      columns.x.values[row] !== null && columns.y.values[row] !== null && view.admits(sheet, row);
    const known = [...Array(sheet.rows).keys()].filter(hasBoth);
    const point = (row) => ({
      x: columns.x.values[row] / scales.x.unit.size, y: columns.y.values[row] / scales.y.unit.size, row });
    const placed = rowsBy(sheet, view.chosen.by).map((group, place) => (
      { ...group, place: placeOf(view.chosen.by, group.name, place) }));
    const datasets = placed.map(({ place, ...group }) => ({
      label: group.name || "none", data: group.rows.filter(hasBoth).map(point),
      clip: false, backgroundColor: colourOf(place) + (isFront ? "70" : "b0"), borderColor: colourOf(place),
      pointStyle: marks[Math.floor(place / palette.length) % marks.length],
      pointRadius: isMap ? 9 : known.length > 2000 ? 1.8 : 3.5, borderWidth: known.length > 2000 ? 0 : 1,
    })).filter((set) => set.data.length > 0);
    if (isFront) {
      const front = frontOf(view, known, columns.x, columns.y);
      datasets.unshift({ label: "front", type: "line", data: front.map(point), clip: false,
        borderColor: theme().text, backgroundColor: "transparent",
        borderWidth: 1.6, pointRadius: 6, pointStyle: "circle", stepped: "after", order: -1 });
      fillTable(view, sheet, front, columns, scales);
      const better = (key) => (isGain(view, key) ? "more" : "less");
      view.caption(`${front.length} of ${counted(view, known.length)} are on the front, where no other point is better ` +
        `in one and as good in the other: ${better(view.chosen.x)} ${columns.x.title}, ` +
        `${better(view.chosen.y)} ${columns.y.title}.`);
    } else if (!isMap && known.length < sheet.rows) {
      view.caption(`${sheet.rows - known.length} of ${counted(view, sheet.rows)} have no value on these axes.`);
    } else {
      view.caption("");
    }
    const label = (item) => [...describeRow(view, sheet, item.raw.row),
      `${scales.x.title}: ${shown(item.parsed.x)}`, `${scales.y.title}: ${shown(item.parsed.y)}`];
    return {
      type: "scatter",
      data: { datasets },
      options: optionsOf({ x: axis(scales.x), y: axis(scales.y) },
        { plugins: { tooltip: { callbacks: { title: () => "", label } } } }),
    };
  };

  const configurations = { lines, bars, scatter, map: scatter, front: scatter };

  // --- one chart with its choices -------------------------------------------------------------------------

  class View {
    constructor(figure) {
      this.figure = figure;
      this.spec = report.charts[Number(figure.dataset.chart)];
      this.canvas = figure.querySelector("canvas");
      this.chosen = {};
      this.series = null;
      this.madeOfAll = null;
      const columns = sheetOf(this.spec).columns;
      const titled = (keys) => keys.map((key) => [key, columns[key].title]);
      const colours = ["scatter", "map", "front"].includes(this.spec.kind) ? this.spec.by : [];
      this.offer("y", "y", this.spec.kind === "bars" ? [] : titled(this.spec.y));
      this.offer("x", "x", titled(this.spec.x));
      this.offer("by", "colour", titled(colours));
      this.spec.filters.forEach((key) =>
        this.offer(key, columns[key].title, columns[key].texts.map((text) => [text, text])));
      if (this.spec.kind === "lines") this.offerSeries(columns[this.spec.by[0]].texts);
      this.draw();
    }

    // A select box, where there is something to choose.
    offer(what, name, options) {
      if (options.length === 0) return;
      this.chosen[what] = options[0][0];
      if (options.length === 1) return;
      const select = this.select(name, options, what);
      select.addEventListener("change", () => {
        this.chosen[what] = select.value;
        this.draw();
      });
    }

    // Where there are more lines than a reader can tell apart, the first are shown and the others can be chosen.
    offerSeries(names) {
      if (names.length <= mostSeries) return;
      this.series = new Set(names.slice(0, mostSeries));
      const select = this.select("lines", names.map((name) => [name, name]), "series");
      select.multiple = true;
      select.size = 5;
      [...select.options].forEach((option) => { option.selected = this.series.has(option.value); });
      select.addEventListener("change", () => {
        this.series = new Set([...select.selectedOptions].map((option) => option.value));
        this.draw();
      });
    }

    select(name, options, what) {
      const label = document.createElement("label");
      const select = document.createElement("select");
      select.dataset.choice = what;
      options.forEach(([value, text]) => select.append(new Option(text, value)));
      label.append(name, select);
      this.figure.querySelector(".choices").append(label);
      return select;
    }

    // Whether a row has the values that were chosen. What is on an axis is not held at a value.
    admits(sheet, row) {
      const title = (key) => (key ? sheet.columns[key].title : "");
      const isOnAxis = (key) => [this.chosen.x, this.chosen.y].some((end) => title(end) === title(key));
      return this.spec.filters.every((key) =>
        isOnAxis(key) || textAt(sheet.columns[key], row) === this.chosen[key]);
    }

    shows(name) { return this.series === null || this.series.has(name); }
    height(pixels) { this.canvas.parentElement.style.height = `${Math.max(180, pixels)}px`; }
    caption(text) { this.figure.querySelector("figcaption").textContent = text; }

    // A value that is on an axis cannot be held.
    disableHeld() {
      const columns = sheetOf(this.spec).columns;
      const onAxis = [this.chosen.x, this.chosen.y].filter(Boolean).map((key) => columns[key].title);
      this.figure.querySelectorAll("select").forEach((select) => {
        const key = select.dataset.choice;
        if (this.spec.filters.includes(key)) select.disabled = onAxis.includes(columns[key].title);
      });
    }

    draw() {
      this.disableHeld();
      if (this.chart) this.chart.destroy();
      this.chart = new Chart(this.canvas, configurations[this.spec.kind](this));
    }
  }

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  const views = [...document.querySelectorAll("figure.chart")].map((figure) => new View(figure));
  const redraw = () => views.forEach((view) => view.draw());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  window.addEventListener("beforeprint", () => { print(true); redraw(); });
  window.addEventListener("afterprint", () => { print(false); redraw(); });
})();
