'use strict';

(() => {
  const {figures, abscissae} = JSON.parse(document.getElementById('figure-data').textContent);
  const drawn = [];
  Chart.defaults.font.family = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  Chart.defaults.font.size = 12;

  class DrawnFigure {
    constructor(figure, element) {
      this.figure = figure;
      this.element = element;
      this.frame = figure.first || 0;
      this.canvas = element.querySelector('canvas');
      this.draw();
      this.addSlider();
      if (figure.scale) this.addPointedValue();
      this.addTools();
    }

    draw() {
      if (this.chart) this.chart.destroy();
      const colours = themeColours();
      this.chart = new Chart(this.canvas, this.configuration(colours, this.boxSize()));
      this.prepare(this.chart, colours);
      this.chart.update('none');
    }

    boxSize() {
      const box = this.canvas.parentElement;
      return {width: box.clientWidth, height: box.clientHeight};
    }

    configuration(colours, size) {
      return chartConfiguration(this.figure, this.frame, colours, abscissae, size);
    }

    /** What the heat map plug-in draws from. */
    prepare(chart, colours) {
      const cells = shownSeries(this.figure, this.frame).find((series) => series.mark === 'cells');
      chart.$figure = {cells, scale: this.figure.scale, colours};
    }

    show(frame) {
      this.frame = frame;
      const colours = themeColours();
      this.chart.data = this.configuration(colours, this.boxSize()).data;
      this.prepare(this.chart, colours);
      this.chart.update('none');
      const label = this.figure.frames[frame].label;
      const slider = this.element.querySelector('.slider input');
      slider.setAttribute('aria-valuetext', label);
      this.element.querySelector('.slider output').textContent = label;
    }

    addSlider() {
      const slider = this.element.querySelector('.slider input');
      if (slider) {
        slider.value = String(this.frame);
        slider.addEventListener('input', () => this.show(Number(slider.value)));
      }
    }

    addPointedValue() {
      const line = document.createElement('p');
      line.className = 'pointed';
      this.canvas.parentElement.after(line);
      const words = (event) => {
        const {chartArea: area, scales, $figure: {cells}} = this.chart;
        if (!cells) return '';
        const rows = cells.y.length / cells.columns;
        const column = Math.floor((event.offsetX - area.left) / (area.right - area.left) * cells.columns);
        const row = Math.floor((area.bottom - event.offsetY) / (area.bottom - area.top) * rows);
        if (column < 0 || column >= cells.columns || row < 0 || row >= rows) return '';
        const at = `${shortNumber(scales.x.getValueForPixel(event.offsetX))}, ${shortNumber(scales.y.getValueForPixel(event.offsetY))}`;
        return `At ${at}: ${shortNumber(cells.y[row * cells.columns + column])}`;
      };
      this.canvas.addEventListener('mousemove', (event) => {
        line.textContent = words(event);
      });
      this.canvas.addEventListener('mouseleave', () => {
        line.textContent = '';
      });
    }

    addTools() {
      const tools = document.createElement('div');
      tools.className = 'tools';
      const button = (label, help, action) => {
        const made = document.createElement('button');
        made.type = 'button';
        made.textContent = label;
        made.setAttribute('aria-label', `${help}: ${this.figure.title}`);
        made.addEventListener('click', action);
        tools.append(made);
      };
      button('SVG', 'Save as SVG', () => this.save('svg', new Blob([this.svg()], {type: 'image/svg+xml'})));
      button('PNG', 'Save as PNG', () => this.png().toBlob((blob) => this.save('png', blob), 'image/png'));
      button('CSV', 'Save the data as CSV', () => this.save('csv', new Blob([this.csv()], {type: 'text/csv'})));
      const details = document.createElement('details');
      const summary = document.createElement('summary');
      summary.textContent = 'Data';
      summary.setAttribute('aria-label', `Data of: ${this.figure.title}`);
      details.append(summary);
      details.addEventListener('toggle', () => {
        if (details.open && details.children.length === 1) details.append(this.table());
      });
      tools.append(details);
      this.element.append(tools);
    }

    save(ending, blob) {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = `${this.figure.id}.${ending}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }

    /** Rows of the figure's data: [frame,] series, x, y [, low | value]. */
    rows() {
      const {figure} = this;
      const all = [...figure.series.map((series) => ['', series]),
                   ...(figure.frames || []).flatMap((frame) => frame.series.map((series) => [frame.label, series]))];
      const cells = all.some(([, s]) => s.mark === 'cells'), bands = all.some(([, s]) => s.mark === 'band');
      const header = [...(figure.frames ? ['frame'] : []), 'series', 'x', 'y', ...(cells ? ['value'] : bands ? ['low'] : [])];
      const rows = [];
      const centre = ({low, high, logarithmic}, share) =>
        logarithmic ? low * (high / low) ** share : low + (high - low) * share;
      for (const [frame, series] of all) {
        const start = figure.frames ? [frame, series.name] : [series.name];
        if (series.mark === 'cells') {
          const count = series.y.length / series.columns;
          series.y.forEach((value, i) => rows.push([
            ...start, centre(figure.x, (i % series.columns + 0.5) / series.columns),
            centre(figure.y, (Math.floor(i / series.columns) + 0.5) / count), value
          ]));
        } else {
          abscissae[series.x].forEach((x, i) => rows.push([
            ...start, x, series.y[i], ...(bands ? [series.low ? series.low[i] : null] : [])
          ]));
        }
      }
      return {header, rows};
    }

    csv() {
      const field = (value) => {
        const text = value === null || value === undefined ? '' : String(value);
        return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      };
      const {header, rows} = this.rows();
      return [header, ...rows].map((row) => row.map(field).join(',')).join('\n') + '\n';
    }

    table() {
      const {header, rows} = this.rows();
      const limit = 500;
      const table = document.createElement('table');
      const line = (cells, tag, parent) => {
        const row = document.createElement('tr');
        for (const value of cells) {
          const cell = document.createElement(tag);
          cell.textContent = typeof value === 'number' ? String(value) : value ?? '';
          row.append(cell);
        }
        parent.append(row);
      };
      line(header, 'th', table.createTHead());
      const body = table.createTBody();
      for (const row of rows.slice(0, limit)) line(row, 'td', body);
      const box = document.createElement('div');
      box.className = 'numbers';
      box.tabIndex = 0;
      box.setAttribute('role', 'region');
      box.setAttribute('aria-label', `Data of: ${this.figure.title}`);
      if (rows.length > limit) {
        const note = document.createElement('p');
        note.textContent = `The first ${limit} of ${rows.length} rows; CSV has them all.`;
        box.append(note);
      }
      box.append(table);
      return box;
    }

    png() {
      const copy = document.createElement('canvas');
      copy.width = this.canvas.width;
      copy.height = this.canvas.height;
      const context = copy.getContext('2d');
      context.fillStyle = themeColours().card;
      context.fillRect(0, 0, copy.width, copy.height);
      context.drawImage(this.canvas, 0, 0);
      return copy;
    }

    /** The chart as it stands, drawn once more on paper that keeps lines instead of pixels. */
    svg() {
      const {chart} = this;
      const real = chart.ctx;
      const paper = new SvgContext(chart.width, chart.height, document.createElement('canvas').getContext('2d'));
      // Everything Chart.js draws with keeps the context it was given, and lines keep their path.
      const holders = [chart, ...Object.values(chart.scales), chart.legend, chart.titleBlock].filter(Boolean);
      const metas = chart.getSortedVisibleDatasetMetas();
      const lines = metas.map((meta) => meta.dataset).filter(Boolean);
      const lend = (context) => {
        for (const holder of holders) holder.ctx = context;
        for (const meta of metas) meta.controller._ctx = context;
      };
      lend(paper);
      for (const line of lines) {
        line._path = new SvgContext(0, 0, null);
        line.path(line._path, 0, line.points.length);
      }
      try {
        chart.draw();
      } finally {
        lend(real);
        for (const line of lines) line._path = undefined;
      }
      return paper.text(this.figure.title, themeColours().card);
    }

    /** The same in light colours and a size that suits paper, whatever the screen shows. */
    printable() {
      const wide = this.element.classList.contains('full') ? 760 : 400;
      const high = this.element.classList.contains('full') ? 320 : 280;
      const colours = themeColours();
      this.chart.options = this.configuration(colours, {width: wide, height: high}).options;
      this.chart.resize(wide, high);
      this.chart.update('none');
      return this.svg();
    }
  }

  for (const figure of figures) {
    const element = document.querySelector(`[data-figure="${figure.id}"]`);
    const made = new DrawnFigure(figure, element);
    drawn.push(made);
  }

  // Theme: the system's until the reader chooses; the choice lasts as long as the page.
  const root = document.documentElement;
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  let chosen = null;
  const button = document.getElementById('theme');
  const captions = [...document.querySelectorAll('figcaption')].map((element) => [element, element.textContent]);
  /** What is black on paper is white on a dark screen; captions say so. */
  const nameColours = (dark) => {
    for (const [element, text] of captions) {
      element.textContent = dark ? text.replace(/\bBlack(?=:| dots:)/g, 'White') : text;
    }
  };
  const applyTheme = () => {
    const dark = chosen === null ? system.matches : chosen === 'dark';
    root.dataset.theme = dark ? 'dark' : 'light';
    button.textContent = dark ? 'Light colours' : 'Dark colours';
    nameColours(dark);
    for (const figure of drawn) figure.draw();
  };
  nameColours(root.dataset.theme === 'dark');
  button.hidden = false;
  button.addEventListener('click', () => {
    chosen = root.dataset.theme === 'dark' ? 'light' : 'dark';
    applyTheme();
  });
  system.addEventListener('change', applyTheme);
  button.textContent = root.dataset.theme === 'dark' ? 'Light colours' : 'Dark colours';

  // Paper gets line drawings in light colours.
  window.addEventListener('beforeprint', () => {
    const theme = root.dataset.theme;
    root.dataset.theme = 'light';
    nameColours(false);
    for (const figure of drawn) {
      figure.draw();
      const box = figure.canvas.parentElement;
      for (const old of box.querySelectorAll('svg')) old.remove();
      const picture = new DOMParser().parseFromString(figure.printable(), 'image/svg+xml').documentElement;
      picture.removeAttribute('width');
      picture.removeAttribute('height');
      // Names of clip paths are the page's, not the picture's, once it is part of the page.
      picture.innerHTML = picture.innerHTML.replaceAll(/(id="|url\(#)clip/g, `$1${figure.figure.id}-clip`);
      box.append(picture);
    }
    root.classList.add('drawn');
    root.dataset.theme = theme;
  });
  window.addEventListener('afterprint', () => {
    root.classList.remove('drawn');
    nameColours(root.dataset.theme === 'dark');
    for (const figure of drawn) figure.draw();
  });

  root.dataset.ready = 'true';
})();
