import {
  environmentOf,
  type FlowRequest,
  flowRequests,
  inScript,
  KEPT,
  type OpenApiDocument,
  POLL,
  type Settings,
  VARIABLES,
} from './flow.ts';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

const script = (listen: 'prerequest' | 'test', exec: readonly string[]) => ({
  listen,
  script: { type: 'text/javascript', exec },
});

const DRAW = Object.entries(KEPT).map(
  ([name, drawn]) => `pm.collectionVariables.set('${name}', pm.variables.replaceIn('${drawn}'));`,
);

function headersOf({ key, body }: FlowRequest) {
  const headers: { readonly key: string; readonly value: string }[] = [];
  if (key) headers.push({ key: 'Idempotency-Key', value: key === 'drawn' ? '{{$guid}}' : '{{idempotency_key}}' });
  if (body) headers.push({ key: 'Content-Type', value: 'application/json' });
  return headers;
}

function testScript({ expected, json, keeps = {}, holds = [], key, repeatWhile }: FlowRequest): string[] {
  const lines = [
    `pm.test('responde ${expected.join(' ou ')}', () => pm.expect(pm.response.code).to.be.oneOf([${expected.join(', ')}]));`,
  ];
  if (key === 'again') {
    lines.push(
      "pm.test('é a resposta original', () => pm.expect(pm.response.headers.get('Idempotent-Replay')).to.eql('true'));",
    );
  }
  if (!json) {
    // Bruno, which imports the collection, puts a text between quotation marks.
    lines.push(`pm.test('é um PDF', () => pm.expect(pm.response.text()).to.match(/^"?%PDF-/));`);
    return lines;
  }
  lines.push('const corpo = pm.response.json();');
  if (holds.length > 0) lines.push('const guardado = pm.collectionVariables.toObject();');
  for (const [sentence, expression] of holds) {
    lines.push(`pm.test('${sentence}', () => pm.expect(${expression}).to.be.true);`);
  }
  for (const [name, place] of Object.entries(keeps)) {
    lines.push(`pm.collectionVariables.set('${name}', ${inScript(place)});`);
  }
  if (repeatWhile) {
    lines.push(
      "const vez = Number(pm.collectionVariables.get('vez') || 0) + 1;",
      `const repetir = ${repeatWhile} && vez < ${POLL.most};`,
      "pm.collectionVariables.set('vez', repetir ? vez : 0);",
      '// No Runner, espera e consulta de novo até o desfecho.',
      'if (repetir) {',
      '  pm.execution.setNextRequest(pm.info.requestName);',
      `  await new Promise((segue) => setTimeout(segue, ${POLL.pause * 1000}));`,
      '} else {',
      `  pm.test('a análise tem desfecho', () => pm.expect(${repeatWhile}).to.be.false);`,
      '}',
    );
  }
  return lines;
}

function item(request: FlowRequest) {
  const { name, description, method, path, query, body } = request;
  const search = query.map((parameter) => `${parameter.name}=${parameter.value}`).join('&');
  const test = script('test', testScript(request));
  return {
    name,
    request: {
      method,
      description,
      header: headersOf(request),
      auth: request.public ? { type: 'noauth' } : undefined,
      url: {
        raw: `{{base_url}}${path}${search && `?${search}`}`,
        host: ['{{base_url}}'],
        path: path.slice(1).split('/'),
        query: search
          ? query.map(({ name: key, value, description: about }) => ({ key, value, description: about }))
          : undefined,
      },
      body: body ? { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } : undefined,
    },
    event: request.key === 'kept' ? [script('prerequest', DRAW), test] : [test],
    response: [],
  };
}

/** Format 2.1. With `chave` set, the collection runs unchanged in Postman's Runner and in newman. */
export function postmanCollection(document: OpenApiDocument, settings: Settings) {
  const apikey = [
    { key: 'key', value: 'X-API-Key', type: 'string' },
    { key: 'value', value: '{{chave}}', type: 'string' },
    { key: 'in', value: 'header', type: 'string' },
  ];
  const variable: { readonly key: string; readonly value: string; readonly description?: string }[] = environmentOf(
    settings,
  ).map(({ name, value, description }) => ({ key: name, value, description }));
  for (const key of [...VARIABLES, 'vez']) variable.push({ key, value: '' });
  return {
    info: {
      name: document.info.title,
      description:
        'O fluxo do parceiro, na ordem. Importe também o ambiente, ponha a chave do sandbox em `chave` e rode a coleção inteira no Runner, ou uma chamada por vez.',
      version: document.info.version,
      schema: SCHEMA,
    },
    auth: { type: 'apikey', apikey },
    item: flowRequests(document).map(item),
    variable,
  };
}

/** Everything is filled in, except the key. */
export function postmanEnvironment(document: OpenApiDocument, settings: Settings) {
  return {
    name: `${document.info.title} (sandbox)`,
    values: environmentOf(settings).map(({ name, value, secret }) => ({
      key: name,
      value,
      type: secret ? 'secret' : 'default',
      enabled: true,
    })),
    _postman_variable_scope: 'environment',
  };
}
