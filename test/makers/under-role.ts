import { AsyncLocalStorage } from 'node:async_hooks';
import { inject } from 'vitest';
import { allowed } from '#infra/local/aws/iam.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { readAssembly, Template } from '#infra/local/template.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { dynamoDbAccesses } from './accesses.ts';
import type { RoleStatement } from './iam.ts';

/** A call of a function in this process, and what its role does not allow. */
interface Watched {
  readonly role: readonly RoleStatement[];
  readonly refused: string[];
}

const current = new AsyncLocalStorage<Watched | undefined>();

/**
 * Runs what a test does in the middle of a call, which the role of the call's function does not have to allow. `inside`
 * runs a part of the call itself.
 */
export function outsideOfRole<T>(run: (inside: <R>(part: () => R) => R) => T): T {
  const watched = current.getStore();
  return current.run(undefined, () => run((part) => current.run(watched, part)));
}

let roles: Map<string, RoleStatement[]> | undefined;

async function roleOf(name: string): Promise<readonly RoleStatement[]> {
  if (roles === undefined) {
    // Imports the CDK, which a benchmark's process must not hold.
    const { rolesOf } = await import('./iam.ts');
    const template = new Template(readAssembly(inject('assembly')), 'http://127.0.0.1:9');
    roles = rolesOf(template, blueprintOf(template));
  }
  const role = roles.get(name);
  if (role === undefined) throw new Error(`no function of the template is named ${name}`);
  return role;
}

/** Compares each request to the table with the role of the call that it belongs to. */
function watchTable(): void {
  tableClient().middlewareStack.add(
    (next) => async (args) => {
      const watched = current.getStore();
      if (watched) {
        const { headers, body } = args.request as { headers: Record<string, string>; body: string | Uint8Array };
        const action = String(headers['x-amz-target']).split('.').at(-1) ?? '';
        const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
        for (const access of dynamoDbAccesses(action, JSON.parse(text)))
          if (!allowed(watched.role, access)) watched.refused.push(`${access.action} on ${access.leadingKeys.join()}`);
      }
      return next(args);
    },
    { step: 'build', name: 'watchRoles', override: true },
  );
}

/**
 * Runs a call of a function in this process. Throws an Error if the call asks the table for something that the role of
 * the function in the template does not allow.
 */
export async function underRole<T>(name: string, run: () => Promise<T>): Promise<T> {
  // A benchmark makes calls outside of Vitest, which provides the template.
  if (process.env['VITEST'] === undefined) return run();
  watchTable();
  const watched: Watched = { role: await roleOf(name), refused: [] };
  const result = await current.run(watched, run);
  if (watched.refused.length > 0) throw new Error(`the role of ${name} does not allow ${watched.refused.join(', ')}`);
  return result;
}
