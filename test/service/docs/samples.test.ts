import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../infra/local/listen.ts';
import type { EventId } from '../../../shared/domain/values/ids.ts';
import { SAMPLES } from '../../../shared/partner/docs/contents.ts';
import document from '../../../shared/partner/openapi/openapi.json' with { type: 'json' };
import { sign } from '../../../shared/webhook/sign.ts';
import { forgedHeaders } from '../../makers/forged-webhook.ts';
import { eventually } from '../../makers/local-service.ts';
import { hasCommand, present } from '../../makers/present.ts';

interface Vector {
  readonly segredo: string;
  /** Seconds since 1970. */
  readonly agora: number;
  readonly cabecalhos: Readonly<Record<string, string>>;
  readonly corpo: string;
}

const PING = JSON.stringify(
  document.webhooks['webhook.teste'].post.requestBody.content['application/json'].examples.teste.value,
);
const SAMPLES_FOLDER = join(import.meta.dirname, '../../../shared/partner/docs/samples');
const VECTOR = JSON.parse(readFileSync(join(SAMPLES_FOLDER, 'vetor.json'), 'utf8')) as Vector;
const folder = mkdtempSync(join(tmpdir(), 'samples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flipped = (text: string, at: number) =>
  text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
const header = (name: string, value: string | undefined): Vector => {
  const { [name]: _, ...others } = VECTOR.cabecalhos;
  return { ...VECTOR, cabecalhos: value === undefined ? others : { ...others, [name]: value } };
};
const signedWith = (segredo: string): Vector => ({ ...VECTOR, segredo, cabecalhos: forgedHeaders(VECTOR, segredo) });
const simple = VECTOR.cabecalhos['x-service-signature']!;
const standard = VECTOR.cabecalhos['webhook-signature']!;
const other = flipped(simple, 20);

/** What every sample must say of what may arrive. */
const CASES: readonly (readonly [what: string, event: Vector, holds: boolean])[] = [
  ['the vector', VECTOR, true],
  ['300 seconds later', { ...VECTOR, agora: VECTOR.agora + 300 }, true],
  ['301 seconds later', { ...VECTOR, agora: VECTOR.agora + 301 }, false],
  ['a byte of the body flipped', { ...VECTOR, corpo: flipped(VECTOR.corpo, 100) }, false],
  ['a byte of the secret flipped', { ...VECTOR, segredo: flipped(VECTOR.segredo, 10) }, false],
  ['a byte of X-Service-Signature flipped', header('x-service-signature', other), false],
  ['a byte of webhook-signature flipped', header('webhook-signature', flipped(standard, 10)), false],
  ['a byte of webhook-id flipped', header('webhook-id', flipped(VECTOR.cabecalhos['webhook-id']!, 8)), false],
  ['another webhook-timestamp', header('webhook-timestamp', String(VECTOR.agora + 1)), false],
  ['no X-Service-Signature', header('x-service-signature', undefined), false],
  ['no webhook-signature', header('webhook-signature', undefined), false],
  ['an empty secret, signed with it', signedWith(''), false],
  ['a secret that is its prefix alone, signed with it', signedWith('whsec_'), false],
  ['a secret that is its prefix and a blank, signed with it', signedWith('whsec_ '), false],
  ['a secret without its prefix, signed with it', signedWith(VECTOR.segredo.slice('whsec_'.length)), false],
  [
    'the old secret during a rotation',
    {
      ...VECTOR,
      cabecalhos: {
        ...VECTOR.cabecalhos,
        'x-service-signature': other,
        'x-service-signature-anterior': simple,
        'webhook-signature': `${flipped(standard, 10)} ${standard}`,
      },
    },
    true,
  ],
];

writeFileSync(join(folder, 'casos.json'), JSON.stringify(CASES.map(([, event]) => event)));

/** Runs a command, its words apart by blanks, where the programs lie. */
const run = (line: string) => {
  const [command, ...parts] = line.split(' ') as [string, ...string[]];
  return execFileSync(command, parts, { cwd: folder, encoding: 'utf8', timeout: 60_000 });
};

/** A string of a language that writes its escapes as JSON does. */
const quoted = JSON.stringify;

function javaProgram(): string {
  const calls = CASES.map(
    ([, { segredo, cabecalhos, corpo, agora }]) =>
      `System.out.println(Verificar.verificar(${quoted(segredo)}, Map.<String, String>of(${Object.entries(cabecalhos)
        .map(([name, value]) => `${quoted(name)}, ${quoted(value)}`)
        .join(', ')})::get, ${quoted(corpo)}.getBytes(), ${agora}L));`,
  );
  return `import java.util.Map; class Casos { public static void main(String[] a) throws Exception {\n${calls.join('\n')}\n} }`;
}

function csharpProgram(): string {
  const calls = CASES.map(
    ([, { segredo, cabecalhos, corpo, agora }]) =>
      `Console.WriteLine(Webhook.Verificar(${quoted(segredo)}, nome => new NameValueCollection { ${Object.entries(
        cabecalhos,
      )
        .map(([name, value]) => `{ ${quoted(name)}, ${quoted(value)} }`)
        .join(', ')} }[nome], Encoding.UTF8.GetBytes(${quoted(corpo)}), ${agora}L));`,
  );
  return `static class Casos { static void Main() {\n${calls.join('\n')}\n} }`;
}

const CSPROJ =
  '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>';
const DOTNET = hasCommand('dotnet');

/** In each language a program that says `true` or `false` of each case, beside the sample; how it is run, and by what. */
const LANGUAGES: Readonly<Record<string, { needs: string[]; files: Record<string, string>; lines: string[] }>> = {
  'Node.js': {
    needs: [],
    files: {
      'verificar.mjs': SAMPLES['verificar.mjs']!,
      'casos.mjs': `import { readFileSync } from 'node:fs'; import { verificar } from './verificar.mjs';
        for (const { segredo, cabecalhos, corpo, agora } of JSON.parse(readFileSync('casos.json', 'utf8')))
          console.log(verificar(segredo, cabecalhos, Buffer.from(corpo), agora));`,
    },
    lines: ['node casos.mjs'],
  },
  Python: {
    needs: ['python3'],
    files: {
      'verificar.py': SAMPLES['verificar.py']!,
      'casos.py':
        "import json\nfrom verificar import verificar\nfor c in json.load(open('casos.json')):\n  print(verificar(c['segredo'], c['cabecalhos'], c['corpo'].encode(), c['agora']))",
    },
    lines: ['python3 casos.py'],
  },
  PHP: {
    needs: ['php'],
    files: {
      'verificar.php': SAMPLES['verificar.php']!,
      'casos.php':
        "<?php require 'verificar.php'; foreach (json_decode(file_get_contents('casos.json'), true) as $c) echo verificar($c['segredo'], $c['cabecalhos'], $c['corpo'], $c['agora']) ? 'true' : 'false', PHP_EOL;",
    },
    lines: ['php casos.php'],
  },
  Java: {
    needs: ['javac', 'java'],
    files: { 'Verificar.java': SAMPLES['Verificar.java']!, 'Casos.java': javaProgram() },
    lines: ['javac Verificar.java Casos.java', 'java Casos'],
  },
  'C#': {
    needs: DOTNET ? [] : ['mcs', 'mono'],
    files: {
      'Casos.cs': `using System.Collections.Specialized;\n${SAMPLES['Verificar.cs']}\n${csharpProgram()}`,
      ...(DOTNET && { 'casos.csproj': CSPROJ }),
    },
    lines: DOTNET ? ['dotnet run'] : ['mcs -out:casos.exe Casos.cs', 'mono casos.exe'],
  },
};

describe('the test vector', () => {
  it('is what the service signs', () => {
    const { segredo, agora, cabecalhos, corpo } = VECTOR;
    const attempt = {
      eventId: cabecalhos['webhook-id'] as EventId,
      type: 'analise.resultado' as const,
      body: Buffer.from(corpo),
      attempt: 1,
    };
    const secrets = { secret: segredo, previousSecret: undefined, previousUntil: undefined };
    const signed = sign(secrets, attempt, agora * 1000);
    expect(Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]))).toEqual(
      cabecalhos,
    );
    expect(Buffer.byteLength(corpo)).toBe(254);
  });

  it('is told in full on the page', () => {
    const page = readFileSync(join(SAMPLES_FOLDER, '../pages/webhooks.md'), 'utf8');
    for (const part of [VECTOR.segredo, VECTOR.corpo, simple, standard, String(VECTOR.agora)])
      expect(page).toContain(part);
  });
});

describe.each(Object.entries(LANGUAGES))('the verification in %s', (language, { needs, files, lines }) => {
  it.runIf(present(`the verification in ${language}`, ...needs))(
    'accepts the vector, and nothing with a byte flipped',
    () => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const said = lines.map(run).at(-1)!.trim().toLowerCase().split('\n');
      expect(CASES.map(([what], index) => [what, said[index]])).toEqual(
        CASES.map(([what, , holds]) => [what, String(holds)]),
      );
    },
  );
});
/** What is printed of an event, where the language's own library reads JSON and where it does not. */
const outcome = (text: string) => {
  const { type, data } = JSON.parse(text) as { type: string; data: { analise_id: number; situacao: string } };
  return `verificado: ${type} ${data.analise_id} ${data.situacao}`;
};
const whole = (text: string) => `verificado: ${text}`;

/** A receiver's files; how it is started, after what has to be compiled first, and what it prints of an event. */
const RECEIVERS: readonly {
  readonly language: string;
  readonly files: readonly string[];
  readonly needs: readonly string[];
  readonly lines: (port: number) => readonly string[];
  readonly prints: (text: string) => string;
}[] = [
  {
    ...{ language: 'Node.js', files: ['verificar.mjs', 'receptor.mjs'], needs: [], prints: outcome },
    lines: () => ['node receptor.mjs'],
  },
  {
    ...{ language: 'Python', files: ['verificar.py', 'receptor.py'], needs: ['python3'], prints: outcome },
    lines: () => ['python3 -u receptor.py'],
  },
  {
    ...{ language: 'PHP', files: ['verificar.php', 'receptor.php'], needs: ['php'], prints: outcome },
    lines: (port) => [`php -S 127.0.0.1:${port} receptor.php`],
  },
  {
    ...{ language: 'Java', files: ['Verificar.java', 'Receptor.java'], needs: ['javac', 'java'], prints: whole },
    lines: () => ['javac Verificar.java Receptor.java', 'java Receptor'],
  },
  {
    ...{ language: 'C#', files: ['Verificar.cs', 'Receptor.cs'], needs: ['mcs', 'mono'], prints: whole },
    lines: () => ['mcs -out:receptor.exe Verificar.cs Receptor.cs', 'mono receptor.exe'],
  },
];

/** Begins to post and hangs up before the body is whole. */
async function hangUp(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const head = 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{';
  await new Promise<void>((sent) => socket.write(head, () => sent()));
  socket.destroy();
}

describe.each(RECEIVERS)('the receiver in $language', ({ language, needs, files, lines, prints }) => {
  let child: ChildProcess | undefined;
  afterAll(() => child?.kill());

  it.runIf(present(`the receiver in ${language}`, ...needs))(
    'takes what is signed, each event once, refuses what is not, and outlives a caller that hangs up',
    async () => {
      const own = mkdtempSync(join(folder, 'receiver-'));
      for (const name of files) writeFileSync(join(own, name), SAMPLES[name]!);
      const port = await freePort();
      const commands = lines(port).map((line) => line.split(' ') as [string, ...string[]]);
      const [command, ...flags] = commands.pop()!;
      for (const [compiler, ...parts] of commands) execFileSync(compiler, parts, { cwd: own });
      const env = { ...process.env, PORTA: String(port), SEGREDO: VECTOR.segredo, TMPDIR: own };
      child = spawn(command, flags, { cwd: own, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let told = '';
      child.stdout!.setEncoding('utf8').on('data', (text: string) => {
        told += text;
      });
      const url = `http://127.0.0.1:${port}/`;
      const secrets = { secret: VECTOR.segredo, previousSecret: undefined, previousUntil: undefined };
      const post = async (type: 'analise.resultado' | 'webhook.teste', text: string, change: object = {}) => {
        const eventId = (JSON.parse(text) as { id: EventId }).id;
        const headers = sign(secrets, { eventId, type, body: Buffer.from(text), attempt: 1 }, Date.now());
        return (await fetch(url, { method: 'POST', body: text, headers: { ...headers, ...change } })).status;
      };
      const forged = { 'X-Service-Signature': other };
      const first = await eventually('its first answer', () =>
        post('analise.resultado', VECTOR.corpo, forged).catch(() => undefined),
      );
      await hangUp(port);
      const second = VECTOR.corpo.replace('TEST', 'NEXT').replace('9001', '9002');
      // No signature covers this header: whoever is on the way may write there what he likes.
      const disguised = VECTOR.corpo.replace('TEST', 'MASK').replace('9001', '9003');
      const later = [
        await post('webhook.teste', PING, { 'X-Service-Event': 'analise.resultado' }),
        await post('analise.resultado', disguised, { 'X-Service-Event': 'webhook.teste' }),
        await post('webhook.teste', PING),
        await post('analise.resultado', VECTOR.corpo),
        await post('analise.resultado', VECTOR.corpo),
        await post('analise.resultado', second),
      ];
      expect([first, ...later]).toEqual([401, 200, 200, 200, 200, 200, 200]);
      const printed = await eventually('the line of the last event', async () => {
        const found = told.split('\n').filter((line) => line.startsWith('verificado'));
        return found.includes(prints(second)) ? found : undefined;
      });
      expect(printed).toEqual([prints(disguised), prints(VECTOR.corpo), prints(second)]);
    },
  );
});
