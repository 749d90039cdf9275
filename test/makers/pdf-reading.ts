import { getDocumentProxy } from 'unpdf';

/** A piece of text and its position, in points from the top left corner of the page. */
export interface Piece {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Position of the baseline. */
  readonly y: number;
  readonly size: number;
}

/** An element of the document's structure: its role, the text that describes a picture, and the elements in it. */
export interface Tag {
  readonly role: string;
  readonly alt?: string;
  readonly children: readonly Tag[];
}

export interface Reading {
  readonly pages: readonly (readonly Piece[])[];
  /** Structure of each page. */
  readonly tags: readonly Tag[];
  readonly title: unknown;
  readonly language: unknown;
  readonly tagged: boolean;
  readonly showsTitle: boolean;
  readonly fonts: ReadonlySet<string>;
}

interface TextItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
}

interface TreeNode {
  readonly role?: string;
  readonly alt?: string;
  readonly children?: readonly TreeNode[];
}

const tagOf = ({ role, alt, children = [] }: TreeNode): Tag => ({
  role: role!,
  ...(alt !== undefined && { alt }),
  children: children.filter((child) => child.role !== undefined).map(tagOf),
});

/** Reads a PDF with a program that did not write it. */
export async function readPdf(file: Uint8Array): Promise<Reading> {
  const document = await getDocumentProxy(Uint8Array.from(file));
  const pages: Piece[][] = [];
  const tags: Tag[] = [];
  const fonts = new Set<string>();
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const height = page.view[3]!;
    const { items } = await page.getTextContent();
    pages.push(
      (items as TextItem[])
        .filter(({ str }) => str !== undefined && str.trim() !== '')
        .map(({ str, transform, width }) => ({
          text: str.replaceAll('\u00a0', ' '),
          left: transform[4]!,
          right: transform[4]! + width,
          y: height - transform[5]!,
          size: transform[3]!,
        })),
    );
    tags.push(tagOf((await page.getStructTree()) as TreeNode));
    const operators = await page.getOperatorList();
    for (const argument of operators.argsArray.flat()) {
      if (typeof argument === 'string' && page.commonObjs.has(argument)) {
        const { name } = page.commonObjs.get(argument) as { name?: string };
        if (name) fonts.add(name);
      }
    }
  }
  const info = (await document.getMetadata()).info as Record<string, unknown>;
  const markInfo = await document.getMarkInfo();
  const preferences = (await document.getViewerPreferences()) as Record<string, unknown> | null;
  const reading = {
    pages,
    tags,
    title: info['Title'],
    language: info['Language'],
    tagged: markInfo?.Marked === true,
    showsTitle: preferences?.['DisplayDocTitle'] === true,
    fonts,
  };
  await document.loadingTask.destroy();
  return reading;
}

/** Returns the lines of a page from top to bottom: the texts of each baseline, from left to right. */
export function linesOf(page: readonly Piece[]): string[][] {
  const lines = Map.groupBy(page, ({ y }) => Math.round(y * 10));
  return [...lines]
    .sort(([a], [b]) => a - b)
    .map(([, pieces]) => pieces.toSorted((a, b) => a.left - b.left).map(({ text }) => text));
}

/** Returns the pairs of texts that overlap on a page. */
export function overlaps(page: readonly Piece[]): [string, string][] {
  const found: [string, string][] = [];
  page.forEach((a, index) => {
    for (const b of page.slice(index + 1)) {
      const isBeside = a.right <= b.left + 0.5 || b.right <= a.left + 0.5;
      // Letters reach about three quarters of their size above the baseline and a fifth of it below.
      const isAboveOrBelow = a.y + a.size * 0.2 <= b.y - b.size * 0.75 || b.y + b.size * 0.2 <= a.y - a.size * 0.75;
      if (!isBeside && !isAboveOrBelow) found.push([a.text, b.text]);
    }
  });
  return found;
}

/** Returns every element with this role, in reading order. */
export function withRole(tags: readonly Tag[], role: string): Tag[] {
  return tags.flatMap((tag) => [...(tag.role === role ? [tag] : []), ...withRole(tag.children, role)]);
}
