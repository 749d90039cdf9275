import { join } from 'node:path';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { COMPILED } from './infra/local/template.ts';
import { leftOut } from './test/nightly.ts';
import { TEST_FOLDERS, type TestFolder } from './test/projects.ts';

// Many test files have a process of their own, which loads the CDK and the SDK: their code is compiled once for all.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, COMPILED);

/** A file that is named on the command line runs in any case. */
const isNamed = process.argv.some((word) => word.startsWith('test/'));
const LEFT_OUT = leftOut(process.env['TESTS'] ?? (isNamed ? 'all' : 'daily'));

/** Gives a project the synthesised dev stage and the table's engine. */
const ASSEMBLY = 'test/assembly.ts';

const project = ({ folder, sharesModules, needsAssembly }: TestFolder): TestProjectConfiguration => ({
  extends: true,
  test: {
    name: folder,
    include: [`test/${folder}/**/*.test.ts`],
    exclude: LEFT_OUT,
    isolate: !sharesModules,
    globalSetup: needsAssembly ? [ASSEMBLY] : [],
  },
});

const PROJECTS = TEST_FOLDERS.map(project);

/**
 * Flows that SOAK runs once more, at their small size, behind the wire that makes the peers behave as AWS does: on a normal
 * day, and the histories on a day when every kind of fault happens.
 */
const throughAws = (name: string, flows: readonly string[], env: Record<string, string>): TestProjectConfiguration => ({
  extends: true,
  test: {
    name,
    include: flows.map((flow) => `test/flows/${flow}.test.ts`),
    env,
    globalSetup: [ASSEMBLY],
  },
});
const THROUGH_AWS = [
  throughAws('aws-like', ['history', 'submission-races', 'submission-crashes', 'poller-crashes'], {
    SOAK: '',
    AWS_LIKE: 'default',
  }),
  throughAws('aws-like on a bad day', ['history'], { SOAK: '', AWS_LIKE: 'default', BAD_DAY: '1' }),
];

export default defineConfig({
  test: {
    projects: process.env['SOAK'] ? PROJECTS.concat(THROUGH_AWS) : PROJECTS,
    globalSetup: ['bin/generate-once.ts'],
    setupFiles: ['test/quiet-about-people.ts', 'test/some-assertion.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // One more than the cores of a small machine: some files wait for real processes.
    maxWorkers: 3,
  },
});
