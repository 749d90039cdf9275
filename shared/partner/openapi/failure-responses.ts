import type { oas31, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { FAILURES, failureAnswer } from '#shared/contract/failures.ts';
import type { Route } from '#shared/contract/routes.ts';
import type { FailureCode } from '#shared/domain/values/failure.ts';
import { REQUEST_ID } from './examples.ts';
import { ELSEWHERE, type FailureCase, failureCasesOf, generalCase } from './failure-cases.ts';
import { header, headersOf } from './headers.ts';
import type { OperationWords } from './operation-words.ts';

export type Responses = Record<string, ZodOpenApiResponseObject>;
type Cases = ReadonlyMap<FailureCode, readonly FailureCase[]>;

export const responseRef = (name: string) => ({ $ref: `#/components/responses/${name}` });

const describeCodes = (codes: Iterable<FailureCode>) =>
  Array.from(codes, (code) => `\`${code}\`: ${FAILURES[code].erro}`).join('\n\n');

function errorContent(cases: Cases): NonNullable<ZodOpenApiResponseObject['content']> {
  const examples: Record<string, { readonly summary: string; readonly value: unknown }> = {};
  for (const [code, shown] of cases) {
    for (const [index, { summary, failure }] of shown.entries()) {
      const name = index === 0 ? code : `${code}_${index + 1}`;
      examples[name] = { summary, value: failureAnswer(failure, REQUEST_ID).body };
    }
  }
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Erro' },
      { type: 'object' as const, properties: { codigo: { enum: Array.from(cases.keys()) } } },
    ],
  };
  return { 'application/json': { schema, examples } };
}

/** Responses that are the same on every route are put into `shared`, and the route refers to them. */
export function failureResponsesOf(route: Route, words: OperationWords, shared: Responses): ZodOpenApiResponsesObject {
  const keyed = route.scope !== 'public';
  const byStatus = Map.groupBy(failureCasesOf(route, words), ([code]) => FAILURES[code].status);
  const responses: Record<string, ZodOpenApiResponseObject | oas31.ReferenceObject> = {};
  for (const [status, entries] of byStatus) {
    const cases = new Map(entries);
    const response = {
      description: describeCodes(cases.keys()),
      headers: headersOf(status, { keyed }),
      content: errorContent(cases),
    };
    const [only, ...others] = Array.from(cases.values()).flat();
    if (!only || only.own || others.length > 0) {
      responses[status] = response;
      continue;
    }
    const name = `${pascal(only.failure.code)}${keyed ? '' : 'Publico'}`;
    shared[name] = response;
    responses[status] = responseRef(name);
  }
  return responses;
}

const pascal = (code: string) => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

export const ELSEWHERE_NAME = 'Endereco';

export function elsewhereResponse(): ZodOpenApiResponseObject {
  return {
    description: `O endereço, antes de qualquer operação: um caminho que não existe é 404 e um método que o caminho não aceita é 405.\n\n${describeCodes(ELSEWHERE)}`,
    headers: { ...headersOf(404, { keyed: false }), Allow: header('Allow') },
    content: errorContent(new Map(ELSEWHERE.map((code) => [code, [generalCase(code)]]))),
  };
}
