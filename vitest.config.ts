import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { COMPILED } from './infra/local/assembly.ts';

// Each test file has a process of its own, which loads the CDK and the SDK: their code is compiled once for all.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, COMPILED);

/** One project a folder of test/. */
const project = (name: string, settings: object) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...settings },
});
/** Gives a project the synthesised dev stage. */
const ASSEMBLY = { globalSetup: ['test/assembly.ts'] };
/** Tests of the templates: of the service's, but in modules that they share, so that each stage is synthesised once. */
const TEMPLATE = 'test/service/infra/**/*.test.ts';

export default defineConfig({
  test: {
    projects: [
      // Unit tests change nothing that lives longer than their file: loading every module anew for each would double the time.
      project('unit', { isolate: false }),
      project('table', ASSEMBLY),
      project('service', { ...ASSEMBLY, exclude: [TEMPLATE] }),
      project('template', { ...ASSEMBLY, include: [TEMPLATE], isolate: false }),
      project('flows', ASSEMBLY),
    ],
    setupFiles: ['test/quiet-about-people.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
  },
});
