import { beforeEach, expect } from 'vitest';

/** Fails a test that asserts nothing, for example because its callbacks never ran or nobody awaited its promise. */
beforeEach(() => {
  expect.hasAssertions();
});
