import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FunctionLogs } from '../../../infra/local/function-logs.ts';

const LINES = [
  '{"level":"INFO","message":"started"}',
  '{"_aws":{},"Requests":1}',
  '{"level":"WARN","message":"rate near its limit","request_id":"abc="}',
  '{"level":"ERROR","message":"failed","error":{"message":"no such row"},"request_id":"def="}',
  'plain text',
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function shown(verbose: boolean): Promise<string[]> {
  const lines: string[] = [];
  const logs = new FunctionLogs(folder, verbose, (line) => lines.push(line));
  for (const line of LINES) logs.take('get-lead', line);
  await logs.close();
  return lines;
}

it('shows warnings, errors and what is no structured log, and keeps everything', async () => {
  expect(await shown(false)).toEqual([
    'get-lead WARN rate near its limit abc=',
    'get-lead ERROR failed no such row def=',
    'get-lead plain text',
  ]);
  expect(readFileSync(join(folder, 'get-lead.log'), 'utf8').trim().split('\n')).toEqual(LINES);
});
