import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { ROUTES } from '#shared/contract/routes.ts';
import { parseSimulation } from '#shared/contract/simulation-request.ts';
import { environmentOf, FLOW, flowRequests, KEPT, VARIABLES } from '#shared/partner/collections/flow.ts';
import { postmanCollection, postmanEnvironment } from '#shared/partner/collections/postman.ts';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };

const require = createRequire(import.meta.url);
const SETTINGS = { baseUrl: 'https://api.example' };
const postman = postmanCollection(document, SETTINGS);
const DRAWN = ['$guid', '$isoTimestamp'];

/** Returns the names between double braces anywhere in a value. */
const namesIn = (value: unknown) =>
  new Set([...JSON.stringify(value).matchAll(/\{\{([$\w]+)\}\}/g)].map(([, name]) => name!));

it('the flow has every operation of the API, and uses no id before an answer has returned it', () => {
  // A person who tries a collection keeps the earlier leads: a reset is not part of the flow.
  const operations = ROUTES.filter(({ tag, operation }) => tag !== 'docs' && operation !== 'reset-sandbox').map(
    ({ operation }) => operation,
  );
  expect(new Set(FLOW.map(({ operation }) => operation))).toEqual(new Set(operations));
  const known = new Set<string>([...environmentOf(SETTINGS).map(({ name }) => name), ...DRAWN]);
  for (const { keeps = {}, key, ...request } of flowRequests(document)) {
    if (key === 'kept') for (const name of Object.keys(KEPT)) known.add(name);
    if (key === 'again') expect(known).toContain('idempotency_key');
    for (const name of namesIn(request)) expect(known, `${name} in ${request.name}`).toContain(name);
    for (const name of Object.keys(keeps)) known.add(name);
  }
  for (const name of VARIABLES) expect(known, name).toContain(name);
});

it("the flow sends the document's example bodies, with variables for the values that belong to one run", () => {
  const requestTo = (asked: string) => flowRequests(document).find(({ path }) => path === asked)!;
  const bodyOf = (asked: string) => requestTo(asked).body!;
  expect(requestTo('/v1/leads').description).toBe(document.paths['/v1/leads'].post.description);
  expect(bodyOf('/v1/simulacoes')).toContain('"lead_id": {{lead_id}},');
  const simulation = JSON.parse(bodyOf('/v1/simulacoes').replace('{{lead_id}}', '7'));
  expect(parseSimulation(simulation, 0)).toMatchObject({ leadId: 7 });
  expect(bodyOf('/v1/leads')).toContain('"cpf": "{{cpf}}"');
  expect(bodyOf('/v1/analises')).toContain('"consentimento_timestamp": "{{consentimento_timestamp}}"');
});

it('the Postman collection has format 2.1, and all its variables are defined', () => {
  expect(postman.info.schema).toBe('https://schema.getpostman.com/json/collection/v2.1.0/collection.json');
  const { Collection } = require('postman-collection');
  expect(new Collection(postman).toJSON().item).toHaveLength(FLOW.length);
  const variables = postman.variable.map(({ key }) => key);
  expect(variables).toEqual(expect.arrayContaining([...namesIn(postman)].filter((name) => !name.startsWith('$'))));
  const environment = postmanEnvironment(document, SETTINGS).values;
  expect(environment).toContainEqual({ key: 'base_url', value: SETTINGS.baseUrl, type: 'default', enabled: true });
  expect(environment).toContainEqual({ key: 'chave', value: '', type: 'secret', enabled: true });
});

it('the Postman collection draws a key for each request that takes a key, and keeps it for a repeated request', () => {
  const keys = postman.item.map(({ request }) => request.header.find(({ key }) => key === 'Idempotency-Key')?.value);
  const idempotency = FLOW.map(({ operation }) => ROUTES.find((route) => route.operation === operation)!.idempotency);
  expect(keys.map((value) => value === undefined)).toEqual(idempotency.map((kind) => kind === 'none'));
  expect(keys.filter((value) => value === '{{idempotency_key}}')).toHaveLength(2);
  expect(new Set(keys)).toEqual(new Set([undefined, '{{$guid}}', '{{idempotency_key}}']));
});
