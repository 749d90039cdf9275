import { join } from 'node:path';
import { FUNCTIONS } from '#infra/functions.ts';
import * as routes from '#shared/contract/routes.ts';
import { type CallAnswer, type CallOptions, callHandler } from './call.ts';
import { analysisBody, leadBody, simulationBody } from './people.ts';
import { underRole } from './under-role.ts';

type Routes = typeof routes;
/** The names of the routes that need an API key. */
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

/** Returns the handler of a function, by its operation. */
export async function handlerOf(operation: string) {
  const { file } = FUNCTIONS.find((row) => row.operation === operation)!;
  return (await import(/* @vite-ignore */ join(import.meta.dirname, '../..', file))).handler;
}

/**
 * Calls an operation that needs a key in this process, as the gateway would. Checks every request to the table against
 * the function's role.
 */
export async function api(operation: Operation, options: CallOptions = {}): Promise<CallAnswer> {
  const route = routes[operation];
  const handler = await handlerOf(route.operation);
  return underRole(route.operation, () => callHandler(handler, route, options));
}

/** Makes a lead, a simulation at one bank and an analysis of one person, all with one key. Returns their ids. */
export async function makeRecords(key: string, cpf = '900.000.001-75') {
  const lead = Number((await api('createLead', { key, body: leadBody({ cpf }) })).body.lead_id);
  const { resultado } = (await api('createSimulation', { key, body: simulationBody(lead) })).body;
  const submitted = await api('submitAnalyses', { key, body: analysisBody(lead, { cpf }), once: 'records' });
  const analysis: number = submitted.body.analises[0].analise_id;
  const { id_oportunidade, resultados } = resultado;
  return { lead, opportunity: Number(id_oportunidade), simulation: Number(resultados[0].simulacao_id), analysis };
}
