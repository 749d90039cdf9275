import { type FlowRequest, OFFERED, type Place } from './flow.ts';

/** A request with the name of its answer. In `value`, the body, `{{name}}` is a variable. */
export interface Call extends FlowRequest {
  readonly answer: string;
  readonly value: unknown;
}

export interface Language {
  readonly label: string;
  readonly file: string;
  readonly opening: string;
  readonly closing?: string;
  /** `before` draws `pedido` and `momento` and keeps them in a file until the answer. `after` removes the file. */
  readonly kept: readonly [before: string, after: string];
  readonly call: (request: Call) => string;
  readonly keep: (answer: string, name: string, place: Place) => string;
}

const WHY = 'O pedido fica guardado até a resposta: depois de uma queda, é o mesmo que se repete.';
const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const isVariable = (value: unknown) => (typeof value === 'string' ? /^\{\{(\w+)\}\}$/.exec(value)?.[1] : undefined);
const indented = (text: string, by: string) => text.replaceAll('\n', `\n${by}`);

interface Notation {
  readonly open: string;
  readonly close: string;
  readonly field: (name: string) => string;
  readonly plain: (value: unknown) => string;
  readonly variable: (name: string) => string;
}

function written(value: unknown, notation: Notation): string {
  const name = isVariable(value);
  if (name) return notation.variable(name);
  if (Array.isArray(value)) return `[${value.map((item) => written(item, notation)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return notation.plain(value);
  const fields = Object.entries(value).map(
    ([field, part]) => `  ${notation.field(field)}${indented(written(part, notation), '  ')},`,
  );
  return `${notation.open}\n${fields.join('\n')}\n${notation.close}`;
}

const single = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value));
const variables = (prefix: string) => (name: string) =>
  ({ cpf: single('900.000.001-75'), consentimento_timestamp: `${prefix}momento` })[name] ?? prefix + camel(name);

const jsonWith = (value: unknown, variable: (name: string) => string) =>
  JSON.stringify(value, null, 2).replace(/"\{\{(\w+)\}\}"/g, (_, name: string) => variable(name));

const pathWith = (path: string, variable: (name: string) => string) =>
  path.replace(/\{\{(\w+)\}\}/g, (_, name: string) => variable(name));
const idIn = (path: string) => /\{\{(\w+)\}\}/.exec(path)?.[1];
const last = (place: Place) => String(place.at(-1));

/** `offered` selects the item with an offer from a list; `at` goes one step deeper. */
const valueAt = (place: Place, from: string, offered: (list: string) => string, at: (step: unknown) => string) =>
  place.reduce<string>((text, step) => (step === OFFERED ? offered(text) : text + at(step)), from);

export const typescript: Language = {
  label: 'TypeScript',
  file: 'fluxo.ts',
  opening: `import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { PartnerClient } from './credito-imobiliario.ts';

const api = new PartnerClient({ baseUrl: process.env.BASE_URL!, key: process.env.CHAVE! });`,
  kept: [
    `// ${WHY}
if (!existsSync('pedido.json')) writeFileSync('pedido.json', JSON.stringify([crypto.randomUUID(), new Date()]));
const [pedido, momento] = JSON.parse(readFileSync('pedido.json', 'utf8'));`,
    "rmSync('pedido.json');",
  ],
  call({ operation, answer, value, path, json, key, repeatWhile }) {
    const notation: Notation = {
      open: '{',
      close: '}',
      field: (name) => `${name}: `,
      plain: single,
      variable: variables(''),
    };
    const id = idIn(path);
    const parts: string[] = [];
    if (id) parts.push(`id: ${camel(id)}`);
    if (value) parts.push(`body: ${written(value, notation)}`);
    if (key === 'kept') parts.push('idempotencyKey: pedido');
    const input = parts.length > 0 ? `, { ${parts.join(', ')} }` : '';
    const call = `await api.call('${operation}'${input})`;
    if (repeatWhile)
      return `let ${answer} = ${call};\nwhile (${answer}.body.analise.pendente) {\n  await setTimeout(3000);\n  ${answer} = ${call};\n}\nconsole.log(${answer}.body.analise.situacao);`;
    return `const ${answer} = ${call};${json ? '' : `\nwriteFileSync('simulacao.pdf', ${answer}.body);`}`;
  },
  keep(answer, name, place) {
    const offered = (list: string) => `${list}.find((um) => um.sucesso)!`;
    const at = (step: unknown) => (typeof step === 'number' ? `[${step}]!` : `.${step}`);
    return `const ${camel(name)} = ${valueAt(place, `${answer}.body`, offered, at)};`;
  },
};

export const python: Language = {
  label: 'Python',
  file: 'fluxo.py',
  opening: `import json, os, time, uuid
from datetime import datetime, timezone
from credito_imobiliario import PartnerClient

api = PartnerClient(os.environ["BASE_URL"], key=os.environ["CHAVE"])`,
  kept: [
    `# ${WHY}
if not os.path.exists("pedido.json"):
    with open("pedido.json", "w") as arquivo:
        json.dump([str(uuid.uuid4()), datetime.now(timezone.utc).isoformat()], arquivo)
with open("pedido.json") as arquivo:
    pedido, momento = json.load(arquivo)`,
    'os.remove("pedido.json")',
  ],
  call({ operation, answer, value, path, json, key, repeatWhile }) {
    const named: Readonly<Record<string, string>> = { cpf: '"900.000.001-75"', consentimento_timestamp: 'momento' };
    const notation: Notation = {
      open: '{',
      close: '}',
      field: (name) => `"${name}": `,
      plain: (value) => (typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value)),
      variable: (name) => named[name] ?? name,
    };
    const id = idIn(path);
    const given: string[] = [];
    if (id) given.push(id);
    if (value) given.push(written(value, notation));
    if (key === 'kept') given.push('idempotency_key=pedido');
    const call = `api.${operation.replaceAll('-', '_')}(${given.join(', ')}).body`;
    if (repeatWhile)
      return `while (${answer} := ${call}["analise"])["pendente"]:\n    time.sleep(3)\nprint(${answer}["situacao"])`;
    return `${answer} = ${call}${json ? '' : `\nopen("simulacao.pdf", "wb").write(${answer})`}`;
  },
  keep(answer, name, place) {
    const offered = (list: string) => `next(um for um in ${list} if um["sucesso"])`;
    return `${name} = ${valueAt(place, answer, offered, (step) => `[${JSON.stringify(step)}]`)}`;
  },
};

export const php: Language = {
  label: 'PHP',
  file: 'fluxo.php',
  opening: `<?php
function chamar(string $metodo, string $caminho, ?array $corpo = null, ?string $pedido = null): string {
    $conexao = curl_init(getenv('BASE_URL') . $caminho);
    $cabecalhos = ['X-API-Key: ' . trim(getenv('CHAVE')), 'Content-Type: application/json'];
    if ($pedido !== null) $cabecalhos[] = "Idempotency-Key: $pedido";
    if ($corpo !== null) curl_setopt($conexao, CURLOPT_POSTFIELDS, json_encode($corpo));
    curl_setopt_array($conexao, [CURLOPT_CUSTOMREQUEST => $metodo, CURLOPT_HTTPHEADER => $cabecalhos, CURLOPT_RETURNTRANSFER => true]);
    $resposta = curl_exec($conexao);
    if (curl_getinfo($conexao, CURLINFO_HTTP_CODE) >= 300 || $resposta === false) throw new Exception($resposta ?: curl_error($conexao));
    return $resposta;
}`,
  kept: [
    `// ${WHY}
if (!file_exists('pedido.json')) file_put_contents('pedido.json', json_encode([bin2hex(random_bytes(16)), date('c')]));
[$pedido, $momento] = json_decode(file_get_contents('pedido.json'));`,
    "unlink('pedido.json');",
  ],
  call({ answer, value, method, path, json, key, repeatWhile }) {
    const notation: Notation = {
      open: '[',
      close: ']',
      field: (name) => `'${name}' => `,
      plain: single,
      variable: variables('$'),
    };
    const given = [`'${method}'`, `"${pathWith(path, (name) => `$${camel(name)}`)}"`];
    if (value) given.push(written(value, notation));
    if (key === 'kept') given.push('$pedido');
    const call = `chamar(${given.join(', ')})`;
    if (repeatWhile)
      return `while (($${answer} = json_decode(${call}, true)['analise'])['pendente']) sleep(3);\necho $${answer}['situacao'], PHP_EOL;`;
    return json ? `$${answer} = json_decode(${call}, true);` : `file_put_contents('simulacao.pdf', ${call});`;
  },
  keep(answer, name, place) {
    const offered = (list: string) => `array_values(array_filter(${list}, fn($um) => $um['sucesso']))[0]`;
    return `$${camel(name)} = ${valueAt(place, `$${answer}`, offered, (step) => `[${single(step)}]`)};`;
  },
};

export const curl: Language = {
  label: 'curl',
  file: 'fluxo.sh',
  opening: `set -e
# Uma recusa aparece na saída de erros e termina o programa com 1.
chamar() { RESPOSTA=$(curl -sS --fail-with-body "$@") || { echo "$RESPOSTA" >&2; exit 1; }; echo "$RESPOSTA"; }
# O primeiro valor de um campo de uma resposta JSON.
campo() { grep -o "\\"$1\\": *[^,}]*" | head -n 1 | cut -d : -f 2- | tr -d '" '; }`,
  kept: [
    `# ${WHY}
[ -s pedido.txt ] || echo "pedido-$(date +%s)-$$ $(date -u +%Y-%m-%dT%H:%M:%SZ)" > pedido.txt
read -r PEDIDO MOMENTO < pedido.txt`,
    'rm pedido.txt',
  ],
  call({ answer, value, method, path, json, key, repeatWhile }) {
    const shell = (name: string) => `$${name.toUpperCase()}`;
    const named: Readonly<Record<string, string>> = {
      cpf: '"900.000.001-75"',
      consentimento_timestamp: `"'"$MOMENTO"'"`,
    };
    const body = value ? jsonWith(value, (name) => named[name] ?? `'"${shell(name)}"'`) : undefined;
    const lines = [`${json ? 'chamar' : 'curl -sS --fail-with-body'} "$BASE_URL${pathWith(path, shell)}"`];
    if (method !== 'GET' && method !== 'POST') lines.push(`-X ${method}`);
    lines.push('-H "X-API-Key: $CHAVE"');
    if (key === 'kept') lines.push('-H "Idempotency-Key: $PEDIDO"');
    if (body) lines.push('-H "Content-Type: application/json"', `-d '${body}'`);
    if (!json) lines.push('-o simulacao.pdf || { cat simulacao.pdf >&2; exit 1; }');
    const call = lines.join(' \\\n  ');
    const name = answer.toUpperCase();
    if (!json) return call;
    const assigned = `${name}=$(${call})`;
    if (!repeatWhile) return assigned;
    // Bash ignores `set -e` in the condition of a loop.
    return `while\n  ${indented(assigned, '  ')} || exit 1\n  [ "$(echo "$${name}" | campo pendente)" = true ]\ndo sleep 3; done\necho "$${name}" | campo situacao`;
  },
  keep: (answer, name, place) => `${name.toUpperCase()}=$(echo "$${answer.toUpperCase()}" | campo ${last(place)})`,
};

/** `block` writes a text whose `%s` are replaced by values. */
function argumentsOf(
  { value, method, path, key }: Call,
  none: string,
  block: (text: string, values: string) => string,
): string {
  const values: string[] = [];
  const text = jsonWith(value ?? null, (name) => {
    if (name === 'cpf') return '"900.000.001-75"';
    values.push(name === 'lead_id' ? 'leadId' : 'pedido[1]');
    return name === 'lead_id' ? '%s' : '"%s"';
  });
  const address = `"${pathWith(path, (id) => `" + ${camel(id)} + "`)}"`.replace(/ \+ ""$/, '');
  return `"${method}", ${address}, ${value ? block(text, values.join(', ')) : none}, ${key === 'kept' ? 'pedido[0]' : none}`;
}

const JAVA_OPENING = `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;
import java.util.regex.Pattern;

public class Fluxo {
  static byte[] chamar(String metodo, String caminho, String corpo, String pedido) throws Exception {
    var chave = System.getenv("CHAVE").strip();
    if (!chave.matches("pmc_[0-9A-Za-z_]+")) throw new Exception("CHAVE não tem só a chave"); // header() a mostraria
    var chamada = HttpRequest.newBuilder(URI.create(System.getenv("BASE_URL") + caminho))
        .method(metodo, corpo == null ? BodyPublishers.noBody() : BodyPublishers.ofString(corpo))
        .header("X-API-Key", chave)
        .header("Content-Type", "application/json");
    if (pedido != null) chamada.header("Idempotency-Key", pedido);
    var resposta = HttpClient.newHttpClient().send(chamada.build(), BodyHandlers.ofByteArray());
    if (resposta.statusCode() >= 300) throw new Exception(new String(resposta.body(), "UTF-8"));
    return resposta.body();
  }

  // O primeiro valor de um campo; no seu sistema, use a sua biblioteca de JSON.
  static String campo(byte[] resposta, String nome) throws Exception {
    var achado = Pattern.compile("\\"" + nome + "\\": *\\"?([^,\\"}]*)").matcher(new String(resposta, "UTF-8"));
    if (!achado.find()) throw new Exception("a resposta não tem " + nome);
    return achado.group(1);
  }

  public static void main(String[] argumentos) throws Exception {`;

export const java: Language = {
  label: 'Java',
  file: 'Fluxo.java',
  opening: JAVA_OPENING,
  closing: '  }\n}',
  kept: [
    `    // ${WHY}
    var arquivo = Path.of("pedido.txt");
    if (!Files.exists(arquivo)) Files.writeString(arquivo, UUID.randomUUID() + " " + Instant.now());
    var pedido = Files.readString(arquivo).strip().split(" ");`,
    '    Files.delete(arquivo);',
  ],
  call(request) {
    const { answer, json, repeatWhile } = request;
    const given = argumentsOf(request, 'null', (text, values) =>
      values ? `"""\n${text}\n""".formatted(${values})` : `"""\n${text}\n"""`,
    );
    const call = `chamar(${given})`;
    const lines = repeatWhile
      ? `var ${answer} = ${call};\nwhile (campo(${answer}, "pendente").equals("true")) {\n  Thread.sleep(3000);\n  ${answer} = ${call};\n}\nSystem.out.println(campo(${answer}, "situacao"));`
      : json
        ? `var ${answer} = ${call};`
        : `Files.write(Path.of("simulacao.pdf"), ${call});`;
    return `    ${indented(lines, '    ')}`;
  },
  keep: (answer, name, place) => `    var ${camel(name)} = campo(${answer}, "${last(place)}");`,
};

export const csharp: Language = {
  label: 'C#',
  file: 'Fluxo.cs',
  opening: `using System.Text;
using System.Text.Json.Nodes;

var http = new HttpClient();
http.DefaultRequestHeaders.Add("X-API-Key", Environment.GetEnvironmentVariable("CHAVE")?.Trim());

async Task<byte[]> Chamar(string metodo, string caminho, string? corpo = null, string? pedido = null) {
  var chamada = new HttpRequestMessage(new HttpMethod(metodo), Environment.GetEnvironmentVariable("BASE_URL") + caminho);
  if (corpo != null) chamada.Content = new StringContent(corpo, Encoding.UTF8, "application/json");
  if (pedido != null) chamada.Headers.Add("Idempotency-Key", pedido);
  var resposta = await http.SendAsync(chamada);
  if (!resposta.IsSuccessStatusCode) throw new Exception(await resposta.Content.ReadAsStringAsync());
  return await resposta.Content.ReadAsByteArrayAsync();
}`,
  kept: [
    `// ${WHY}
if (!File.Exists("pedido.txt")) File.WriteAllLines("pedido.txt", new[] { $"{Guid.NewGuid()}", $"{DateTime.UtcNow:O}" });
var pedido = File.ReadAllLines("pedido.txt");`,
    'File.Delete("pedido.txt");',
  ],
  call({ answer, value, method, path, json, key, repeatWhile }) {
    const named: Readonly<Record<string, string>> = {
      cpf: '"900.000.001-75"',
      consentimento_timestamp: '"{{pedido[1]}}"',
    };
    const body = value ? `$$"""\n${jsonWith(value, (name) => named[name] ?? `{{${camel(name)}}}`)}\n"""` : undefined;
    const id = idIn(path);
    const address = id ? `$"${path.replace(`{{${id}}}`, `{${camel(id)}}`)}"` : `"${path}"`;
    const given = [`"${method}"`, address];
    if (body) given.push(body);
    if (key === 'kept') given.push('pedido[0]');
    const bytes = `await Chamar(${given.join(', ')})`;
    const call = `JsonNode.Parse(${bytes})!`;
    if (repeatWhile)
      return `var ${answer} = ${call}["analise"]!;\nwhile ((bool)${answer}["pendente"]!) {\n  await Task.Delay(3000);\n  ${answer} = ${call}["analise"]!;\n}\nConsole.WriteLine(${answer}["situacao"]);`;
    return json ? `var ${answer} = ${call};` : `File.WriteAllBytes("simulacao.pdf", ${bytes});`;
  },
  keep(answer, name, place) {
    const offered = (list: string) => `${list}.AsArray().First(um => (bool)um!["sucesso"]!)!`;
    return `var ${camel(name)} = (long)${valueAt(place, answer, offered, (step) => `[${JSON.stringify(step)}]!`)};`;
  },
};

export const go: Language = {
  label: 'Go',
  file: 'fluxo.go',
  opening: `package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
)

func chamar(metodo, caminho, corpo, pedido string) []byte {
	chamada, erro := http.NewRequest(metodo, os.Getenv("BASE_URL")+caminho, strings.NewReader(corpo))
	if erro != nil {
		log.Fatal(erro)
	}
	chamada.Header = http.Header{"X-Api-Key": {strings.TrimSpace(os.Getenv("CHAVE"))}, "Content-Type": {"application/json"}}
	if pedido != "" {
		chamada.Header.Set("Idempotency-Key", pedido)
	}
	resposta, erro := http.DefaultClient.Do(chamada)
	if erro != nil {
		log.Fatal(erro)
	}
	lida, erro := io.ReadAll(resposta.Body)
	if erro != nil || resposta.StatusCode >= 300 {
		log.Fatal(resposta.Status, string(lida))
	}
	return lida
}

// O primeiro valor de um campo; no seu sistema, use encoding/json.
func campo(resposta []byte, nome string) string {
	return string(regexp.MustCompile(\`"\` + nome + \`": *"?([^,"}]*)\`).FindSubmatch(resposta)[1])
}

func main() {`,
  closing: '}',
  kept: [
    `\t// ${WHY}
\tif _, erro := os.Stat("pedido.txt"); erro != nil {
\t\tos.WriteFile("pedido.txt", []byte(rand.Text()+" "+time.Now().Format(time.RFC3339)), 0o600)
\t}
\tguardado, _ := os.ReadFile("pedido.txt")
\tpedido := strings.Fields(string(guardado))`,
    '\tos.Remove("pedido.txt")',
  ],
  call(request) {
    const { answer, json, repeatWhile } = request;
    const given = argumentsOf(request, '""', (text, values) =>
      values ? `fmt.Sprintf(\`${text}\`, ${values})` : `\`${text}\``,
    );
    const call = `chamar(${given.replaceAll(' + ', '+')})`;
    if (!json) return `\tos.WriteFile("simulacao.pdf", ${call}, 0o600)`;
    if (!repeatWhile) return `\t${answer} := ${call}`;
    return `\t${answer} := ${call}\n\tfor campo(${answer}, "pendente") == "true" {\n\t\ttime.Sleep(3 * time.Second)\n\t\t${answer} = ${call}\n\t}\n\tfmt.Println(campo(${answer}, "situacao"))`;
  },
  keep: (answer, name, place) => `\t${camel(name)} := campo(${answer}, "${last(place)}")`,
};
