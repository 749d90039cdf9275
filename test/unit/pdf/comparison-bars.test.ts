import { expect, it, vi } from 'vitest';
import { compareOffers } from '#shared/domain/simulations/comparison.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { comparisonBars } from '#shared/pdf/comparison-bars.ts';
import { COLOURS, Paper, WIDE_PAGE } from '#shared/pdf/paper.ts';
import { makeOffer } from '#test/makers/simulation.ts';

/** Returns the offer with other amounts, in centavos. */
const offerWith = (first: number, total: number) => {
  const { offer } = makeOffer();
  return {
    ...offer,
    appraisalFee: centavos(0),
    first: { ...offer.first, total: centavos(first) },
    projection: { ...offer.projection, total: centavos(total) },
  };
};

it('comparisonBars draws two charts side by side, each in proportion and with its lowest bar darker', () => {
  const paper = new Paper({ title: 'Título', subject: 'Assunto', createdAt: 0 }, WIDE_PAGE);
  paper.doc.addPage();
  const fill = vi.spyOn(paper, 'fill');
  comparisonBars(paper, compareOffers([offerWith(400_000, 9_000_000), offerWith(300_000, 12_000_000)]), 100);
  const bars = fill.mock.calls.map(([colour, left, , width]) => ({ colour, left, width }));
  const { accent, accentMiddle } = COLOURS;
  // A chart has half of the sheet without the gap of 30 points: 100 points for names, the bars, and 96 points for amounts.
  const [first, second] = [WIDE_PAGE.left + 100, (WIDE_PAGE.left + WIDE_PAGE.right + 30) / 2 + 100];
  const longest = (WIDE_PAGE.right - WIDE_PAGE.left - 30) / 2 - 196;
  const wide = (share: number) => expect.closeTo(longest * share, 6);
  expect(bars).toEqual([
    { colour: accent, left: first, width: wide(3 / 4) },
    { colour: accentMiddle, left: first, width: wide(1) },
    { colour: accent, left: expect.closeTo(second, 6), width: wide(3 / 4) },
    { colour: accentMiddle, left: expect.closeTo(second, 6), width: wide(1) },
  ]);
});
