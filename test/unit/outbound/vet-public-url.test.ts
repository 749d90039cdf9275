import { describe, expect, test } from 'vitest';
import {
  dnsResolve,
  isPublicAddress,
  publicUrlsOnly,
  type Resolve,
  URL_REFUSALS,
  vetPublicUrl,
} from '#shared/outbound/vet-public-url.ts';
import { FORBIDDEN_URLS } from './forbidden.ts';

const PUBLIC = ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'];

/** Vets a URL with a name server that knows these addresses. Returns the result and the names that were looked up. */
async function vet(url: string, addresses: readonly string[] = PUBLIC, allowLocal = false) {
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return addresses;
  };
  return { vetting: await vetPublicUrl(url, resolve, { allowLocal }), asked };
}

test.each<[string, number, string]>([
  ['https://hooks.parceiro.com.br/eventos?loja=7', 443, 'hooks.parceiro.com.br'],
  ['https://hooks.parceiro.com.br:443/', 443, 'hooks.parceiro.com.br'],
  ['https://hooks.parceiro.com.br:8443', 8443, 'hooks.parceiro.com.br'],
  ['HTTPS://Hooks.Parceiro.COM.BR/', 443, 'hooks.parceiro.com.br'],
  ['https://imóveis.com.br/', 443, 'xn--imveis-cxa.com.br'],
  ['https://my_hooks.parceiro.com.br/', 443, 'my_hooks.parceiro.com.br'],
  ['https://localhost.parceiro.com.br/', 443, 'localhost.parceiro.com.br'],
  [`https://${'a.'.repeat(125)}com/`, 443, `${'a.'.repeat(125)}com`],
])('vetPublicUrl accepts %s', async (url, port, host) => {
  const { vetting, asked } = await vet(url);
  expect(vetting).toMatchObject({ vetted: true, target: { port, addresses: PUBLIC } });
  expect(asked).toEqual([host]);
});

test('vetPublicUrl returns IPv4 addresses first', async () => {
  const { vetting } = await vet('https://parceiro.com.br/', [...PUBLIC].reverse());
  expect(vetting).toMatchObject({ vetted: true, target: { addresses: PUBLIC } });
});

test.each(FORBIDDEN_URLS)('vetPublicUrl refuses a URL without asking the DNS: %j, %s', async (url, reason) => {
  const { vetting, asked } = await vet(url);
  expect(vetting).toMatchObject({ vetted: false, reason });
  expect(asked).toEqual([]);
});

// Addresses that are not public are tested with the sender of webhooks: test/unit/webhook/send.test.ts.
const PUBLIC_ADDRESSES = `
  1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 172.15.255.255 172.32.0.0
  192.167.1.1 223.255.255.255 2606:4700::1 2a00:1450::1 2804::1`;
test.each(PUBLIC_ADDRESSES.trim().split(/\s+/))('the address %s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test('vetPublicUrl refuses a name without an address, with the code of the name server', async () => {
  const failing = () => Promise.reject(Object.assign(new Error('queryA'), { code: 'ENOTFOUND' }));
  const refused = { vetted: false, reason: 'dns_sem_resposta', detail: 'parceiro.com.br: ENOTFOUND' };
  expect(await vetPublicUrl('https://parceiro.com.br/', failing)).toEqual(refused);
  expect((await vet('https://parceiro.com.br/', [])).vetting).toMatchObject({ reason: 'dns_sem_resposta' });
});

test.each<[string, Resolve, string]>([
  [
    'dns',
    () => Promise.reject(Object.assign(new Error('queryA'), { code: 'ENOTFOUND' })),
    'dns_sem_resposta: parceiro.com.br: ENOTFOUND',
  ],
  ['blocked', async () => ['10.0.0.1'], 'endereco_nao_publico: parceiro.com.br: 10.0.0.1'],
])('publicUrlsOnly rejects as %s, and says why and for which name or address', async (fault, resolve, message) => {
  await expect(publicUrlsOnly(resolve, {})('https://parceiro.com.br/')).rejects.toMatchObject({ fault, message });
});

describe('the local run', () => {
  test.each<[string, number, string[]]>([
    ['http://localhost:9400/x', 9400, ['127.0.0.1', '::1']],
    ['https://localhost/', 443, ['127.0.0.1', '::1']],
    ['http://hooks.localhost', 80, ['127.0.0.1', '::1']],
    ['http://127.0.0.1:1', 1, ['127.0.0.1']],
    ['http://[::1]:8080/', 8080, ['::1']],
  ])('the local run accepts %s, and no stage does', async (url, port, addresses) => {
    const { vetting, asked } = await vet(url, PUBLIC, true);
    expect(vetting).toMatchObject({ vetted: true, target: { port, addresses } });
    expect(asked).toEqual([]);
    expect((await vet(url)).vetting.vetted).toBe(false);
  });

  const ELSEWHERE = 'http://10.0.0.1/ http://169.254.169.254/ http://parceiro.com.br/ http://a@localhost/'.split(' ');
  test.each(['http://localhost:0/', 'https://127.0.0.1:0/', ...ELSEWHERE])(
    'the local run also refuses %s',
    async (url) => {
      expect((await vet(url, PUBLIC, true)).vetting.vetted).toBe(false);
    },
  );

  test('the local run refuses a public name whose DNS record leads to this machine', async () => {
    const { vetting } = await vet('https://parceiro.com.br/', ['127.0.0.1'], true);
    expect(vetting).toMatchObject({ reason: 'endereco_nao_publico' });
  });
});

describe('dnsResolve', () => {
  const answer = (addresses: string[]) => async () => addresses;
  const refuse = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));
  const resolver = (four: () => Promise<string[]>, six: () => Promise<string[]>) =>
    dnsResolve({ resolve4: four as never, resolve6: six as never });

  const four = ['1.1.1.1', '1.0.0.1'];
  const six = ['2606:4700::1'];
  test.each([
    ['dnsResolve returns the addresses of both families', answer(four), answer(six), [...four, ...six]],
    ['dnsResolve accepts a name that has only IPv4 addresses', answer(four), refuse, four],
    ['dnsResolve accepts a name that has only IPv6 addresses', refuse, answer(six), six],
  ])('%s', async (_, resolve4, resolve6, addresses) => {
    expect(await resolver(resolve4, resolve6)('a.b')).toEqual(addresses);
  });

  test('dnsResolve throws if a name has no address', async () => {
    await expect(resolver(refuse, refuse)('a.b')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});

test('every reason to refuse a URL has a Portuguese sentence', () => {
  for (const text of Object.values(URL_REFUSALS)) expect(text).toMatch(/^[AO] .*\.$/);
});
