import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The guide's pages, in reading order: files of pages/ and the last part of their address. The first is at /docs itself. */
export const PAGES = [
  'inicio',
  'fluxo',
  'consentimento',
  'sandbox',
  'acompanhamento',
  'webhooks',
  'erros',
  'idempotencia',
  'limites',
  'producao',
  'versoes',
] as const;
export type PageName = (typeof PAGES)[number];

/** Address of the reference below /docs. */
export const REFERENCE = 'referencia';

/** A file that partners download from /docs/<name>. */
export interface Download {
  readonly name: string;
  /** What it is for, in Portuguese: shown in the list of downloads. */
  readonly about: string;
  readonly content: () => string | Uint8Array;
}

/** The text of a file, by its path from the top of the project. */
const file = (path: string) => (): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

/** What the documentation gives to download beside the samples: one row a file. */
export const DOWNLOADS: readonly Download[] = [
  {
    name: 'vetor.json',
    about: 'O vetor de teste das assinaturas: segredo, cabeçalhos e corpo.',
    content: file('shared/docs/samples/vetor.json'),
  },
];

/** Every sample that pages show, by its name in samples/. */
export const SAMPLES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(join(import.meta.dirname, 'samples'))
    .filter((name) => extname(name) !== '.json')
    .map((name) => [name, file(`shared/docs/samples/${name}`)()]),
);

/** The source of a page. */
export function pageSource(name: PageName): string {
  return file(`shared/docs/pages/${name}.md`)();
}
