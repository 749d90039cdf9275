import { expect, test } from 'vitest';
import { vetConfiguredUrl } from '#shared/outbound/vetted-target.ts';

test.each<[string, string, number, string[] | undefined]>([
  ['https://operator.internal', 'https://operator.internal/', 443, undefined],
  ['https://operator.internal:8443/v2//', 'https://operator.internal:8443/v2', 8443, undefined],
  ['https://10.0.0.1/', 'https://10.0.0.1/', 443, undefined],
  ['https://localhost/', 'https://localhost/', 443, ['127.0.0.1', '::1']],
  ['http://localhost:8080', 'http://localhost:8080/', 8080, ['127.0.0.1', '::1']],
  ['http://127.1', 'http://127.0.0.1/', 80, ['127.0.0.1']],
  ['http://[0:0::1]:81', 'http://[::1]:81/', 81, ['::1']],
])('vetConfiguredUrl accepts %s; names of this machine are not looked up', (text, href, port, addresses) => {
  const target = vetConfiguredUrl(text);
  expect({ ...target, url: target.url.href }).toEqual({ url: href, port, addresses });
});

test.each([
  'http://10.0.0.1',
  'http://operator.internal',
  'http://[::ffff:127.0.0.1]',
  'http://1270.0.0.1.example.com',
  'ws://localhost',
  'https://operator.internal:0',
  'http://localhost:0',
  'https://a@operator.internal',
  'https://operator.internal?a',
  'operator.internal',
])('vetConfiguredUrl refuses %s with an error that does not repeat it', (text) => {
  const vet = () => vetConfiguredUrl(text);
  expect(vet).toThrow(TypeError);
  expect(vet).not.toThrow(/operator|localhost/);
});
