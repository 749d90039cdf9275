/**
 * Follows the partners' guide as a reader does: copies the shell samples of its pages, in order, into one terminal.
 * Exits non-zero unless the samples do what the guide promises.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../infra/local/listen.ts';
import { BANKS } from '../shared/domain/values/bank.ts';
import { minutes } from '../shared/domain/values/time.ts';
import { PartnerClient } from '../shared/partner/client/client.ts';
import { KEY_PLACEHOLDER } from '../shared/partner/docs/facts.ts';
import { expect, type RunningService, runningService, runOrReport } from './running-service.ts';

const project = join(import.meta.dirname, '..');
/** Time limit for all commands of one shell. */
const WITHIN = minutes(3);

interface Sample {
  readonly name: string;
  readonly text: string;
}

async function samples({ url }: RunningService): Promise<Sample[]> {
  const answer = await fetch(`${url}/docs/guia.md`);
  expect(answer.status === 200, `the guide answers ${answer.status}`);
  const fences = (await answer.text()).matchAll(/^```sh (\S+)\n([\s\S]*?)^```$/gm);
  return Array.from(fences, ([, name = '', text = '']) => ({ name, text }));
}

/** Returns a text as one word of a shell, whatever characters it contains. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function edited({ text }: Sample, { keys, file }: RunningService): string {
  // The replacements are functions: in a replacement text, `$&` and similar patterns would be expanded.
  return text
    .replace(KEY_PLACEHOLDER, () => keys.sandbox)
    .replace('.local/service.json', () => quoted(resolve(file)))
    .replace('npm run -s manager -- --local', () => managerCommand(file));
}

const managerCommand = (file: string) =>
  `npm --prefix ${quoted(project)} run -s manager -- --local --service-file ${quoted(resolve(file))}`;

/**
 * Passes what the shell prints to `show`, and returns all of it. Throws an Error if the shell fails or takes too long.
 */
async function shell(
  script: string,
  folder: string,
  environment: Record<string, string>,
  show: (text: string) => void,
): Promise<string> {
  const child = spawn('bash', ['-s'], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  // Ends the whole process group, with all programs that the samples have left in the background.
  const end = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(end, WITHIN);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    show(text);
  });
  child.stdin.end(script);
  const code = await new Promise<number | null>((done) => child.once('exit', done));
  clearTimeout(timer);
  expect(code === 0, `the samples ended with ${code}`);
  return output;
}

/** Throws an Error if the guide has no sample of this name. */
function printed(output: string, name: string): string {
  const [, rest] = output.split(`\n== ${name}\n`);
  expect(rest !== undefined, `the guide has no sample ${name}`);
  const [text = ''] = rest.split('\n== ');
  return text;
}

/** Throws an Error for the first promise of the guide that does not hold. */
function check(output: string, folder: string): void {
  const json = (name: string) => JSON.parse(printed(output, name).trim().split('\n').at(-1) ?? '');
  expect(json('conta.sh').ambiente === 'sandbox', 'the key is not a sandbox key');
  expect(json('lead.sh').lead_id > 0, 'there is no lead');
  const offers = json('simulacao.sh').resultado.resultados.filter((entry: { sucesso: boolean }) => entry.sucesso);
  expect(offers.length === BANKS.length, `${offers.length} of ${BANKS.length} banks offer`);
  const pdf = join(folder, 'integracao', 'simulacao.pdf');
  expect(existsSync(pdf) && readFileSync(pdf).subarray(0, 5).toString() === '%PDF-', 'there is no PDF');
  const analyses: number[] = json('analises.sh').analises.map((entry: { analise_id: number }) => entry.analise_id);
  expect(analyses.length === 2, 'there are not two analyses');
  expect(/^idempotent-replay: true/im.test(printed(output, 'repeticao.sh')), 'the repeated call was no replay');
  const outcomes = printed(output, 'situacao.sh')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).analise);
  expect(outcomes.length === 2, 'there are not two outcomes');
  for (const { situacao } of outcomes) expect(situacao === 'condicionado', `an outcome is ${situacao}`);
  for (const analysis of analyses) {
    const line = `verificado: analise.resultado ${analysis} condicionado`;
    expect(printed(output, 'webhook.sh').includes(line), `there is no verified webhook about analysis ${analysis}`);
  }
  expect(printed(output, 'listas.sh').includes('"consentimentos"'), 'the consents are not listed');
  expect(json('revogacao.sh').revogacao.canal === 'web', 'the withdrawal of consent is not recorded');
}

async function walk(): Promise<void> {
  const service = await runningService();
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-guide-'));
  const started = Date.now();
  try {
    const lines = (await samples(service)).map(
      (sample) => `printf '\\n== ${sample.name}\\n'\n${edited(sample, service)}`,
    );
    const port = { PORTA: String(await freePort()) };
    const output = await shell(lines.join('\n'), folder, port, (text) => process.stdout.write(text));
    check(output, folder);
    console.log(`\nthe guide holds: ${lines.length} samples in ${Math.round((Date.now() - started) / 1000)} s`);
  } finally {
    // The samples' own receiver has ended: events of the sandbox go to the inbox of the local run again.
    const api = new PartnerClient({ baseUrl: service.url, key: service.keys.sandbox });
    const { parceiro } = (await api.call('get-account', {})).body;
    const restore = `${managerCommand(service.file)} --yes webhook set --partner ${parceiro.id} --environment sandbox --url ${quoted(service.inbox.url)} --reason guia`;
    await shell(restore, folder, {}, () => {});
    rmSync(folder, { recursive: true, force: true });
  }
}

await runOrReport(walk);
