import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A private key and its certificate in PEM, as TLS servers and clients take them. */
export interface Credential {
  readonly key: string;
  readonly cert: string;
}

interface Issuer extends Credential {
  readonly name: string;
  readonly privateKey: KeyObject;
}

/** Returns a DER value (X.690): tag, length, contents. */
function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  const bytes = body.length.toString(16).padStart(body.length > 255 ? 4 : 2, '0');
  const length = body.length < 128 ? [body.length] : [0x80 + bytes.length / 2, ...Buffer.from(bytes, 'hex')];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
const sequence = (...items: Uint8Array[]) => der(0x30, ...items);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const yes = der(0x01, Buffer.from([0xff]));

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = '550403';
const SUBJECT_ALT_NAME = '551d11';
const BASIC_CONSTRAINTS = '551d13';
const KEY_USAGE = '551d0f';

const nameOf = (text: string) => sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from(text)))));
const time = (at: Date) => der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));
const extension = (id: string, critical: boolean, value: Uint8Array) =>
  sequence(oid(id), ...(critical ? [yes] : []), der(0x04, value));

const DAY = 86_400_000;

/** Issues an X.509 v3 certificate (RFC 5280) on a new P-256 key. Without an issuer the certificate signs itself. */
function issue(
  name: string,
  options: { issuer?: Issuer; hosts?: readonly string[]; ca?: boolean; from?: number; until?: number },
): Issuer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const extensions = options.ca
    ? [extension(BASIC_CONSTRAINTS, true, sequence(yes)), extension(KEY_USAGE, true, der(0x03, Buffer.from([1, 0x06])))]
    : [
        extension(
          SUBJECT_ALT_NAME,
          false,
          sequence(...(options.hosts ?? []).map((host) => der(0x82, Buffer.from(host)))),
        ),
      ];
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    nameOf(options.issuer?.name ?? name),
    sequence(time(new Date(options.from ?? now - DAY)), time(new Date(options.until ?? now + DAY))),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', content, options.issuer?.privateKey ?? privateKey);
  const bytes = sequence(content, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  return {
    name,
    privateKey,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${bytes
      .toString('base64')
      .match(/.{1,64}/g)!
      .join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** Makes a certificate authority for one test run. Returns its certificate and the functions that issue others. */
export function makeAuthority(name = 'Test authority') {
  const issuer = issue(name, { ca: true });
  return {
    /** PEM of the certificate to trust. */
    ca: issuer.cert,
    /** Returns a certificate that is valid today for these host names. */
    certify: (...hosts: string[]): Credential => issue('server', { issuer, hosts }),
    expired: (...hosts: string[]): Credential =>
      issue('server', { issuer, hosts, from: Date.now() - 3 * DAY, until: Date.now() - DAY }),
    notYetValid: (...hosts: string[]): Credential =>
      issue('server', { issuer, hosts, from: Date.now() + DAY, until: Date.now() + 2 * DAY }),
    selfSigned: (...hosts: string[]): Credential => issue('server', { hosts }),
  };
}
