import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startOperator } from '../../../infra/local/operator/operator.ts';
import type { Bank } from '../../../shared/domain/values/bank.ts';
import type { AnalysisId } from '../../../shared/domain/values/ids.ts';
import { httpOperatorApi, operatorReference } from '../../../shared/operator/operator-api.ts';
import { makeAnalysis } from '../../makers/analysis.ts';

const OPERATOR = new URL('../../../infra/local/operator/operator.ts', import.meta.url).href;
const TOKEN = 'local-token';
const FORM = { nome: 'Maria Exemplo', cpf: '529.982.247-25', email: 'maria@example.com', renda: 12_000 };
const never = new AbortController().signal;

const folder = mkdtempSync(join(tmpdir(), 'operator-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const analysisOf = (id: number, bank: Bank = 'itau') => makeAnalysis({ id: id as AnalysisId, bank, queryNumber: '' });

test('a killed operator has lost nothing that it accepted, answered or not', async () => {
  const dbFile = join(folder, 'operator.jsonl');
  const script = `
    import { startOperator } from ${JSON.stringify(OPERATOR)};
    const operator = await startOperator(${JSON.stringify({ token: TOKEN, dbFile })});
    operator.control.fault({ kind: 'stalled', bank: 'brb' });
    console.log(operator.url);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const remote = httpOperatorApi({ url: line.toString().trim(), token: async () => TOKEN });
  for (let id = 0; id < 20; id++) await remote.submit(analysisOf(id), FORM, never);
  const unanswered = remote.submit(analysisOf(20, 'brb'), FORM, never);
  const { id, ...tenancy } = analysisOf(20);
  await expect.poll(() => readFileSync(dbFile, 'utf8')).toContain(operatorReference(tenancy, id));
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await unanswered).toMatchObject({ kind: 'unknown' });
  await remote.close();

  const restarted = await startOperator({ token: TOKEN, dbFile });
  const again = httpOperatorApi({ url: restarted.url, token: async () => TOKEN });
  for (let id = 0; id <= 20; id++) {
    const analysis = analysisOf(id, id === 20 ? 'brb' : 'itau');
    expect((await again.query(analysis, never)).kind).toBe('known');
    await again.submit(analysis, FORM, never);
  }
  expect(restarted.control.state().accepted).toBe(21);
  await again.close();
  await restarted.close();
});
