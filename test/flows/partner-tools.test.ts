import { execFile as execFileWithCallback } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_FILE, partnerClient } from '../../shared/partner/client/partner-client.ts';
import { postmanCollection, postmanEnvironment } from '../../shared/partner/collections/postman.ts';
import { PROGRAMS } from '../../shared/partner/docs/contents.ts';
import * as examples from '../../shared/partner/openapi/example-bodies.ts';
import document from '../../shared/partner/openapi/openapi.json' with { type: 'json' };
import { flowBodies } from '../makers/flow-bodies.ts';
import { eventsOf, eventually, type LocalService, request, startLocalService } from '../makers/local-service.ts';
import { present } from '../makers/present.ts';

// What partners download is run as they get it, against the whole service.

const require = createRequire(import.meta.url);

const execFile = promisify(execFileWithCallback);
const PYTHON_FOLDER = join(import.meta.dirname, '../../shared/partner/client/python');

let service: LocalService;
const folder = mkdtempSync(join(tmpdir(), 'partner-credit-tools-'));
beforeAll(async () => {
  service = await startLocalService();
});
afterAll(async () => {
  await service?.end();
  rmSync(folder, { recursive: true, force: true });
});

describe('the TypeScript client, as a package', () => {
  it('is packed by npm, runs, and types a caller', async () => {
    const client = join(import.meta.dirname, '../../shared/partner/client');
    const home = join(folder, 'npm', 'node_modules');
    mkdirSync(home, { recursive: true });
    const { stdout } = await execFile('npm', ['pack', '--json', '--pack-destination', home], { cwd: client });
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }];
    await execFile('tar', ['-xzf', filename, '--one-top-level=credito-imobiliario', '--strip-components=1'], {
      cwd: home,
    });
    const program = (api: string) => `
      import { PartnerClient } from 'credito-imobiliario';
      const api = new PartnerClient({ baseUrl: '${service.url}', key: '${service.keys.sandbox}' });
      const { body } = await api.call('get-account', {});
      ${api}`;
    const caller = join(folder, 'npm', 'caller.mjs');
    writeFileSync(caller, program('process.stdout.write(body.ambiente);'));
    expect((await execFile(process.execPath, [caller])).stdout).toBe('sandbox');

    const typed = join(folder, 'npm', 'typed.mts');
    writeFileSync(
      typed,
      program(`const environment: 'sandbox' | 'producao' = body.ambiente;
      // @ts-expect-error: there is no such field
      void [environment, body.ambient];`),
    );
    const compiler = join(client, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    const told = await execFile(process.execPath, [compiler, ...options, typed]).catch((error) => error);
    expect(told.stdout).toBe('');
  });
});

describe.concurrent('the TypeScript client, from its one file', () => {
  it('walks the whole flow, and verifies the events that it causes', async () => {
    const file = join(folder, CLIENT_FILE);
    writeFileSync(file, partnerClient());
    const { PartnerClient, PartnerError, verifyWebhook } = (await import(
      file
    )) as typeof import('../../shared/partner/client/client.ts');
    const api = new PartnerClient({ baseUrl: service.url, key: service.keys.sandbox });

    const body = { ...examples.newLead, cpf: '900.000.002-56' } as { nome: string; cpf: string };
    const created = await api.call('create-lead', { body });
    expect(created).toMatchObject({ status: 201, requestId: expect.stringMatching(/./) });
    const id = created.body.lead_id;
    const { resultado } = (
      await api.call('create-simulation', { body: { lead_id: id, valor_imovel: 500000, bancos: ['itau', 'bradesco'] } })
    ).body;
    const offer = resultado.resultados[0]!;
    if (!offer.sucesso) throw new Error(offer.motivo);
    const pdf = (await api.call('get-simulation-pdf', { id: offer.simulacao_id })).body;
    expect(Buffer.from(pdf.subarray(0, 5)).toString()).toBe('%PDF-');

    const consentimento_timestamp = new Date().toISOString();
    const submission = {
      body: { ...examples.newAnalysis, consentimento_timestamp, cpf: body.cpf, lead_id: id },
      idempotencyKey: 'pedido-1',
    };
    const submitted = await api.call('submit-analyses', submission);
    const repeated = await api.call('submit-analyses', submission);
    expect([submitted.status, submitted.replay, repeated.replay]).toEqual([202, false, true]);
    const conflict = api.call('submit-analyses', { ...submission, body: { ...submission.body, prazo: 120 } });
    await expect(conflict).rejects.toThrow(PartnerError);
    await expect(conflict).rejects.toMatchObject({ status: 422, failure: { codigo: 'idempotency_conflito' } });

    for (const { analise_id } of submitted.body.analises) {
      const outcome = await eventually('the outcome', async () => {
        const { analise } = (await api.call('get-analysis-status', { id: analise_id })).body;
        return analise.pendente ? undefined : analise.situacao;
      });
      expect(outcome).toBe('condicionado');
      const [event] = await eventually('its event', async () => {
        const events = await eventsOf(service, analise_id);
        return events.length > 0 ? events : undefined;
      });
      const verified = await verifyWebhook(event!.raw, event!.headers, service.inbox.secret);
      expect(verified).toMatchObject({ type: 'analise.resultado', data: { analise_id, situacao: 'condicionado' } });
    }
    const { analises, pendentes } = (await api.call('list-lead-analyses', { id, query: { limit: 1 } })).body;
    expect([analises.length, pendentes]).toEqual([1, 0]);
  });
});

const PYTHON = `
import json, os, sys, time
from credito_imobiliario import *

bodies = json.load(sys.stdin)
api = PartnerClient(os.environ["BASE_URL"], key=os.environ["KEY"])
lead_id = api.create_lead(bodies["lead"]).body["lead_id"]
offers = api.create_simulation({**bodies["simulation"], "lead_id": lead_id}).body["resultado"]["resultados"]
pdf = api.get_simulation_pdf(next(offer["simulacao_id"] for offer in offers if offer["sucesso"])).body
proposal = {**bodies["analysis"], "lead_id": lead_id}
first = api.submit_analyses(proposal, idempotency_key="python-1")
again = api.submit_analyses(proposal, idempotency_key="python-1")
until = time.monotonic() + 60
while any(one["pendente"] for one in api.iter_lead_analyses(lead_id, limit=1)) and time.monotonic() < until:
    time.sleep(0.3)
try:
    api.get_lead(1)
except PartnerError as error:
    refusal = [error.status, error.failure["codigo"]]
print(json.dumps({
    "pdf": pdf[:5].decode(),
    "offers": [[offer["banco"], offer["sucesso"], "parcela_1" in offer] for offer in offers],
    "replays": [first.replay, again.replay, first.body == again.body],
    "analyses": sorted(one["analise_id"] for one in first.body["analises"]),
    "situations": [one["situacao"] for one in api.iter_lead_analyses(lead_id, limit=1)],
    "refusal": refusal,
}))
`;
const VERIFY = `
import json, sys
from credito_imobiliario import *
event = json.load(sys.stdin)
print(json.dumps(verify_webhook(event["raw"].encode(), event["headers"], event["secret"])))
`;

describe.runIf(present('the client for Python in the whole flow', 'python3'))('the client for Python', () => {
  it('walks the flow, and verifies an event that it causes', async () => {
    const python = async (program: string, input: object) => {
      const env = { ...process.env, BASE_URL: service.url, KEY: service.keys.sandbox };
      const running = execFile('python3', ['-c', program], {
        env: { ...env, PYTHONPATH: PYTHON_FOLDER, PYTHONDONTWRITEBYTECODE: '1' },
      });
      running.child.stdin!.end(JSON.stringify(input));
      return JSON.parse((await running).stdout);
    };
    const told = await python(PYTHON, flowBodies('900.000.004-18'));
    expect(told).toMatchObject({
      pdf: '%PDF-',
      offers: [
        ['itau', true, true],
        ['bradesco', true, true],
        ['cashme', false, false],
      ],
      replays: [false, true, true],
      situations: ['cancelado', 'cancelado'],
      refusal: [404, 'nao_encontrado'],
    });
    const [event] = await eventually('its event', async () => {
      const events = await eventsOf(service, told.analyses[0]);
      return events.length > 0 ? events : undefined;
    });
    const verified = await python(VERIFY, { ...event, secret: service.inbox.secret });
    expect(verified).toMatchObject({ type: 'analise.resultado', data: { analise_id: told.analyses[0] } });
  });
});

const RUNS: Readonly<Record<string, { readonly needs: readonly string[]; readonly run: readonly string[] }>> = {
  'fluxo.sh': { needs: ['bash', 'curl'], run: ['bash', 'fluxo.sh'] },
  'fluxo.ts': { needs: [], run: [process.execPath, 'fluxo.ts'] },
  'fluxo.py': { needs: ['python3'], run: ['python3', 'fluxo.py'] },
  'fluxo.php': { needs: ['php'], run: ['php', 'fluxo.php'] },
  'Fluxo.java': { needs: ['java', 'javac'], run: ['java', 'Fluxo.java'] },
  'Fluxo.cs': { needs: ['dotnet'], run: ['dotnet', 'run'] },
};
const PROJECT =
  '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net8.0</TargetFramework><Nullable>enable</Nullable><ImplicitUsings>enable</ImplicitUsings></PropertyGroup></Project>';

describe.each(PROGRAMS)("the guide's program in $label", ({ file, label, text }) => {
  const { needs, run } = RUNS[file]!;
  it.runIf(present(`the program in ${label}`, ...needs))('walks the flow to its outcome', async () => {
    const own = mkdtempSync(join(folder, 'program-'));
    writeFileSync(join(own, file), text);
    writeFileSync(join(own, CLIENT_FILE), partnerClient());
    if (file.endsWith('.cs')) writeFileSync(join(own, 'fluxo.csproj'), PROJECT);
    const env = { ...process.env, BASE_URL: service.url, CHAVE: service.keys.sandbox };
    const [command, ...parts] = run;
    const { stdout } = await execFile(command!, parts, {
      cwd: own,
      env: { ...env, PYTHONPATH: PYTHON_FOLDER, PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(stdout.trim().split('\n').at(-1)).toBe('aprovado');
    expect(readFileSync(join(own, 'simulacao.pdf')).subarray(0, 5).toString()).toBe('%PDF-');
  });
});

interface Execution {
  readonly name: string;
  /** Values of the Idempotency-Key that was sent. */
  readonly keys: readonly string[];
  readonly checks: readonly Check[];
}

interface Check {
  readonly name: string;
  readonly error: { readonly message: string } | null;
}

interface Cursor {
  readonly ref: string;
}

/** As much of postman-runtime as a run needs: it ships no types. */
interface RuntimeModule {
  readonly Runner: new () => {
    run(collection: object, options: object, ready: (error: Error | null, run: RuntimeRun) => void): void;
  };
}
interface RuntimeRun {
  start(told: {
    beforeItem(error: Error | null, cursor: Cursor, item: { readonly name: string }): void;
    request(error: Error | null, cursor: Cursor, response: unknown, request: SentRequest): void;
    assertion(cursor: Cursor, checks: readonly Check[]): void;
    exception(cursor: Cursor, error: Error): void;
    done(error: Error | null): void;
  }): void;
}
interface SentRequest {
  readonly headers: {
    filter(keep: (header: { readonly key: string }) => boolean): readonly { readonly value: string }[];
  };
}

/** Runs a collection by Postman's own engine, as the Runner and newman do. Gives each request, in the order of sending. */
async function runCollection(collection: object, environment: { values: object[] }): Promise<readonly Execution[]> {
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
        beforeItem: (_, { ref }, { name }) => executions.set(ref, { name, keys: [], checks: [] }),
        request: (error, { ref }, _, request) => {
          if (error) return reject(error);
          const sent = request.headers.filter(({ key }) => key === 'Idempotency-Key');
          executions.get(ref)!.keys.push(...sent.map(({ value }) => value));
        },
        assertion: ({ ref }, checks) => executions.get(ref)!.checks.push(...checks),
        exception: (_, error) => reject(error),
        done: settle,
      });
    });
  });
  return [...executions.values()];
}

describe.concurrent("the Postman collection, run by Postman's engine", () => {
  it('goes through the whole flow with no edit but the key, and every check of it holds', async () => {
    const settings = { baseUrl: service.url };
    const collection = postmanCollection(document, settings);
    const executions = await runCollection(collection, postmanEnvironment(document, settings));
    const failed = executions.flatMap(({ name, checks }) =>
      checks.filter(({ error }) => error).map((check) => [name, check.name, check.error?.message]),
    );
    expect(failed).toEqual([]);
    // A pending analysis is asked for more than once.
    const names = executions.map(({ name }) => name);
    expect([...new Set(names)]).toEqual(collection.item.map(({ name }) => name));
    expect(names.length).toBeGreaterThan(collection.item.length);
    const sentences = executions.flatMap(({ checks }) => checks.map(({ name }) => name));
    expect(sentences).toEqual(expect.arrayContaining(['é a resposta original', 'a análise tem desfecho', 'é um PDF']));

    const keys = executions.flatMap((execution) => execution.keys);
    expect(keys.every((key) => /^[0-9a-f-]{36}$/.test(key))).toBe(true);
    // The repeated submission alone has the key of another request.
    expect(new Set(keys).size).toBe(keys.length - 1);
    const lead = Number(
      (await request(service, 'POST', '/v1/leads', { body: { nome: 'A', cpf: '90000000337' } })).body.lead_id,
    );
    const { analises } = (await request(service, 'GET', `/v1/leads/${lead}/analises`)).body;
    expect(analises.map(({ situacao }: { situacao: string }) => situacao)).toContain('recusado');
  });
});
