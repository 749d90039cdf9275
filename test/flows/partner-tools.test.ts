import { execFile as execFileWithCallback, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '#infra/local/listen.ts';
import { TEST_CPFS } from '#shared/domain/values/cpf.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { CLIENT_FILE, PYTHON_CLIENT_FILE } from '#shared/partner/client/clients.ts';
import npm from '#shared/partner/client/package.json' with { type: 'json' };
import { PACKAGES } from '#shared/partner/client/packages.ts';
import { postmanCollection, postmanEnvironment } from '#shared/partner/collections/postman.ts';
import { DOWNLOADS, PAGES, PROGRAMS, pageSource } from '#shared/partner/docs/contents.ts';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };
import { sign } from '#shared/webhook/sign.ts';
import { eventually, type LocalService, request, startLocalService } from '../makers/local-service.ts';
import { analysisBody, leadBody } from '../makers/people.ts';
import { hasCommandsOrWarns } from '../makers/present.ts';

// These tests run the files that partners download, unchanged, against the whole service.

const require = createRequire(import.meta.url);

const execFile = promisify(execFileWithCallback);
const CLIENT = join(import.meta.dirname, '../../shared/partner/client');
const COMPILER = join(CLIENT, 'node_modules/typescript/bin/tsc');

let service: LocalService;
/** The npm package of the client: where it is, and the paths in it. */
let tarball: string;
let packedPaths: readonly string[];
const folder = mkdtempSync(join(tmpdir(), 'partner-credit-tools-'));
beforeAll(async () => {
  tarball = join(PACKAGES, `credito-imobiliario-${npm.version}.tgz`);
  const { stdout } = await execFile('tar', ['-tzf', tarball]);
  packedPaths = stdout
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''));
});
beforeAll(async () => {
  service = await startLocalService();
  // Somebody has used the test CPFs before, with another person's data.
  const person = { nome: 'Otávio Reis', renda: 2500, email: 'otavio.reis@example.com' };
  for (const cpf of Object.keys(TEST_CPFS)) await request(service, 'POST', '/v1/leads', { body: { ...person, cpf } });
});
afterAll(async () => {
  await service?.end();
  rmSync(folder, { recursive: true, force: true });
});

const EVENT = '{"id":"evt_1","type":"analise.resultado","data":{"analise_id":7,"situacao":"aprovado"}}';

/** Starts a receiver of webhooks. Returns its answers to a signed event and to the same event without a signature. */
async function receiverAnswers(program: string): Promise<number[]> {
  const secret = newWebhookSecret();
  const port = await freePort();
  const env = { ...process.env, SEGREDO: secret, PORTA: String(port) };
  const receiver = spawn(process.execPath, [program], { env, stdio: 'ignore', timeout: 60_000 });
  const post = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: EVENT })).status;
  const signing = { secret, previousSecret: undefined, previousUntil: undefined };
  const event = { eventId: 'evt_1' as never, type: 'analise.resultado', body: Buffer.from(EVENT), attempt: 1 } as const;
  try {
    const signed = await eventually('the answer to a signed event', () =>
      post(sign(signing, event, Date.now())).catch(() => undefined),
    );
    return [signed, await post({})];
  } finally {
    receiver.kill();
  }
}
const flowIn = (name: string) => PROGRAMS.find(({ file }) => file === name)!.text;

it('the npm package of the client installs, completes the flow, types its caller and listens to webhooks', async () => {
  const own = join(folder, 'npm');
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), '{"type":"module"}');
  const about = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
  const compiled = ['client', 'forward', 'generated', 'webhook', 'commonjs/client', 'commonjs/generated'].flatMap(
    (name) => [`dist/${name}.d.ts`, `dist/${name}.js`],
  );
  expect(packedPaths.toSorted()).toEqual([...about, ...compiled, 'dist/commonjs/package.json'].toSorted());
  await execFile('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: own });

  writeFileSync(join(own, 'fluxo.ts'), flowIn('fluxo.ts').replace(`./${CLIENT_FILE}`, 'credito-imobiliario'));
  const env = { ...process.env, BASE_URL: service.url, CHAVE: service.keys.sandbox };
  const walked = await execFile(process.execPath, ['fluxo.ts'], { cwd: own, env });
  expect(walked.stdout.trim().split('\n').at(-1)).toBe('aprovado');

  const typed = `import { type components, PartnerClient } from 'credito-imobiliario';
    export const lead: components['schemas']['LeadNovo'] = { nome: 'Ana', cpf: '90000000175' };
    const { body } = await new PartnerClient({ baseUrl: '', key: '' }).call('get-account', {});
    const environment: 'sandbox' | 'producao' = body.ambiente;
    // @ts-expect-error: there is no such field
    void [environment, body.ambient];`;
  writeFileSync(join(own, 'typed.ts'), typed);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', 'typed.ts'];
  const told = await execFile(process.execPath, [COMPILER, ...options], { cwd: own }).catch((error) => error);
  expect(told.stdout).toBe('');

  const secret = newWebhookSecret();
  const secrets = { ...process.env, WEBHOOK_SECRET: `${newWebhookSecret()} ${secret}` };
  const line = ['node_modules/.bin/credito-imobiliario', 'webhook', 'listen', '--port', '0'];
  const command = spawn(line[0]!, line.slice(1), { cwd: own, env: secrets, timeout: 60_000 });
  const [printed, ended] = [text(command.stdout), once(command, 'close')];
  const url = /http:[^;]+/.exec(String(await once(command.stderr, 'data')))![0];
  const [type, body] = ['analise.resultado', Buffer.from(EVENT)] as const;
  const signing = { secret, previousSecret: undefined, previousUntil: undefined };
  const headers = sign(signing, { eventId: 'evt_1' as never, type, body, attempt: 1 }, Date.now());
  expect(await fetch(url, { method: 'POST', headers, body })).toMatchObject({ status: 200 });
  expect(await fetch(url, { method: 'POST', body })).toMatchObject({ status: 401 });
  command.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(await printed).toMatch(/^\S+ {2}analise.resultado {2}evt_1 {2}análise 7: aprovado\n\S+ {2}recusado: .+\n$/);
});

it('the npm package’s command forwards an event of the sandbox to a receiver on this machine, which verifies it', async () => {
  const own = join(folder, 'forwarding');
  mkdirSync(own);
  // As outside of a project in Node: npx takes the command from the package's file. npm would pass on its own settings.
  const settings = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  const secrets = { WEBHOOK_SECRET: newWebhookSecret(), BASE_URL: service.url, CHAVE: service.keys.sandbox };
  const env = { ...Object.fromEntries(settings), ...secrets };
  const line = ['--yes', '--offline', '--package', tarball, 'credito-imobiliario', 'webhook', 'listen'];
  const start = (...options: string[]) => {
    const command = spawn('npx', [...line, ...options], { cwd: own, env, timeout: 120_000, detached: true });
    const ended = once(command, 'close');
    // As Ctrl+C in a terminal, which interrupts npx and the command.
    onTestFinished(async () => {
      process.kill(-command.pid!, 'SIGINT');
      await ended;
    });
    return command;
  };
  const receiver = start('--port', '0');
  const url = /http:[^;]+/.exec(String(await once(receiver.stderr, 'data')))![0];
  const forwarder = start('--forward-to', `${url}/webhooks`);
  expect(String(await once(forwarder.stderr, 'data'))).toBe(
    `Encaminhando os eventos do sandbox a ${url}/webhooks; Ctrl+C encerra.\n`,
  );

  const [received, forwarded] = [once(receiver.stdout, 'data'), once(forwarder.stdout, 'data')];
  const lead = await request(service, 'POST', '/v1/leads', { body: leadBody() });
  const body = analysisBody(Number(lead.body.lead_id));
  const submitted = await request(service, 'POST', '/v1/analises', { body, headers: { 'idempotency-key': 'forward' } });
  const analysis: number = submitted.body.analises[0].analise_id;
  expect(String(await received)).toMatch(
    new RegExp(`^\\S+ {2}analise\\.resultado {2}evt_\\w+ {2}análise ${analysis}: aprovado\\n$`),
  );
  expect(String(await forwarded)).toMatch(
    new RegExp(`^\\S+ {2}analise\\.resultado {2}evt_\\w+ {2}análise ${analysis}: 200\\n$`),
  );
});

it('the npm package of the client installs, runs and types its caller in a project in CommonJS', async () => {
  const own = join(folder, 'commonjs');
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), '{}');
  await execFile('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: own });
  const program = `import { PartnerClient, PartnerError, WebhookError, verifyWebhook } from 'credito-imobiliario';
    async function main(): Promise<void> {
      const api = new PartnerClient({ baseUrl: process.env['BASE_URL'] ?? '', key: process.env['CHAVE'] ?? '' });
      const environment: 'sandbox' | 'producao' = (await api.call('get-account')).body.ambiente;
      let refusals = 0;
      for await (const { request_id } of api.iterate('list-refused-calls')) refusals += request_id.length;
      const gone: unknown = await api.call('get-lead', { id: 1 }).catch((error: unknown) => error);
      const bad: unknown = await verifyWebhook('', {}, '').catch((error: unknown) => error);
      console.log(environment, refusals >= 0, gone instanceof PartnerError, bad instanceof WebhookError);
    }
    void main();`;
  writeFileSync(join(own, 'program.ts'), program);
  const about = readFileSync(join(CLIENT, 'README.md'), 'utf8');
  writeFileSync(join(own, 'receiver.ts'), /^```ts\n(.*?)^```/ms.exec(about)![1]!);
  for (const [module, resolution] of [
    ['commonjs', 'node10'],
    ['node16', 'node16'],
  ] as const) {
    const settings = ['--strict', '--module', module, '--moduleResolution', resolution, '--target', 'es2022'];
    const types = ['--types', 'node', '--typeRoots', join(import.meta.dirname, '../../node_modules/@types')];
    const compiling = [COMPILER, ...settings, ...types, 'program.ts', 'receiver.ts'];
    const compiled = await execFile(process.execPath, compiling, { cwd: own }).catch((error) => error);
    expect(compiled.stdout, module).toBe('');
    const env = { ...process.env, BASE_URL: service.url, CHAVE: service.keys.sandbox };
    const { stdout } = await execFile(process.execPath, ['program.js'], { cwd: own, env });
    expect(stdout, module).toBe('sandbox true true true\n');
    expect(await receiverAnswers(join(own, 'receiver.js')), module).toEqual([200, 401]);
  }
});

it('the types of the npm package compile with TypeScript 4.9, for import and for require', async (context) => {
  const own = join(folder, 'typescript-4.9');
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), '{}');
  const install = ['install', '--no-audit', '--no-fund', 'typescript@4.9.5', tarball];
  const failure: unknown = await execFile('npm', install, { cwd: own }).then(
    () => undefined,
    (error) => error,
  );
  if (failure) {
    console.warn('NOT CHECKED: the types with TypeScript 4.9, which cannot be fetched');
    context.skip('TypeScript 4.9 cannot be fetched');
  }
  const program = `import { type components, type Event, PartnerClient, verifyWebhook } from 'credito-imobiliario';
    export const lead: components['schemas']['LeadNovo'] = { nome: 'Ana', cpf: '90000000175' };
    export async function main(body: ArrayBuffer): Promise<[number, Event]> {
      const api = new PartnerClient({ baseUrl: 'https://api.example', key: 'pmc_k' });
      let last = 0;
      for await (const { analise_id } of api.iterate('list-lead-analyses', { id: 7, query: { limit: 5 } })) last = analise_id;
      // @ts-expect-error: iterate counts the offset itself
      api.iterate('list-lead-analyses', { id: 7, query: { offset: 5 } });
      const pdf: Uint8Array = (await api.call('get-simulation-pdf', { id: 1 })).body;
      return [last + pdf.length, await verifyWebhook(body, new Headers(), 'whsec_')];
    }`;
  for (const [file, module, resolution] of [
    ['required.ts', 'commonjs', 'node'],
    ['required.cts', 'node16', 'node16'],
    ['imported.mts', 'node16', 'node16'],
  ] as const) {
    writeFileSync(join(own, file), program);
    const settings = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom'];
    const line = ['node_modules/typescript/bin/tsc', ...settings, '--module', module, '--moduleResolution', resolution];
    const told = await execFile(process.execPath, [...line, file], { cwd: own }).catch((error) => error);
    expect(told.stdout, file).toBe('');
  }
});

it.runIf(hasCommandsOrWarns('the guide’s samples in order', 'bash', 'curl'))(
  'the samples of the guide, copied in order with only the key changed, give the promised results, twice',
  { timeout: 360_000 },
  async () => {
    // A shell and String.replace would interpret parts of this folder's name.
    const serviceFile = join(folder, "a $& reader's $(folder)", 'service.json');
    mkdirSync(dirname(serviceFile));
    copyFileSync(service.serviceFile, serviceFile);
    for (const time of ['first', 'second']) {
      const { stdout, stderr } = await execFile(process.execPath, ['bin/guide.ts', '--service-file', serviceFile], {
        cwd: join(import.meta.dirname, '../..'),
        timeout: 170_000,
      });
      // The preview of the webhook's address goes to stderr.
      expect(stderr, time).not.toMatch(/surprise|manager:|Error/);
      expect(stdout).toContain('the guide holds');
      // The program ran every shell block, in the order of the pages.
      const copied = [...stdout.matchAll(/^== (.*)$/gm)].map(([, name]) => name);
      const blocks = PAGES.flatMap((page) => [...pageSource(page).matchAll(/^```sh (\S+)$/gm)]);
      expect(copied).toEqual(blocks.map(([, name]) => name));
      // The guide ends with a withdrawal. A consent of the next five minutes would not count.
      const again = await fetch(`${service.url}/v1/sandbox/reinicio`, {
        method: 'POST',
        headers: { 'X-API-Key': service.keys.sandbox },
      });
      if (time === 'first') expect(again.status).toBe(200);
    }
  },
);

const RUNS: Readonly<Record<string, { readonly needs: readonly string[]; readonly run: readonly string[] }>> = {
  'fluxo.sh': { needs: ['bash', 'curl'], run: ['bash', 'fluxo.sh'] },
  'fluxo.ts': { needs: [], run: [process.execPath, 'fluxo.ts'] },
  'fluxo.py': { needs: ['python3'], run: ['python3', 'fluxo.py'] },
  'fluxo.php': { needs: ['php'], run: ['php', 'fluxo.php'] },
  'Fluxo.java': { needs: ['java', 'javac'], run: ['java', 'Fluxo.java'] },
  'fluxo.go': { needs: ['go'], run: ['go', 'run', 'fluxo.go'] },
  'Fluxo.cs': { needs: ['dotnet'], run: ['dotnet', 'run'] },
};
const PROJECT =
  '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net8.0</TargetFramework><Nullable>enable</Nullable><ImplicitUsings>enable</ImplicitUsings></PropertyGroup></Project>';

/** Makes a folder with a program and the files that the program needs. Returns its path. */
function folderWith(file: string, text: string): string {
  const own = mkdtempSync(join(folder, 'program-'));
  writeFileSync(join(own, file), text);
  for (const { name, content } of DOWNLOADS)
    if (name === CLIENT_FILE || name === PYTHON_CLIENT_FILE) writeFileSync(join(own, name), content());
  if (file.endsWith('.cs')) writeFileSync(join(own, 'fluxo.csproj'), PROJECT);
  return own;
}

describe.concurrent.each(PROGRAMS)("the guide's program in $label", ({ file, label, text }) => {
  const { needs, run } = RUNS[file]!;
  it.runIf(hasCommandsOrWarns(`the program in ${label}`, ...needs))(
    'a program of the guide completes the flow twice',
    async () => {
      const own = folderWith(file, text);
      // A key from a file ends in a newline. In a shell `$(cat file)` removes the newline, other programs must remove
      // it.
      const end = file.endsWith('.sh') ? '' : '\n';
      const env = { ...process.env, BASE_URL: service.url, CHAVE: service.keys.sandbox + end };
      const [command, ...parts] = run;
      for (const time of ['first', 'second']) {
        const { stdout } = await execFile(command!, parts, { cwd: own, env });
        expect(stdout.trim().split('\n').at(-1), time).toBe('aprovado');
        expect(readFileSync(join(own, 'simulacao.pdf')).subarray(0, 5).toString()).toBe('%PDF-');
        rmSync(join(own, 'simulacao.pdf'));
      }
      const kept = join(own, text.includes('pedido.json') ? 'pedido.json' : 'pedido.txt');
      // The service refuses this kept key, which shows that the program sends it. The program then still keeps the key.
      const old = ['x'.repeat(256), new Date().toISOString()];
      const lost = kept.endsWith('json') ? JSON.stringify(old) : `${old.join(' ')}\n`;
      writeFileSync(kept, lost);
      await expect(execFile(command!, parts, { cwd: own, env })).rejects.toThrow(/campo_invalido/);
      expect(readFileSync(kept, 'utf8')).toBe(lost);
    },
  );

  it.runIf(hasCommandsOrWarns(`the program in ${label}`, ...needs))(
    'a program of the guide fails without showing the text in CHAVE if that text is no key',
    async () => {
      const own = folderWith(file, text);
      const [command, ...parts] = run;
      for (const key of ['pmc_S3CRET\nX-Other: 1', 'pmc_S3CRET…', 'pmc_S3CRETé']) {
        const env = { ...process.env, BASE_URL: service.url, CHAVE: key };
        const told: object = await execFile(command!, parts, { cwd: own, env }).catch(({ code, stdout, stderr }) => ({
          code,
          stdout,
          stderr,
        }));
        expect(told, key).toMatchObject({ code: expect.any(Number) });
        expect(JSON.stringify(told), key).not.toContain('S3CRET');
      }
    },
  );
});

it.runIf(hasCommandsOrWarns('the refused program', 'bash', 'curl'))(
  "the guide's program in curl ends at its first refusal",
  async () => {
    const { text } = PROGRAMS.find(({ file }) => file === 'fluxo.sh')!;
    const env = { ...process.env, BASE_URL: service.url, CHAVE: 'pmc_sandbox_x' };
    const told = await execFile('bash', ['-c', text], { cwd: folder, env }).catch((error) => error);
    expect(told).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('"codigo":"auth_invalid"') });
    expect(told.stderr.match(/"codigo"/g)).toHaveLength(1);
  },
);

interface Check {
  readonly name: string;
  readonly error: { readonly message: string } | null;
}

/** The part of postman-runtime that a run needs: the package has no types. */
interface RuntimeModule {
  readonly Runner: new () => {
    run(collection: object, options: object, ready: (error: Error | null, run: RuntimeRun) => void): void;
  };
}
interface RuntimeRun {
  start(told: Readonly<Record<string, (...said: never[]) => void>>): void;
}
interface Cursor {
  readonly ref: string;
}
type Sent = { readonly headers: readonly { readonly key: string; readonly value: string }[] };

/**
 * Runs a collection with Postman's own engine, as the Runner and newman do. Returns each request in the order of
 * sending.
 */
async function runCollection(
  collection: object,
  environment: { values: object[] },
): Promise<readonly { name: string; keys: string[]; checks: Check[] }[]> {
  const { Runner } = require('postman-runtime') as RuntimeModule;
  const { Collection, VariableScope } = require('postman-collection');
  const given = { chave: service.keys.sandbox, cpf: '900.000.003-37' };
  const scope = new VariableScope(environment);
  for (const [name, value] of Object.entries(given)) scope.set(name, value);

  const executions = new Map<string, { name: string; keys: string[]; checks: Check[] }>();
  await new Promise<void>((resolve, reject) => {
    const settle = (error: Error | null) => (error ? reject(error) : resolve());
    new Runner().run(new Collection(collection), { environment: scope }, (failed, run) => {
      if (failed) return reject(failed);
      run.start({
        beforeItem: (_: unknown, { ref }: Cursor, { name }: { readonly name: string }) =>
          executions.set(ref, { name, keys: [], checks: [] }),
        request: (error: Error | null, { ref }: Cursor, _: unknown, { headers }: Sent) => {
          if (error) return reject(error);
          const sent = headers.filter(({ key }) => key === 'Idempotency-Key');
          executions.get(ref)!.keys.push(...sent.map(({ value }) => value));
        },
        assertion: ({ ref }: Cursor, checks: readonly Check[]) => executions.get(ref)!.checks.push(...checks),
        exception: (_: unknown, error: Error) => reject(error),
        done: settle,
      });
    });
  });
  return [...executions.values()];
}

it.each(['first', 'second'])(
  'the Postman collection completes the flow a %s time with only the key changed, and each of its checks holds',
  async () => {
    const settings = { baseUrl: service.url };
    const collection = postmanCollection(document, settings);
    const executions = await runCollection(collection, postmanEnvironment(document, settings));
    const failed = executions.flatMap(({ name, checks }) =>
      checks.filter(({ error }) => error).map((check) => [name, check.name, check.error?.message]),
    );
    expect(failed).toEqual([]);
    // The collection asks for a pending analysis more than once.
    const names = executions.map(({ name }) => name);
    expect(Array.from(new Set(names))).toEqual(collection.item.map(({ name }) => name));
    expect(names.length).toBeGreaterThan(collection.item.length);
    const sentences = executions.flatMap(({ checks }) => checks.map(({ name }) => name));
    expect(sentences).toEqual(expect.arrayContaining(['é a resposta original', 'a análise tem desfecho', 'é um PDF']));

    const keys = executions.flatMap((execution) => execution.keys);
    expect(keys.every((key) => /^[0-9a-f-]{36}$/.test(key))).toBe(true);
    // Only the repeated submission has the key of another request.
    expect(new Set(keys).size).toBe(keys.length - 1);
    const lead = Number(
      (await request(service, 'POST', '/v1/leads', { body: { nome: 'A', cpf: '90000000337' } })).body.lead_id,
    );
    const { analises } = (await request(service, 'GET', `/v1/leads/${lead}/analises`)).body;
    expect(analises.map(({ situacao }: { situacao: string }) => situacao)).toContain('recusado');
  },
);
