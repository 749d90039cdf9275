import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { makeAuthority } from '../makers/certificate.ts';

/**
 * Puts TLS in front of servers that speak plain http, because AWS's endpoints speak TLS. Returns the environment for a
 * process that must reach them there: each variable with its server's new address, and the authority to trust.
 */
export async function behindTls(
  folder: string,
  addresses: Readonly<Record<string, string>>,
): Promise<{ environment: Record<string, string>; close(): void }> {
  const authority = makeAuthority();
  const trusted = join(folder, 'authority.pem');
  writeFileSync(trusted, authority.ca);
  const environment: Record<string, string> = { NODE_EXTRA_CA_CERTS: trusted };
  const servers: Server[] = [];
  for (const [name, address] of Object.entries(addresses)) {
    const { hostname, port } = new URL(address);
    const server = createServer(authority.certify('localhost'), (outside) => {
      const inside = connect(Number(port), hostname);
      const end = () => {
        outside.destroy();
        inside.destroy();
      };
      outside.on('error', end).on('close', end).pipe(inside);
      inside.on('error', end).on('close', end).pipe(outside);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    environment[name] = `https://localhost:${(server.address() as AddressInfo).port}`;
  }
  return {
    environment,
    close: () => {
      for (const server of servers) server.close();
    },
  };
}
