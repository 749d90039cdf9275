import type { Agent } from '../domain/partners/partner.ts';
import type { Opportunity } from '../domain/simulations/simulation.ts';
import { formatCpf } from '../domain/values/cpf.ts';
import { LABEL, type Pair, paragraph, wrapped } from './blocks.ts';
import { COLOURS, LEAST_SIZE, type Paper, type Style } from './paper.ts';
import { drawable } from './typeface.ts';

const VALUE: Style = { size: 9.5, colour: COLOURS.ink };

/** `bank`: the words after "não é proposta", which say whose proposal it is not. */
interface Masthead {
  readonly title: string;
  readonly subject: string;
  readonly underSubject: string;
  readonly tables: string;
  readonly bank: string;
  readonly agent: Agent | undefined;
}

export function masthead(paper: Paper, { title, subject, underSubject, tables, bank, agent }: Masthead): number {
  const { left, right } = paper.sheet;
  const y = paper.sheet.top + 16;
  const big = (colour: string): Style => ({ size: 18, weight: 'semibold', colour });
  paper.tagged(paper.root, 'H1', () => paper.text(title, big(COLOURS.ink), { x: left, y }));
  paragraph(paper, subject, big(COLOURS.accent), { x: right, y, align: 'right' });
  const maker = agent ? ` de ${drawable(agent.name)}` : '';
  const origin = `Simulação${maker}, com ${tables}; não é proposta ${bank}`;
  const room = right - left - paper.widthOf(underSubject, LABEL) - 16;
  const end = wrapped(paper, origin, LABEL, { x: left, y: y + 15, width: room, lead: 11 }) + 8;
  paragraph(paper, underSubject, LABEL, { x: right, y: y + 15, align: 'right' });
  paper.artifact(() => paper.rule(end, COLOURS.accent, 1.5));
  return end;
}

/** The name is in large type if it fits one line, else in the smallest size over as many lines as it needs. */
function named(paper: Paper, label: string, text: string, top: number): number {
  const { left, right } = paper.sheet;
  const style = (size: number): Style => ({ size, weight: 'semibold', colour: COLOURS.ink });
  const size = [12, 10, LEAST_SIZE].find((candidate) => paper.widthOf(text, style(candidate)) <= right - left);
  const chosen = style(size ?? LEAST_SIZE);
  const lead = chosen.size + 2.5;
  paragraph(paper, label, LABEL, { x: left, y: top });
  return wrapped(paper, text, chosen, { x: left, y: top + 14, width: right - left, lead });
}

const agentText = ({ name, creci, contact }: Agent): string =>
  [name, creci ? `CRECI ${creci}` : '', contact ?? '']
    .filter((part) => part !== '')
    .map(drawable)
    .join(' · ');

export function identity(
  paper: Paper,
  { customer }: Pick<Opportunity, 'customer'>,
  facts: readonly Pair[],
  agent: Agent | undefined,
  top: number,
): number {
  const below = named(paper, 'Cliente', drawable(customer.name), top + 15) + 15;
  const cpf: Pair = ['CPF', formatCpf(customer.cpf)];
  const entries = [cpf].concat(facts);
  const { left, right } = paper.sheet;
  const width = (right - left) / entries.length;
  entries.forEach(([label, value], index) => {
    const x = left + index * width;
    paragraph(paper, label, LABEL, { x, y: below });
    paragraph(paper, value, VALUE, { x, y: below + 12.5 });
  });
  if (agent === undefined) return below + 24;
  paragraph(paper, 'Atendimento', LABEL, { x: left, y: below + 28 });
  const place = { x: left, y: below + 40.5, width: right - left, lead: 12 };
  return wrapped(paper, agentText(agent), VALUE, place) + 11.5;
}
