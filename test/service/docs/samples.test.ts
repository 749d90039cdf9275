import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort } from '#infra/local/listen.ts';
import type { EventId } from '#shared/domain/values/ids.ts';
import { pageSource, SAMPLES } from '#shared/partner/docs/contents.ts';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };
import { sign } from '#shared/webhook/sign.ts';
import { forgedHeaders } from '#test/makers/forged-webhook.ts';
import { eventually } from '#test/makers/local-service.ts';
import { hasCommand, hasCommandsOrWarns } from '#test/makers/present.ts';

interface Vector {
  readonly segredo: string;
  /** The receiver's time, in seconds since 1970. */
  readonly agora: number;
  readonly cabecalhos: Readonly<Record<string, string>>;
  readonly corpo: string;
}

const PING = JSON.stringify(
  document.webhooks['webhook.teste'].post.requestBody.content['application/json'].examples.teste.value,
);
const SAMPLES_FOLDER = join(import.meta.dirname, '../../../shared/partner/docs/samples');
const VECTOR = JSON.parse(fs.readFileSync(join(SAMPLES_FOLDER, 'vetor.json'), 'utf8')) as Vector;
const folder = fs.mkdtempSync(join(tmpdir(), 'samples-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

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

/** Events that may arrive, and whether every sample must accept them. */
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
  ['a secret that is only its prefix, signed with it', signedWith('whsec_'), false],
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

/** The samples and the programs that the page itself contains, by file name or framework. */
const PROGRAMS: Readonly<Record<string, string>> = {
  ...SAMPLES,
  ...Object.fromEntries(
    [...(pageSource('webhooks') + pageSource('receptor')).matchAll(/^```\w+ aba:(\S+)\n(.*?)^```/gms)].map(
      ([, name, text]) => [name!, text!],
    ),
  ),
};

fs.writeFileSync(join(folder, 'casos.json'), JSON.stringify(CASES.map(([, event]) => event)));

/** Runs a command line in the folder of the programs. Returns what the command prints. */
const run = (line: string) => {
  const [command, ...parts] = line.split(' ') as [string, ...string[]];
  return execFileSync(command, parts, { cwd: folder, encoding: 'utf8', timeout: 170_000 });
};

/** Returns a string literal, for a language whose escapes are those of JSON. */
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

/**
 * For each language: the tools that it needs, its sample with a program that prints `true` or `false` for each case,
 * and the commands that run the program.
 */
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
      'verificar.py': PROGRAMS['verificar.py']!,
      'casos.py':
        "import json\nfrom verificar import verificar\nfor c in json.load(open('casos.json')):\n  print(verificar(c['segredo'], c['cabecalhos'], c['corpo'].encode(), c['agora']))",
    },
    lines: ['python3 casos.py'],
  },
  PHP: {
    needs: ['php'],
    files: {
      'verificar.php': PROGRAMS['verificar.php']!,
      'casos.php':
        "<?php require 'verificar.php'; foreach (json_decode(file_get_contents('casos.json'), true) as $c) echo verificar($c['segredo'], $c['cabecalhos'], $c['corpo'], $c['agora']) ? 'true' : 'false', PHP_EOL;",
    },
    lines: ['php casos.php'],
  },
  Java: {
    needs: ['javac', 'java'],
    files: { 'Verificar.java': PROGRAMS['Verificar.java']!, 'Casos.java': javaProgram() },
    lines: ['javac Verificar.java Casos.java', 'java Casos'],
  },
  'C#': {
    needs: DOTNET ? [] : ['mcs', 'mono'],
    files: {
      'Casos.cs': `using System.Collections.Specialized;\n${PROGRAMS['Verificar.cs']}\n${csharpProgram()}`,
      ...(DOTNET && { 'casos.csproj': CSPROJ }),
    },
    lines: DOTNET ? ['dotnet run'] : ['mcs -out:casos.exe Casos.cs', 'mono casos.exe'],
  },
  Go: {
    needs: ['go'],
    files: {
      'verificar.go': PROGRAMS['verificar.go']!,
      'casos.go': `package main; import ("encoding/json"; "fmt"; "net/http"; "os")
        func main() {
          var casos []struct { Segredo, Corpo string; Agora int64; Cabecalhos map[string]string }
          lido, _ := os.ReadFile("casos.json")
          json.Unmarshal(lido, &casos)
          for _, um := range casos {
            cabecalhos := http.Header{}
            for nome, valor := range um.Cabecalhos { cabecalhos.Set(nome, valor) }
            fmt.Println(verificar(um.Segredo, cabecalhos, []byte(um.Corpo), um.Agora))
          }
        }`,
    },
    lines: ['go run verificar.go casos.go'],
  },
  Ruby: {
    needs: ['ruby'],
    files: {
      'verificar.rb': PROGRAMS['verificar.rb']!,
      'casos.rb':
        "require 'json'; require_relative 'verificar'; JSON.parse(File.read('casos.json')).each { |c| puts verificar(c['segredo'], c['cabecalhos'].method(:[]), c['corpo'], c['agora']) }",
    },
    lines: ['ruby casos.rb'],
  },
};

it('the service signs the test vector as vetor.json says', () => {
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

it('the page about webhooks shows the whole test vector', () => {
  const page = fs.readFileSync(join(SAMPLES_FOLDER, '../pages/webhooks.md'), 'utf8');
  for (const part of [VECTOR.segredo, VECTOR.corpo, simple, standard, String(VECTOR.agora)])
    expect(page).toContain(part);
});

describe.each(Object.entries(LANGUAGES))('the verification in %s', (language, { needs, files, lines }) => {
  it.runIf(hasCommandsOrWarns(`the verification in ${language}`, ...needs))(
    'a sample accepts the test vector, and refuses it with a flipped byte, a missing header or an empty secret',
    () => {
      for (const [name, text] of Object.entries(files)) fs.writeFileSync(join(folder, name), text);
      const said = lines.map(run).at(-1)!.trim().toLowerCase().split('\n');
      expect(CASES.map(([what], index) => [what, said[index]])).toEqual(
        CASES.map(([what, , holds]) => [what, String(holds)]),
      );
    },
  );
});

it.runIf(hasCommandsOrWarns('the event that a reader signs', 'bash', 'openssl', 'curl'))(
  "the sample accepts an event that a reader signs with the page's commands",
  async () => {
    const [, commands] = /^```bash\n(CORPO=.*?)^```/ms.exec(pageSource('local'))!;
    const { verificar } = await import(join(SAMPLES_FOLDER, 'verificar.mjs'));
    const verified: boolean[] = [];
    const server = createServer(async (request, answer) => {
      verified.push(verificar(VECTOR.segredo, request.headers, await buffer(request)));
      answer.end();
    }).listen(0);
    const env = { ...process.env, SEGREDO: VECTOR.segredo, PORTA: String((server.address() as AddressInfo).port) };
    await once(spawn('bash', ['-ec', commands!], { env }), 'exit');
    server.close();
    expect(verified).toEqual([true]);
  },
);

/** Returns the line that a receiver prints for an event if its language has a library for JSON. */
const outcome = (text: string) => {
  const { type, data } = JSON.parse(text) as { type: string; data: { analise_id: number; situacao: string } };
  return `verificado: ${type} ${data.analise_id} ${data.situacao}`;
};
/** Returns the line that a receiver prints for an event if its language has no library for JSON. */
const whole = (text: string) => `verificado: ${text}`;

fs.symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'));

/**
 * A receiver's files and tools, the shell line that compiles and starts it, and the line that it prints for an event.
 */
const RECEIVERS: readonly {
  readonly language: string;
  readonly files: readonly string[];
  readonly needs: readonly string[];
  readonly line: string;
  readonly prints: (text: string) => string;
}[] = [
  {
    ...{ language: 'Node.js', files: ['verificar.mjs', 'receptor.mjs'], needs: [], prints: outcome },
    line: 'exec node receptor.mjs',
  },
  {
    ...{ language: 'Python', files: ['verificar.py', 'receptor.py'], needs: ['python3'], prints: outcome },
    line: 'exec python3 -u receptor.py',
  },
  {
    ...{ language: 'PHP', files: ['verificar.php', 'receptor.php'], needs: ['php'], prints: outcome },
    line: 'php receptor.php && exec php -S 127.0.0.1:$PORTA receptor.php',
  },
  {
    ...{ language: 'Java', files: ['Verificar.java', 'Receptor.java'], needs: ['javac', 'java'], prints: whole },
    line: 'javac Verificar.java Receptor.java && exec java Receptor',
  },
  {
    ...{ language: 'C#', files: ['Verificar.cs', 'Receptor.cs'], needs: ['mcs', 'mono'], prints: whole },
    line: 'mcs -out:receptor.exe Verificar.cs Receptor.cs && exec mono receptor.exe',
  },
  {
    ...{ language: 'Go', files: ['verificar.go', 'receptor.go'], needs: ['go'], prints: outcome },
    line: 'go build -o receptor verificar.go receptor.go && exec ./receptor',
  },
  ...['Express', 'Fastify'].map((language) => ({
    ...{ language, files: ['verificar.mjs', language], needs: [], prints: outcome },
    line: `cp ${language} ${language}.mjs && exec node ${language}.mjs`,
  })),
];

/** Begins a POST and never completes its body. Returns the open connection. */
async function halfPost(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const head = 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{';
  await new Promise<void>((sent) => socket.write(head, () => sent()));
  return socket;
}

/** Makes and fills a pipe that nobody reads, so that a program stops when it prints into the pipe. Returns the pipe. */
function fillPipe(path: string): number {
  execFileSync('mkfifo', [path]);
  const pipe = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  try {
    for (;;) fs.writeSync(pipe, Buffer.alloc(4096));
  } catch (error) {
    expect(error).toMatchObject({ code: 'EAGAIN' });
    return pipe;
  }
}

/** Makes Node.js end when it prints, since Node.js would print into a full pipe and continue. */
const STOPS_WHERE_IT_PRINTS = {
  NODE_OPTIONS: '--import=data:text/javascript,console.log=()=>process.kill(process.pid,"SIGKILL")',
};

describe.each(RECEIVERS)('the receiver in $language', ({ language, needs, files, line, prints }) => {
  let child: ChildProcess | undefined;
  afterAll(() => child?.kill('SIGKILL'));

  it.runIf(hasCommandsOrWarns(`the receiver in ${language}`, ...needs))(
    'a receiver processes each signed event once even if it is killed, and survives bad callers and a lost disk',
    async () => {
      const own = fs.mkdtempSync(join(folder, 'receiver-'));
      for (const name of files) fs.writeFileSync(join(own, name), PROGRAMS[name]!);
      let port = 0;
      let told = '';
      const start = async (suffix: string, more: NodeJS.ProcessEnv) => {
        port = await freePort();
        const env = { ...process.env, PORTA: String(port), SEGREDO: VECTOR.segredo, ...more };
        child = spawn('sh', ['-c', line + suffix], { cwd: own, env, stdio: ['ignore', 'pipe', 'pipe'] });
        child.stdout!.setEncoding('utf8').on('data', (text: string) => {
          told += text;
        });
      };
      const secrets = { secret: VECTOR.segredo, previousSecret: undefined, previousUntil: undefined };
      const post = async (type: 'analise.resultado' | 'webhook.teste', text: string, change: object = {}) => {
        const eventId = (JSON.parse(text) as { id: EventId }).id;
        const headers = sign(secrets, { eventId, type, body: Buffer.from(text), attempt: 1 }, Date.now());
        const sent = {
          method: 'POST',
          body: text,
          headers: { ...headers, ...change, 'Content-Type': 'application/json' },
        };
        return (await fetch(`http://127.0.0.1:${port}/`, sent)).status;
      };
      const forged = () =>
        post('analise.resultado', VECTOR.corpo, { 'X-Service-Signature': other }).catch(() => undefined);
      const printed = (last: string) =>
        eventually('the line of the last event', async () => {
          const found = told.split('\n').filter((one) => one.startsWith('verificado'));
          return found.includes(prints(last)) ? found : undefined;
        });

      const pipe = fillPipe(join(own, 'full'));
      await start(' > full', STOPS_WHERE_IT_PRINTS);
      const ended = once(child!, 'exit');
      expect(await eventually('its first answer', forged)).toBe(401);
      expect(await post('analise.resultado', VECTOR.corpo)).toBe(200);
      child!.kill('SIGKILL');
      await ended;
      fs.closeSync(pipe);
      await start('', {});
      expect(await printed(VECTOR.corpo)).toEqual([prints(VECTOR.corpo)]);
      expect(await eventually('its first answer', forged)).toBe(401);
      (await halfPost(port)).destroy();
      const slow = await halfPost(port);
      const second = VECTOR.corpo.replace('TEST', 'NEXT').replace('9001', '9002');
      // No signature covers X-Service-Event, so anyone between sender and receiver can change this header.
      const disguised = VECTOR.corpo.replace('TEST', 'MASK').replace('9001', '9003');
      const later = [
        await post('webhook.teste', PING, { 'X-Service-Event': 'analise.resultado' }),
        await post('webhook.teste', PING),
        await post('analise.resultado', VECTOR.corpo),
        await post('analise.resultado', disguised, { 'X-Service-Event': 'webhook.teste' }),
        await post('analise.resultado', disguised),
      ];
      await printed(disguised);
      later.push(await post('analise.resultado', second));
      expect(later).toEqual([200, 200, 200, 200, 200, 200]);
      expect(await printed(second)).toEqual([VECTOR.corpo, disguised, second].map(prints));
      slow.destroy();
      if (!files.some((name) => PROGRAMS[name]!.includes('"eventos"') || name === 'receptor.mjs')) return;
      fs.rmSync(join(own, 'eventos'), { recursive: true });
      expect(await post('analise.resultado', disguised).catch(() => 500)).toBe(500);
      for (const time of ['next', 'last']) expect(await eventually(`its ${time} answer`, forged)).toBe(401);
    },
  );
});
