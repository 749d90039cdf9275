import document from '../openapi/openapi.json' with { type: 'json' };
import { EXPLORER, REFERENCE } from './contents.ts';
import {
  EVENTS,
  type JsonContent,
  OPERATIONS,
  type OpenApiOperation,
  resolved,
  type Schema,
} from './openapi-operation.ts';

// The reference as Markdown, made of the OpenAPI document: a page an operation or event, and one that lists them.

const TYPES: Readonly<Record<string, string>> = {
  string: 'texto',
  integer: 'inteiro',
  number: 'número',
  boolean: 'booleano',
  object: 'objeto',
  null: 'null',
  date: 'data',
  'date-time': 'momento',
};

function opened(schema: Schema): Schema {
  const schemas = document.components.schemas as unknown as Readonly<Record<string, Schema>>;
  return schema.$ref ? { ...schemas[schema.$ref.split('/').at(-1)!], ...schema } : schema;
}

/** A field's type in Portuguese: its values where they are listed, else its kind. */
function typeOf(given: Schema): string {
  const { type = 'object', format = '', items, maxLength, ...schema } = opened(given);
  const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined);
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (items) return `lista de ${typeOf(items)}`;
  const names = [type].flat().map((name) => TYPES[format] ?? TYPES[name]!);
  return `${[...new Set(names)].join(' ou ')}${maxLength ? ` de até ${maxLength}` : ''}`;
}

type Mark = (required: boolean) => string;

/** A schema's fields as a list, those of an object or of a list's items below it; of variants, each field once. */
function fieldList(given: Schema, mark: Mark, indent = ''): readonly string[] {
  const { oneOf = [given], items } = opened(given);
  if (items) return fieldList(items, mark, indent);
  const variants = oneOf.map(opened);
  const all = [...variants, variants[0]!].map(({ properties }) => properties);
  return Object.entries(Object.assign({}, ...all) as Record<string, Schema>).flatMap(([name, schema]) => {
    const required = variants.every((variant) => variant.required?.includes(name));
    const { description = '' } = opened(schema);
    return [
      `${indent}- \`${name}\` ${typeOf(schema)}${mark(required)}. ${description}`,
      ...fieldList(schema, mark, `${indent}  `),
    ];
  });
}
const demanded = (required: boolean) => (required ? ', **obrigatório**' : '');
const answered = (required: boolean) => (required ? '' : ', pode faltar');

const exampleOf = ({ examples }: JsonContent = {}): unknown => Object.values(examples ?? {})[0]?.value;
/** Characters of examples of one answer above which its page shows the first alone. */
const MOST_EXAMPLES = 1500;

/** The examples of an answer, each below what it shows. */
function examplesOf({ examples = {} }: JsonContent): string {
  const all = Object.values(examples).map(({ summary, value }) => `${summary}:\n\n${json(value)}`);
  return (all.join('').length > MOST_EXAMPLES ? all.slice(0, 1) : all).join('\n\n');
}

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
const json = (value: unknown) => fenced('json', JSON.stringify(value, null, 2));

function parameters({ parameters = [] }: OpenApiOperation): string {
  if (parameters.length === 0) return '';
  const places = { header: 'cabeçalho', path: 'caminho', query: 'consulta' };
  const list = parameters.map(
    ({ name, in: place, schema, required = false, description }) =>
      `- \`${name}\` ${places[place]}, ${typeOf(schema)}${demanded(required)}. ${description}`,
  );
  return `## Parâmetros\n\n${list.join('\n')}`;
}

/** The operation's call with the variables of the guide's samples, and its first example as the body. */
function sample({ method, path, parameters = [], security, requestBody }: (typeof OPERATIONS)[number]): string {
  const named = (name: string) => String(parameters.find((one) => one.name === name)?.example);
  const body = exampleOf(requestBody?.content['application/json']);
  const key = parameters.some(({ name, required }) => name === 'Idempotency-Key' && required);
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => named(name));
  const lines = [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}"$BASE_URL${address}"`,
    ...(security.length > 0 ? ['-H "X-API-Key: $CHAVE"'] : []),
    ...(key ? [`-H "Idempotency-Key: ${named('Idempotency-Key')}"`] : []),
    ...(body ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body, null, 2)}'`] : []),
  ];
  const variables = 'Com `BASE_URL` e `CHAVE` como em [Primeira chamada](inicio.md).';
  return `## Exemplo\n\n${variables}\n\n${fenced('bash', lines.join(' \\\n  '))}`;
}

/** The answers that are not errors, those of one schema together. */
function answers({ responses }: OpenApiOperation): string {
  const good = Object.entries(responses)
    .filter(([status]) => status < '400')
    .map(([status, response]) => ({ status, ...resolved(response) }));
  const bySchema = Map.groupBy(good, ({ content }) => JSON.stringify(content?.['application/json']?.schema ?? content));
  return [...bySchema.values()]
    .map((same) => {
      const { schema, ...content } = same.at(-1)!.content?.['application/json'] ?? {};
      const told = same.map(({ status, description }) => (same.length > 1 ? `${status}: ${description}` : description));
      const fields = schema ? fieldList(schema, answered).join('\n') : '';
      const title = `## Resposta ${same.map(({ status }) => status).join(' ou ')}`;
      return [title, ...told, examplesOf(content), fields].join('\n\n');
    })
    .join('\n\n');
}

/** The `codigo` values of each error's status, which lead to their rows. */
function errors({ responses }: OpenApiOperation): string {
  const rows = Object.entries(responses).flatMap(([status, response]) => {
    const told = JSON.stringify(resolved(response));
    const codes = new Set([...told.matchAll(/"codigo":"(\w+)"/g)].map(([, code]) => `[\`${code}\`](erros.md#${code})`));
    return status > '399' && status !== 'default' ? [`- ${status} ${[...codes].join(', ')}`] : [];
  });
  return rows.length > 0 ? `## Códigos de erro\n\n${rows.join('\n')}` : '';
}

function operationPage(operation: OpenApiOperation, call: string, example: string): string {
  const { summary, description, requestBody } = operation;
  const schema = requestBody?.content['application/json'].schema;
  return [
    `# ${summary}`,
    call,
    description,
    example,
    parameters(operation),
    schema ? `## Corpo\n\n${fieldList(schema, demanded).join('\n')}` : '',
    answers(operation),
    errors(operation),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const listed = (name: string, title: string, told: string) => `- [${title}](${name}.md): ${told}`;

/** The page that lists the reference's others, by tag. */
function contentsPage(): string {
  const tags = document.tags.map((tag) => {
    const own = OPERATIONS.filter(({ tags }) => tags.includes(tag.name));
    const events = EVENTS.filter(({ tags }) => tags.includes(tag.name));
    return [
      `## ${tag['x-displayName'] ?? tag.name}\n\n${tag.description}\n`,
      ...own.map(({ operationId, summary, method, path }) => listed(operationId, summary, `\`${method} ${path}\``)),
      ...events.map(({ operationId, summary }) => listed(operationId, summary, `o evento \`${operationId}\``)),
    ].join('\n');
  });
  const head = `Cada operação tem a sua página, com campos, exemplo, respostas e erros. O mesmo, para máquinas: [openapi.json](../openapi.json). Para ler com os modelos abertos lado a lado há a [referência interativa](${EXPLORER}), que pede JavaScript e baixa 1 MB.`;
  return ['# Referência da API', head, ...tags].join('\n\n');
}

/** The source of every page of the reference, by its name: plain Markdown. The first lists the others. */
export const REFERENCE_SOURCES: Readonly<Record<string, string>> = Object.fromEntries([
  [REFERENCE, contentsPage()],
  ...OPERATIONS.map((one) => [one.operationId, operationPage(one, `\`${one.method} ${one.path}\``, sample(one))]),
  ...EVENTS.map((one) => {
    const example = json(exampleOf(one.requestBody!.content['application/json']));
    return [one.operationId, operationPage(one, 'Enviado por `POST` ao seu endereço.', `## Exemplo\n\n${example}`)];
  }),
]);

/** The pages to list beside one of the reference: the one that lists all, and those of its tag. All of them would make each page long. */
export function pagesBeside(name: string): readonly string[] {
  const all: readonly OpenApiOperation[] = [...OPERATIONS, ...EVENTS];
  const own = all.find(({ operationId }) => operationId === name);
  return [REFERENCE, ...all.filter(({ tags }) => tags[0] === own?.tags[0]).map(({ operationId }) => operationId)];
}
