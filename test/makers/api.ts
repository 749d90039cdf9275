import { join } from 'node:path';
import { FUNCTIONS } from '../../infra/functions.ts';
import * as routes from '../../shared/contract/routes.ts';
import { type CallAnswer, type CallOptions, callHandler } from './call.ts';

type Routes = typeof routes;
/** The rows of the routes that take a key. */
export type Operation = {
  [Name in keyof Routes]: Routes[Name] extends { readonly scope: infer Needed }
    ? Needed extends 'public'
      ? never
      : Name
    : never;
}[keyof Routes];

export const OPERATIONS = Object.entries(routes).flatMap(([name, row]) =>
  'scope' in row && row.scope !== 'public' ? [name as Operation] : [],
);

/** The handler of a function, by its operation. */
export async function handlerOf(operation: string) {
  const { file } = FUNCTIONS.find((row) => row.operation === operation)!;
  return (await import(/* @vite-ignore */ join(import.meta.dirname, '../..', file))).handler;
}

/** Calls an authenticated operation in this process as the gateway would. */
export async function api(operation: Operation, options: CallOptions = {}): Promise<CallAnswer> {
  const route = routes[operation];
  return callHandler(await handlerOf(route.operation), route, options);
}
