import { afterEach, expect, it, vi } from 'vitest';
import * as env from '#shared/runtime/env.ts';

afterEach(() => void vi.unstubAllEnvs());

const TERMS = { sandboxDays: 90, monthsWithoutAnalysis: 12, yearsAfterAnalysis: 5 };

it('leadRetention returns the terms that the template has set', () => {
  vi.stubEnv('LEAD_RETENTION', JSON.stringify(TERMS));
  expect(env.leadRetention()).toEqual(TERMS);
});

it('leadRetention returns undefined if no lead ends', () => {
  vi.stubEnv('LEAD_RETENTION', 'null');
  expect(env.leadRetention()).toBeUndefined();
});

it.each(['{"sandboxDays":90}', JSON.stringify({ ...TERMS, sandboxDays: '90' }), '[]', '90'])(
  'leadRetention throws an error that names the variable for %s',
  (text) => {
    vi.stubEnv('LEAD_RETENTION', text);
    expect(() => env.leadRetention()).toThrow('LEAD_RETENTION');
  },
);

it('panelFacts throws an error that names the variable if a field of the sign-in is missing', () => {
  vi.stubEnv('STAGE', 'dev');
  vi.stubEnv('SIGN_IN', JSON.stringify({ issuer: 'https://issuer.example', login: 'https://login.example' }));
  expect(() => env.panelFacts()).toThrow('SIGN_IN');
});
