import { brotliDecompressSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import type { Instant } from '../domain/values/time.ts';
import { claimConformance } from './archive.ts';
import openSans from './fonts/open-sans.json' with { type: 'json' };
import { deflated } from './pack-objects.ts';
import { type EmbeddedFont, typeface } from './typeface.ts';

/** Size and margins of a sheet, in points of 1/72 inch, measured from the top left corner. */
export type Sheet = Readonly<Record<'width' | 'height' | 'left' | 'right' | 'top' | 'bottom', number>>;

export const PAGE = { width: 595.28, height: 841.89, left: 45, right: 550.28, top: 45, bottom: 790 } as const;

export const TEXT_WIDTH = PAGE.right - PAGE.left;
export const WIDE_PAGE = { width: 841.89, height: 595.28, left: 40, right: 801.89, top: 36, bottom: 548 } as const;

/** The accent and its two tints also differ in grey print. */
export const COLOURS = {
  accent: '#0b4a6f',
  accentMiddle: '#7ba3b8',
  accentLight: '#d2dfe7',
  /** Small parts of the first instalment, too narrow for patterns. In grey print, neighbours differ in brightness. */
  mip: '#8a3b12',
  dfi: '#d98e32',
  fee: '#f4dfb8',
  wash: '#f1f5f7',
  ink: '#1c2329',
  quiet: '#56616a',
  rule: '#c9d0d5',
  faintRule: '#e6eaed',
  white: '#ffffff',
} as const;

export type Weight = 'regular' | 'semibold';

/** Smallest size of letters, in points. Many readers of such papers cannot read smaller letters. */
export const LEAST_SIZE = 8.5;

export interface Style {
  readonly size: number;
  readonly weight?: Weight;
  readonly colour?: string;
  /** Width of the letters in percent of their natural width. @default 100 */
  readonly stretch?: number;
}

export interface Place {
  /** The line's left edge, right edge or middle, as `align` says. */
  readonly x: number;
  readonly y: number;
  readonly align?: 'left' | 'right' | 'middle';
}

interface ElementOptions {
  readonly alt?: string;
  readonly scope?: 'Row' | 'Column';
  readonly bbox?: readonly [left: number, top: number, right: number, bottom: number];
}

export type Element = PDFKit.PDFStructureElement;

interface Page {
  readonly fonts: Record<string, unknown>;
  readonly content: { compress: boolean; readonly data: Record<string, unknown>; write(content: Uint8Array): void };
}

interface Inner {
  readonly _root: { readonly data: Record<string, unknown> };
  readonly _font: EmbeddedFont;
  readonly page: Page;
  /** Bytes written so far. */
  _offset: number;
  _write(data: string | Uint8Array): void;
}

const fontOf = (packed: string): Buffer => brotliDecompressSync(Buffer.from(packed, 'base64'));
let fonts: Readonly<Record<Weight, Buffer>> | undefined;

const rounded = (value: number) => Math.round(value * 100) / 100;

/** From Node 26 on, `read` without a size returns one chunk; each line that pdfkit writes is a chunk. */
export function readAll(stream: { read(): Uint8Array | null }): Buffer {
  const chunks: Uint8Array[] = [];
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export class Paper {
  readonly doc: PDFKit.PDFDocument & Inner;
  readonly root: Element;
  readonly sheet: Sheet;
  readonly #typefaces: Readonly<Record<Weight, ReturnType<typeof typeface>>>;
  /** One character for each byte. pdfkit itself would turn every line into a chunk of a stream, which is slow. */
  readonly #file: string[];
  readonly #drawn = new Map<Page, string[]>();
  /** The current fill colour of the page, also of letters. Undefined on a new page. */
  #colour: string | undefined;

  /** The document's id follows from `createdAt` and the title, not from the time at which it is made. */
  constructor(
    info: { readonly title: string; readonly subject: string; readonly createdAt: Instant },
    sheet: Sheet = PAGE,
  ) {
    this.sheet = sheet;
    fonts ??= { regular: fontOf(openSans.regular), semibold: fontOf(openSans.semibold) };
    const moment = new Date(info.createdAt);
    this.doc = new PDFDocument({
      size: [sheet.width, sheet.height],
      margin: 0,
      autoFirstPage: false,
      // Pages are written at the end, since each one shows the number of pages.
      bufferPages: true,
      pdfVersion: '1.7',
      // No standard font: pdfkit would read its metrics from files that no bundle has.
      font: '',
      lang: 'pt-BR',
      tagged: true,
      displayTitle: true,
      info: {
        Title: info.title,
        Subject: info.subject,
        Creator: 'Partner Mortgage-Credit Integration Service',
        Producer: 'PDFKit',
        CreationDate: moment,
        ModDate: moment,
      },
    }) as PDFKit.PDFDocument & Inner;
    this.#file = [readAll(this.doc).toString('latin1')];
    this.doc._write = (data) => {
      const text = typeof data === 'string' ? `${data}\n` : Buffer.from(data).toString('latin1');
      this.#file.push(text);
      this.doc._offset += text.length;
    };
    this.doc.addContent = (line: string) => {
      const { page } = this.doc;
      const lines = this.#drawn.get(page);
      if (lines) lines.push(line);
      else this.#drawn.set(page, [line]);
      return this.doc;
    };
    this.doc.registerFont('regular', fonts.regular);
    this.doc.registerFont('semibold', fonts.semibold);
    const faceOf = (weight: Weight) => {
      this.doc.font(weight);
      return typeface(this.doc._font);
    };
    this.#typefaces = { regular: faceOf('regular'), semibold: faceOf('semibold') };
    this.doc.on('pageAdded', () => {
      this.#colour = undefined;
    });
    this.root = this.doc.struct('Document');
    this.doc.addStructure(this.root);
  }

  /** For elements that contain other elements, in reading order. For drawn text use `tagged`. */
  element(parent: Element, type: string, options: ElementOptions = {}): Element {
    const element = this.doc.struct(type, options);
    parent.add(element);
    return element;
  }

  tagged(parent: Element, type: string, draw: () => void, options: ElementOptions = {}): void {
    const element = this.element(parent, type, options);
    element.add(this.doc.markStructureContent(type));
    draw();
    this.doc.endMarkedContent();
    element.end();
  }

  /** Draws something that a screen reader skips: rules, fills, and content that repeats on each page. */
  artifact(draw: () => void, type: 'Layout' | 'Pagination' = 'Layout'): void {
    this.doc.markContent('Artifact', { type });
    draw();
    this.doc.endMarkedContent();
  }

  widthOf(text: string, { size, weight = 'regular', stretch = 100 }: Style): number {
    return (this.#typefaces[weight].width(text) * size * stretch) / 100;
  }

  /** Makes the letters smaller, down to LEAST_SIZE, then narrower, until the text fits. */
  fitted(text: string, style: Style, width: number): Style {
    const natural = this.widthOf(text, style);
    if (natural <= width) return style;
    const size = Math.max(Math.min(style.size, LEAST_SIZE), Math.floor((style.size * width * 100) / natural) / 100);
    const stretch = Math.floor((10_000 * width) / this.widthOf(text, { ...style, size })) / 100;
    return stretch < 100 ? { ...style, size, stretch } : { ...style, size };
  }

  text(text: string, style: Style, { x, y, align = 'left' }: Place): void {
    if (text === '') return;
    const { size, weight = 'regular', colour = COLOURS.ink, stretch = 100 } = style;
    const { font, encoded } = this.#typefaces[weight];
    const width = align === 'left' ? 0 : this.widthOf(text, style);
    const left = align === 'right' ? x - width : align === 'middle' ? x - width / 2 : x;
    this.#fillWith(colour);
    this.doc.page.fonts[font.id] ??= font.ref();
    // The page is drawn from its top left corner downwards. The second -1 turns the letters upright again.
    const place = `1 0 0 -1 ${rounded(left)} ${rounded(y)} Tm`;
    const narrow = stretch === 100 ? '' : `${stretch} Tz `;
    const wide = stretch === 100 ? '' : ' 100 Tz';
    this.doc.addContent(`BT /${font.id} ${size} Tf ${narrow}${place} ${encoded(text)} Tj${wide} ET`);
  }

  /**
   * Breaks inside a word only if the word is wider than a line. A space stays at the end of its line, for people who
   * copy the text.
   */
  lines(text: string, width: number, style: Style): string[] {
    const fits = (line: string) => this.widthOf(line, style) <= width;
    const lines: string[] = [];
    let line = '';
    for (const word of text.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (fits(longer)) {
        line = longer;
        continue;
      }
      if (line !== '') lines.push(`${line} `);
      line = '';
      for (const character of word) {
        if (line !== '' && !fits(line + character)) {
          lines.push(line);
          line = '';
        }
        line += character;
      }
    }
    if (line !== '') lines.push(line);
    return lines;
  }

  rule(
    y: number,
    colour: string = COLOURS.rule,
    width = 0.5,
    left: number = this.sheet.left,
    right: number = this.sheet.right,
  ): void {
    this.doc.moveTo(rounded(left), rounded(y)).lineTo(rounded(right), rounded(y)).lineWidth(width).stroke(colour);
  }

  fill(colour: string, left: number, top: number, width: number, height: number): void {
    this.#fillWith(colour);
    this.doc.rect(rounded(left), rounded(top), rounded(width), rounded(height)).fill();
  }

  /** Draws a path through points. If `close` is true, the path is filled, else it is stroked. */
  path(points: readonly (readonly [x: number, y: number])[], colour: string, close: boolean, width = 1): void {
    points.forEach(([x, y], index) => {
      if (index === 0) this.doc.moveTo(rounded(x), rounded(y));
      else this.doc.lineTo(rounded(x), rounded(y));
    });
    if (close) {
      this.#fillWith(colour);
      this.doc.closePath().fill();
    } else this.doc.lineWidth(width).lineJoin('round').stroke(colour);
  }

  #fillWith(colour: string): void {
    if (this.#colour === colour) return;
    this.doc.fillColor(colour);
    this.#colour = colour;
  }

  /** Must be called after the last page was added. */
  foot(text: string, y: number): void {
    const { count } = this.doc.bufferedPageRange();
    const style: Style = { size: LEAST_SIZE, colour: COLOURS.quiet };
    for (let page = 0; page < count; page++) {
      this.doc.switchToPage(page);
      this.#colour = undefined;
      this.artifact(() => {
        this.rule(y - 12, COLOURS.rule);
        this.text(text, style, { x: this.sheet.left, y });
        this.text(`Página ${page + 1} de ${count}`, style, { x: this.sheet.right, y, align: 'right' });
      }, 'Pagination');
    }
  }

  bytes(): Buffer {
    this.root.end();
    claimConformance(this.doc);
    for (const [{ content }, lines] of this.#drawn) {
      content.compress = false;
      content.data['Filter'] = 'FlateDecode';
      content.write(deflated(Buffer.from(lines.join('\n'), 'latin1')));
    }
    this.doc.end();
    return Buffer.from(this.#file.join(''), 'latin1');
  }
}
