import { brotliDecompressSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import type { Instant } from '../domain/values/time.ts';
import { claimConformance } from './archive.ts';
import openSans from './fonts/open-sans.json' with { type: 'json' };
import { deflated } from './pack-objects.ts';
import { type EmbeddedFont, typeface } from './typeface.ts';

/** A sheet and the margins of what is drawn on it, in points of 1/72 inch, from the top left corner. */
export type Sheet = Readonly<Record<'width' | 'height' | 'left' | 'right' | 'top' | 'bottom', number>>;

/** A4 upright. */
export const PAGE = { width: 595.28, height: 841.89, left: 45, right: 550.28, top: 45, bottom: 790 } as const;

/** Width between the margins. */
export const TEXT_WIDTH = PAGE.right - PAGE.left;
/** A4 on its side. */
export const WIDE_PAGE = { width: 841.89, height: 595.28, left: 40, right: 801.89, top: 36, bottom: 548 } as const;

/** One accent and its tints, apart in grey print too, and greys. */
export const COLOURS = {
  accent: '#0b4a6f',
  accentMiddle: '#7ba3b8',
  accentLight: '#d2dfe7',
  wash: '#f1f5f7',
  ink: '#1c2329',
  quiet: '#56616a',
  rule: '#c9d0d5',
  faintRule: '#e6eaed',
  white: '#ffffff',
} as const;

export type Weight = 'regular' | 'semibold';

/** The least size of letters, in points: what is smaller, people who read such papers can't. */
export const LEAST_SIZE = 8.5;

export interface Style {
  /** Points. */
  readonly size: number;
  readonly weight?: Weight;
  readonly colour?: string;
  /** Percent of the letters' own width; 100 where left out. */
  readonly stretch?: number;
}

/** Where a line of text is drawn. */
export interface Place {
  /** Its left edge, its right edge or its middle, after `align`. */
  readonly x: number;
  /** Of the baseline. */
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

/** What pdfkit holds and its declared types leave out. */
interface Inner {
  readonly _root: { readonly data: Record<string, unknown> };
  /** The font in use. */
  readonly _font: EmbeddedFont;
  readonly page: Page;
  /** Bytes written so far. */
  _offset: number;
  _write(data: string | Uint8Array): void;
}

const fontOf = (packed: string): Buffer => brotliDecompressSync(Buffer.from(packed, 'base64'));
let fonts: Readonly<Record<Weight, Buffer>> | undefined;

const rounded = (value: number) => Math.round(value * 100) / 100;

/**
 * Returns all bytes that a stream holds now. From Node 26 on, `read` without a size returns one chunk instead of all of
 * them; each line that pdfkit writes is a chunk.
 */
export function readAll(stream: { read(): Uint8Array | null }): Buffer {
  const chunks: Uint8Array[] = [];
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A tagged document of A4 pages, and the few strokes that its parts are drawn with. */
export class Paper {
  readonly doc: PDFKit.PDFDocument & Inner;
  /** The element under which everything that is read stands, in reading order. */
  readonly root: Element;
  readonly sheet: Sheet;
  readonly #typefaces: Readonly<Record<Weight, ReturnType<typeof typeface>>>;
  /** The file so far, a character a byte, and what is drawn on each page: pdfkit would make bytes of every line, and a stream's chunk. */
  readonly #file: string[];
  readonly #drawn = new Map<Page, string[]>();
  /** The colour that fills and letters have at this point of the page. */
  #colour: string | undefined;

  /** The document's id follows from `createdAt` and the title, never from the present. */
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
      // Pages are written at the end: each says how many there are.
      bufferPages: true,
      pdfVersion: '1.7',
      // No standard font: pdfkit would look for its metrics in files that no bundle has.
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

  /** An element below another, in reading order. Parts and rows; what holds marks of its own is `tagged`. */
  element(parent: Element, type: string, options: ElementOptions = {}): Element {
    const element = this.doc.struct(type, options);
    parent.add(element);
    return element;
  }

  /** Draws what one element of the document's structure consists of. */
  tagged(parent: Element, type: string, draw: () => void, options: ElementOptions = {}): void {
    const element = this.element(parent, type, options);
    element.add(this.doc.markStructureContent(type));
    draw();
    this.doc.endMarkedContent();
    element.end();
  }

  /** Draws what is seen and not read: rules, fills, what repeats on each page. */
  artifact(draw: () => void, type: 'Layout' | 'Pagination' = 'Layout'): void {
    this.doc.markContent('Artifact', { type });
    draw();
    this.doc.endMarkedContent();
  }

  widthOf(text: string, { size, weight = 'regular', stretch = 100 }: Style): number {
    return (this.#typefaces[weight].width(text) * size * stretch) / 100;
  }

  /**
   * The style in which a text is no wider than so many points: smaller letters, down to LEAST_SIZE, then narrower ones.
   */
  fitted(text: string, style: Style, width: number): Style {
    const natural = this.widthOf(text, style);
    if (natural <= width) return style;
    const size = Math.max(Math.min(style.size, LEAST_SIZE), Math.floor((style.size * width * 100) / natural) / 100);
    const stretch = Math.floor((10_000 * width) / this.widthOf(text, { ...style, size })) / 100;
    return stretch < 100 ? { ...style, size, stretch } : { ...style, size };
  }

  /** One line. */
  text(text: string, style: Style, { x, y, align = 'left' }: Place): void {
    if (text === '') return;
    const { size, weight = 'regular', colour = COLOURS.ink, stretch = 100 } = style;
    const { font, encoded } = this.#typefaces[weight];
    const width = align === 'left' ? 0 : this.widthOf(text, style);
    const left = align === 'right' ? x - width : align === 'middle' ? x - width / 2 : x;
    this.#fillWith(colour);
    this.doc.page.fonts[font.id] ??= font.ref();
    // The page is drawn from its top left corner downwards: the second -1 stands the letters upright again.
    const place = `1 0 0 -1 ${rounded(left)} ${rounded(y)} Tm`;
    const narrow = stretch === 100 ? '' : `${stretch} Tz `;
    const wide = stretch === 100 ? '' : ' 100 Tz';
    this.doc.addContent(`BT /${font.id} ${size} Tf ${narrow}${place} ${encoded(text)} Tj${wide} ET`);
  }

  /**
   * The lines that a text fills: broken at spaces, and inside a word where that alone is wider than a line. The space
   * stays at the end of its line, for those who have the text read to them or copy it.
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

  /** A path through points; `close` fills it, else it is stroked. */
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

  /** Draws at the foot of each page what names the document, and which page of how many it is. Call before it ends. */
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

  /** The finished document. */
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
