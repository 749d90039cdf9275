import { expect, it } from 'vitest';
import { addFieldExamples } from '../../../shared/partner/openapi/field-examples.ts';

const text = () => ({ type: 'string', description: 'Um texto.' });
const object = (properties: object) => ({ type: 'object', description: 'Um objeto.', properties });

/** The schema `Corpo` of a document with these example bodies, once the fields have their examples. */
function shown(properties: object, ...bodies: readonly unknown[]): Record<string, { examples?: unknown[] }> {
  const examples = Object.fromEntries(bodies.map((value, index) => [`exemplo_${index}`, { value }]));
  const document = {
    paths: { '/': { schema: { $ref: '#/components/schemas/Corpo' }, examples } },
    components: { schemas: { Corpo: object(properties) } },
  };
  addFieldExamples(document);
  return document.components.schemas.Corpo.properties as ReturnType<typeof shown>;
}

it.each([
  [
    'the first value that a body has',
    { nome: text(), nota: text() },
    [
      { nome: 'Ana', nota: null },
      { nome: 'Bia', nota: 'sim' },
    ],
    { nome: ['Ana'], nota: ['sim'] },
  ],
  [
    'a list of plain values whole',
    { bancos: { type: 'array', description: 'Uma lista.' } },
    [{ bancos: ['itau', 2] }],
    { bancos: [['itau', 2]] },
  ],
  [
    'no value of another field beside a schema of its own',
    { valor: { $ref: '#/components/schemas/Corpo', description: 'Um objeto.' }, outro: object({ valor: text() }) },
    [{ outro: { valor: 'x' } }],
    { valor: undefined },
  ],
  [
    'no value beside a constant, without a description, or beside examples that are there',
    { ok: { const: true, description: 'Sempre true.' }, so: { enum: ['a'] }, tem: { ...text(), examples: ['b'] } },
    [{ ok: true, so: 'a', tem: 'c' }],
    { ok: undefined, so: undefined, tem: ['b'] },
  ],
])('shows %s', (_, properties, bodies, examples) => {
  const fields = shown(properties, ...bodies);
  for (const [name, values] of Object.entries(examples)) expect(fields[name]?.examples, name).toEqual(values);
});

it('goes into objects, into the objects of lists, and past null', () => {
  const lista = { type: 'array', description: 'Uma lista.', items: object({ b: text(), c: text() }) };
  const dentro = { anyOf: [object({ a: text() }), { type: 'null' }] };
  const fields = shown({ dentro, lista }, { dentro: null }, { dentro: { a: 'x' }, lista: [{ b: 'y' }, { c: 'z' }] });
  expect(fields).toMatchObject({
    dentro: { anyOf: [{ properties: { a: { examples: ['x'] } } }, {}] },
    lista: { items: { properties: { b: { examples: ['y'] }, c: { examples: ['z'] } } } },
  });
  expect(fields['lista']).not.toHaveProperty('examples');
});

it('takes the value of a field of the same name where no body of its own has one', () => {
  const fields = shown({ nome: text(), outro: object({ nome: text(), nada: text() }) }, { nome: 'Ana' });
  expect(fields['outro']).toMatchObject({ properties: { nome: { examples: ['Ana'] } } });
  expect(fields['outro']).not.toMatchObject({ properties: { nada: { examples: expect.anything() } } });
});
