import { type Comparison, comparedSum, isLowest } from '../domain/simulations/comparison.ts';
import type { Offer } from '../domain/simulations/simulation.ts';
import { bankName } from '../domain/values/bank.ts';
import type { Centavos } from '../domain/values/money.ts';
import { sectionHeading } from './blocks.ts';
import { COLOURS, LEAST_SIZE, type Paper } from './paper.ts';
import { reais } from './wording.ts';

interface Bars {
  readonly heading: string;
  readonly of: (offer: Offer) => Centavos;
}

const PITCH = 19;
const BAR = 11;
const NAMES = 100;
const AMOUNTS = 96;
const GAP = 30;

export const comparisonBarsHeight = (offers: number): number => 17 + offers * PITCH;

const nameOf = ({ bank, system }: Offer) => `${bankName(bank)} · ${system}`;

function drawBars(
  paper: Paper,
  comparison: Comparison,
  { heading, of }: Bars,
  place: Readonly<Record<'left' | 'top' | 'width', number>>,
): void {
  const { left, top, width } = place;
  const { ranked, groups, differing } = comparison;
  const areComparable = groups.length === 1 && differing.length === 0;
  const offers = areComparable ? ranked.toSorted((a, b) => of(a) - of(b)) : ranked;
  const highest = Math.max(...offers.map(of));
  const y = sectionHeading(paper, heading, left, top);
  const style = { size: LEAST_SIZE, colour: COLOURS.ink } as const;
  const draw = () => {
    offers.forEach((offer, index) => {
      const line = y + index * PITCH + 4;
      const length = ((width - NAMES - AMOUNTS) * of(offer)) / highest;
      const amount = reais(of(offer));
      const name = nameOf(offer);
      paper.text(name, paper.fitted(name, style, NAMES - 8), { x: left, y: line + BAR - 2.5 });
      const colour = isLowest(comparison, offer, of) ? COLOURS.accent : COLOURS.accentMiddle;
      paper.fill(colour, left + NAMES, line, length, BAR);
      const place = { x: left + NAMES + length + 6, y: line + BAR - 2.5 };
      paper.text(amount, paper.fitted(amount, style, AMOUNTS - 6), place);
    });
  };
  const alt = `Barras: ${offers.map((offer) => `${nameOf(offer)}, ${reais(of(offer))}`).join('; ')}.`;
  const bbox = [left, y, left + width, y + offers.length * PITCH] as const;
  paper.tagged(paper.root, 'Figure', draw, { alt, bbox });
}

/** Only bars of equal loans with one kind of rate are ordered by amount; otherwise they have the order of the table. */
export function comparisonBars(paper: Paper, comparison: Comparison, top: number): void {
  const { left, right } = paper.sheet;
  const width = (right - left - GAP) / 2;
  const first: Bars = { heading: 'Primeira parcela', of: (offer) => offer.first.total };
  const total: Bars = { heading: 'Soma projetada, com a avaliação', of: comparedSum };
  drawBars(paper, comparison, first, { left, top, width });
  drawBars(paper, comparison, total, { left: left + width + GAP, top, width });
}
