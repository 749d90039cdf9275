import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENT_FILE, PYTHON_CLIENT_FILE, PYTHON_CLIENT_PATH, partnerClient } from '../client/clients.ts';
import { postmanCollection, postmanEnvironment } from '../collections/postman.ts';
import { programs } from '../collections/programs.ts';
import document from '../openapi/openapi.json' with { type: 'json' };
import { PLACEHOLDERS } from './facts.ts';

/**
 * The pages in reading order. A name is the file in pages/ and the last part of the address. The first page is at
 * /docs.
 */
export const PAGES = [
  'inicio',
  'fluxo',
  'linguagens',
  'simulacao',
  'calculo',
  'consentimento',
  'sandbox',
  'acompanhamento',
  'webhooks',
  'receptor',
  'local',
  'encaminhar',
  'entregas',
  'conta',
  'erros',
  'idempotencia',
  'limites',
  'rede',
  'producao',
  'perguntas',
  'versoes',
  'english',
] as const;
export type PageName = (typeof PAGES)[number];

export const ENGLISH: PageName = 'english';

export const isGuidePage = (name: string): name is PageName => PAGES.some((page) => page === name);

/** Address below /docs. The pages of the reference are named by their operation's id. */
export const REFERENCE = 'referencia';
/** Address of the interactive reference. Only this page loads its renderer. */
export const EXPLORER = 'explorar';

interface Download {
  readonly name: string;
  readonly about: string;
  readonly content: () => string | Uint8Array;
}

const file = (path: string) => (): string => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export const PROGRAMS = programs(document);

export const DOWNLOADS: readonly Download[] = [
  {
    name: 'vetor.json',
    about: 'O vetor de teste das assinaturas: segredo, cabeçalhos e corpo.',
    content: file('shared/partner/docs/samples/vetor.json'),
  },
  {
    name: CLIENT_FILE,
    about:
      'Cliente em TypeScript, em um arquivo e sem dependências: tipos de cada operação, repetição com a mesma Idempotency-Key, verificação de webhooks.',
    content: partnerClient,
  },
  {
    name: PYTHON_CLIENT_FILE,
    about:
      'Cliente em Python, em um arquivo e só com a biblioteca padrão (3.9 ou mais novo): o mesmo, com as listas como iteradores.',
    content: file(PYTHON_CLIENT_PATH),
  },
  {
    name: 'postman.json',
    about:
      'Coleção do Postman, que o Bruno também importa: o fluxo na ordem, uma Idempotency-Key por chamada. Importe-a junto com o ambiente.',
    content: () => json(postmanCollection(document, { baseUrl: PLACEHOLDERS.baseUrl })),
  },
  {
    name: 'postman-ambiente.json',
    about: 'Ambiente do Postman: o endereço, a chave do sandbox a preencher e o CPF de teste.',
    content: () => json(postmanEnvironment(document, { baseUrl: PLACEHOLDERS.baseUrl })),
  },
  ...PROGRAMS.map(({ label, file: name, text }) => ({
    name,
    about: `O fluxo em ${label}, em um programa: lead, simulação, PDF, análise e desfecho.`,
    content: () => text,
  })),
];

export const pageSource = (name: PageName): string => file(`shared/partner/docs/pages/${name}.md`)();

/** The samples that the guide offers for download, by name: those in samples/, and the files in tabs of a page. */
export const SAMPLES: Readonly<Record<string, string>> = Object.fromEntries(
  ['receptor.mjs', 'verificar.mjs']
    .map((name) => [name, file(`shared/partner/docs/samples/${name}`)()])
    .concat(
      Array.from(
        pageSource('webhooks')
          .concat(pageSource('receptor'))
          .matchAll(/^```\w+ aba:(\w+\.[a-z]+)\n(.*?)^```/gms),
        ([, name = '', text = '']) => [name, text],
      ),
    ),
);

/** Returns every Portuguese name of the API in English. */
export function glossary(): string {
  const text = file('shared/contract/GLOSSARY.md')();
  const blocks = text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const rows = Array.from(
        section.matchAll(/^\| (`.+`) \| (.+) \|$/gm),
        ([, name, meaning]) => `- ${name}: ${meaning}`,
      );
      return `### Words: ${section.split('\n', 1).join('')}\n\n${rows.join('\n')}`;
    });
  return blocks.join('\n\n');
}
