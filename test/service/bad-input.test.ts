import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { analysisInput } from '../../shared/contract/analysis-request.ts';
import { leadInput, leadPatchInput } from '../../shared/contract/lead.ts';
import { simulationInput } from '../../shared/contract/simulation-request.ts';
import { tableClient } from '../../shared/table/client.ts';
import { api, type Operation } from '../makers/api.ts';
import { analysisBody, leadBody } from '../makers/people.ts';
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
  {
    operation: 'createSimulation',
    fields: Object.keys(simulationInput.shape),
    body: () => ({ lead_id: lead, valor_imovel: 500000, bancos: ['itau'] }),
  },
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

/** Values that no field takes: each is wrong by type, by size or by shape whatever the field means. */
const NEVER_VALID: readonly unknown[] = [
  { aninhado: { fundo: [1, { __proto__: null }] } },
  [[['fundo']]],
  '\u0000',
  `a${'\u0007'}b`,
  '\ud800',
  'x'.repeat(2001),
  -1,
  1.005,
  1e300,
];

/** Texts that read like numbers, for the fields that are numbers. */
const LIKE_NUMBERS: readonly unknown[] = ['NaN', 'Infinity', '-Infinity', '1000', '1e3', '', true];
const NUMBERS = ['renda', 'valor_imovel', 'valor_financiado', 'prazo', 'lead_id', 'conjuge_renda'];

/** Fields that are objects: another object lacks what theirs must have. */
const OBJECTS = ['segundo_proponente', 'fgts'];
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Rows beside the notes of refused calls, which hold nothing of a body. */
async function rowCount(): Promise<number> {
  const { Items } = await tableClient().send(
    new ScanCommand({ TableName: process.env['TABLE_NAME']!, ProjectionExpression: 'pk' }),
  );
  return Items!.filter(({ pk }) => !String(pk).startsWith('REFUSED#')).length;
}

const send = ({ operation }: Subject, body: unknown, idempotencyKey = 'bad') =>
  api(operation, { key: scene.partner.keys.sandbox, id: lead, body, headers: { 'idempotency-key': idempotencyKey } });

describe.each(SUBJECTS)('$operation', (subject) => {
  it.each(subject.fields)('answers 4xx and stores nothing for what %s never takes', async (field) => {
    const before = await rowCount();
    for (const value of [...NEVER_VALID, ...(NUMBERS.includes(field) ? LIKE_NUMBERS : [])]) {
      const { status, body } = await send(subject, { ...subject.body(), [field]: value });
      const [wanted, codigo] =
        field === 'consentimento'
          ? [422, 'consentimento_ausente']
          : field === 'bancos' && body.codigo === 'banco_invalido'
            ? [422, 'banco_invalido']
            : OBJECTS.includes(field) && isObject(value)
              ? [400, 'campo_obrigatorio']
              : [400, 'campo_invalido'];
      expect({ value, status, codigo: body.codigo }).toEqual({ value, status: wanted, codigo });
      expect(body.campos.map(({ campo }: { campo: string }) => campo.split('.')[0])).toContain(field);
      expect(JSON.stringify(body)).not.toContain('fundo');
      // A sentence of ours, not the library's.
      for (const { motivo } of body.campos) expect(motivo).not.toMatch(/invalid|expected/i);
    }
    expect(await rowCount()).toBe(before);
  });
});

describe('bodies that are no object', () => {
  it.each([
    ['text', '"x"'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a number', '1'],
    ['cut off', '{"nome":'],
    ['two values', '{}{}'],
    ['a comment', '{/**/}'],
    ['a byte order mark inside', '{"a":\ufeff1}'],
    ['not a number', '{"renda":NaN}'],
    ['a repeated name', '{"nome":"a","nome":"b"}'],
    ['a name repeated by escape', '{"nome":"a","nom\\u0065":"b"}'],
    ['a repeated name far down', '{"x":[{"y":{"z":1,"z":2}}]}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['an overlong encoding', Buffer.from([0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
  ])('%s is json_invalido', async (_, body) => {
    for (const subject of SUBJECTS) {
      const answer = await send(subject, body);
      expect([subject.operation, answer.status, answer.body.codigo]).toEqual([subject.operation, 400, 'json_invalido']);
    }
  });

  it('names the repeated field by its path', async () => {
    const { body } = await send(SUBJECTS[0]!, '{"a":[{},{"b":1,"b":2}]}');
    expect(body.campos[0].campo).toBe('a.1.b');
  });

  it('takes exactly 64 KiB and refuses one byte more', async () => {
    const body = (bytes: number) => {
      const head = JSON.stringify(leadBody({ cpf: '900.000.004-18' })).slice(0, -1);
      return `${head}${' '.repeat(bytes - Buffer.byteLength(head) - 1)}}`;
    };
    expect((await send(SUBJECTS[0]!, body(65_537))).body.codigo).toBe('corpo_muito_grande');
    expect((await send(SUBJECTS[0]!, body(65_536), 'largest')).status).toBe(201);
  });

  it.each([true, 'nenhum'])('answers a list of 5,000 times %j with one fault, not thousands', async (entry) => {
    const body = JSON.stringify({ ...SUBJECTS[2]!.body(), bancos: Array(5000).fill(entry) });
    const answer = await send(SUBJECTS[2]!, body);
    expect([answer.status, answer.body.campos.length]).toEqual([400, 1]);
  });

  it('stands a body that is nothing but depth', async () => {
    const answer = await send(SUBJECTS[0]!, `{"nome":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
    expect(answer.status).toBe(400);
  });

  it('is not led astray by __proto__', async () => {
    const text = JSON.stringify({ nome: 'Ana', cpf: '900.000.006-80' }).replace(
      '{',
      '{"__proto__":{"renda":1,"admin":true},',
    );
    const made = await api('createLead', { key: scene.partner.keys.sandbox, body: text });
    expect(made.status).toBe(201);
    expect(
      (await api('getLead', { key: scene.partner.keys.sandbox, id: made.body.lead_id })).body.lead.renda,
    ).toBeNull();
  });
});

describe('anything at all', () => {
  const junk = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.constantFrom(
      null,
      true,
      '',
      ' ',
      '2026-02-30',
      '0001-01-01',
      '9999-12-31',
      Number('9007199254740993'),
      0.1 + 0.2,
    ),
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
        { numRuns: process.env['SOAK'] ? 3000 : 200 },
      );
    },
  );
});
