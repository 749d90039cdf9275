#!/usr/bin/env node
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { verifyWebhook } from './client.ts';

// The package's command. A developer of a receiver sees on their own machine which events arrive, and whether their
// signatures are right.

const USAGE = `Uso: credito-imobiliario webhook listen [--port 3000]

Mostra os eventos que chegam a esta máquina e confere as assinaturas: 200 ao que vale, 401 ao resto. Ctrl+C encerra.
O segredo vem da variável WEBHOOK_SECRET; durante uma troca, os dois, separados por um espaço.`;

function fail(why: string): never {
  console.error(why);
  process.exit(2);
}

/**
 * Returns the port that the command line asks for. Undefined if the command line has anything else: a secret there
 * would be visible in the process list.
 */
function portAsked(): number | undefined {
  try {
    const options = { port: { type: 'string', default: '3000' } } as const;
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const port = /^\d+$/.test(values.port) ? Number(values.port) : Number.NaN;
    return positionals.join(' ') === 'webhook listen' && port < 65_536 ? port : undefined;
  } catch {
    return undefined;
  }
}

const port = portAsked() ?? fail(USAGE);
const secrets = (process.env['WEBHOOK_SECRET'] ?? '').split(/\s+/).filter(Boolean);
if (secrets.length === 0 || !secrets.every((secret) => /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)))
  fail(`WEBHOOK_SECRET deve ter o segredo, que começa com whsec_.\n\n${USAGE}`);

const server = createServer(async (request, response) => {
  const time = new Date().toLocaleTimeString('pt-BR');
  try {
    const { type, id, data } = await verifyWebhook(await buffer(request), request.headers, secrets);
    const { analise_id, situacao } = { ...data } as { analise_id?: number; situacao?: string };
    console.log(`${time}  ${type}  ${id}${analise_id ? `  análise ${analise_id}: ${situacao}` : ''}`);
    response.writeHead(200).end();
  } catch (error) {
    console.log(`${time}  recusado: ${error instanceof Error ? error.message : error}`);
    response.writeHead(401).end();
  }
});
server.on('error', ({ message }) => fail(`Não foi possível escutar na porta ${port}: ${message}`));
server.listen(port, '127.0.0.1', () => {
  console.error(`Escutando em http://127.0.0.1:${(server.address() as AddressInfo).port}; Ctrl+C encerra.`);
});
// npm passes Ctrl+C on to a command that the terminal has already interrupted. The second signal must not disturb the
// shutdown.
process.on('SIGINT', () => {
  server.close();
  server.closeAllConnections();
});
