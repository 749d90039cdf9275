import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/assembly.ts'],
    setupFiles: ['test/quiet-about-people.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
    // Real servers and real seconds on a shared machine: what fails there once is tried once more, and reported as flaky.
    retry: process.env['CI'] ? 1 : 0,
  },
});
