import { brotliDecompressSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import openSans from './fonts/open-sans.json' with { type: 'json' };

/** A4, in points of 1/72 inch, from the top left corner. */
export const PAGE = { width: 595.28, height: 841.89, left: 45, right: 550.28, top: 45, bottom: 790 } as const;
/** Width between the margins. */
export const TEXT_WIDTH = PAGE.right - PAGE.left;

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

export interface Style {
  /** Points. */
  readonly size: number;
  readonly weight?: Weight;
  readonly colour?: string;
}

export interface Placed extends Style {
  /** Where the text stands: its left edge, its right edge or its middle, after `align`. */
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

const fontOf = (packed: string): Buffer => brotliDecompressSync(Buffer.from(packed, 'base64'));
let fonts: Readonly<Record<Weight, Buffer>> | undefined;

// The characters for which the fonts have glyphs: fonts/README.md. Soft hyphens and the like are not drawn at all.
const UNDRAWABLE =
  /[^\u0020-\u007e\u00a0-\u017f\u0218-\u021b\u1ea0-\u1ef9\u2010-\u2014\u2018-\u201e\u2022\u2026\u20ac\u2212]/u;
const INVISIBLE = /[\u00ad\p{Cf}]/gu;

/** Text as the fonts can draw it: spaces for control characters, and for a letter beyond them its base letter, else `?`. */
export function drawable(text: string): string {
  return Array.from(
    text
      .replace(INVISIBLE, '')
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .normalize('NFC')
      .trim(),
    (character) => {
      if (!UNDRAWABLE.test(character)) return character;
      if (/\p{M}/u.test(character)) return '';
      const [base = '?'] = character.normalize('NFKD');
      return UNDRAWABLE.test(base) ? '?' : base;
    },
  ).join('');
}

const rounded = (value: number) => Math.round(value * 100) / 100;

/** A tagged document of A4 pages, and the few strokes that its parts are drawn with. */
export class Paper {
  readonly doc: PDFKit.PDFDocument;
  /** The element under which everything that is read stands, in reading order. */
  readonly root: Element;

  /** `createdAt` in milliseconds since 1970: the document's id follows from it and the title, never from the present. */
  constructor(info: { readonly title: string; readonly subject: string; readonly createdAt: number }) {
    fonts ??= { regular: fontOf(openSans.regular), semibold: fontOf(openSans.semibold) };
    const moment = new Date(info.createdAt);
    this.doc = new PDFDocument({
      size: [PAGE.width, PAGE.height],
      margin: 0,
      autoFirstPage: false,
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
    });
    this.doc.registerFont('regular', fonts.regular);
    this.doc.registerFont('semibold', fonts.semibold);
    this.root = this.doc.struct('Document');
    this.doc.addStructure(this.root);
  }

  /** An element below another, in reading order. Parts and rows; what holds marks of its own is `tagged`. */
  element(parent: Element, type: string, options: ElementOptions = {}): Element {
    const made = this.doc.struct(type, options as { alt?: string });
    parent.add(made);
    return made;
  }

  /** Draws what one element of the document's structure consists of. */
  tagged(parent: Element, type: string, draw: () => void, options: ElementOptions = {}): void {
    const made = this.element(parent, type, options);
    made.add(this.doc.markStructureContent(type));
    draw();
    this.doc.endMarkedContent();
    made.end();
  }

  /** Draws what is seen and not read: rules, fills, what repeats on each page. */
  artifact(draw: () => void, type: 'Layout' | 'Pagination' = 'Layout'): void {
    this.doc.markContent('Artifact', { type });
    draw();
    this.doc.endMarkedContent();
  }

  widthOf(text: string, { size, weight = 'regular' }: Style): number {
    return this.doc.font(weight).fontSize(size).widthOfString(text);
  }

  /** The style, smaller where the text would be wider than so many points. */
  fitted<S extends Style>(text: string, style: S, width: number): S {
    return { ...style, size: rounded(Math.min(style.size, (style.size * width) / this.widthOf(text, style))) };
  }

  /** One line. */
  text(text: string, { x, y, size, weight = 'regular', colour, align = 'left' }: Placed): void {
    if (text === '') return;
    this.doc.font(weight).fontSize(size);
    if (colour !== undefined) this.doc.fillColor(colour);
    const width = align === 'left' ? 0 : this.doc.widthOfString(text);
    const left = align === 'right' ? x - width : align === 'middle' ? x - width / 2 : x;
    this.doc.text(text, rounded(left), rounded(y), { lineBreak: false, baseline: 'alphabetic' });
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
    return line === '' ? lines : [...lines, line];
  }

  rule(
    y: number,
    colour: string = COLOURS.rule,
    width = 0.5,
    left: number = PAGE.left,
    right: number = PAGE.right,
  ): void {
    this.doc.moveTo(rounded(left), rounded(y)).lineTo(rounded(right), rounded(y)).lineWidth(width).stroke(colour);
  }

  fill(colour: string, left: number, top: number, width: number, height: number): void {
    this.doc.rect(rounded(left), rounded(top), rounded(width), rounded(height)).fill(colour);
  }

  /** A path through points; `close` fills it, else it is stroked. */
  path(points: readonly (readonly [x: number, y: number])[], colour: string, close: boolean, width = 1): void {
    points.forEach(([x, y], index) => {
      if (index === 0) this.doc.moveTo(rounded(x), rounded(y));
      else this.doc.lineTo(rounded(x), rounded(y));
    });
    if (close) this.doc.closePath().fill(colour);
    else this.doc.lineWidth(width).lineJoin('round').stroke(colour);
  }

  /** The finished document. */
  bytes(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      this.doc.on('data', (chunk: Buffer) => chunks.push(chunk));
      this.doc.on('error', reject);
      this.doc.on('end', () => resolve(Buffer.concat(chunks)));
      this.root.end();
      this.doc.end();
    });
  }
}
