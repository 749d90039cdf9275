import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SRGB_PROFILE } from '#shared/pdf/archive.ts';
import { LEAST_SIZE, Paper, readAll } from '#shared/pdf/paper.ts';

const paper = new Paper({ title: 'Título', subject: 'Assunto', createdAt: 0 });
const style = { size: 8.5 } as const;

it('readAll returns all bytes of a stream, also if each read returns one chunk, as from Node 26 on', () => {
  const chunks = ['%PDF-1.7\n', '%bytes\n'].map((text) => Buffer.from(text));
  expect(readAll({ read: () => chunks.shift() ?? null }).toString()).toBe('%PDF-1.7\n%bytes\n');
  expect(readAll({ read: () => null })).toHaveLength(0);
});

it('the lines of a text break at spaces, which stay, and inside a word only if it is wider than a line', () => {
  expect(paper.lines('', 100, style)).toEqual([]);
  expect(paper.lines('uma linha', 100, style)).toEqual(['uma linha']);
  expect(paper.lines('o banco confirma as condições', 70, style)).toEqual(['o banco confirma ', 'as condições']);
  expect(paper.lines('o mmmmmmmmmmmm fim', 70, style)).toEqual(['o ', 'mmmmmmmm', 'mmmm fim']);
});

it('the lines of a text contain all of it, and each line fits', () => {
  const words = fc.array(fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom(...'aiWmçé') }), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(words, fc.integer({ min: 20, max: 300 }), (parts, width) => {
      const text = parts.join(' ');
      const lines = paper.lines(text, width, style);
      expect(lines.join('')).toBe(text);
      for (const line of lines) expect(paper.widthOf(line.trimEnd(), style)).toBeLessThanOrEqual(width);
    }),
  );
});

it('fitted makes a text smaller only if it is too wide, and narrower only if it would be too small', () => {
  const text = 'R$ 100.000.000.000,00';
  expect(paper.fitted('R$ 1,00', style, 100)).toEqual(style);
  const smaller = paper.fitted(text, { size: 13 }, 110);
  expect(smaller.size).toBeGreaterThan(LEAST_SIZE);
  expect(smaller).not.toHaveProperty('stretch');
  const narrower = paper.fitted(text, { size: 13 }, 60);
  expect(narrower.size).toBe(LEAST_SIZE);
  expect(paper.fitted(text, style, 60).size).toBe(LEAST_SIZE);
  for (const [fitted, width] of [
    [smaller, 110],
    [narrower, 60],
  ] as const) {
    expect(paper.widthOf(text, fitted)).toBeLessThanOrEqual(width);
    expect(paper.widthOf(text, fitted)).toBeGreaterThan(width - 1);
  }
});

it('a document declares PDF/UA-1, PDF/A-2a and its colour profile', async () => {
  const written = new Paper({ title: 'Título', subject: 'Assunto', createdAt: 0 });
  written.doc.addPage();
  const file = await written.bytes();
  const text = file.toString('latin1');
  expect(text).toMatch(/<pdfaid:part>2<.*\s*<pdfaid:conformance>A</);
  expect(text).toContain('<pdfuaid:part>1<');
  expect(text).toContain('<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/<');
  const profile = /\/S \/GTS_PDFA1[^>]*\/DestOutputProfile (\d+) 0 R/.exec(text)![1];
  const stream = new RegExp(`\\n${profile} 0 obj\\n<<[^>]*?/Length (\\d+)[^>]*>>\\nstream\\n`).exec(text)!;
  const start = stream.index + stream[0].length;
  expect(inflateSync(file.subarray(start, start + Number(stream[1]))).equals(SRGB_PROFILE)).toBe(true);
  expect(text).toMatch(/\/Type \/Catalog[\s\S]*?\/OutputIntents \[\d+ 0 R\]/);
});

it('the bytes of a document begin with the version and with four bytes above 127, as PDF/A-2 (6.1.2) demands', () => {
  const written = new Paper({ title: 'Título', subject: 'Assunto', createdAt: 0 });
  written.doc.addPage();
  expect(written.bytes().subarray(0, 15).toString('latin1')).toBe('%PDF-1.7\n%\u00ff\u00ff\u00ff\u00ff\n');
});
