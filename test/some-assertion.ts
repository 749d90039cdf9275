import { beforeEach, expect } from 'vitest';

/** Fails the test that asserts nothing: one whose callbacks never ran, or whose promise nobody waited for. */
beforeEach(() => {
  expect.hasAssertions();
});
