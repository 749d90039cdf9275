import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { generatorProfile } from '#shared/partner/openapi/generator-profile.ts';
import { openapiDocument } from '#shared/partner/openapi/openapi.ts';

type Json = Record<string, unknown>;
interface Document {
  openapi: string;
  info: { title: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, { operationId: string; tags: string[]; responses: Record<string, Json> }>>;
  components: {
    schemas: Record<string, { properties: Record<string, Json>; required: string[] }>;
    headers: Record<string, Json>;
    responses: Record<string, { headers: Record<string, Json> }>;
  };
}

const FULL = JSON.parse(JSON.stringify(openapiDocument())) as Document;
const TEXT = JSON.stringify(generatorProfile(FULL), null, 2);
const PROFILE = JSON.parse(TEXT) as Document;

/** Returns every object of a part of the document, without the objects of examples. */
function* objectsIn(node: unknown): Generator<Json> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield node as Json;
  for (const [key, part] of Object.entries(node)) if (!/^examples?$/.test(key)) yield* objectsIn(part);
}

it('the profile for generators is OpenAPI 3.0 by every recommended rule of a public linter', async () => {
  expect(PROFILE.openapi).toBe('3.0.3');
  const problems = await lintFromString({ source: TEXT, config: await createConfig({ extends: ['recommended'] }) });
  const found = problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
  // Receivers need the types of events, although no operation of 3.0 can name them. The licence has no page.
  expect(found.filter(([rule]) => !['no-unused-components', 'info-license-strict'].includes(rule!))).toEqual([]);
});

it('the profile for generators has every operation, and every type but the alternatives of a union', () => {
  const operationsOf = ({ paths }: Document) =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => [path, method, operationId]),
    );
  expect(operationsOf(PROFILE)).toEqual(operationsOf(FULL));
  const names = Object.keys(FULL.components.schemas).filter((name) => !/^Oferta./.test(name));
  expect(Object.keys(PROFILE.components.schemas)).toEqual(names);
  expect(PROFILE).not.toHaveProperty('webhooks');
});

it('the profile for generators has none of the keywords and names that generators misread', () => {
  const stumbling = ['anyOf', 'oneOf', 'allOf', 'const', 'if', 'then', 'contentMediaType', 'discriminator'];
  for (const node of objectsIn([PROFILE.paths, PROFILE.components])) {
    expect(stumbling.filter((keyword) => keyword in node && typeof node[keyword] !== 'string')).toEqual([]);
    expect(Array.isArray(node['type'])).toBe(false);
    if (/^date/.test(String(node['format']))) expect(node).not.toHaveProperty('pattern');
    if (Array.isArray(node['enum'])) expect(node['enum']).not.toContain(null);
    if ('$ref' in node) expect(Object.keys(node)).toEqual(['$ref']);
  }
  for (const name of [PROFILE.info.title, ...PROFILE.tags.map((tag) => tag.name)]) expect(name).toMatch(/^[ -~]+$/);
  for (const { url } of PROFILE.servers) expect(() => new URL(url)).not.toThrow();
});

it('no pattern of the profile has an escape above \\x7f, which Ruby does not parse', () => {
  const patterns = Array.from(objectsIn([PROFILE.paths, PROFILE.components]), ({ pattern }) => pattern);
  const texts = patterns.filter((pattern) => typeof pattern === 'string');
  expect(texts).toContain('^evt_[a-z2-7]{32}$');
  expect(texts.filter((pattern) => /\\x[89a-f]/i.test(pattern))).toEqual([]);
});

it('each header of the profile is optional, and the same wherever its name occurs', () => {
  for (const [name, header] of Object.entries(PROFILE.components.headers))
    expect(header, name).not.toHaveProperty('required');
  const operations = Object.values(PROFILE.paths).flatMap((item) => Object.values(item));
  const answers = operations.flatMap(({ responses }) => Object.values(responses));
  const named = answers
    .concat(Object.values(PROFILE.components.responses))
    .flatMap(({ headers }) => Object.entries(headers ?? {}));
  expect(named.map(([name]) => name)).toContain('Retry-After');
  for (const [name, header] of named) expect(header).toEqual({ $ref: `#/components/headers/${name}` });
});

it('the guide lists the generators whose clients the nightly tests run, with their versions', () => {
  const here = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
  const flows = here('flows/generated-clients.test.ts');
  const page = here('../shared/partner/docs/pages/linguagens.md');
  const tested = Array.from(flows.matchAll(/it\('a client of (.+) completes the flow'/g), ([, name = '']) =>
    name.replace(' for ', ' para ').replace(' and ', ' e '),
  );
  const rows = Array.from(
    page.matchAll(/^\| (\S.*) \| (\d+\.\d+\.\d+) \| 3\.[01] \|$/gm),
    ([, name = '', version = '']) => ({ name, version }),
  );
  expect(rows.map(({ name }) => name).toSorted()).toEqual(tested.toSorted());
  for (const { name, version } of rows) {
    const [, tool = ''] = /(\S+)$/.exec(name.replace(/ para .*/, '')) ?? [];
    expect(flows + page).toMatch(new RegExp(`${tool}\\S*[@:=]v?${version.replaceAll('.', '\\.')}`));
  }
});
