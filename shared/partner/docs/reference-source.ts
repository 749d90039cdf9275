import { callSamples } from '../collections/programs.ts';
import document from '../openapi/openapi.json' with { type: 'json' };
import { refName } from '../openapi/ref-name.ts';
import { EXPLORER, REFERENCE } from './contents.ts';
import { tabbed } from './markdown.ts';
import {
  EVENTS,
  type JsonContent,
  OPERATIONS,
  type OpenApiOperation,
  resolved,
  SCHEMAS,
  type Schema,
} from './openapi-operation.ts';

const TYPES: Readonly<Record<string, string>> = {
  string: 'texto',
  integer: 'inteiro',
  number: 'número',
  boolean: 'booleano',
  object: 'objeto',
  date: 'data',
  'date-time': 'momento',
};

function dereferenced(schema: Schema): Schema {
  return schema.$ref ? { ...SCHEMAS[refName(schema.$ref)], ...schema } : schema;
}

const isNullable = ({ type, enum: values, oneOf }: Schema) =>
  [type].flat().includes('null') || values?.includes(null) || oneOf?.some((variant) => variant.type === 'null');

/** Returns a field's values if they are listed, else its kind, in Portuguese. */
function typeOf(given: Schema): string {
  const schema = dereferenced(given);
  return `${kindOf(schema)}${isNullable(schema) ? ' ou null' : ''}`;
}

function kindOf({ type = 'object', format = '', items, maxLength, ...schema }: Schema): string {
  const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined);
  if (values) return values.flatMap((value) => (value === null ? [] : [`\`${value}\``])).join(', ');
  if (items) return `lista de ${typeOf(items)}`;
  const kinds = [type].flat().filter((name) => name !== 'null');
  const names = kinds.map((name) => TYPES[format] ?? TYPES[name] ?? name);
  return `${names.join(' ou ')}${maxLength ? ` de até ${maxLength}` : ''}`;
}

type Mark = (required: boolean) => string;

/** Lists the fields inside an object or a list's items below it. If there are variants, each field comes once. */
function fieldList(given: Schema, mark: Mark, indent = ''): readonly string[] {
  const { oneOf = [given], items } = dereferenced(given);
  if (items) return fieldList(items, mark, indent);
  const variants = oneOf.map(dereferenced);
  const fields: Record<string, Schema> = {};
  for (const { properties } of variants) Object.assign(fields, properties);
  // A field of several variants is described as in the first variant.
  Object.assign(fields, variants[0]?.properties);
  return Object.entries(fields).flatMap(([name, schema]) => {
    const required = variants.every((variant) => variant.required?.includes(name));
    const { description = '' } = dereferenced(schema);
    const line = `${indent}- \`${name}\` ${typeOf(schema)}${mark(required)}. ${description}`;
    return [line].concat(fieldList(schema, mark, `${indent}  `));
  });
}
const demanded = (required: boolean) => (required ? ', **obrigatório**' : '');
const answered = (required: boolean) => (required ? '' : ', pode faltar');

const exampleOf = ({ examples }: JsonContent = {}): unknown => Object.values(examples ?? {})[0]?.value;
/** Length in characters of all examples of an answer above which its page shows only the first. */
const MOST_EXAMPLES = 1500;

function examplesOf({ examples = {} }: JsonContent): string {
  const all = Object.values(examples).map(({ summary, value }) => `${summary}:\n\n${json(value)}`);
  return (all.join('').length > MOST_EXAMPLES ? all.slice(0, 1) : all).join('\n\n');
}

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
const json = (value: unknown) => fenced('json', JSON.stringify(value, null, 2));

const PLACES: Readonly<Record<string, string>> = { header: 'cabeçalho', path: 'caminho', query: 'consulta' };

function parameters({ parameters = [] }: OpenApiOperation): string {
  if (parameters.length === 0) return '';
  const list = parameters.map(
    ({ name, in: place, schema, required = false, description }) =>
      `- \`${name}\` ${PLACES[place] ?? place}, ${typeOf(schema)}${demanded(required)}. ${description}`,
  );
  return `## Parâmetros\n\n${list.join('\n')}`;
}

const CALLS = callSamples(document);
const IN_CURL = 'Em curl, com `BASE_URL` e `CHAVE` como em [Primeira chamada](inicio.md).';
const DECLARED =
  'Nas outras linguagens, com o que declara o programa de [O fluxo na sua linguagem](linguagens.md#antes-das-chamadas): `api` ou `chamar`, os ids e, onde há, o `pedido` guardado com o seu `momento`.';

function sample(operation: (typeof OPERATIONS)[number]): string {
  const { operationId, method, path, parameters = [], security, requestBody } = operation;
  const named = (name: string) => String(parameters.find((parameter) => parameter.name === name)?.example);
  const body = exampleOf(requestBody?.content['application/json']);
  const key = parameters.some(({ name, required }) => name === 'Idempotency-Key' && required);
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => named(name));
  const lines = [`curl -sS ${method === 'GET' ? '' : `-X ${method} `}"$BASE_URL${address}"`];
  if (security.length > 0) lines.push('-H "X-API-Key: $CHAVE"');
  if (key) lines.push(`-H "Idempotency-Key: ${named('Idempotency-Key')}"`);
  if (body) lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(body, null, 2)}'`);
  const call = tabbed('chamada.sh', lines.join(' \\\n  '));
  const samples = CALLS.get(operationId) ?? [];
  const others = samples.map(({ file, text }) => tabbed(file, text));
  const said = samples.length > 0 ? `${IN_CURL} ${DECLARED}` : IN_CURL;
  return ['## Exemplo', said, call, ...others].join('\n\n');
}

/** Leaves out errors. Answers with the same schema are shown together. */
function answers({ responses }: OpenApiOperation): string {
  const good = Object.entries(responses)
    .filter(([status]) => status < '300')
    .map(([status, response]) => {
      const { description, content } = resolved(response);
      return { status, description, content };
    });
  const bySchema = Map.groupBy(good, ({ content }) => JSON.stringify(content?.['application/json']?.schema ?? content));
  const parts = Array.from(bySchema.values(), (same) => {
    const content = same.at(-1)?.content?.['application/json'] ?? {};
    const descriptions = same.map(({ status, description }) =>
      same.length > 1 ? `${status}: ${description}` : description,
    );
    const fields = content.schema ? fieldList(content.schema, answered).join('\n') : '';
    const title = `## Resposta ${same.map(({ status }) => status).join(' ou ')}`;
    return [title, descriptions.join('\n\n'), examplesOf(content), fields].join('\n\n');
  });
  return parts.join('\n\n');
}

function errors({ responses }: OpenApiOperation): string {
  const rows = Object.entries(responses).flatMap(([status, response]) => {
    if (status === 'default') return [];
    const found = JSON.stringify(resolved(response)).matchAll(/"codigo":"(\w+)"/g);
    const codes = new Set(Array.from(found, ([, code]) => `[\`${code}\`](erros.md#${code})`));
    return codes.size > 0 ? [`- ${status} ${Array.from(codes).join(', ')}`] : [];
  });
  return rows.length > 0 ? `## Códigos de erro\n\n${rows.join('\n')}` : '';
}

function effects({ responses }: OpenApiOperation): string {
  const rows = Object.entries(responses)
    .filter(([status]) => status !== '2XX')
    .map(([status, response]) => `- ${status === 'default' ? 'outra' : status}: ${resolved(response).description}`);
  return `## Outras respostas\n\n${rows.join('\n')}`;
}

function operationPage(operation: OpenApiOperation, call: string, example: string): string {
  const { summary, description, requestBody, responses } = operation;
  const schema = requestBody?.content['application/json'].schema;
  return [
    `# ${summary}`,
    call,
    description,
    example,
    parameters(operation),
    schema ? `## Corpo\n\n${fieldList(schema, demanded).join('\n')}` : '',
    answers(operation),
    '2XX' in responses ? effects(operation) : errors(operation),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const listed = (name: string, title: string, about: string) => `- [${title}](${name}.md): ${about}`;

function contentsPage(): string {
  const tags = document.tags.map((tag) => {
    const own = OPERATIONS.filter(({ tags }) => tags.includes(tag.name));
    const events = EVENTS.filter(({ tags }) => tags.includes(tag.name));
    const lines = own
      .map(({ operationId, summary, method, path }) => listed(operationId, summary, `\`${method} ${path}\``))
      .concat(events.map(({ operationId, summary }) => listed(operationId, summary, `o evento \`${operationId}\``)));
    return `## ${tag['x-displayName'] ?? tag.name}\n\n${tag.description}\n\n${lines.join('\n')}`;
  });
  const head = `Cada operação tem a sua página, com campos, exemplo, respostas e erros. O mesmo, para máquinas: [openapi.json](../openapi.json). Para ler com os modelos abertos lado a lado há a [referência interativa](${EXPLORER}), que pede JavaScript e baixa 1 MB.`;
  return `# Referência da API\n\n${head}\n\n${tags.join('\n\n')}`;
}

function pageSources(): Readonly<Record<string, string>> {
  const sources: Record<string, string> = { [REFERENCE]: contentsPage() };
  for (const operation of OPERATIONS) {
    const { operationId, method, path } = operation;
    sources[operationId] = operationPage(operation, `\`${method} ${path}\``, sample(operation));
  }
  for (const event of EVENTS) {
    const example = json(exampleOf(event.requestBody?.content['application/json']));
    sources[event.operationId] = operationPage(
      event,
      'Enviado por `POST` ao seu endereço.',
      `## Exemplo\n\n${example}`,
    );
  }
  return sources;
}

/** The source of every page of the reference, by its name, as plain Markdown. The first page lists the others. */
export const REFERENCE_SOURCES = pageSources();

/** Returns the reference's first page, and the pages with the same tag. */
export function pagesBeside(name: string): readonly string[] {
  const all: readonly OpenApiOperation[] = [...OPERATIONS, ...EVENTS];
  const own = all.find(({ operationId }) => operationId === name);
  const alike = all.filter(({ tags }) => tags[0] === own?.tags[0]);
  return [REFERENCE].concat(alike.map(({ operationId }) => operationId));
}
