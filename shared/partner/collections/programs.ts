import type { Operation } from '#shared/contract/routes.ts';
import { type FlowRequest, flowRequests, type OpenApiDocument, singleRequests } from './flow.ts';
import { type Call, csharp, curl, go, java, type Language, php, python, typescript } from './languages.ts';

/** The requests that the programs make, by operation, with the variable's name for each answer. */
const STEPS = {
  'create-lead': 'lead',
  'create-simulation': 'simulacao',
  'get-simulation-pdf': 'pdf',
  'submit-analyses': 'analises',
  'get-analysis-status': 'situacao',
} satisfies Readonly<Partial<Record<Operation, string>>>;

export const LANGUAGES: readonly Language[] = [curl, typescript, python, php, java, csharp, go];

function callsOf(document: OpenApiDocument): readonly Call[] {
  const requests = flowRequests(document);
  return Object.entries(STEPS).map(([operation, answer]) => {
    const request = requests.find((candidate) => candidate.operation === operation);
    if (!request) throw new Error(`the flow has no request ${operation}`);
    return callOf(request, answer);
  });
}

function callOf(request: FlowRequest, answer: string): Call {
  const value = request.body && JSON.parse(request.body.replace(/: (\{\{\w+\}\})/g, ': "$1"'));
  return { ...request, answer, value };
}

function withoutIndent(text: string): string {
  const [indent = ''] = /^\s*/.exec(text) ?? [];
  return text.replaceAll(`\n${indent}`, '\n').slice(indent.length);
}

interface CallSample {
  readonly label: string;
  /** The program of the guide that declares what the call uses. */
  readonly file: string;
  readonly text: string;
}

/**
 * A call uses what the guide's program declares: the client or the function `chamar`, ids, and what is kept for an
 * Idempotency-Key.
 */
export function callSamples(document: OpenApiDocument): ReadonlyMap<string, readonly CallSample[]> {
  const written = LANGUAGES.filter((language) => language !== curl);
  return new Map(
    singleRequests(document).map(({ repeatWhile, ...request }) => [
      request.operation,
      written.map(({ label, file, call }) => ({ label, file, text: withoutIndent(call(callOf(request, 'resposta'))) })),
    ]),
  );
}

/** A program, and its parts as the guide shows them: `inicio`, then each call by its operation. */
interface Program {
  readonly label: string;
  readonly file: string;
  readonly parts: Readonly<Record<string, string>>;
  readonly text: string;
}

/** With BASE_URL and CHAVE set, a program prints the outcome of the first analysis. */
export function programs(document: OpenApiDocument): readonly Program[] {
  const calls = callsOf(document);
  return LANGUAGES.map(({ label, file, opening, closing, kept: [before, after], call, keep }) => {
    const parts: Record<string, string> = { inicio: opening };
    for (const request of calls) {
      const lines = request.key === 'kept' ? [before, call(request), after] : [call(request)];
      for (const [name, place] of Object.entries(request.keeps ?? {})) {
        if (name !== 'id_oportunidade') lines.push(keep(request.answer, name, place));
      }
      parts[request.operation] = lines.join('\n');
    }
    const blocks = Object.values(parts).concat(closing ?? []);
    return { label, file, parts, text: `${blocks.join('\n\n')}\n` };
  });
}
