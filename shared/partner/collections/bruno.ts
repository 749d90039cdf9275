import {
  environmentOf,
  type FlowRequest,
  flowRequests,
  inScript,
  KEPT,
  type OpenApiDocument,
  POLL,
  type Settings,
} from './flow.ts';

const keyHeader = ({ key }: FlowRequest) =>
  key ? [{ name: 'Idempotency-Key', value: key === 'drawn' ? '{{$guid}}' : '{{idempotency_key}}', enabled: true }] : [];

/** Draws what a repetition needs into variables. */
const DRAW = Object.entries(KEPT)
  .map(([name, drawn]) => `bru.setVar('${name}', bru.interpolate('${drawn}'));`)
  .join('\n');

/** The script after a request: keeps values of its answer for later ones, and polls a pending analysis again. */
function after({ json, keeps = {}, repeatWhile }: FlowRequest): string {
  if (!json || (Object.keys(keeps).length === 0 && !repeatWhile)) return '';
  const lines = ['const corpo = res.getBody();'];
  for (const [name, place] of Object.entries(keeps)) lines.push(`bru.setVar('${name}', ${inScript(place)});`);
  if (repeatWhile) {
    lines.push(
      "const vez = Number(bru.getVar('vez') || 0) + 1;",
      `const repetir = ${repeatWhile} && vez < ${POLL.most};`,
      "bru.setVar('vez', repetir ? vez : 0);",
      '// No Runner, espera e consulta de novo até o desfecho.',
      'if (repetir) {',
      `  await bru.sleep(${POLL.pause * 1000});`,
      '  bru.setNextRequest(req.getName());',
      '}',
    );
  }
  return lines.join('\n');
}

function tests({ expected, json, holds = [], key, repeatWhile }: FlowRequest): string {
  const test = (sentence: string, claim: string) => `test('${sentence}', () => ${claim});`;
  const lines = [
    test(`responde ${expected.join(' ou ')}`, `expect(res.getStatus()).to.be.oneOf([${expected.join(', ')}])`),
  ];
  if (key === 'again') {
    lines.push(test('é a resposta original', "expect(res.getHeader('idempotent-replay')).to.equal('true')"));
  }
  if (!json) lines.push(test('é um PDF', "expect(res.getHeader('content-type')).to.equal('application/pdf')"));
  if (holds.length > 0) {
    lines.push('const corpo = res.getBody();', "const guardado = { analise_id: bru.getVar('analise_id') };");
    lines.push(...holds.map(([sentence, expression]) => test(sentence, `expect(${expression}).to.equal(true)`)));
  }
  // A poll after which none is to follow must have found the outcome.
  if (repeatWhile) {
    const last = test('a análise tem desfecho', `expect(${repeatWhile}).to.equal(false)`);
    lines.push('const corpo = res.getBody();', `if (!bru.getVar('vez')) ${last}`);
  }
  return lines.join('\n');
}

function item(request: FlowRequest, index: number) {
  const { name, description, method, path, query, body } = request;
  const search = query.map((one) => `${one.name}=${one.value}`).join('&');
  return {
    type: 'http',
    name,
    seq: index + 1,
    request: {
      method,
      url: `{{base_url}}${path}${search && `?${search}`}`,
      headers: keyHeader(request),
      params: query.map((one) => ({ ...one, type: 'query', enabled: true })),
      auth: { mode: request.public ? 'none' : 'inherit' },
      body: body ? { mode: 'json', json: body } : { mode: 'none' },
      script: { req: request.key === 'kept' ? DRAW : '', res: after(request) },
      tests: tests(request),
      docs: description,
    },
  };
}

/**
 * The flow as a Bruno collection, in the one file that Bruno exports and imports, with its environment prefilled but for
 * the key: keys are drawn, ids carried over, answers checked.
 */
export function brunoCollection(document: OpenApiDocument, settings: Settings) {
  const name = document.info.title;
  return {
    name,
    version: '1',
    items: flowRequests(document).map(item),
    environments: [
      {
        name: 'Sandbox',
        variables: environmentOf(settings).map(({ description: _, ...variable }) => ({
          ...variable,
          type: 'text',
          enabled: true,
        })),
      },
    ],
    root: {
      request: { auth: { mode: 'apikey', apikey: { key: 'X-API-Key', value: '{{chave}}', placement: 'header' } } },
      docs: 'O fluxo do parceiro, na ordem. Escolha o ambiente Sandbox, ponha a chave em `chave` e rode a coleção inteira, ou uma chamada por vez.',
    },
    brunoConfig: { version: '1', name, type: 'collection' },
  };
}
