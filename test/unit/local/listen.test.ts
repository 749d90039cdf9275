import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { drawAddress, type LocalServer, type ServeOptions, serve } from '#infra/local/listen.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe('serve', () => {
  let server: LocalServer | undefined;
  afterEach(() => server?.close());

  /** Returns the answer to a call, and whether the call reached the answering function. */
  async function called(headers: Record<string, string>, options?: ServeOptions) {
    let reached = false;
    server = await serve((_, response) => {
      reached = true;
      response.end('answered');
    }, options);
    const call = request(server.url, { method: 'POST', headers, agent: false }).end('{}');
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return { status: response.statusCode, body: await text(response), reached };
  }

  it('serve answers a call of a program of this machine', async () => {
    expect(await called({})).toEqual({ status: 200, body: 'answered', reached: true });
  });

  it('serve refuses a foreign Host with a sentence that names what to use instead', async () => {
    expect(await called({ host: 'evil.example' })).toEqual({
      status: 403,
      body: 'This server answers only calls that name this machine: use 127.0.0.1, localhost or [::1] in the address.\n',
      reached: false,
    });
  });

  it('serve refuses a call from a foreign page with a sentence that says why', async () => {
    expect(await called({ origin: 'https://evil.example' })).toEqual({
      status: 403,
      body: 'This server answers only programs and pages of this machine: this call comes from a page of another host.\n',
      reached: false,
    });
  });

  it('serve names the port that is in use', async () => {
    server = await serve(() => {});
    const port = Number(new URL(server.url).port);
    await expect(serve(() => {}, { port })).rejects.toThrow(`port ${port} is in use`);
  });
});

it('drawAddress returns a loopback address', async () => {
  expect(await drawAddress()).toMatch(/^127\.\d+\.\d+\.\d+$/);
});

it('no file of bin and infra listens by itself, past the check of Host and Origin in infra/local/listen.ts', () => {
  const files = globSync('{bin,infra}/**/*.{ts,tsx,js}', { cwd: ROOT });
  expect(files.length).toBeGreaterThan(100);
  const listening = files.filter((file) =>
    /\bcreateServer\b|\.listen\(|\bstartFauxqs\(|\bnew (http\.|https\.|net\.)?Server\(/.test(
      readFileSync(join(ROOT, file), 'utf8'),
    ),
  );
  expect(listening).toEqual(['infra/local/listen.ts']);
});
