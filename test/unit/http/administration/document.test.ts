import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { showOpenapi } from '#shared/administration/operations.ts';
import { administrationDocument } from '#shared/http/administration/document.ts';
import { callAdministration } from '#test/makers/administration.ts';
import { captureLogLines } from '#test/makers/partner-call.ts';

const DOCUMENT = { openapi: '3.1.0', info: { title: 'Administração' } };

it.each([
  ['the repository', DOCUMENT],
  ['a bundle', { deflated: deflateRawSync(JSON.stringify(DOCUMENT)).toString('base64') }],
])('the document of the administration is answered unchanged from %s', async (_, document) => {
  const answer = await callAdministration(administrationDocument(showOpenapi, document), 'show-openapi');
  expect(answer.status).toBe(200);
  expect(answer.text).toBe(JSON.stringify(DOCUMENT));
  expect(answer.headers['cache-control']).toBe('no-store');
});

it('only a named caller gets the document of the administration, and the log names the role', async () => {
  const handler = administrationDocument(showOpenapi, DOCUMENT);
  const lines = await captureLogLines(() => callAdministration(handler, 'show-openapi'));
  expect(lines).toMatchObject([{ code: 'request_completed', status: 200, role: 'partner-credit-manager' }]);
  const { status, body } = await callAdministration(handler, 'show-openapi', { caller: null });
  expect(status).toBe(403);
  expect(body.code).toBe('caller_unknown');
});
