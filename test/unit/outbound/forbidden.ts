import type { UrlRefusal } from '#shared/outbound/vet-public-url.ts';

const refused = (reason: UrlRefusal, urls: readonly string[]) => urls.map((url): [string, UrlRefusal] => [url, reason]);
const of = (words: string) => words.trim().split(/\s+/);
const https = (hosts: string) => of(hosts).map((host) => `https://${host}/`);

/** URLs that are refused before any name server is asked. */
export const FORBIDDEN_URLS: readonly (readonly [string, UrlRefusal])[] = [
  ...refused('url_invalida', [
    '',
    'https://parceiro.com.br/\r\nHost: intern',
    ' https://parceiro.com.br/',
    'https://parceiro\t.com.br/',
    'https:\\\\169.254.169.254\\',
    'https://parceiro.com.br\\@169.254.169.254/',
    'https://',
    'https://:443/',
    ...of('parceiro.com.br //parceiro.com.br ftp://parceiro.com.br/ file:///etc/passwd gopher://parceiro.com.br/'),
    'javascript:alert(1)',
    'data:text/plain,a',
    `https://parceiro.com.br/${'a'.repeat(2048)}`,
    ...https('parceiro.com.br:99999 [fe80::1%25eth0] 256.256.256.256 1.2.3.4.5 parceiro.127'),
  ]),
  ...refused('https_obrigatorio', ['http://parceiro.com.br/', 'http://169.254.169.254/latest/meta-data/']),
  ...refused('credenciais_na_url', https('user@parceiro.com.br user:secret@parceiro.com.br :secret@parceiro.com.br')),
  ...refused('credenciais_na_url', https('parceiro.com.br@169.254.169.254')),
  ...refused('porta_nao_permitida', https('80 0 00 22 6379 444'.replace(/\d+/g, 'parceiro.com.br:$&'))),
  ...refused(
    'endereco_ip',
    // One address in every spelling that some resolver or URL parser accepts, then other addresses.
    https(`
      127.0.0.1 127.0.0.1. 127.1 127.0.1 2130706433 0x7f000001 0x7f.0x0.0x0.0x1 0x7F.1 017700000001 0177.0.0.1
      0177.0x0.1 00000177.00.00.01 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 %31%32%37.0.0.1
      0 0.0.0.0 169.254.169.254/latest/meta-data 2852039166 0xa9fea9fe 10.0.0.1 192.168.1.1:8443 8.8.8.8
      [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1]
      [fd00:ec2::254] [fe80::1] [2606:4700:4700::1111]
    `),
  ),
  ...refused(
    'dominio_nao_publico',
    https(`
      localhost LOCALHOST ⓛⓞⓒⓐⓛⓗⓞⓢⓣ localhost. hooks.localhost printer.local ip-10-0-0-1.ec2.internal
      metadata.google.internal router.home.arpa 1.0.0.127.in-addr.arpa abc.onion intranet parceiro parceiro.com.br.
      parceiro..com.br .parceiro.com.br *.parceiro.com.br -parceiro.com.br
      ${'a'.repeat(64)}.com.br ${'a.'.repeat(126)}br
    `),
  ),
];

/** One address or more of every range that is not the public internet, by IANA's special-purpose registries. */
export const FORBIDDEN_ADDRESSES: readonly string[] = [
  ...of(`
    0.0.0.0 0.255.255.255 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254
    168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1
    192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1 192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255
    198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.254 255.255.255.255
    :: ::1 ::2 ::127.0.0.1 ::10.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe ::ffff:8.8.8.8
    ::ffff:0:127.0.0.1 64:ff9b::a00:1 64:ff9b::808:808 64:ff9b:1::a00:1 100::1 100:0:0:1::1 2001::1
    2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1::1 2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1
    2001:30::1 2001:1ff:ffff::1 2001:db8::1 2002:7f00:1:: 2002:808:808::1 2620:4f:8000::1 3fff::1 3fff:fff::1
    4000::1 5f00::1 8000::1 e000::1 fc00::1 fd00:ec2::254 fdff:ffff::1 fe00::1 fe80::1 fe80::1%eth0 febf::1
    fec0::1 ff02::1 ff0e::1 2606:4700::5efe:10.0.0.1 2606:4700::200:5efe:a00:1 2606:4700::1%1
  `),
  // Texts that are no address, or that other parsers read as another address.
  '',
  'localhost',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '127.1',
  '2130706433',
  ' 8.8.8.8',
  '8.8.8.8/32',
  '1.2.3.256',
];
