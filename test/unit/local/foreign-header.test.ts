import { expect, it } from 'vitest';
import { foreignHeader } from '#infra/local/foreign-header.ts';

const HERE = '127.0.0.1:3000';

it.each([HERE, '127.84.9.200:80', '127.0.0.1', 'localhost', 'LOCALHOST:4000', '[::1]:3000'])(
  'a call to the Host %s is answered',
  (host) => {
    expect(foreignHeader({ host })).toBeUndefined();
  },
);

it.each([
  'evil.example',
  'evil.example:3000',
  '127.0.0.1.evil.example:3000',
  'localhost.evil.example',
  'evil-localhost',
  '10.0.0.7:3000',
  '0.0.0.0:3000',
  '[::]:3000',
  '',
  ' ',
  '127.0.0.1:3000@evil.example',
  '127.0.0.1\nevil.example',
])('a call to the Host %j is refused', (host) => {
  expect(foreignHeader({ host })).toBe('host');
});

it('a call without a Host is refused', () => {
  expect(foreignHeader({})).toBe('host');
});

it.each(['http://127.0.0.1:3000', 'http://localhost:5173', 'https://[::1]:8443'])(
  'a call from a page of this machine, with the Origin %s, is answered',
  (origin) => {
    expect(foreignHeader({ host: HERE, origin })).toBeUndefined();
  },
);

it.each([
  'https://evil.example',
  'http://127.0.0.1.evil.example',
  'http://evil.example/127.0.0.1',
  'null',
  '',
  'file://',
])('a call from another page, with the Origin %j, is refused', (origin) => {
  expect(foreignHeader({ host: HERE, origin })).toBe('origin');
});
