import { flowRequests, type OpenApiDocument } from './flow.ts';
import { type Call, csharp, curl, go, java, type Language, php, python, typescript } from './languages.ts';

// The core of the flow as a program in each language, with the requests of the collections and the example bodies of the
// document. The guide shows a program part by part.

/** The requests that are shown, by operation, and what each answer is called. */
const STEPS: Readonly<Record<string, string>> = {
  'create-lead': 'lead',
  'create-simulation': 'simulacao',
  'get-simulation-pdf': 'pdf',
  'submit-analyses': 'analises',
  'get-analysis-status': 'situacao',
};
const NAMES = Object.keys(STEPS);

/** The languages in the order of their tabs. */
const LANGUAGES: readonly Language[] = [curl, typescript, python, php, java, csharp, go];

/** The calls that programs make, each once, in the flow's order. */
function callsOf(document: OpenApiDocument): readonly Call[] {
  const requests = flowRequests(document);
  return NAMES.map((operation) => {
    const request = requests.find((one) => one.operation === operation)!;
    const value = request.body && JSON.parse(request.body.replace(/: (\{\{\w+\}\})/g, ': "$1"'));
    return { ...request, answer: STEPS[operation]!, value };
  });
}

/** A program, and its parts as the guide shows them: `inicio`, then each call by its operation. */
interface Program {
  readonly label: string;
  readonly file: string;
  readonly parts: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The flow as a program in each language: run with BASE_URL and CHAVE, it prints the outcome of the first analysis. */
export function programs(document: OpenApiDocument): readonly Program[] {
  const calls = callsOf(document);
  return LANGUAGES.map(({ label, file, opening, closing, kept: [before, after], call, keep }) => {
    const parts: Record<string, string> = { inicio: opening };
    for (const request of calls) {
      const kept = Object.entries(request.keeps ?? {}).filter(([name]) => name !== 'id_oportunidade');
      parts[request.operation] = [
        ...(request.key === 'kept' ? [before, call(request), after] : [call(request)]),
        ...kept.map(([name, place]) => keep(request.answer, name, place)),
      ].join('\n');
    }
    const text = `${[...Object.values(parts), ...(closing ? [closing] : [])].join('\n\n')}\n`;
    return { label, file, parts, text };
  });
}
