import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { analysisInput } from '#shared/contract/analysis-request.ts';
import { leadInput, leadPatchInput } from '#shared/contract/lead.ts';
import { simulationInput } from '#shared/contract/simulation-request.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { api, type Operation } from '../makers/api.ts';
import { analysisBody, leadBody, simulationBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';

const scene = useScene();
let lead: number;
beforeAll(async () => {
  lead = (await api('createLead', { key: scene.partner.keys.sandbox, body: leadBody() })).body.lead_id;
});

interface Subject {
  readonly operation: Operation;
  readonly fields: readonly string[];
  readonly body: () => Record<string, unknown>;
}

const SUBJECTS: readonly Subject[] = [
  { operation: 'createLead', fields: Object.keys(leadInput.shape), body: () => leadBody({ cpf: '900.000.003-37' }) },
  { operation: 'updateLead', fields: Object.keys(leadPatchInput.shape), body: () => ({}) },
  { operation: 'createSimulation', fields: Object.keys(simulationInput.shape), body: () => simulationBody(lead) },
  {
    operation: 'submitAnalyses',
    fields: Object.keys(analysisInput.shape),
    body: () =>
      analysisBody(lead, {
        estado_civil: 'casado',
        conjuge_nome: 'Paulo Alves',
        conjuge_cpf: '900.000.002-56',
        conjuge_data_nascimento: '1987-01-01',
      }),
  },
];

/** Returns the number of rows, without the notes of refused calls, which contain nothing of a body. */
async function rowCount(): Promise<number> {
  const { Items } = await tableClient().send(
    new ScanCommand({ TableName: process.env['TABLE_NAME']!, ProjectionExpression: 'pk' }),
  );
  return Items!.filter(({ pk }) => !String(pk).startsWith('REFUSED#')).length;
}

const send = ({ operation }: Subject, body: unknown) =>
  api(operation, { key: scene.partner.keys.sandbox, id: lead, body, once: 'bad' });

it.each(SUBJECTS)('$operation stores nothing of a body that it refuses, for any wrong field', async (subject) => {
  const before = await rowCount();
  for (const field of subject.fields) {
    const { status, body, text } = await send(subject, { ...subject.body(), [field]: [['fundo']] });
    expect(status, field).toBeOneOf([400, 422]);
    expect(body.campos.map(({ campo }: { campo: string }) => campo.split('.')[0])).toContain(field);
    expect(text).not.toContain('fundo');
  }
  expect(await rowCount()).toBe(before);
});

it('POST /v1/leads answers 400 to a body that is only deep nesting', async () => {
  const answer = await send(SUBJECTS[0]!, `{"nome":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
  expect(answer.status).toBe(400);
});

const junk = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.constantFrom(null, true, '', ' ', '2026-02-30', '0001-01-01', '9999-12-31', Number('9007199254740993'), 0.1 + 0.2),
);

it.each(SUBJECTS)(
  '$operation never answers 5xx, and says what is wrong in Portuguese with its request id',
  async (subject) => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...subject.fields), junk, { maxKeys: 6 }),
        fc.subarray([...subject.fields], { maxLength: 4 }),
        async (changes, dropped) => {
          const body = { ...subject.body(), ...changes };
          for (const field of dropped) delete body[field];
          const answer = await send(subject, body);
          expect(answer.status).toBeLessThan(500);
          if (answer.status >= 400) {
            expect(answer.body.request_id).toBe(answer.headers['x-request-id']);
            expect(answer.body.erro).toMatch(/[.]$/);
            for (const { campo, motivo } of answer.body.campos ?? []) {
              expect(campo).toMatch(/\S/);
              expect(motivo).toMatch(/\p{L}/u);
            }
          }
        },
      ),
      { numRuns: process.env['SOAK'] ? 3000 : 50 },
    );
  },
);
