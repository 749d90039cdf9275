import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PAPERS = readdirSync(join(ROOT, 'infra/security')).map((name) => read(join('infra/security', name)));
const terms = (text: string) => [...text.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, term]) => term!);

it('the security papers name only files that exist', () => {
  const named = PAPERS.flatMap((text) => [...text.matchAll(/`([\w./-]+\.(?:ts|md))`/g)].map(([, path]) => path!));
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('PRIVACY.md lists each personal field that a partner may send', () => {
  const { LeadNovo, AnaliseNova } = document.components.schemas;
  const sent = Object.keys({ ...LeadNovo.properties, ...AnaliseNova.properties });
  const parts = read('shared/contract/GLOSSARY.md').split(/^## /m);
  const people = terms(parts.find((part) => part.startsWith('People'))!).filter((term) => sent.includes(term));
  const listed = terms(read('infra/security/PRIVACY.md'));
  expect(people.length).toBeGreaterThan(20);
  expect(people.filter((term) => !listed.includes(term))).toEqual([]);
});

it('each row of THREATS.md names a test, or a risk that is accepted', () => {
  const rows = read('infra/security/THREATS.md').match(/^\| [STRIDE] \|.*$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter((row) => !/`test\/[\w./-]+\.ts`|\*accepted\*/i.test(row))).toEqual([]);
});
