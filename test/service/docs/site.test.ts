import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { readAssembly, Template } from '#infra/local/template.ts';
import { FAILURES } from '#shared/contract/failures.ts';
import { getDocs } from '#shared/contract/routes.ts';
import { clientPackages, packageBytes } from '#shared/partner/client/packages.ts';
import { DOWNLOADS, EXPLORER, pageSource, SAMPLES } from '#shared/partner/docs/contents.ts';
import { hasPlaceholder, PLACEHOLDERS } from '#shared/partner/docs/facts.ts';
import { ALL_PAGES } from '#shared/partner/docs/layout.ts';
import { OPERATIONS, resolved } from '#shared/partner/docs/openapi-operation.ts';
import { docsFiles } from '#shared/partner/docs/site.ts';
import { matchesContract } from '#test/makers/answers.ts';
import { gatewayEvent } from '#test/makers/call.ts';

/** Largest answer that Lambda allows, in bytes of the whole JSON. */
const LARGEST_ANSWER = 6 * 1024 * 1024;
/**
 * The whole documentation in bytes, compressed. Lambda allows far more: the limit shows a jump in size. 12,000 bytes of
 * it are the withdrawal of consent, 3,000 the checks and iterators of both clients, 3,000 the date of a table's
 * conditions and why offers differ, and 12,000 the samples for Ruby and Django and the events without a public address.
 */
const LARGEST_SITE = 1_650_000;
const HOST = 'api.parceiros.test';
const BASE_URL = `https://${HOST}`;

let handler: (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;
let names: string[];
beforeAll(async () => {
  const { functions } = blueprintOf(new Template(readAssembly(inject('assembly')), 'http://queues'));
  const { folder, environment } = functions.find(({ operation }) => operation === getDocs.operation)!;
  Object.assign(process.env, environment);
  ({ handler } = await import(pathToFileURL(join(folder, 'index.mjs')).href));
  names = Object.keys(JSON.parse(Buffer.from((await docsFiles()).get('files.json')!).toString()));
});

/** Whether a file is a package of a client, which is answered as it is. */
const isPackage = (name: string) => name.startsWith('pacotes/');

/** Returns the answer for the last part of an address, which is empty for the first page. */
async function get(name: string, sent: Record<string, string | undefined> = {}): Promise<APIGatewayProxyResult> {
  const given = Object.entries({ 'Accept-Encoding': 'br', ...sent });
  const headers = Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  const folder = isPackage(name) ? '/docs/pacotes/{file}' : '/docs/{file}';
  const path = name === '' ? '/docs' : (getDocs.files.find((file) => file.endsWith(`/${name}`)) ?? folder);
  const event = gatewayEvent({ method: 'GET', path }, { headers: { host: HOST, ...headers } });
  return handler({
    ...event,
    pathParameters: path.includes('{file}') ? { file: isPackage(name) ? basename(name) : name } : null,
  });
}
const bytesOf = ({ body, headers }: APIGatewayProxyResult) => {
  const bytes = Buffer.from(body, 'base64');
  const coding = headers?.['Content-Encoding'];
  return coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes;
};
const text = async (name: string) => bytesOf(await get(name)).toString();

describe('GET /docs', () => {
  it('security.txt names the address for reports of a weakness, and until when it holds', async () => {
    expect((await text('security.txt')).split('\n')).toEqual([
      expect.stringMatching(/^Contact: mailto:\S+@\S+$/),
      expect.stringMatching(/^Expires: \d{4}-\d\d-\d\dT00:00:00Z$/),
      'Preferred-Languages: pt, en',
      `Canonical: https://${HOST}/.well-known/security.txt`,
      '',
    ]);
  });

  it.each(['consentimento', 'rede'])(
    'the page %s names the person in charge of personal data, with an address',
    async (page) => {
      const [name, email] = ['DPO_NAME', 'DPO_EMAIL'].map((fact) => process.env[fact]);
      expect(email).toMatch(/^\S+@\S+$/);
      expect(await text(page)).toContain(name);
      expect(await text(page)).toContain(`mailto:${email}`);
    },
  );

  it('all files of the documentation but the packages are smaller than 1.65 MB together when compressed', async () => {
    const pages = names.filter((name) => !isPackage(name));
    const answers = await Promise.all(pages.map((name) => get(name, { 'Accept-Encoding': 'gzip, deflate, br' })));
    const sizes = answers.map(({ body }) => Buffer.from(body, 'base64').length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(LARGEST_SITE);
    expect(sizes.length).toBeGreaterThan(40);
  });

  it.each<[string, Record<string, string>, string | undefined]>([
    ['br', { 'Accept-Encoding': 'br' }, 'br'],
    ['gzip', { 'Accept-Encoding': 'gzip' }, 'gzip'],
    ['identity', { 'Accept-Encoding': 'identity' }, undefined],
    // RFC 9110, 12.5.3: without the header, any coding is acceptable.
    ['no header', {}, undefined],
  ])('each file fits into an answer of Lambda with Accept-Encoding: %s', async (_, headers, coding) => {
    for (const name of names) {
      const answer = await get(name, { 'Accept-Encoding': undefined, ...headers });
      expect(answer.statusCode, name).toBe(200);
      expect(answer.headers?.['Content-Encoding'], name).toBe(isPackage(name) ? undefined : coding);
      expect(Buffer.byteLength(JSON.stringify(answer)), name).toBeLessThan(LARGEST_ANSWER);
      expect(bytesOf(answer).equals(bytesOf(await get(name))), name).toBe(true);
    }
  });

  it.each([
    ['br', 'br'],
    ['gzip, deflate, br;q=0.9, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity, gzip;q=0', undefined],
  ])('with Accept-Encoding %s the first page has Content-Encoding %s', async (accepts, coding) => {
    const answer = await get('', { 'Accept-Encoding': accepts });
    expect(answer.headers?.['Content-Encoding']).toBe(coding);
    expect(answer.headers?.['Vary']).toBe('Accept-Encoding');
    expect(bytesOf(answer).toString()).toBe(await text(''));
  });

  it('GET /docs answers 200 and 304 as openapi.json says', async () => {
    const answer = await get('');
    const page = bytesOf(answer).toString();
    const held = await get('', { 'If-None-Match': String(answer.headers?.['ETag']) });
    const documented = (status: number, { headers }: typeof answer, body: string | undefined) =>
      expect(() => matchesContract('GET', '/docs', status, headers as Record<string, string>, body)).not.toThrow();
    documented(200, answer, page);
    documented(304, held, held.body);
  });

  it.each(clientPackages())(
    'GET /docs/pacotes/$name answers the stored bytes, and its page names their hash',
    async (stored) => {
      const answer = await get(`pacotes/${stored.name}`);
      expect(bytesOf(answer).equals(packageBytes(stored))).toBe(true);
      const page = await text('linguagens');
      expect(page).toContain(stored.sha256);
      expect(page).toContain(`install ${BASE_URL}/docs/pacotes/${stored.name}`);
    },
  );

  it('browsers ask again for pages after five minutes, and never for files that are named after their content', async () => {
    for (const name of names) {
      const { headers } = await get(name);
      // The search index also contains facts of the deployment, which may change while the file's name stays the same.
      const lasting = isPackage(name) || (/-[0-9a-f]{16}\.\w+$/.test(name) && !name.startsWith('busca-'));
      expect(headers?.['Cache-Control'], name).toBe(`public, max-age=${lasting ? 31_536_000 : 300}`);
      const compressed = await get(name, { 'Accept-Encoding': 'gzip' });
      expect(compressed.headers?.['ETag'] === headers?.['ETag'], name).toBe(isPackage(name));
      expect(await get(name, { 'If-None-Match': String(headers?.['ETag']) })).toMatchObject({
        statusCode: 304,
        body: '',
      });
    }
  });

  it('each page runs only scripts of the documentation, and loads nothing from other hosts', async () => {
    for (const name of names) {
      const { headers } = await get(name);
      const policy = String(headers?.['Content-Security-Policy']);
      expect(policy).toMatch(/^default-src 'none';/);
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*(unsafe|data:)/);
      if (name !== EXPLORER) expect(policy).not.toContain('unsafe-inline');
      expect(headers?.['X-Content-Type-Options']).toBe('nosniff');
      if (!String(headers?.['Content-Type']).startsWith('text/html')) continue;
      const page = await text(name);
      expect(page).not.toMatch(
        /<script(?![^>]* src=")|\son\w+="|\sstyle="|(src|href)="(https?:)?\/\/(?!www\.standardwebhooks\.com|api\.parceiros\.test)/,
      );
    }
  });

  it.each(['nada', '../index.mjs', 'files.json', 'inicio.html.br', '__proto__', 'constructor', 'fluxo/', 'FLUXO'])(
    'GET /docs/%s answers 404 rota_nao_encontrada',
    async (name) => {
      const answer = await get(name);
      expect(answer.statusCode).toBe(404);
      expect(JSON.parse(answer.body)).toMatchObject({
        codigo: 'rota_nao_encontrada',
        erro: FAILURES.rota_nao_encontrada.erro,
      });
    },
  );
});

describe('the links of the documentation', () => {
  /** Returns the path of a file as browsers resolve it. */
  const addressOf = (name: string) => (name === '' ? '/docs' : `/docs/${name}`);
  const served = new Set(['/openapi.json', '/openapi-3.0.json', '/llms.txt']);
  const idsOf = new Map<string, ReadonlySet<string>>();
  beforeAll(async () => {
    for (const name of names) {
      served.add(addressOf(name));
      const ids = [...(await text(name)).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
      idsOf.set(addressOf(name), new Set(ids));
    }
  });

  const linksOf = (content: string, pattern: RegExp) => [...content.matchAll(pattern)].map(([, link]) => link!);
  const broken = (from: string, links: readonly string[], stage: string) =>
    links.flatMap((link) => {
      const { pathname, hash, origin } = new URL(link, `https://servico${stage}${from}`);
      if (origin !== 'https://servico') return [];
      const path = pathname.startsWith(stage) ? pathname.slice(stage.length) : 'outside of the stage';
      const fragment = decodeURIComponent(hash.slice(1));
      // The renderer draws the sections of the interactive reference. The tests in a browser check them.
      const there = fragment === '' || path === `/docs/${EXPLORER}` || idsOf.get(path)?.has(fragment);
      return served.has(path) && there ? [] : [`${from} -> ${link}`];
    });

  it.each(['', '/dev'])('each link of each page has an existing target below the stage "%s"', async (stage) => {
    for (const name of ['', ...ALL_PAGES.slice(1), EXPLORER]) {
      const links = linksOf(await text(name), /(?:href|src|data-index|data-document)="([^"]+)"/g);
      expect(links.length).toBeGreaterThan(5);
      expect(broken(addressOf(name), links, stage)).toEqual([]);
    }
  });

  it('each link in the Markdown files and in llms.txt leads to a file that exists', async () => {
    for (const page of ALL_PAGES) {
      expect(broken(addressOf(`${page}.md`), linksOf(await text(`${page}.md`), /\]\(([^)#]+)[^)]*\)/g), '')).toEqual(
        [],
      );
    }
    const summary = await text('llms.txt');
    expect(broken('/llms.txt', linksOf(summary, /\]\(([^)]+)\)/g), '')).toEqual([]);
    for (const page of ALL_PAGES) expect(summary).toContain(`docs/${page}.md`);
  });
});

describe('the reference', () => {
  it.each(OPERATIONS)('the reference describes $method $path without a script, in under 40 KB', async (operation) => {
    const page = await text(operation.operationId);
    // The largest page shows a body of 31 fields in seven languages.
    expect(page.length).toBeLessThan(40_000);
    const told = page.replaceAll(/<[^>]+>/g, '');
    const names = JSON.stringify([operation.requestBody, Object.values(operation.responses).map(resolved)]);
    const codes = [...names.matchAll(/"codigo":"(\w+)"/g)].map(([, code]) => code!);
    for (const word of [operation.path, operation.summary, ...(operation.parameters ?? []).map(({ name }) => name)])
      expect(told).toContain(word);
    for (const code of codes.filter((code) => !/rota|metodo/.test(code))) expect(page).toContain(`erros#${code}"`);
  });

  it('the reference lists each field of a body and of an answer below its parent, and whether it is required', async () => {
    const source = await text('submit-analyses.md');
    expect(source).toContain('- `cpf` texto, **obrigatório**. CPF');
    expect(source).toMatch(/^- `prazo` inteiro\. /m);
    expect(source).toMatch(/^- `analises` lista de objeto\. .*\n {2}- `banco_id` inteiro\. /m);
  });
});

it.each([
  ['webhooks', 'verificar.py'],
  ['receptor', 'receptor.py'],
  ['webhooks', 'Verificar.java'],
  ['receptor', 'receptor.go'],
])('the page %s links its file %s, and GET /docs serves the file', async (page, name) => {
  expect(await text(page)).toContain(`<a href="${name}" download>${name}</a>`);
  expect((await get(name)).statusCode).toBe(200);
});

it('the guide says to reset a used sandbox whose test CPF has another birth date', async () => {
  const [, block] = /^```sh analises.sh\n(.*?)^```/ms.exec(pageSource('fluxo')) ?? [];
  const answer = JSON.stringify({ erro: 'Os dados diferem.', codigo: 'divergencia_titular' });
  const script = `curl() { echo '${answer}'; }\n${block}`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script]);
  expect(stdout).toContain('outra data_nascimento');
  expect(stdout).toContain('/v1/sandbox/reinicio');
});

it('the page on trying webhooks names its commands for a terminal by what they are', async () => {
  const page = await text('local');
  expect(page).toContain('<figcaption>Terminal</figcaption>');
  expect(page).not.toContain('<figcaption>curl</figcaption>');
});

it('the guide shows every sample word for word, and each download has its content', async () => {
  const guide = await text('guia.md');
  const told = (content: string) => content.replaceAll(PLACEHOLDERS.baseUrl, BASE_URL);
  for (const [name, sample] of Object.entries(SAMPLES)) {
    expect(guide).toContain(`${name}\n${told(sample).trimEnd()}\n\`\`\``);
    expect(await text(name)).toBe(told(sample));
  }
  for (const { name, content } of DOWNLOADS) {
    const made = content();
    expect(bytesOf(await get(name))).toEqual(Buffer.from(typeof made === 'string' ? told(made) : made));
  }
});

it('pages, Markdown and downloads have the facts of this deployment in place of every placeholder', async () => {
  const filled = names.filter((name) => !isPackage(name));
  for (const name of filled) expect(hasPlaceholder(await text(name)), name).toBe(false);
  for (const name of ['inicio.md', 'guia.md', 'postman.json', 'postman-ambiente.json']) {
    expect(await text(name), name).toContain(BASE_URL);
  }
  expect(await text('')).toContain(BASE_URL);
  // The same file for another host has another ETag.
  const tagAt = async (host: string) => (await get('inicio.md', { host })).headers?.['ETag'];
  expect(await tagAt(HOST)).not.toBe(await tagAt('outro.test'));
  expect(await tagAt(HOST)).toBe(await tagAt(HOST));
});
