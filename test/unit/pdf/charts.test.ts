import { describe, expect, it, vi } from 'vitest';
import { centavos } from '#shared/domain/values/money.ts';
import { balanceChart, instalmentChart, systemsChart } from '#shared/pdf/charts.ts';
import { COLOURS, Paper } from '#shared/pdf/paper.ts';
import { readPdf, withRole } from '#test/makers/pdf-reading.ts';
import { makeOffer } from '#test/makers/simulation.ts';

/** Draws a chart on a new page. Returns its texts, rectangles and paths, and the words that describe it. */
async function drawn(draw: (paper: Paper) => void) {
  const paper = new Paper({ title: 'Título', subject: 'Assunto', createdAt: 0 });
  paper.doc.addPage();
  const [texts, fills, paths] = [vi.spyOn(paper, 'text'), vi.spyOn(paper, 'fill'), vi.spyOn(paper, 'path')];
  draw(paper);
  const { tags } = await readPdf(paper.bytes());
  const [figure] = withRole(tags, 'Figure');
  return {
    paper,
    texts: texts.mock.calls.map(([text, style, place]) => ({ text, style, ...place })),
    // The squares of the legend. No other rectangle of a chart is as high.
    squares: fills.mock.calls
      .map(([colour, left, top, width, height]) => ({
        colour,
        left,
        right: left + width,
        bottom: top + height,
        height,
      }))
      .filter(({ height }) => height === 7),
    paths: paths.mock.calls.map(([points, colour, isClosed]) => ({ points, colour, isClosed })),
    alt: figure?.alt?.replaceAll('\u00a0', ' '),
  };
}

const { offer, schedule } = makeOffer('itau', { term: 60 });
const price = makeOffer('cashme', { term: 60, system: 'PRICE', financedValue: centavos(25_000_000) }).schedule;
const { accent, accentMiddle, accentLight } = COLOURS;

describe.each<[string, (paper: Paper) => void, RegExp[], string[]]>([
  [
    'instalmentChart',
    (paper) => instalmentChart(paper, 100, schedule),
    [/^Amortização$/, /^Juros$/, /^Seguros/],
    [accent, accentMiddle, accentLight],
  ],
  ['balanceChart', (paper) => balanceChart(paper, 100, offer, schedule), [/^Saldo depois de cada parcela$/], [accent]],
  [
    'systemsChart',
    (paper) => systemsChart(paper, 100, 'Itaú', [schedule, price]),
    [/^SAC: de /, /^PRICE: de /],
    [accent, accentMiddle],
  ],
])('the legend of %s', (chart, draw, names, colours) => {
  it(`the legend of ${chart} has each name right of the square of its colour, and no name covers a square`, async () => {
    const { paper, texts, squares, paths } = await drawn(draw);
    expect(squares.map(({ colour }) => colour)).toEqual(colours);
    const painted = new Set(paths.map(({ colour }) => colour));
    for (const [index, { left, right, bottom, colour }] of squares.entries()) {
      const written = texts.filter(({ text }) => names[index]?.test(text));
      expect(written).toHaveLength(1);
      for (const { text, style, x, y } of written) {
        expect(x).toBe(right + 4);
        expect(y).toBe(bottom);
        expect(squares[index + 1]?.left ?? Number.MAX_VALUE).toBeGreaterThan(x + paper.widthOf(text, style) + 8);
      }
      expect(left).toBeGreaterThanOrEqual(paper.sheet.left);
      expect(painted).toContain(colour);
    }
  });
});

describe('systemsChart', () => {
  /** Returns a schedule with these instalments, in centavos. */
  const scheduleOf = (totals: readonly number[]) =>
    schedule.slice(0, totals.length).map((row, index) => ({ ...row, total: centavos(totals[index] ?? 0) }));
  const chart = (sac: readonly number[], other: readonly number[]) =>
    drawn((paper) => systemsChart(paper, 100, 'Itaú', [scheduleOf(sac), scheduleOf(other)]));

  it.each([
    [
      'the third instalment, if only the first two are higher',
      [12_000, 11_000, 10_000, 9_000],
      [9_000, 10_000, 10_500, 8_000],
      3,
    ],
    ['the first instalment, if it is lower from the start', [9_000, 8_000], [9_001, 9_001], 1],
    ['the third instalment, if the second is equal', [12_000, 10_000, 9_000], [9_000, 10_000, 11_000], 3],
    ['the last instalment, if all before are higher', [12_000, 11_000, 10_000], [9_000, 9_000, 10_001], 3],
    ['no instalment, if it is never lower', [12_000, 11_000, 10_000], [9_000, 9_000, 10_000], undefined],
  ])('systemsChart says that SAC is lower from %s', async (_, sac, other, crossing) => {
    const { alt } = await chart(sac, other);
    const found = / A parcela do SAC fica abaixo da parcela do PRICE desde a (\d+)ª\.$/.exec(alt ?? '')?.[1];
    expect(found).toBe(crossing === undefined ? undefined : String(crossing));
  });

  it('systemsChart draws each system in its colour, with one point for each instalment and its name at its line', async () => {
    const { paths, texts } = await chart([12_000, 11_000, 10_000, 9_000, 8_000], [9_000, 9_100, 9_200, 9_300, 9_400]);
    expect(paths.map(({ colour, isClosed }) => [colour, isClosed])).toEqual([
      [accent, false],
      [accentMiddle, false],
    ]);
    for (const [index, name] of ['SAC', 'PRICE'].entries()) {
      const points = paths[index]?.points ?? [];
      expect(points).toHaveLength(5);
      const label = texts.find(({ text }) => text === name);
      const [, y] = points.find(([x]) => x === label?.x) ?? [];
      expect(label?.y).toBeCloseTo((y ?? 0) - 4);
    }
    const heights = (index: number) => (paths[index]?.points ?? []).map(([, y]) => y);
    // The y of a page grows downwards: SAC falls, and PRICE rises here.
    expect(heights(0)).toEqual(heights(0).toSorted((a, b) => a - b));
    expect(heights(1)).toEqual(heights(1).toSorted((a, b) => b - a));
  });
});
