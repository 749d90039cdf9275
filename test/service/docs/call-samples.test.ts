import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROUTES } from '#shared/contract/routes.ts';
import { CLIENT_FILE, partnerClient } from '#shared/partner/client/clients.ts';
import { callSamples, LANGUAGES } from '#shared/partner/collections/programs.ts';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };
import { hasCommandsOrWarns } from '#test/makers/present.ts';

const SAMPLES = callSamples(document);
const folder = mkdtempSync(join(tmpdir(), 'calls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'));

/** Ids that the guide's programs take out of answers before they use them. */
const IDS = ['lead_id', 'simulacao_id', 'analise_id', 'evento_id'];
const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const declared = (line: (id: string) => string) => IDS.map((id) => line(camel(id))).join('\n');

/** How the calls of all operations become one program that compiles, and the commands that compile it. */
interface Compilation {
  readonly needs: readonly string[];
  /** The ids, in the words of the language. */
  readonly ids: string;
  /** Puts one call into a scope of its own. */
  readonly scope: (call: string) => string;
  readonly lines: readonly string[];
}

const COMPILATIONS: Readonly<Record<string, Compilation>> = {
  TypeScript: {
    needs: [],
    ids: declared((id) => `const ${id} = ${id === 'eventoId' ? "'1'" : 1};`),
    scope: (call) => `{\n${call}\n}`,
    lines: [
      'node_modules/.bin/tsc --noEmit --strict --target es2023 --module nodenext --allowImportingTsExtensions --types node fluxo.ts',
    ],
  },
  Python: {
    needs: ['python3'],
    ids: IDS.map((id) => `${id} = 1`).join('\n'),
    scope: (call) => call,
    lines: ['python3 -m py_compile fluxo.py'],
  },
  PHP: { needs: ['php'], ids: '', scope: (call) => call, lines: ['php -l fluxo.php'] },
  Java: {
    needs: ['javac'],
    ids: declared((id) => `var ${id} = "1";`),
    scope: (call) => `{\n${call}\n}`,
    lines: ['javac Fluxo.java'],
  },
  'C#': {
    needs: ['dotnet'],
    ids: declared((id) => `var ${id} = 1L;`),
    scope: (call) => `{\n${call}\n}`,
    lines: ['dotnet new console --force -n chamadas -o .', 'rm Program.cs', 'dotnet build'],
  },
  Go: {
    needs: ['go'],
    ids: declared((id) => `${id} := "1"`),
    scope: (call) => `{\n${call}\n${call.startsWith('resposta') ? '_ = resposta\n' : ''}}`,
    lines: ['go vet fluxo.go'],
  },
};

it('each operation has a sample in each language of the guide except curl', () => {
  const operations = ROUTES.filter(({ tag }) => tag !== 'docs').map(({ operation }) => operation);
  expect([...SAMPLES.keys()].sort()).toEqual(operations.sort());
  for (const [operation, samples] of SAMPLES)
    expect(
      samples.map(({ label }) => label),
      operation,
    ).toEqual(Object.keys(COMPILATIONS));
});

describe.each(Object.entries(COMPILATIONS))('the samples in %s', (language, { needs, ids, scope, lines }) => {
  it.runIf(hasCommandsOrWarns(`the samples of calls in ${language}`, ...needs))(
    'the samples of all operations compile with what the program of the guide declares',
    () => {
      const { file, opening, kept, closing = '' } = LANGUAGES.find(({ label }) => label === language)!;
      const calls = Array.from(SAMPLES.values(), (samples) => samples.find(({ label }) => label === language)!.text);
      const text = [opening, kept[0], ids, ...calls.map(scope), kept[1], closing].join('\n');
      writeFileSync(join(folder, CLIENT_FILE), partnerClient());
      writeFileSync(join(folder, file), text);
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      const compile = (line: string) => {
        const [command = '', ...parts] = line.split(' ');
        return execFileSync(command, parts, { cwd: folder, encoding: 'utf8', timeout: 170_000 });
      };
      expect(() => lines.forEach(compile)).not.toThrow();
    },
  );
});
