import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEAST_SIZE, Paper } from '../../../shared/pdf/paper.ts';

const paper = new Paper({ title: 'Título', subject: 'Assunto', createdAt: 0 });
const style = { size: 8.5 } as const;

describe('lines', () => {
  it('break at spaces, which stay, and inside a word only where it alone is too wide', () => {
    expect(paper.lines('', 100, style)).toEqual([]);
    expect(paper.lines('uma linha', 100, style)).toEqual(['uma linha']);
    expect(paper.lines('o banco confirma as condições', 70, style)).toEqual(['o banco confirma ', 'as condições']);
    expect(paper.lines('o mmmmmmmmmmmm fim', 70, style)).toEqual(['o ', 'mmmmmmmm', 'mmmm fim']);
  });

  it('hold all of the text, and each fits', () => {
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
});

describe('a fitted style', () => {
  it('is smaller only where the text is too wide, and narrower only where it would be too small', () => {
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
});
