import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { COMPILED } from './infra/local/template.ts';
import { GuardTitles } from './test/mutants/guard-titles.ts';
import { leftOut } from './test/nightly.ts';

// Many test files have a process of their own, which loads the CDK and the SDK: their code is compiled once for all.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, COMPILED);

/** A file that is named on the command line runs in any case. */
const isNamed = process.argv.some((word) => word.startsWith('test/'));
const LEFT_OUT = leftOut(process.env['TESTS'] ?? (isNamed ? 'all' : 'daily'));

/** One project a folder of test/. */
const project = (name: string, { exclude = [], ...settings }: { exclude?: string[]; [setting: string]: unknown }) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], exclude: [...exclude, ...LEFT_OUT], ...settings },
});
/** Gives a project the synthesised dev stage. */
const ASSEMBLY = { globalSetup: ['test/assembly.ts'] };
/**
 * One operation each; they share their modules, but for those that put others in a module's place, load one anew or ask the
 * scene's operator: in shared modules one run in two got no answer of it in time.
 */
const OPERATIONS = 'test/service/*.test.ts';
const ALONE = globSync(OPERATIONS, { cwd: import.meta.dirname }).filter((file) =>
  /\bvi\.(mock|resetModules)\(|\bDate\.now = |\bscene\.(tick|submit)\(/.test(
    readFileSync(join(import.meta.dirname, file), 'utf8'),
  ),
);
const SHARING = globSync(OPERATIONS, { cwd: import.meta.dirname, exclude: ALONE });
/** Tests of the templates: of the service's, but in modules that they share, so that each stage is synthesised once. */
const TEMPLATE = 'test/service/infra/**/*.test.ts';

/**
 * Flows that SOAK runs once more, at their small size, behind the wire that makes the peers behave as AWS does: on a normal
 * day, and the histories on a day when every kind of fault happens.
 */
const throughAws = (name: string, flows: readonly string[], env: Record<string, string>) => ({
  extends: true as const,
  test: {
    name,
    include: flows.map((flow) => `test/flows/${flow}.test.ts`),
    env: { SOAK: '', AWS_LIKE: 'default', ...env },
    ...ASSEMBLY,
  },
});
const THROUGH_AWS = [
  throughAws('aws-like', ['history', 'submission-races', 'submission-crashes', 'poller-crashes'], {}),
  throughAws('aws-like on a bad day', ['history'], { BAD_DAY: '1' }),
];

export default defineConfig({
  test: {
    projects: [
      // Unit tests change nothing that lives longer than their file: loading every module anew for each would double the time.
      project('unit', { isolate: false }),
      project('table', { ...ASSEMBLY, isolate: false }),
      project('operations', { ...ASSEMBLY, include: SHARING, isolate: false }),
      project('service', { ...ASSEMBLY, exclude: [TEMPLATE, ...SHARING] }),
      project('template', { ...ASSEMBLY, include: [TEMPLATE], isolate: false }),
      project('flows', ASSEMBLY),
      ...(process.env['SOAK'] ? THROUGH_AWS : []),
    ],
    reporters: [...configDefaults.reporters, new GuardTitles(process.env['TESTS'])],
    setupFiles: ['test/quiet-about-people.ts', 'test/some-assertion.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 2,
  },
});
