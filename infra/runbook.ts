import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMINISTRATION, ADMINISTRATION_FUNCTIONS, API_OPERATIONS, FALLBACK, FUNCTIONS } from './functions.ts';
import { logGroupNameOf, type Stage } from './stages.ts';

/** A query of CloudWatch Logs Insights that a section of the runbook gives. */
interface RunbookQuery {
  /** `<section>/<name>`. */
  readonly name: string;
  /** Where it looks: names of operations, `access` or `administration-access`; `api` stands for all functions behind the gateway, `all` for all but those of the `administration`: a query reads 50 log groups at most. */
  readonly sources: readonly string[];
  readonly text: string;
}

/** What each section has under headings of its own. */
export const PARTS = ['Trigger', 'Impact', 'First look', 'Cure', 'Over when'] as const;

export interface RunbookSection {
  /** Its heading, and the anchor that links lead to. */
  readonly name: string;
  /** Text by part; a part that is missing has none. */
  readonly parts: Readonly<Partial<Record<(typeof PARTS)[number], string>>>;
  readonly queries: readonly RunbookQuery[];
}

const FILE = join(import.meta.dirname, 'RUNBOOK.md');

/** The text of infra/RUNBOOK.md. */
export const runbookText = (): string => readFileSync(FILE, 'utf8');

/** The sections of a runbook, by name: second-level headings with third-level parts and fenced `insights` queries. */
export function readRunbook(text: string): ReadonlyMap<string, RunbookSection> {
  const sections = text
    .split(/^## /m)
    .slice(1)
    .map((body) => readSection(body));
  return new Map(sections.map((section) => [section.name, section]));
}

function readSection(body: string): RunbookSection {
  const name = body.slice(0, body.indexOf('\n')).trim();
  const parts = body
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end).trim(), part.slice(end + 1).trim()] as const;
    });
  const found = body.matchAll(/^```insights (\S+) (\S+)\n([\s\S]*?)^```$/gm);
  const queries = Array.from(found, ([, query, sources = '', text = '']) => ({
    name: `${name}/${query}`,
    sources: sources.split(','),
    text: text.trim(),
  }));
  return { name, parts: Object.fromEntries(parts), queries };
}

/** Names of a stage's log groups that a query's sources stand for. Throws an Error where nothing writes one. */
export const logGroupsOf = (stage: Stage, sources: RunbookQuery['sources']): string[] =>
  sources.flatMap(operationsOf).map((source) => logGroupNameOf(stage, source));

/** The log sources that a query of the runbook names. Throws an Error where there is none of that name. */
export function operationsOf(source: string): readonly string[] {
  const all = FUNCTIONS.map(({ operation }) => operation);
  if (source === 'all') return all;
  const administration = ADMINISTRATION_FUNCTIONS.map(({ operation }) => operation);
  if (source === ADMINISTRATION) return administration;
  if (source === 'api') return API_OPERATIONS.concat(FALLBACK);
  const gateways = ['access', 'administration-access', 'firewall'];
  if ([gateways, all, administration].flat().includes(source)) return [source];
  throw new Error(`infra/RUNBOOK.md asks for logs of ${source}, which nothing writes`);
}
