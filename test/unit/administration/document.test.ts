import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { administrationDocument } from '#shared/administration/document/openapi.ts';
import { ADMINISTRATION_CODES, ADMINISTRATION_FAILURES } from '#shared/administration/failures.ts';
import { ADMINISTRATION_OPERATIONS } from '#shared/administration/operations.ts';

const TEXT = JSON.stringify(administrationDocument(), null, 2);

interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Schema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}
const DOCUMENT = JSON.parse(TEXT) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, { readonly description: string }>> };
};
const operationAt = (method: string, path: string) => DOCUMENT.paths[path]![method.toLowerCase()]!;

it('the document of the administration passes every recommended rule of a public linter', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: TEXT, config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

it.each(ADMINISTRATION_OPERATIONS)(
  'the document says of $operation who may call it, and which fields its body has',
  (route) => {
    const { description, requestBody, parameters = [] } = operationAt(route.method, route.path);
    for (const duty of route.duties) expect(description).toContain(duty);
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
    expect(inPath).toEqual(route.path.match(/\{\w+\}/g) ?? []);
    const schema = requestBody?.content['application/json'].schema;
    expect(schema === undefined).toBe(route.method === 'GET');
    expect(schema?.properties['reason'] !== undefined).toBe(route.audited);
    expect(schema?.properties['confirm'] !== undefined).toBe(route.confirm !== undefined);
    expect(schema?.properties['dry_run'] !== undefined).toBe(route.dryRun === true);
    if (schema) expect(schema.additionalProperties).toBe(false);
  },
);

it.each(ADMINISTRATION_CODES)('the document names the failure %s under its status', (code) => {
  const { status } = ADMINISTRATION_FAILURES[code];
  expect(DOCUMENT.components.responses[`Failure${status}`]!.description).toContain(`\`${code}\``);
});
