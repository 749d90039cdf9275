import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ENGLISH, pageSource } from '#shared/partner/docs/contents.ts';
import { expand } from '#shared/partner/docs/markdown.ts';
import { SCHEMAS } from '#shared/partner/docs/openapi-operation.ts';
import { REFERENCE_SOURCES } from '#shared/partner/docs/reference-source.ts';

const ROOT = join(import.meta.dirname, '../../..');

it('the page of an event says what each answer of the receiver does', () => {
  const page = REFERENCE_SOURCES['analise.resultado'];
  expect(page).toContain('## Resposta 2XX\n');
  expect(page).toContain('- 410: O endereço não existe mais');
  expect(page).toContain('- 3XX: Conta como falha');
});

it('the page of the test event promises no further attempt', () => {
  const page = REFERENCE_SOURCES['webhook.teste'];
  expect(page).toContain('- outra: ');
  expect(page).not.toContain('É tentado de novo');
});

it('the page of an operation lists the codes of its failures', () => {
  const page = REFERENCE_SOURCES['withdraw-consent'];
  expect(page).toContain('## Códigos de erro');
  expect(page).toContain('[`idempotency_conflito`](erros.md#idempotency_conflito)');
});

it('each field that may be null says so, also a moment, a date and a field with listed values', () => {
  const page = REFERENCE_SOURCES['get-lead'];
  expect(page).toContain('- `telefone` texto ou null. ');
  expect(page).toContain('- `data_nascimento` data ou null. ');
  expect(page).toContain('`separado` ou null. ');
  const nullable = Object.values(SCHEMAS).flatMap(({ properties = {} }) =>
    Object.entries(properties).filter(([, { type }]) => Array.isArray(type) && type.includes('null')),
  );
  expect(nullable.length).toBeGreaterThan(5);
  const lines = Object.values(REFERENCE_SOURCES).join('\n').split('\n');
  const silent = nullable.filter(([name, { description = '' }]) =>
    lines.some((line) => line.includes(`- \`${name}\``) && line.endsWith(description) && !line.includes(' ou null')),
  );
  expect(silent.map(([name]) => name)).toEqual([]);
});

it('the page in English explains each name of the glossary', () => {
  const names = readFileSync(join(ROOT, 'shared/contract/GLOSSARY.md'), 'utf8').match(/^\| `.+?` \| .+ \|$/gm) ?? [];
  expect(names.length).toBeGreaterThan(200);
  const page = expand(pageSource(ENGLISH));
  for (const row of names) {
    const [, name, meaning] = /^\| (`.+`) \| (.+) \|$/.exec(row)!;
    expect(page).toContain(`- ${name}: ${meaning}\n`);
  }
});
