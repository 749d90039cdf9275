import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { BUNDLING } from '../../../infra/bundle.ts';
import { simulationPdf } from '../../../shared/pdf/simulation-pdf.ts';
import { makeOffer, makeOpportunity } from '../../makers/simulation.ts';

const PROJECT = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'pdf-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('is drawn by the bundle alone, in a folder with nothing else, byte for byte', async () => {
  const { outputFiles } = await build({
    ...BUNDLING,
    absWorkingDir: PROJECT,
    entryPoints: [{ in: 'shared/pdf/simulation-pdf.ts', out: 'drawing' }],
    outdir: join(folder, 'code'),
    sourcemap: false,
  });
  mkdirSync(join(folder, 'code'));
  mkdirSync(join(folder, 'empty'));
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const { offer, schedule } = makeOffer('inter', { term: 36, financedValue: undefined });
  const record = { opportunity: makeOpportunity(offer), offer, schedule };
  const program = `
    import { simulationPdf } from ${JSON.stringify(join(folder, 'code', 'drawing.mjs'))};
    process.stdout.write(Buffer.from(await simulationPdf(${JSON.stringify(record)})).toString('base64'));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(folder, 'empty'),
    env: {},
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(Buffer.compare(Buffer.from(output, 'base64'), await simulationPdf(record))).toBe(0);
});
