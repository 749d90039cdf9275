import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { beforeAll, expect, inject, it } from 'vitest';
import { PANEL } from '#infra/functions.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { readAssembly, Template } from '#infra/local/template.ts';
import { gatewayEvent } from '#test/makers/call.ts';

/** Answers of the panel, by the last part of their address: the page, its facts, and a file that does not exist. */
const ANSWERS = ['', 'sobre', 'nothing.js'];

/** Addresses of the sign-in, which the page calls. */
const SIGN_IN = {
  issuer: 'https://issuer.test/pool',
  login: 'https://login.test',
  identityUrl: 'https://identity.test',
};

let hosted: (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;
beforeAll(async () => {
  const { functions } = blueprintOf(new Template(readAssembly(inject('assembly')), 'http://queues'));
  const { folder, environment } = functions.find(({ operation }) => operation === PANEL.operation)!;
  Object.assign(process.env, environment, { SIGN_IN: JSON.stringify(SIGN_IN) });
  ({ handler: hosted } = await import(pathToFileURL(join(folder, 'index.mjs')).href));
});

it.each(ANSWERS)('the panel’s answer %j allows only its own files, its own calls and the sign-in', async (name) => {
  const event = gatewayEvent({ method: 'GET', path: '/painel' }, { headers: { 'Accept-Encoding': 'br' } });
  const { headers } = await hosted({ ...event, pathParameters: name === '' ? null : { file: name } });
  const called = name === 'nothing.js' ? '' : ' https://issuer.test https://login.test https://identity.test';
  expect(headers).toMatchObject({
    'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'${called}; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
});
