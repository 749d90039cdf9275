import { defineConfig } from 'vitest/config';

/** One project a folder of test/. */
const project = (name: string, settings: object) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...settings },
});
/** Gives a project the synthesised dev stage. */
const ASSEMBLY = { globalSetup: ['test/assembly.ts'] };

export default defineConfig({
  test: {
    projects: [
      // Unit tests change nothing that lives longer than their file: loading every module anew for each would double the time.
      project('unit', { isolate: false }),
      project('table', ASSEMBLY),
      project('service', ASSEMBLY),
      project('flows', ASSEMBLY),
    ],
    setupFiles: ['test/quiet-about-people.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
  },
});
