'use strict';

/**
 * Stands in for a canvas context and writes down what is drawn as SVG elements. It knows the part of the canvas
 * interface that Chart.js and charts.js use; text is measured by a real context.
 */
class SvgContext {
  constructor(width, height, measure) {
    this.width = width;
    this.height = height;
    this.measure = measure;
    this.canvas = {width, height, style: {}};
    this.elements = [];
    this.clips = 0;
    this.path = '';
    this.stack = [];
    this.state = {
      matrix: [1, 0, 0, 1, 0, 0], clip: null, fillStyle: '#000', strokeStyle: '#000', lineWidth: 1, lineCap: 'butt',
      lineJoin: 'miter', dash: [], lineDashOffset: 0, globalAlpha: 1, font: '12px sans-serif', textAlign: 'start',
      textBaseline: 'alphabetic'
    };
    for (const name of ['fillStyle', 'strokeStyle', 'lineWidth', 'lineCap', 'lineJoin', 'lineDashOffset', 'globalAlpha',
                        'font', 'textAlign', 'textBaseline']) {
      Object.defineProperty(this, name, {
        get: () => this.state[name],
        set: (value) => {
          this.state[name] = value;
        }
      });
    }
  }

  save() {
    this.stack.push({...this.state, matrix: [...this.state.matrix]});
  }
  restore() {
    if (this.stack.length) this.state = this.stack.pop();
  }

  transform(a, b, c, d, e, f) {
    const m = this.state.matrix;
    this.state.matrix = [
      m[0] * a + m[2] * b, m[1] * a + m[3] * b, m[0] * c + m[2] * d, m[1] * c + m[3] * d, m[0] * e + m[2] * f + m[4],
      m[1] * e + m[3] * f + m[5]
    ];
  }
  translate(x, y) {
    this.transform(1, 0, 0, 1, x, y);
  }
  rotate(angle) {
    this.transform(Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0);
  }
  scale(x, y) {
    this.transform(x, 0, 0, y, 0, 0);
  }
  setTransform(a, b, c, d, e, f) {
    this.state.matrix = [a, b, c, d, e, f];
  }
  resetTransform() {
    this.state.matrix = [1, 0, 0, 1, 0, 0];
  }

  /** A point in the picture's own coordinates, so that paths need no transform of their own. */
  at(x, y) {
    const m = this.state.matrix;
    return `${SvgContext.number(m[0] * x + m[2] * y + m[4])} ${SvgContext.number(m[1] * x + m[3] * y + m[5])}`;
  }
  static number(value) {
    return String(Math.round(value * 100) / 100);
  }

  beginPath() {
    this.path = '';
  }
  moveTo(x, y) {
    this.path += `M${this.at(x, y)}`;
  }
  lineTo(x, y) {
    this.path += `${this.path ? 'L' : 'M'}${this.at(x, y)}`;
  }
  bezierCurveTo(a, b, c, d, x, y) {
    this.path += `C${this.at(a, b)} ${this.at(c, d)} ${this.at(x, y)}`;
  }
  quadraticCurveTo(a, b, x, y) {
    this.path += `Q${this.at(a, b)} ${this.at(x, y)}`;
  }
  closePath() {
    this.path += 'Z';
  }
  rect(x, y, w, h) {
    this.path += `M${this.at(x, y)}L${this.at(x + w, y)}L${this.at(x + w, y + h)}L${this.at(x, y + h)}Z`;
  }
  arc(x, y, radius, from, to, backwards = false) {
    this.ellipse(x, y, radius, radius, 0, from, to, backwards);
  }
  /** Upright ellipses only: nobody here turns one. */
  ellipse(x, y, wide, high, rotation, from, to, backwards = false) {
    let sweep = to - from;
    if (!backwards && sweep < 0) sweep += 2 * Math.PI * Math.ceil(-sweep / (2 * Math.PI));
    if (backwards && sweep > 0) sweep -= 2 * Math.PI * Math.ceil(sweep / (2 * Math.PI));
    sweep = Math.max(-2 * Math.PI, Math.min(2 * Math.PI, sweep));
    const at = (angle) => [x + wide * Math.cos(angle), y + high * Math.sin(angle)];
    this.lineTo(...at(from));
    const m = this.state.matrix, size = Math.hypot(m[0], m[1]);
    const radii = `${SvgContext.number(wide * size)} ${SvgContext.number(high * size)}`;
    const parts = Math.max(1, Math.ceil(Math.abs(sweep) / 2));  // an SVG arc cannot be a whole circle
    for (let i = 1; i <= parts; ++i) {
      this.path += `A${radii} 0 0 ${backwards ? 0 : 1} ${this.at(...at(from + sweep * i / parts))}`;
    }
  }

  clip() {
    const id = `clip${++this.clips}`;
    const within = this.state.clip ? ` clip-path="url(#${this.state.clip})"` : '';
    this.elements.push(`<clipPath id="${id}"${within}><path d="${this.path}"/></clipPath>`);
    this.state.clip = id;
  }

  static escape(text) {
    return String(text).replace(/[&<>"]/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'}[c]));
  }
  shared() {
    return (this.state.clip ? ` clip-path="url(#${this.state.clip})"` : '') +
        (this.state.globalAlpha < 1 ? ` opacity="${this.state.globalAlpha}"` : '');
  }
  add(path, paint) {
    if (path) this.elements.push(`<path d="${path}"${paint}${this.shared()}/>`);
  }
  fill() {
    this.add(this.path, ` fill="${SvgContext.escape(this.state.fillStyle)}"`);
  }
  /** `path`: another SvgContext that a path was drawn on, as a canvas takes a Path2D. */
  stroke(path = this) {
    const s = this.state;
    if (!(s.lineWidth > 0)) return;
    const dash = s.dash.length ? ` stroke-dasharray="${s.dash.join(' ')}"` : '';
    this.add(path.path, ` fill="none" stroke="${SvgContext.escape(s.strokeStyle)}" stroke-width="${s.lineWidth}"` +
        ` stroke-linecap="${s.lineCap}" stroke-linejoin="${s.lineJoin}"${dash}`);
  }
  /** Runs a drawing step on a path of its own. */
  apart(draw) {
    const kept = this.path;
    this.path = '';
    draw();
    this.path = kept;
  }
  fillRect(x, y, w, h) {
    this.apart(() => {
      this.rect(x, y, w, h);
      this.fill();
    });
  }
  strokeRect(x, y, w, h) {
    this.apart(() => {
      this.rect(x, y, w, h);
      this.stroke();
    });
  }
  clearRect() {}

  setLineDash(dash) {
    this.state.dash = [...dash];
  }
  getLineDash() {
    return [...this.state.dash];
  }

  measureText(text) {
    this.measure.font = this.state.font;
    return this.measure.measureText(text);
  }
  fillText(text, x, y) {
    const s = this.state;
    const anchor = {center: 'middle', right: 'end', end: 'end'}[s.textAlign] || 'start';
    const shift = {middle: '0.35em', top: '0.8em', hanging: '0.8em', bottom: '-0.2em'}[s.textBaseline] || '0';
    const m = s.matrix.map((v) => SvgContext.number(v * 1000) / 1000);
    const turned = m[0] !== 1 || m[1] !== 0 || m[2] !== 0 || m[3] !== 1;
    const place = turned ? ` transform="matrix(${m.join(' ')})" x="${SvgContext.number(x)}" y="${SvgContext.number(y)}"` :
                           ` x="${SvgContext.number(x + m[4])}" y="${SvgContext.number(y + m[5])}"`;
    this.elements.push(`<text${place} dy="${shift}" text-anchor="${anchor}" fill="${SvgContext.escape(s.fillStyle)}"` +
        ` style="font:${SvgContext.escape(s.font)}"${this.shared()}>${SvgContext.escape(text)}</text>`);
  }
  strokeText() {}

  /** The picture, on a background, as SVG text. */
  text(title, background) {
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}"` +
        ` height="${this.height}" role="img"><title>${SvgContext.escape(title)}</title>` +
        `<rect width="100%" height="100%" fill="${background}"/>${this.elements.join('')}</svg>`;
  }
}
