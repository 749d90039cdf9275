import { expect, it, vi } from 'vitest';
import { simulationIdFor } from '#shared/domain/simulations/opportunity.ts';
import { COLOURS, Paper } from '#shared/pdf/paper.ts';
import { summaryPage } from '#shared/pdf/summary-page.ts';
import { makeOffer, makeOpportunity } from '#test/makers/simulation.ts';

/** Returns the rectangles of the first page of a simulation with the given height, in the order of drawing. */
function rectangles(bank: 'bradesco' | 'cashme') {
  const { offer, schedule } = makeOffer(bank, { term: 120, financedValue: undefined });
  const opportunity = makeOpportunity(offer);
  const paper = new Paper({ title: 'Título', subject: 'Assunto', createdAt: 0 });
  paper.doc.addPage();
  const fills = vi.spyOn(paper, 'fill');
  summaryPage(paper, { opportunity, offer, schedule, id: simulationIdFor(opportunity, offer) });
  const drawn = fills.mock.calls.map(([colour, left, , width, height]) => ({ colour, left, width, height }));
  return { bars: drawn.filter(({ height }) => height === 10), squares: drawn.filter(({ height }) => height === 7) };
}

/** Returns the relative luminance of a colour (WCAG 2.2), which is its brightness in grey print. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it.each([
  ['bradesco', 5],
  ['cashme', 4],
] as const)('the bar of the first instalment at %s has %i parts, each in the colour of its row', (bank, parts) => {
  const { bars, squares } = rectangles(bank);
  const colours = bars.map(({ colour }) => colour);
  expect(new Set(colours).size).toBe(parts);
  expect(squares.map(({ colour }) => colour)).toEqual(colours);
});

it('neighbours in the bar of the first instalment differ in brightness, and no part is invisible', () => {
  const { bars } = rectangles('bradesco');
  const contrasts = bars.map(({ colour }, at) => {
    const [one, two] = [luminance(colour), luminance(bars[at + 1]?.colour ?? COLOURS.white)];
    return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
  });
  // The last part is next to the white page.
  expect(Math.min(...contrasts.slice(0, -1))).toBeGreaterThan(1.6);
  expect(contrasts.at(-1)).toBeGreaterThan(1.25);
  for (const { width } of bars) expect(width).toBeGreaterThan(0.75);
});
