import { endsOf } from '../domain/simulations/pricing/schedule.ts';
import type { Instalment, Offer } from '../domain/simulations/simulation.ts';
import { centavos } from '../domain/values/money.ts';
import { sectionHeading } from './blocks.ts';
import { COLOURS, LEAST_SIZE, PAGE, type Paper, type Style } from './paper.ts';
import { reais, term, wholeReais } from './wording.ts';

type Schedule = readonly Instalment[];

interface Part {
  readonly name: string;
  readonly colour: string;
  readonly of: (row: Instalment) => number;
}

export function partsOf(rows: readonly Instalment[]): readonly [amortization: Part, interest: Part, small: Part] {
  const fee = rows.some((row) => row.fee > 0);
  return [
    { name: 'Amortização', colour: COLOURS.accent, of: (row) => row.amortization },
    { name: 'Juros', colour: COLOURS.accentMiddle, of: (row) => row.interest },
    {
      name: fee ? 'Seguros e tarifa' : 'Seguros',
      colour: COLOURS.accentLight,
      of: (row) => row.mip + row.dfi + row.fee,
    },
  ];
}

const LABEL: Style = { size: LEAST_SIZE, colour: COLOURS.quiet };
const LEGEND: Style = { size: 9, colour: COLOURS.ink };
export const CHART_HEIGHT = 185;
const ABOVE_PLOT = 40;
const BELOW_PLOT = 30;

/**
 * Returns the smallest step that divides `highest` into at most `parts` parts: whole reais, of the form 1, 2, 2.5 or 5
 * times a power of ten.
 */
function stepFor(highest: number, parts: number): number {
  const least = Math.max(highest / parts, 100);
  const magnitude = 10 ** Math.floor(Math.log10(least));
  const steps = [1, 2, 2.5, 5].map((factor) => factor * magnitude);
  return steps.find((step) => step >= least && step % 100 === 0) ?? 10 * magnitude;
}

interface Plot {
  readonly left: number;
  readonly width: number;
  readonly bottom: number;
  readonly height: number;
  readonly x: (months: number) => number;
  readonly y: (amount: number) => number;
}

/**
 * Shows years to the right, or months if the term is at most two years. `inset` leaves room for half of the last label.
 */
function axes(paper: Paper, top: number, months: number, highest: number, inset = 0): Plot {
  const bottom = top + CHART_HEIGHT - BELOW_PLOT;
  const height = bottom - top - ABOVE_PLOT;
  const step = stepFor(highest, 5);
  const steps = Math.ceil(highest / step);
  const ticks = Array.from({ length: steps + 1 }, (_, index) => centavos(index * step));
  const { sheet } = paper;
  const left = sheet.left + Math.max(...ticks.map((tick) => paper.widthOf(wholeReais(tick), LABEL))) + 6;
  const width = sheet.right - inset - left;
  const scale = steps * step;
  const x = (month: number) => left + (width * month) / months;
  const y = (amount: number) => bottom - (height * amount) / scale;

  ticks.forEach((tick, index) => {
    if (index > 0) paper.rule(y(tick), COLOURS.faintRule, 0.5, left);
    paper.text(wholeReais(tick), LABEL, { x: left - 6, y: y(tick) + 3, align: 'right' });
  });

  const unit = months <= 24 ? 1 : 12;
  const count = Math.floor(months / unit);
  const stride = [1, 2].find((candidate) => count / candidate <= 10) ?? (unit === 1 ? 3 : 5);
  for (let tick = 0; tick <= count; tick += stride) {
    paper.text(String(tick), LABEL, { x: x(tick * unit), y: bottom + 11, align: 'middle' });
  }
  const name = unit === 1 ? 'Meses de contrato' : 'Anos de contrato';
  paper.text(name, LABEL, { x: left + width / 2, y: bottom + 22, align: 'middle' });
  return { left, width, bottom, height, x, y };
}

function legend(
  paper: Paper,
  top: number,
  entries: readonly { readonly name: string; readonly colour: string }[],
): void {
  let x: number = paper.sheet.left;
  for (const { name, colour } of entries) {
    paper.fill(colour, x, top + 20.5, 7, 7);
    paper.text(name, LEGEND, { x: x + 11, y: top + 27.5 });
    x += 11 + paper.widthOf(name, LEGEND) + 16;
  }
}

/** Returns the outline of a staircase: each amount holds for one month. It begins and ends on the base line. */
function steps(plot: Plot, amounts: readonly number[]): [number, number][] {
  const points: [number, number][] = [[plot.left, plot.bottom]];
  let level = plot.bottom;
  for (const [index, amount] of amounts.entries()) {
    const y = plot.y(amount);
    if (level !== y) points.push([plot.x(index), level], [plot.x(index), y]);
    level = y;
  }
  const right = plot.left + plot.width;
  points.push([right, level], [right, plot.bottom]);
  return points;
}

export function instalmentChart(paper: Paper, top: number, schedule: readonly Instalment[]): void {
  const { first, last } = endsOf(schedule);
  sectionHeading(paper, 'Como se compõe cada parcela', PAGE.left, top);
  const composed = partsOf(schedule);
  const alt =
    `Gráfico de áreas: ${composed.map(({ name }) => name.toLowerCase()).join(', ')}, em cada parcela. ` +
    `A primeira parcela é de ${reais(first.total)}, com ${reais(first.interest)} de juros; ` +
    `a última é de ${reais(last.total)}, com ${reais(last.interest)} de juros.`;
  const draw = () => {
    legend(paper, top, composed);
    const plot = axes(paper, top, schedule.length, Math.max(...schedule.map(({ total }) => total)));
    // Each area lies on top of the area before, so that no gap shows between them.
    for (const [index, { colour }] of Array.from(composed.entries()).reverse()) {
      const parts = composed.slice(0, index + 1);
      const sums = schedule.map((row) => parts.reduce((sum, part) => sum + part.of(row), 0));
      paper.path(steps(plot, sums), colour, true);
    }
    paper.rule(plot.bottom, COLOURS.quiet, 0.75, plot.left);
  };
  paper.tagged(paper.root, 'Figure', draw, { alt, bbox: [PAGE.left, top + 16, PAGE.right, top + CHART_HEIGHT] });
}

export function balanceChart(paper: Paper, top: number, offer: Offer, schedule: readonly Instalment[]): void {
  sectionHeading(paper, 'Saldo devedor ao longo do prazo', PAGE.left, top);
  const halfway = schedule.find(({ balance }) => balance * 2 <= offer.principal) ?? endsOf(schedule).last;
  const alt =
    `Gráfico de linha: o saldo devedor vai de ${reais(offer.principal)} a zero em ${term(offer.term)}. ` +
    `Cai à metade na parcela ${halfway.number}.`;
  const draw = () => {
    legend(paper, top, [{ name: 'Saldo depois de cada parcela', colour: COLOURS.accent }]);
    const plot = axes(paper, top, offer.term, offer.principal);
    const balances = [offer.principal].concat(schedule.map(({ balance }) => balance));
    const line = balances.map((amount, months): [number, number] => [plot.x(months), plot.y(amount)]);
    paper.path(line.concat([[plot.left, plot.bottom]]), COLOURS.accentLight, true);
    paper.rule(plot.bottom, COLOURS.quiet, 0.75, plot.left);
    paper.path(line, COLOURS.accent, false, 1.5);
  };
  paper.tagged(paper.root, 'Figure', draw, { alt, bbox: [PAGE.left, top + 16, PAGE.right, top + CHART_HEIGHT] });
}

function systemLine(name: 'SAC' | 'PRICE', colour: string, rows: Schedule) {
  const { first, last } = endsOf(rows);
  return {
    name,
    colour,
    rows,
    words: `${name}: de ${reais(first.total)} a ${reais(last.total)}`,
    /** Four fifths of the term is after the point at which the two lines cross. */
    labelled: rows[Math.floor(rows.length * 0.8)] ?? last,
  };
}

export function systemsChart(
  paper: Paper,
  top: number,
  bank: string,
  [sac, price]: readonly [Schedule, Schedule],
): void {
  const { left, right } = paper.sheet;
  sectionHeading(paper, `SAC e PRICE: parcelas sem correção, ${bank}`, left, top);
  const lines = [systemLine('SAC', COLOURS.accent, sac), systemLine('PRICE', COLOURS.accentMiddle, price)];
  const priceTotals = new Map(price.map(({ number, total }) => [number, total]));
  const lower = sac.find(({ total, number }) => total < (priceTotals.get(number) ?? 0));
  const crossing = lower ? ` A parcela do SAC fica abaixo da parcela do PRICE desde a ${lower.number}ª.` : '';
  const draw = () => {
    legend(
      paper,
      top,
      lines.map(({ words, colour }) => ({ name: words, colour })),
    );
    const plot = axes(paper, top, sac.length, Math.max(...sac.concat(price).map(({ total }) => total)), 8);
    for (const { name, colour, rows, labelled } of lines) {
      paper.path(
        rows.map(({ total, number }): [number, number] => [plot.x(number), plot.y(total)]),
        colour,
        false,
        1.5,
      );
      // The name is written next to its line, so that nobody has to tell the colours apart.
      const [x, y] = [plot.x(labelled.number), plot.y(labelled.total) - 4];
      paper.fill(COLOURS.white, x - 2, y - 8, paper.widthOf(name, LEGEND) + 4, 10);
      paper.text(name, LEGEND, { x, y });
    }
    paper.rule(plot.bottom, COLOURS.quiet, 0.75, plot.left);
  };
  const alt = `Gráfico de linhas: ${lines.map(({ words }) => words).join('; ')}.${crossing}`;
  paper.tagged(paper.root, 'Figure', draw, { alt, bbox: [left, top + 16, right, top + CHART_HEIGHT] });
}
