#!/usr/bin/env node
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { PartnerClient, verifyWebhook, WebhookError } from './client.ts';
import { ForwardingError, forwardEvents, keyRefusal, POLL_SECONDS, receiverAddress } from './forward.ts';

// The package's command. A developer of a receiver sees on their own machine which events arrive, and whether their
// signatures are right. With --forward-to, it brings the events of the sandbox to a receiver on this machine.

const USAGE = `Uso: credito-imobiliario webhook listen [--port 3000]
     credito-imobiliario webhook listen --forward-to http://localhost:3000/webhooks [--last 1]

Mostra os eventos que chegam a esta máquina e confere as assinaturas: 200 ao que vale, 401 ao resto.
Com --forward-to, consulta a API a cada ${POLL_SECONDS} segundos e encaminha os eventos novos do sandbox, assinados, a um
receptor nesta máquina, sem túnel; com --last N, também os N mais novos que já existem, até 100. O endereço da API vem
da variável BASE_URL, e a chave do sandbox, de CHAVE.
O segredo vem da variável WEBHOOK_SECRET; durante uma troca, os dois, separados por um espaço. Ctrl+C encerra.`;

/** The wish of the command line: to show the events that arrive at a port, or to forward the sandbox's events. */
type Asked = { readonly port: number } | { readonly to: URL; readonly last: number };

function fail(why: string, code = 2): never {
  console.error(why);
  process.exit(code);
}

/** Returns a whole number that a text names, up to a limit. Undefined if the text names none. */
function numberUpTo(limit: number, text: string): number | undefined {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  return value <= limit ? value : undefined;
}

/**
 * Returns what the command line asks for. Undefined if the command line has anything else: a secret or a key there would
 * be visible in the process list.
 */
function asked(): Asked | undefined {
  try {
    const options = {
      port: { type: 'string' },
      'forward-to': { type: 'string' },
      last: { type: 'string' },
    } as const;
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    if (positionals.join(' ') !== 'webhook listen') return undefined;
    const address = values['forward-to'];
    if (address === undefined) {
      const port = numberUpTo(65_535, values.port ?? '3000');
      return port === undefined || values.last !== undefined ? undefined : { port };
    }
    const last = numberUpTo(100, values.last ?? '0');
    if (last === undefined || values.port !== undefined) return undefined;
    const to = receiverAddress(address);
    return to ? { to, last } : fail(`--forward-to deve ser um endereço desta máquina.\n\n${USAGE}`);
  } catch {
    return undefined;
  }
}

/** Shows each event that arrives at a port of this machine. */
function show(port: number, secrets: readonly string[], stop: AbortSignal): void {
  const server = createServer(async (request, response) => {
    try {
      const { type, id, data } = await verifyWebhook(await buffer(request), request.headers, secrets);
      const { analise_id, situacao } = { ...data } as { analise_id?: number; situacao?: string };
      print(`${type}  ${id}${analise_id ? `  análise ${analise_id}: ${situacao}` : ''}`);
      response.writeHead(200).end();
    } catch (error) {
      print(`recusado: ${error instanceof Error ? error.message : error}`);
      response.writeHead(401).end();
    }
  });
  server.on('error', ({ message }) => fail(`Não foi possível escutar na porta ${port}: ${message}`));
  server.listen(port, '127.0.0.1', () => {
    console.error(`Escutando em http://127.0.0.1:${(server.address() as AddressInfo).port}; Ctrl+C encerra.`);
  });
  stop.addEventListener('abort', () => {
    server.close();
    server.closeAllConnections();
  });
}

/** Returns the client of the API, with address and key from the environment. Ends the command if they are wrong. */
function clientOfSandbox(): PartnerClient {
  const key = (process.env['CHAVE'] ?? '').trim();
  const refusal = keyRefusal(key);
  if (refusal !== undefined) fail(refusal);
  try {
    // The command waits for as long as the API asks. Ctrl+C ends it meanwhile.
    return new PartnerClient({ baseUrl: process.env['BASE_URL'] ?? '', key, longestWait: 3600 });
  } catch (error) {
    fail(`BASE_URL ou CHAVE: ${error instanceof Error ? error.message : error}`);
  }
}

/** Forwards each event of the sandbox to a receiver on this machine. */
async function forward(to: URL, last: number, secrets: readonly string[], signal: AbortSignal): Promise<void> {
  const ready = () => console.error(`Encaminhando os eventos do sandbox a ${to.href}; Ctrl+C encerra.`);
  const pause = () => wait(POLL_SECONDS * 1000, undefined, { signal }).catch(() => undefined);
  try {
    const client = clientOfSandbox();
    await forwardEvents({ client, to, secrets, last, signal, ready, print, pause, now: Date.now });
  } catch (error) {
    if (error instanceof ForwardingError || error instanceof WebhookError) fail(error.message, 1);
    throw error;
  }
}

function print(line: string): void {
  console.log(`${new Date().toLocaleTimeString('pt-BR')}  ${line}`);
}

const wanted = asked() ?? fail(USAGE);
const secrets = (process.env['WEBHOOK_SECRET'] ?? '').split(/\s+/).filter(Boolean);
if (secrets.length === 0 || !secrets.every((secret) => /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)))
  fail(`WEBHOOK_SECRET deve ter o segredo, que começa com whsec_.\n\n${USAGE}`);

// npm passes Ctrl+C on to a command that the terminal has already interrupted. The second signal must not disturb the
// shutdown.
const stop = new AbortController();
process.on('SIGINT', () => stop.abort());
if ('port' in wanted) show(wanted.port, secrets, stop.signal);
else await forward(wanted.to, wanted.last, secrets, stop.signal);
