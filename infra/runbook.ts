import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMINISTRATION, ADMINISTRATION_FUNCTIONS, API_OPERATIONS, FALLBACK, FUNCTIONS } from './functions.ts';
import { logGroupNameOf, type Stage } from './stages.ts';

interface RunbookQuery {
  /** Name in the form `<section>/<name>`. */
  readonly name: string;
  /**
   * Names of operations, `access` or `administration-access`. `api`: all functions behind the gateway; `all`: all
   * functions except the administration's; `administration`: its functions. A query reads at most 50 log groups.
   */
  readonly sources: readonly string[];
  readonly text: string;
}

export const PARTS = ['Trigger', 'First look', 'Cure', 'Over when'] as const;

export interface RunbookSection {
  readonly name: string;
  readonly parts: Readonly<Partial<Record<(typeof PARTS)[number], string>>>;
  readonly queries: readonly RunbookQuery[];
}

const FILE = join(import.meta.dirname, 'RUNBOOK.md');

export const runbookText = (): string => readFileSync(FILE, 'utf8');

let sections: ReadonlyMap<string, RunbookSection> | undefined;

export function isRunbookSection(name: string): boolean {
  sections ??= readRunbook(runbookText());
  return sections.has(name);
}

/** A section is a second-level heading with third-level parts and fenced `insights` queries. */
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

/** Throws an Error if nothing writes logs of a source. */
export const logGroupsOf = (stage: Stage, sources: RunbookQuery['sources']): string[] =>
  sources.flatMap(operationsOf).map((source) => logGroupNameOf(stage, source));

/** Throws an Error if nothing writes logs of the source. */
export function operationsOf(source: string): readonly string[] {
  const all = FUNCTIONS.map(({ operation }) => operation);
  if (source === 'all') return all;
  const administration = ADMINISTRATION_FUNCTIONS.map(({ operation }) => operation);
  if (source === ADMINISTRATION) return administration;
  if (source === 'api') return API_OPERATIONS.concat(FALLBACK);
  const gateways = ['access', 'administration-access', 'firewall'];
  if ([gateways, all, administration].flat().includes(source)) return [source];
  throw new Error(`infra/RUNBOOK.md asks for logs of ${source}, but nothing writes such logs`);
}
