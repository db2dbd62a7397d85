'use strict';

/** Colours as the style sheet has them now. */
function themeColours() {
  const style = getComputedStyle(document.documentElement);
  const colours = {};
  for (const name of ['paper', 'card', 'text', 'quiet', 'grid', 'line', 'black', 'red', 'blue', 'green', 'orange', 'purple', 'cyan', 'grey']) {
    colours[name] = style.getPropertyValue(`--${name}`).trim();
  }
  return colours;
}

function faded(colour, share) {
  const value = parseInt(colour.slice(1), 16);
  return `rgba(${value >> 16}, ${(value >> 8) & 255}, ${value & 255}, ${share})`;
}

/** A number for people; powers of ten where it is very small or large. */
function shortNumber(value, digits = 4) {
  if (value === null || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) return String(Number(value.toPrecision(digits))).replace('-', '−');
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
  return `${String(Number(mantissa)).replace('-', '−')}·10${superscript(Number(exponent))}`;
}

function superscript(number) {
  return String(number).replace(/./g, (c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)]));
}

/** Labels of a logarithmic axis: powers of ten, and some between them where there are few. */
function logarithmicLabel(value, decades) {
  if (!(value > 0)) return '';
  const exponent = Math.floor(Math.log10(value) + 1e-9);
  const first = Math.round(value / 10 ** exponent * 1e6) / 1e6;
  if (first === 1) {
    const step = Math.max(1, Math.ceil(decades / 8));
    if (exponent % step !== 0) return '';
    return exponent >= -2 && exponent <= 4 ? shortNumber(value) : `10${superscript(exponent)}`;
  }
  const between = decades < 1 ? [2, 3, 4, 5, 6, 8] : decades < 2 ? [2, 5] : [];
  return between.includes(first) ? shortNumber(value) : '';
}

const DAY = 86400000;
/** Steps that people count time in, in days; from months on they are 30 days for short. */
const TIME_STEPS = [
  ...[1, 5, 15, 30].map((s) => s / 86400), ...[1, 5, 15, 30].map((m) => m / 1440), ...[1, 3, 6, 12].map((h) => h / 24), 1, 2, 7,
  10, 14, ...[1, 3, 6].map((m) => m * 30), ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((y) => y * 360)
];

/** A moment `days` after the axis' origin, as ISO 8601 has it, no more of it than a step says. */
function timeText(axis, days, step = 0) {
  const moment = new Date(Math.round((axis.origin + days) * DAY));
  if (Number.isNaN(moment.getTime())) return '';
  const text = moment.toISOString();  // 2024-05-01T12:30:15.250Z
  const clock = step >= 1 / 1440 || (step === 0 && moment.getTime() % 60000 === 0) ? text.slice(11, 16) : text.slice(11, 19);
  if (axis.clock) return clock;
  if (step >= 360) return text.slice(0, 4);
  if (step >= 30) return text.slice(0, 7);
  if (step >= 1 || (step === 0 && moment.getTime() % DAY === 0)) return text.slice(0, 10);
  return step === 0 ? `${text.slice(0, 10)} ${clock}` : clock;
}

/** The round moments between two, so many days apart. */
function roundMoments(axis, low, high, step) {
  const ticks = [];
  if (step < 30) {
    // Weeks begin on Mondays: 1970-01-05 was one.
    const zero = step % 7 === 0 ? 4 : 0;
    for (let k = Math.ceil((axis.origin + low - zero) / step - 1e-9); zero + k * step <= axis.origin + high + 1e-9; ++k) {
      ticks.push({value: zero + k * step - axis.origin});
    }
  } else {
    const months = step / 30;
    const first = new Date((axis.origin + low) * DAY);
    for (let k = Math.ceil((first.getUTCFullYear() * 12 + first.getUTCMonth()) / months); ; ++k) {
      const moment = new Date(0);
      moment.setUTCFullYear(Math.floor(k * months / 12), k * months % 12, 1);
      const value = moment.getTime() / DAY - axis.origin;
      if (value > high) break;
      if (value >= low) ticks.push({value});
    }
  }
  return ticks;
}

/** Marks of an axis of times: two to `most` of them, at round moments; where hours are shown the day stands below. */
function timeTicks(axis, low, high, most) {
  let place = TIME_STEPS.findIndex((s) => (high - low) / s < most);
  if (place < 0) place = TIME_STEPS.length - 1;
  let ticks = roundMoments(axis, low, high, TIME_STEPS[place]);
  while (ticks.length < 2 && place > 0) ticks = roundMoments(axis, low, high, TIME_STEPS[--place]);
  const each = Math.ceil(ticks.length / most);
  ticks = ticks.filter((_, k) => k % each === 0);
  const step = TIME_STEPS[place];
  let day = '';
  for (const tick of ticks) {
    tick.label = timeText(axis, tick.value, step);
    if (step >= 1 || axis.clock) continue;
    const date = new Date(Math.round((axis.origin + tick.value) * DAY)).toISOString().slice(0, 10);
    if (date !== day) tick.label = [tick.label, date];
    day = date;
  }
  return ticks;
}

/** Marks of an axis of names, as many as there is room for. */
function nameTicks(axis, most) {
  const step = Math.ceil(axis.names.length / most);
  return axis.names.map((name, value) => ({value, label: name.length > 14 ? `${name.slice(0, 13)}…` : name}))
      .filter((tick) => tick.value % step === 0);
}

/** A value on an axis as people read it. */
function axisText(axis, value) {
  if (axis.origin !== undefined) return timeText(axis, value);
  return axis.names && axis.names[value] !== undefined ? axis.names[value] : shortNumber(value);
}

/** Blue–white–red for differences, dark blue to yellow for amounts: readable in grey and by the colour-blind. */
const SEQUENTIAL = [[0, 32, 77], [49, 68, 107], [102, 105, 112], [148, 142, 119], [203, 186, 105], [255, 233, 69]];
const DIVERGING = [[33, 84, 153], [122, 168, 213], [247, 247, 247], [229, 148, 116], [172, 42, 28]];
function scaleColour(scale, value) {
  if (value === null || !Number.isFinite(value)) return null;
  const stops = scale.diverging ? DIVERGING : SEQUENTIAL;
  const range = scale.high - scale.low;
  const place = (range > 0 ? Math.min(1, Math.max(0, (value - scale.low) / range)) : 0.5) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(place));
  return `rgb(${stops[i].map((from, k) => Math.round(from + (stops[i + 1][k] - from) * (place - i))).join(',')})`;
}

/** Draws the heat map of a figure beneath its axes, and the bar that explains its colours. */
const heatMap = {
  id: 'heatMap',
  beforeDatasetsDraw(chart) {
    const cells = chart.$figure && chart.$figure.cells;
    if (!cells) return;
    const {ctx, chartArea: area} = chart;
    const rows = cells.y.length / cells.columns;
    const w = (area.right - area.left) / cells.columns, h = (area.bottom - area.top) / rows;
    ctx.save();
    for (let i = 0; i < cells.y.length; ++i) {
      const colour = scaleColour(chart.$figure.scale, cells.y[i]);
      if (colour === null) continue;
      ctx.fillStyle = colour;
      // A little larger than the cell: no seams between neighbours.
      const x = area.left + (i % cells.columns) * w, y = area.bottom - (Math.floor(i / cells.columns) + 1) * h;
      ctx.fillRect(x, y, Math.min(w + 0.6, area.right - x), Math.min(h + 0.6, area.bottom - y));
    }
    ctx.restore();
  },
  afterDraw(chart) {
    const figure = chart.$figure;
    if (!figure || !figure.scale) return;
    const {ctx, chartArea: area} = chart;
    const left = area.right + 14, width = 12, steps = 48, height = (area.bottom - area.top) / steps;
    ctx.save();
    for (let i = 0; i < steps; ++i) {
      ctx.fillStyle = scaleColour(figure.scale, figure.scale.low + (figure.scale.high - figure.scale.low) * (i + 0.5) / steps);
      ctx.fillRect(left, area.bottom - (i + 1) * height, width, height + 0.6);
    }
    ctx.fillStyle = figure.colours.quiet;
    ctx.font = `11px ${Chart.defaults.font.family}`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    for (const share of [0, 0.5, 1]) {
      const value = figure.scale.low + (figure.scale.high - figure.scale.low) * share;
      ctx.fillText(shortNumber(value, 3), left + width + 4, area.bottom - (area.bottom - area.top) * share);
    }
    ctx.textAlign = 'right';
    ctx.textBaseline = 'bottom';
    ctx.fillText(figure.scale.label, chart.width - 2, area.top - 6);
    ctx.restore();
  }
};

/** The data sets of Chart.js for one series. */
function dataSets(series, figure, colours, abscissae) {
  const colour = colours[series.colour];
  const x = abscissae[series.x] || [];
  const usable = (value) => value !== null && !(figure.y.logarithmic && !(value > 0));
  const pairs = (values) => x.map((v, i) => ({x: v, y: usable(values[i]) ? values[i] : null})).filter((p) => p.x !== null);
  const common = {
    label: series.name, data: series.mark === 'cells' ? [] : pairs(series.y), borderColor: colour, backgroundColor: colour,
    borderWidth: 2, pointRadius: 0, pointHitRadius: 8, $notes: series.notes, $mark: series.mark
  };
  const many = series.y.length > 300;
  switch (series.mark) {
    case 'line':
      // Black is what the others are compared with: wide enough to show beneath them.
      return [{
        ...common, type: 'line', borderDash: series.dashed ? [7, 4] : [],
        borderWidth: (series.colour === 'black' ? 1.2 : 0) + (many ? 1.5 : 2)
      }];
    case 'line_points':
      return [{...common, type: 'line', borderDash: series.dashed ? [7, 4] : [], pointRadius: 3.5}];
    case 'points':
      return [{
        ...common, type: 'scatter', pointRadius: many ? 1.7 : 3, borderWidth: 0, backgroundColor: faded(colour, many ? 0.55 : 0.85)
      }];
    case 'bars':
      return [{
        ...common, type: 'bar', backgroundColor: faded(colour, 0.75), borderWidth: 0, grouped: false, barPercentage: 1,
        categoryPercentage: 1
      }];
    case 'stems':
      return [
        {...common, type: 'bar', barThickness: 1.5, grouped: false, $hidden: true},
        {...common, type: 'scatter', pointRadius: 3.5, borderWidth: 0}
      ];
    case 'band':
      return [
        {...common, type: 'line', data: pairs(series.low), borderWidth: 0, $hidden: true},
        {...common, type: 'line', borderWidth: 0, backgroundColor: faded(colour, 0.22), fill: '-1'}
      ];
    default:
      return [{...common, type: 'scatter'}];
  }
}

function shownSeries(figure, frame) {
  return figure.frames ? [...figure.series, ...figure.frames[frame].series] : figure.series;
}

/** The range of an axis over all frames: a slider must not make the axes jump. */
function axisRange(figure, name, abscissae) {
  const axis = figure[name];
  let low = Infinity, high = -Infinity;
  const look = (value) => {
    if (value === null || value === undefined || (axis.logarithmic && !(value > 0))) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  };
  for (const list of [figure.series, ...(figure.frames || []).map((f) => f.series)]) {
    for (const series of list) {
      if (series.mark === 'cells') continue;
      const half = name === 'x' && series.mark === 'bars' ? (series.width || 0) / 2 : 0;
      for (const value of name === 'x' ? abscissae[series.x] || [] : [...series.y, ...(series.low || [])]) {
        if (value === null) continue;
        look(value - half);
        look(value + half);
      }
      if (name === 'y' && !axis.logarithmic && (series.mark === 'bars' || series.mark === 'stems')) look(0);
    }
  }
  if (!(low <= high)) [low, high] = axis.logarithmic ? [0.1, 1] : [0, 1];
  const fixed = {low: axis.low ?? low, high: axis.high ?? high};
  if (axis.logarithmic) {
    // At least a factor of four, so that there are labels to read it by.
    const room = Math.max(1.15, (fixed.high / fixed.low) ** 0.04, 2 / Math.sqrt(fixed.high / fixed.low));
    return {min: axis.low ?? fixed.low / room, max: axis.high ?? fixed.high * room};
  }
  const solid = name === 'x' && [figure.series, ...(figure.frames || []).map((f) => f.series)].flat().some((s) => s.mark === 'cells');
  // One value alone: room for a neighbour on either side.
  const single = name === 'x' && wholeNumbers(figure, abscissae) ? 1 : Math.abs(fixed.high) * 0.1 || 1;
  const room = solid ? 0 : Math.max((fixed.high - fixed.low) * (name === 'x' ? 0.03 : 0.05), fixed.high > fixed.low ? 0 : single);
  const fromZero = name === 'y' && fixed.low === 0;
  return {min: axis.low ?? (fromZero ? 0 : fixed.low - room), max: axis.high ?? fixed.high + room};
}

/** Whether x counts something, blocks say: no labels between whole numbers then. */
function wholeNumbers(figure, abscissae) {
  const all = [figure.series, ...(figure.frames || []).map((f) => f.series)].flat();
  return all.every((s) => s.mark !== 'cells' && (abscissae[s.x] || []).every((value) => Number.isInteger(value)));
}

const measuring = document.createElement('canvas').getContext('2d');

/** A label in as many lines as it takes to fit (three at most), words too long for a line cut short. */
function fittingLines(label, room) {
  measuring.font = `12px ${Chart.defaults.font.family}`;
  const fits = (text) => measuring.measureText(text).width <= room;
  const cut = (text) => {
    if (fits(text)) return text;
    let kept = text.length;
    while (kept > 1 && !fits(`${text.slice(0, kept)}…`)) --kept;
    return `${text.slice(0, kept)}…`;
  };
  const lines = [];
  for (const word of label.split(' ')) {
    const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && (fits(longer) || lines.length === 3)) {
      lines[lines.length - 1] = longer;
    } else {
      lines.push(word);
    }
  }
  return lines.map(cut);
}

function axisOptions(figure, name, colours, abscissae, size) {
  const axis = figure[name];
  const range = axisRange(figure, name, abscissae);
  const decades = axis.logarithmic ? Math.log10(range.max / range.min) : 0;
  const ticks = {color: colours.quiet, maxRotation: 0, autoSkipPadding: 16};
  let made;  // ticks of our own
  if (axis.origin !== undefined || axis.names) {
    const most = Math.max(2, Math.floor(name === 'x' ? (size.width - 80) / 75 : (size.height - 70) / 45));
    made = axis.names ? nameTicks(axis, most) : timeTicks(axis, range.min, range.max, most);
    ticks.autoSkip = false;
  } else if (axis.logarithmic) {
    ticks.callback = (value) => logarithmicLabel(value, decades);
    ticks.autoSkip = false;
  } else {
    ticks.maxTicksLimit = name === 'x' ? 9 : 7;
    if (name === 'x' && wholeNumbers(figure, abscissae)) ticks.precision = 0;
    ticks.includeBounds = false;
    ticks.callback = (value) => shortNumber(Number(value.toPrecision(10)));
  }
  return {
    type: axis.logarithmic ? 'logarithmic' : 'linear', ...range, offset: false, ticks,
    ...(made ? {afterBuildTicks: (scale) => { scale.ticks = made.map((tick) => ({...tick})); }, afterTickToLabelConversion: (scale) => {
      scale.ticks.forEach((tick, i) => { tick.label = made[i].label; });
    }} : {}),
    title: {display: true, text: fittingLines(axis.label, name === 'x' ? size.width - 110 : size.height - 100), color: colours.quiet},
    grid: {
      offset: false,
      color: (context) => (axis.logarithmic && context.tick && context.tick.label === '' ? 'transparent' : colours.grid),
      borderColor: colours.line, tickColor: colours.line, drawTicks: !axis.logarithmic
    }
  };
}

/** What Chart.js needs to draw one frame of a figure in a box of this size. */
function chartConfiguration(figure, frame, colours, abscissae, size) {
  const datasets = shownSeries(figure, frame).flatMap((series) => dataSets(series, figure, colours, abscissae));
  const named = new Set(datasets.filter((d) => d.label && !d.$hidden && d.$mark !== 'cells').map((d) => d.label));
  // Earlier series are drawn on top by Chart.js; here later ones are, as on paper.
  datasets.forEach((set, i) => {
    set.order = -i;
  });
  return {
    type: 'scatter',
    data: {datasets},
    plugins: [heatMap],
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, spanGaps: false,
      layout: {padding: figure.scale ? {right: 76, top: 22} : {right: 8}},
      scales: {x: axisOptions(figure, 'x', colours, abscissae, size), y: axisOptions(figure, 'y', colours, abscissae, size)},
      interaction: {mode: 'nearest', intersect: false, axis: 'xy'},
      plugins: {
        legend: {
          display: named.size > 0, onClick: () => {}, align: 'start',
          labels: {
            color: colours.text, usePointStyle: true, pointStyleWidth: 26, boxHeight: 7, padding: 12,
            sort: (a, b) => a.datasetIndex - b.datasetIndex,
            filter: (item, data) => {
              const set = data.datasets[item.datasetIndex];
              return Boolean(set.label) && !set.$hidden && set.$mark !== 'cells' &&
                  data.datasets.findIndex((d) => d.label === set.label && !d.$hidden) === item.datasetIndex;
            },
            generateLabels: (chart) => Chart.defaults.plugins.legend.labels.generateLabels(chart).map((item) => {
              const set = chart.data.datasets[item.datasetIndex];
              const line = set.$mark === 'line' || set.$mark === 'line_points';
              return {
                ...item, pointStyle: line ? 'line' : 'rect', lineWidth: line ? 2.5 : 0,
                strokeStyle: set.borderColor, lineDash: set.borderDash || []
              };
            })
          }
        },
        tooltip: {
          enabled: !figure.scale,
          filter: (item) => !item.dataset.$hidden,
          callbacks: {
            title: () => '',
            label: (item) => {
              const note = item.dataset.$notes && item.dataset.$notes[item.dataIndex];
              const text = `${axisText(figure.x, item.raw.x)}, ${axisText(figure.y, item.raw.y)}`;
              return [item.dataset.label ? `${item.dataset.label}: ${text}` : text, ...(note ? [note] : [])];
            }
          }
        }
      }
    }
  };
}
