import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalService, startLocalService } from '../makers/local-service.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService();
});
afterAll(() => service?.end());

/** Runs the program as `npm run smoke` does, with nobody at the terminal. */
async function smoke(args: readonly string[], key?: string): Promise<{ code: number | null; said: string }> {
  const { SMOKE_KEY: _, ...environment } = process.env;
  const child = spawn(process.execPath, ['bin/smoke.ts', ...args], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, ...(key !== undefined && { SMOKE_KEY: key }) },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { code, said };
}

it('npm run smoke completes the partner’s flow and prints how long each call took', { timeout: 180_000 }, async () => {
  const { code, said } = await smoke(['--local', '--service-file', service.serviceFile]);
  expect(code).toBe(0);
  expect(said).toContain('the whole flow has run');
  for (const step of ['GET /health', 'POST /v1/leads', 'POST /v1/simulacoes', 'POST /v1/analises, the same key'])
    expect(said).toMatch(new RegExp(`^ *\\d+ ms {2}${step}: `, 'm'));
  expect(said.match(/ s {2}outcome at (itau|bradesco): aprovado/g)).toHaveLength(2);
  expect(said).not.toContain(service.keys.sandbox);
});
