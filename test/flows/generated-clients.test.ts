import { execFile as execFileWithCallback } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { generatedTypes } from '#shared/partner/client/clients.ts';
import { PROGRAMS as GUIDE_PROGRAMS, pageSource } from '#shared/partner/docs/contents.ts';
import vector from '#shared/partner/docs/samples/vetor.json' with { type: 'json' };
import { LEAD, newAnalysis, newLead, newSimulation, newWithdrawal } from '#shared/partner/openapi/example-bodies.ts';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };
import { eventsOf, eventually, type LocalService, request, startLocalService } from '../makers/local-service.ts';
import { hasCommand } from '../makers/present.ts';

// Clients are generated from the documents as partners would do it, and make the calls of the flow against the whole
// service. Ordinary package clients fetch the generators. If a generator cannot be fetched, its test is skipped and
// says so.

const VERSION = document.info.version;
const GENERATOR = 'org.openapitools:openapi-generator-cli:7.14.0';
const DOCUMENT = join(import.meta.dirname, '../../shared/partner/openapi/openapi.json');
const PROFILE = join(import.meta.dirname, '../../shared/partner/openapi/openapi-3.0.json');
const COMPILER = join(import.meta.dirname, '../../shared/partner/client/node_modules/typescript/bin/tsc');
const PROGRAMS = join(import.meta.dirname, 'generators');
const LANGUAGES = readFileSync(join(import.meta.dirname, '../../shared/partner/docs/pages/linguagens.md'), 'utf8');
const LIBRARIES = ['es2022', 'dom', 'dom.iterable'];
/** The autoloader of Guzzle, the HTTP client of PHP's generated code, as Debian's package installs it. */
const GUZZLE = '/usr/share/php/GuzzleHttp/autoload.php';
/**
 * Time limits for one command and for one client: packages are downloaded, and compilers share the machine with tests.
 */
const COMMAND_WITHIN = 600_000;
const CLIENT_WITHIN = 900_000;

const execFile = promisify(execFileWithCallback);
const folder = mkdtempSync(join(tmpdir(), 'partner-credit-generated-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Makes a folder for a client, with the bodies that it sends: the document's examples, with a test CPF. Returns its
 * path.
 */
function folderFor(name: string): string {
  const own = join(folder, name);
  mkdirSync(own);
  const { lead_id: _, ...simulation } = newSimulation;
  const [cpf, consentimento_timestamp] = ['900.000.001-75', new Date().toISOString()];
  const bodies = { lead: { ...newLead, cpf }, simulation, analysis: { ...newAnalysis, cpf, consentimento_timestamp } };
  writeFileSync(join(own, 'bodies.json'), JSON.stringify(bodies));
  return own;
}

/** Schemas of bodies with rules that the document states only in words. */
const CHANGED_BY_WORDS = [
  'LeadNovo',
  'LeadAlteracao',
  'SimulacaoNova',
  'SegundoProponente',
  'Fgts',
  'AnaliseNova',
  'RevogacaoNova',
];

/**
 * Returns the document for a sandbox that has this lead. Rules that the document states only in words get a schema
 * (shared/contract/DECISIONS.md).
 */
function prepared(lead: number): string {
  const text = JSON.stringify(document)
    .replaceAll(String(LEAD), String(lead))
    .replaceAll(newAnalysis.consentimento_timestamp, new Date().toISOString())
    // A withdrawal that is later than a consent would refuse the analyses of the same run.
    .replaceAll(newWithdrawal.revogado_em, '2015-03-14T12:00:00Z');
  const api = JSON.parse(text);
  // A cursor is the text that an earlier page gave, which no schema can say.
  const list = api.paths['/v1/analises'].get;
  list.parameters = list.parameters.filter(({ name }: { name: string }) => name !== 'cursor');
  const words = JSON.parse(readFileSync(join(PROGRAMS, 'schemathesis-words.json'), 'utf8'));
  for (const name of CHANGED_BY_WORDS)
    for (const [field, schema] of Object.entries<object>(api.components.schemas[name].properties))
      Object.assign(schema, words[`${name}.${field}`] ?? words[field], field === 'lead_id' && { enum: [lead] });
  return JSON.stringify(api);
}

/** Writes a TypeScript program, its compiler's settings, and declarations of the parts of Node that programs use. */
function typescriptIn(own: string, program: string, options: object): void {
  copyFileSync(join(PROGRAMS, program), join(own, 'flow.ts'));
  writeFileSync(join(own, 'package.json'), '{"type":"module"}');
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', lib: LIBRARIES, ...options };
  writeFileSync(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const globals =
    "declare module 'node:fs' { export function readFileSync(name: string, encoding: string): string }\ndeclare const process: { env: Record<string, string> };\ndeclare const Buffer: { from(bytes: ArrayBuffer): Uint8Array };\n";
  writeFileSync(join(own, 'node.d.ts'), globals);
}

/**
 * Runs a command line in a folder. Returns what the command prints. Throws an Error with its whole output if it fails.
 */
async function run(own: string, line: string, env: Record<string, string> = {}): Promise<string> {
  const [command, ...parts] = line.split(' ') as [string, ...string[]];
  const options = { cwd: own, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024, timeout: COMMAND_WITHIN };
  const { stdout } = await execFile(command, parts, options).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${command}: ${error.message}\n${error.stdout ?? ''}\n${error.stderr ?? ''}`);
    },
  );
  return stdout;
}

/** Skips the test, and prints why, if a tool cannot be fetched. */
async function fetched(context: TestContext, what: string, fetch: () => Promise<unknown> | undefined): Promise<void> {
  try {
    const fetching = fetch();
    if (fetching === undefined) throw new Error('its toolchain is not here');
    await fetching;
  } catch (error) {
    const why = String(error).split('\n')[0];
    console.warn(`NOT CHECKED: ${what}: ${why}`);
    context.skip(`${what}: ${why}`);
  }
}

const having = (commands: readonly string[], fetch: () => Promise<unknown>) => () =>
  commands.every(hasCommand) ? fetch() : undefined;

/** Returns a function that fetches a tool at its first call only, for tools that several clients need. */
function once(fetch: () => Promise<unknown> | undefined) {
  let fetching: Promise<unknown> | undefined;
  return () => (fetching ??= fetch());
}
const venv = once(having(['python3'], () => run(folder, 'python3 -m venv venv')));
const jar = once(
  having(['mvn', 'java'], () =>
    run(
      folder,
      `mvn -q -B dependency:copy -Dartifact=${GENERATOR} -Dmdep.stripVersion=true -DoutputDirectory=${folder}`,
    ),
  ),
);
const installed = (own: string, packages: string) =>
  venv()?.then(() => run(own, `../venv/bin/pip install --quiet ${packages}`));
/** Makes a folder with the client that openapi-generator generates. Returns its path. */
async function generated(context: TestContext, language: string, options = ''): Promise<string> {
  const own = folderFor(`openapi-generator-${language}${options.includes('restclient') ? '-restclient' : ''}`);
  await fetched(context, 'openapi-generator', jar);
  await run(own, `java -jar ../openapi-generator-cli.jar generate -i ${PROFILE} -g ${language} -o client${options}`);
  return own;
}

describe.runIf(process.env['SOAK'])('clients generated from the OpenAPI documents', { timeout: CLIENT_WITHIN }, () => {
  let service: LocalService;
  beforeAll(async () => {
    service = await startLocalService();
  });
  afterAll(() => service?.end());

  /** Runs a client's program, and expects the same result from each client. */
  async function walks(own: string, line: string, env: Record<string, string> = {}): Promise<void> {
    const told = { BASE_URL: service.url, KEY: service.keys.sandbox, IDEMPOTENCY_KEY: own };
    expect(JSON.parse(await run(own, line, { ...told, ...env }))).toEqual({
      nome: 'Marina Duarte Alves',
      offers: [
        ['itau', true, true],
        ['bradesco', true, true],
        ['cashme', false, false],
      ],
      pdf: '%PDF-',
      situacao: 'aprovado',
      refusal: 'nao_encontrado',
    });
  }

  it('our own Python client, installed from its wheel, works in a project of its own and types it', async (context) => {
    const own = folderFor('wheel');
    await fetched(
      context,
      'what a project in Python needs',
      having(['python3'], async () => {
        await run(own, 'python3 -m venv venv');
        const packages = 'mypy==2.4.1 flask==3.1.3 django==5.2.19 django-stubs==5.2.9';
        await run(own, `venv/bin/pip install --quiet ${packages}`);
        await run(own, 'npm install --no-audit --no-fund pyright@1.1.414');
      }),
    );
    const wheel = `credito_imobiliario-${VERSION}-py3-none-any.whl`;
    await run(own, `venv/bin/pip install --quiet --no-index --no-deps ${service.url}/docs/pacotes/${wheel}`);
    const env = { BASE_URL: service.url, CHAVE: service.keys.sandbox };
    writeFileSync(join(own, 'fluxo.py'), GUIDE_PROGRAMS.find(({ file }) => file === 'fluxo.py')!.text);
    const walked = await run(own, 'venv/bin/python fluxo.py', env);
    expect(walked.trim().split('\n').at(-1)).toBe('aprovado');

    copyFileSync(join(PROGRAMS, 'python_project.py'), join(own, 'project.py'));
    writeFileSync(join(own, 'vetor.json'), JSON.stringify(vector));
    const received = [
      [200, 'analise.resultado'],
      [400, 'refused'],
    ];
    expect(JSON.parse(await run(own, 'venv/bin/python project.py', env))).toEqual({
      flask: received,
      django: received,
      lead: ['Rui Sales', 12345.67, '1988-03-14'],
      network: ['ConnectionRefusedError', true],
    });
    const [, tab = ''] = /^```python aba:Django\n(.*?)^```/ms.exec(pageSource('receptor')) ?? [];
    // A comment with the name of a file begins each part of the tab.
    for (const part of tab.split(/^(?=# \S+\.py)/m)) {
      const file = join(own, /^# (\S+\.py)/.exec(part)?.[1] ?? '');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, part);
    }
    copyFileSync(join(PROGRAMS, 'django_project.py'), join(own, 'django_project.py'));
    expect(JSON.parse(await run(own, 'venv/bin/python django_project.py', env))).toEqual({
      forged: 401,
      answers: [200, 200],
      processed: 'verificado: analise.resultado 9001 aprovado\n',
    });
    const typed = [
      'from credito_imobiliario import PartnerClient',
      'account = PartnerClient("", key="").get_account().body',
      'environment: str = account["ambiente"]',
      'account["ambient"]  # type: ignore[typeddict-item]',
    ];
    writeFileSync(join(own, 'typed.py'), typed.join('\n'));
    expect(await run(own, 'venv/bin/mypy --strict typed.py project.py')).toContain('no issues found');
    const pyright = `${process.execPath} node_modules/pyright/index.js --pythonpath venv/bin/python project.py`;
    expect(await run(own, pyright)).toContain('0 errors, 0 warnings');
  });

  it('a client of openapi-typescript and openapi-fetch completes the flow', async (context) => {
    const own = folderFor('openapi-fetch');
    const install = () => run(own, 'npm install --no-audit --no-fund openapi-fetch@0.17.0');
    await fetched(context, 'openapi-fetch', install);
    writeFileSync(join(own, 'api.ts'), await generatedTypes(document));
    typescriptIn(own, 'openapi-fetch.txt', { noEmit: true, allowImportingTsExtensions: true });
    await run(own, `${process.execPath} ${COMPILER} -p .`);
    await walks(own, `${process.execPath} flow.ts`);
  });

  it('a client of hey-api completes the flow', async (context) => {
    const own = folderFor('hey-api');
    // hey-api uses internals of its peer, the TypeScript compiler, that later compilers do not have.
    const packages = '@hey-api/openapi-ts@0.99.0 typescript@5.9.3';
    await fetched(context, 'hey-api', () => run(own, `npm install --no-audit --no-fund ${packages}`));
    typescriptIn(own, 'hey-api.txt', { outDir: 'out' });
    await run(own, `${process.execPath} node_modules/.bin/openapi-ts -i ${DOCUMENT} -o api`);
    await run(own, `${process.execPath} ${COMPILER} -p .`);
    await walks(own, `${process.execPath} out/flow.js`);
  });

  it('a client of oapi-codegen completes the flow', async (context) => {
    const own = folderFor('oapi-codegen');
    writeFileSync(join(own, 'oapi.yaml'), /<<'FIM'\n(package: .*?)FIM\n/s.exec(LANGUAGES)![1]!);
    copyFileSync(join(PROGRAMS, 'oapi_codegen.go'), join(own, 'flow.go'));
    mkdirSync(join(own, 'credito'));
    const generator = /go run (\S+oapi-codegen\S+)/.exec(LANGUAGES)![1]!;
    const build = async () => {
      await run(own, 'go mod init partner');
      await run(own, `go run ${generator} -config oapi.yaml ${PROFILE}`);
      await run(own, 'go mod tidy');
    };
    await fetched(context, 'oapi-codegen', having(['go'], build));
    await walks(own, 'go run .');
  });

  it('a client of openapi-python-client completes the flow', async (context) => {
    const own = folderFor('openapi-python-client');
    await fetched(context, 'openapi-python-client', () => installed(own, 'openapi-python-client==0.29.1'));
    const settings = [
      'package_name_override: partner_credit',
      'content_type_overrides:',
      '  application/pdf: application/octet-stream',
      'post_hooks: []',
    ];
    writeFileSync(join(own, 'settings.yml'), settings.join('\n'));
    const parts = `--path ${PROFILE} --output-path client --config settings.yml --fail-on-warning`;
    await run(own, `../venv/bin/openapi-python-client generate ${parts}`);
    await walks(own, `../venv/bin/python ${join(PROGRAMS, 'openapi_python_client.py')}`, { PYTHONPATH: 'client' });
  });

  it('a client of openapi-generator for Python completes the flow', async (context) => {
    const own = await generated(context, 'python');
    await fetched(context, 'what openapi-generator for Python calls', () =>
      installed(own, '-r client/requirements.txt'),
    );
    await walks(own, `../venv/bin/python ${join(PROGRAMS, 'openapi_generator.py')}`, { PYTHONPATH: 'client' });
  });

  it('a client of openapi-generator for Java completes the flow', async (context) => {
    const own = await generated(context, 'java');
    const copying = 'mvn -q -B dependency:copy-dependencies -DincludeScope=compile -DoutputDirectory=lib';
    const libraries = () => run(join(own, 'client'), copying);
    await fetched(context, 'what openapi-generator for Java calls', having(['javac'], libraries));
    const sources = `-sourcepath client/src/main/java ${join(PROGRAMS, 'OpenapiGenerator.java')}`;
    await run(own, `javac -nowarn -proc:none -encoding UTF-8 -cp client/lib/* -d out ${sources}`);
    await walks(own, 'java -cp out:client/lib/* OpenapiGenerator');
  });

  it('a client of openapi-generator for Kotlin completes the flow', async (context) => {
    const own = await generated(context, 'kotlin');
    const [client, sources] = [join(own, 'client'), join(own, 'client/src/main/kotlin')];
    const adapter = /```kotlin\n(.*?)```/s.exec(LANGUAGES)![1]!;
    writeFileSync(join(sources, 'org/openapitools/client/infrastructure/BigDecimalAdapter.kt'), adapter);
    copyFileSync(join(PROGRAMS, 'OpenapiGenerator.kt'), join(sources, 'OpenapiGenerator.kt'));
    copyFileSync(join(PROGRAMS, 'kotlin-pom.xml'), join(client, 'pom.xml'));
    const copying = 'mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib';
    await fetched(context, 'what openapi-generator for Kotlin calls', () => run(client, copying));
    await run(client, 'mvn -q -B compile');
    await walks(own, 'java -cp client/target/classes:client/lib/* OpenapiGeneratorKt');
  });

  it('a client of openapi-generator for Go completes the flow', async (context) => {
    const go = having(['go'], async () => true);
    await fetched(context, 'Go', go);
    const options = /-g go(( --\S+ [^\s`]+)+)/.exec(LANGUAGES)![1]!;
    const own = await generated(context, 'go', options);
    for (const name of readdirSync(join(own, 'client')).filter((file) => file.endsWith('.go')))
      cpSync(join(own, 'client', name), join(own, 'credito', name));
    copyFileSync(join(PROGRAMS, 'openapi_generator.go'), join(own, 'flow.go'));
    await run(own, 'go mod init partner');
    await walks(own, 'go run .');
  });

  it('a client of openapi-generator for PHP completes the flow', async (context) => {
    await fetched(context, 'what openapi-generator for PHP calls', async () => {
      if (!hasCommand('php') || !existsSync(GUZZLE)) throw new Error('there is no PHP with Guzzle here');
    });
    const own = await generated(context, 'php');
    copyFileSync(join(PROGRAMS, 'openapi-generator.php'), join(own, 'flow.php'));
    await walks(own, 'php flow.php', { GUZZLE });
  });

  it('a client of openapi-generator for Java (restclient) completes the flow', async (context) => {
    const own = await generated(context, 'java', ' --library restclient');
    const copying = 'mvn -q -B dependency:copy-dependencies -DincludeScope=compile -DoutputDirectory=lib';
    const libraries = () => run(join(own, 'client'), copying);
    await fetched(context, "what openapi-generator for Spring's RestClient calls", having(['javac'], libraries));
    const sources = `-sourcepath client/src/main/java ${join(PROGRAMS, 'OpenapiRestClient.java')}`;
    await run(own, `javac -nowarn -proc:none -encoding UTF-8 -cp client/lib/* -d out ${sources}`);
    await walks(own, 'java -cp out:client/lib/* OpenapiRestClient');
  });

  it('a client of openapi-generator for Ruby completes the flow', async (context) => {
    await fetched(
      context,
      'Ruby',
      having(['ruby', 'gem'], async () => true),
    );
    const own = await generated(context, 'ruby');
    // Each file is parsed even if the client's HTTP library cannot be fetched.
    for (const file of globSync('client/lib/**/*.rb', { cwd: own }))
      expect(await run(own, `ruby -c ${file}`), file).toContain('Syntax OK');
    const env = { GEM_HOME: join(own, 'gems') };
    const install = () => run(own, 'gem install --silent --no-document typhoeus:1.4.1', env);
    // Debian has the library too, as ruby-typhoeus.
    const present = () => run(own, 'ruby -r typhoeus -e 0', env).catch(install);
    await fetched(context, 'what openapi-generator for Ruby calls', present);
    await walks(own, `ruby -I client/lib ${join(PROGRAMS, 'openapi_generator.rb')}`, env);
    writeFileSync(join(own, 'page.rb'), /^```ruby\n(.*?)^```/ms.exec(LANGUAGES)![1]!);
    const here = { ...env, BASE_URL: service.url, CHAVE: service.keys.sandbox };
    expect(await run(own, 'ruby -I client/lib page.rb', here)).toBe('sandbox\nnao_encontrado\n');
  });

  it('a client of openapi-generator for Rust completes the flow', async (context) => {
    await fetched(
      context,
      'Rust',
      having(['cargo'], async () => true),
    );
    const own = await generated(context, 'rust');
    copyFileSync(join(PROGRAMS, 'openapi_generator.rs'), join(own, 'flow.rs'));
    copyFileSync(join(PROGRAMS, 'openapi_generator.toml'), join(own, 'Cargo.toml'));
    await fetched(context, 'what openapi-generator for Rust calls', () => run(own, 'cargo fetch --quiet'));
    await run(own, 'cargo build --quiet');
    await walks(own, 'target/debug/partner');
  });

  it('a client of ogen completes the flow', async (context) => {
    const own = folderFor('ogen');
    const generator = 'github.com/ogen-go/ogen/cmd/ogen@v1.24.0';
    const build = async () => {
      await run(own, 'go mod init partner');
      await run(own, `go run ${generator} --target credito --package credito --clean ${PROFILE}`);
      copyFileSync(join(PROGRAMS, 'ogen.go'), join(own, 'flow.go'));
      await run(own, 'go mod tidy');
    };
    await fetched(context, 'ogen', having(['go'], build));
    await walks(own, 'go run .');
  });

  it('a client of orval completes the flow', async (context) => {
    const own = folderFor('orval');
    await fetched(context, 'orval', () => run(own, 'npm install --no-audit --no-fund orval@8.38.0'));
    typescriptIn(own, 'orval.txt', { outDir: 'out' });
    copyFileSync(join(PROGRAMS, 'orval-call.txt'), join(own, 'call.ts'));
    copyFileSync(join(PROGRAMS, 'orval.config.mjs'), join(own, 'orval.config.mjs'));
    await run(own, `${process.execPath} node_modules/.bin/orval`, { DOCUMENT });
    await run(own, `${process.execPath} ${COMPILER} -p .`);
    await walks(own, `${process.execPath} out/flow.js`);
  });

  it('a client of kubb completes the flow', async (context) => {
    const own = folderFor('kubb');
    const names = ['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-client'];
    const packages = names.map((name) => `@kubb/${name}@4.39.3`).join(' ');
    await fetched(context, 'kubb', () => run(own, `npm install --no-audit --no-fund ${packages}`));
    typescriptIn(own, 'kubb.txt', { outDir: 'out' });
    copyFileSync(join(PROGRAMS, 'kubb-call.txt'), join(own, 'call.ts'));
    copyFileSync(join(PROGRAMS, 'kubb.config.mjs'), join(own, 'kubb.config.mjs'));
    await run(own, `${process.execPath} node_modules/.bin/kubb generate`, { DOCUMENT });
    await run(own, `${process.execPath} ${COMPILER} -p .`);
    await walks(own, `${process.execPath} out/flow.js`);
  });

  it('schemathesis finds that the service accepts what its document allows and refuses what it forbids', async (context) => {
    const own = folderFor('schemathesis');
    await fetched(context, 'schemathesis', () => installed(own, 'schemathesis==4.32.5'));
    copyFileSync(join(PROGRAMS, 'schemathesis.toml'), join(own, 'schemathesis.toml'));
    const calls = async (rest: string, env = {}) => {
      const parts = `-u ${service.url} -H X-API-Key:${service.keys.sandbox} ${rest}`;
      const [, summary] = (await run(own, `../venv/bin/schemathesis run ${parts}`, env)).split(/=+ SUMMARY =+/);
      console.log(summary);
      expect(summary).toContain('No issues found');
    };
    await calls(`${DOCUMENT} --mode positive --include-operation-id reset-sandbox`);
    // Some of the bodies that schemathesis breaks still match their schema, but have wrong check digits.
    await calls(`${DOCUMENT} --mode negative --exclude-checks positive_data_acceptance`);
    const made = async (path: string, body: object) =>
      JSON.parse((await request(service, 'POST', path, { body, headers: { 'Idempotency-Key': own } })).text);
    const { lead_id } = await made('/v1/leads', newLead);
    const [{ simulacao_id }] = (await made('/v1/simulacoes', { ...newSimulation, lead_id })).resultado.resultados;
    const analysis = { ...newAnalysis, lead_id, consentimento_timestamp: new Date().toISOString() };
    const [{ analise_id }] = (await made('/v1/analises', analysis)).analises;
    const { raw } = await eventually('an event', async () => (await eventsOf(service, analise_id))[0]);
    writeFileSync(join(own, 'prepared.json'), prepared(lead_id));
    const ids = { LEAD: lead_id, SIMULATION: simulacao_id, ANALYSIS: analise_id, DELIVERY: JSON.parse(raw).id };
    const hooks = { SCHEMATHESIS_HOOKS: 'fresh_keys', PYTHONPATH: PROGRAMS, PYTHONDONTWRITEBYTECODE: '1' };
    writeFileSync(join(own, 'schemathesis.toml'), readFileSync(join(PROGRAMS, 'prepared.toml')), { flag: 'a' });
    await calls('prepared.json --mode positive --exclude-operation-id reset-sandbox', { ...ids, ...hooks });
  });
});
