import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bundlePage } from '#bin/manager/panel/bundle.ts';
import { type Panel, startPanel } from '#bin/manager/panel/server.ts';
import { PANEL } from '#infra/functions.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { readAssembly, Template } from '#infra/local/template.ts';
import { gatewayEvent } from '#test/makers/call.ts';

/**
 * Headers that only one of the two panels has, or that differ. On AWS a browser may keep the files, which have their
 * hash in their names, calls come by https only, and the gateway's request id helps support.
 */
const OF_ONE = ['cache-control', 'content-encoding', 'content-security-policy', 'content-type', 'etag', 'vary'].concat(
  'strict-transport-security',
  'x-request-id',
  // Node's own headers of the local panel.
  ...['connection', 'date', 'keep-alive', 'content-length', 'transfer-encoding', 'set-cookie'],
);
/** Answers of both panels, by the last part of their address: the page, its facts, and a file that does not exist. */
const ANSWERS = ['', 'sobre', 'nothing.js'];

/** Addresses of the sign-in, which only the hosted panel calls. */
const SIGN_IN = {
  issuer: 'https://issuer.test/pool',
  login: 'https://login.test',
  identityUrl: 'https://identity.test',
};

let panel: Panel;
let cookie: string;
let hosted: (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;
beforeAll(async () => {
  const { functions } = blueprintOf(new Template(readAssembly(inject('assembly')), 'http://queues'));
  const { folder, environment } = functions.find(({ operation }) => operation === PANEL.operation)!;
  Object.assign(process.env, environment, { SIGN_IN: JSON.stringify(SIGN_IN) });
  ({ handler: hosted } = await import(pathToFileURL(join(folder, 'index.mjs')).href));
  panel = await startPanel({
    call: async () => ({ status: 200, body: {} }),
    callsOfKey: async () => ({ status: 200, body: {} }),
    about: { stage: 'local', caller: 'local' },
    files: await bundlePage(),
    port: 0,
  });
  cookie = (await fetch(panel.url)).headers.get('set-cookie')!.split(';')[0]!;
});
afterAll(() => panel?.close());

type Headers = Readonly<Record<string, string>>;
async function hostedHeaders(name: string): Promise<Headers> {
  const event = gatewayEvent({ method: 'GET', path: '/painel' }, { headers: { 'Accept-Encoding': 'br' } });
  const { headers = {} } = await hosted({ ...event, pathParameters: name === '' ? null : { file: name } });
  return Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), String(value)]));
}
async function localHeaders(name: string): Promise<Headers> {
  const path = name === '' ? '/' : `/painel/${name}`;
  const { headers } = await fetch(new URL(path, panel.url), { headers: { cookie } });
  return Object.fromEntries(headers);
}
const common = (headers: Headers) =>
  Object.fromEntries(Object.entries(headers).filter(([header]) => !OF_ONE.includes(header)));

describe.each(ANSWERS)('panelHeaders of the answer %j', (name) => {
  it(`the hosted and the local panel protect their answer ${JSON.stringify(name)} with the same headers`, async () => {
    const local = common(await localHeaders(name));
    expect(local).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(common(await hostedHeaders(name))).toEqual(local);
  });

  it(`the hosted panel’s answer ${JSON.stringify(name)} allows only its own files, as the local one does`, async () => {
    const local = (await localHeaders(name))['content-security-policy'];
    const policy = (await hostedHeaders(name))['content-security-policy'];
    const called = name === 'nothing.js' ? '' : ' https://issuer.test https://login.test https://identity.test';
    expect(policy).toBe(local?.replace("connect-src 'self'", `connect-src 'self'${called}`));
  });
});
