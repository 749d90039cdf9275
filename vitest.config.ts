import { defineConfig } from 'vitest/config';

/** One project a folder of test/; `assembly` gives it the synthesised dev stage. */
const project = (name: string, assembly: boolean) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    ...(assembly && { globalSetup: ['test/assembly.ts'] }),
  },
});

export default defineConfig({
  test: {
    projects: [project('unit', false), project('table', true), project('service', true), project('flows', true)],
    setupFiles: ['test/quiet-about-people.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
  },
});
