import { OFFERED } from './flow.ts';
import {
  camel,
  idIn,
  indented,
  jsonWith,
  type Language,
  last,
  type Notation,
  pathWith,
  single,
  variables,
  written,
} from './program-language.ts';

// The flow in scripting languages.

export const typescript: Language = {
  label: 'TypeScript',
  file: 'fluxo.ts',
  opening: `import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { PartnerClient } from './credito-imobiliario.ts';

const api = new PartnerClient({ baseUrl: process.env.BASE_URL!, key: process.env.CHAVE! });`,
  call({ operation, answer, value, path, json, key, repeatWhile }) {
    const variable = variables('', 'new Date().toISOString()');
    const notation: Notation = {
      open: '{',
      close: '}',
      field: (name) => `${name}: `,
      list: (items) => `[${items.join(', ')}]`,
      plain: single,
      variable,
    };
    const id = idIn(path);
    const parts = [
      ...(id ? [`id: ${camel(id)}`] : []),
      ...(value ? [`body: ${written(value, notation)}`] : []),
      ...(key === 'kept' ? ['idempotencyKey: crypto.randomUUID()'] : []),
    ].join(', ');
    const call = `await api.call('${operation}', { ${parts} })`;
    if (repeatWhile)
      return `let ${answer} = ${call};\nwhile (${answer}.body.analise.pendente) {\n  await setTimeout(3000);\n  ${answer} = ${call};\n}\nconsole.log(${answer}.body.analise.situacao);`;
    return `const ${answer} = ${call};${json ? '' : `\nwriteFileSync('simulacao.pdf', ${answer}.body);`}`;
  },
  keep(answer, name, place) {
    const steps = place.map((step) =>
      step === OFFERED ? '.find((um) => um.sucesso)!' : typeof step === 'number' ? `[${step}]!` : `.${String(step)}`,
    );
    return `const ${camel(name)} = ${answer}.body${steps.join('')};`;
  },
};

export const python: Language = {
  label: 'Python',
  file: 'fluxo.py',
  opening: `import os, time, uuid
from datetime import datetime, timezone
from credito_imobiliario import PartnerClient

api = PartnerClient(os.environ["BASE_URL"], key=os.environ["CHAVE"])`,
  call({ operation, answer, value, path, json, key, repeatWhile }) {
    const named: Readonly<Record<string, string>> = {
      cpf: '"900.000.001-75"',
      consentimento_timestamp: 'datetime.now(timezone.utc).isoformat()',
    };
    const notation: Notation = {
      open: '{',
      close: '}',
      field: (name) => `"${name}": `,
      list: (items) => `[${items.join(', ')}]`,
      plain: (one) => (typeof one === 'boolean' ? (one ? 'True' : 'False') : JSON.stringify(one)),
      variable: (name) => named[name] ?? name,
    };
    const id = idIn(path);
    const parts = [
      ...(id ? [id] : []),
      ...(value ? [written(value, notation)] : []),
      ...(key === 'kept' ? ['idempotency_key=str(uuid.uuid4())'] : []),
    ].join(', ');
    const call = `api.${operation.replaceAll('-', '_')}(${parts}).body`;
    if (repeatWhile)
      return `while (${answer} := ${call}["analise"])["pendente"]:\n    time.sleep(3)\nprint(${answer}["situacao"])`;
    return `${answer} = ${call}${json ? '' : `\nopen("simulacao.pdf", "wb").write(${answer})`}`;
  },
  keep(answer, name, place) {
    const text = place.reduce<string>(
      (text, step) =>
        step === OFFERED ? `next(um for um in ${text} if um["sucesso"])` : `${text}[${JSON.stringify(step)}]`,
      answer,
    );
    return `${name} = ${text}`;
  },
};

export const php: Language = {
  label: 'PHP',
  file: 'fluxo.php',
  opening: `<?php
function chamar(string $metodo, string $caminho, ?array $corpo = null, ?string $pedido = null): string {
    $conexao = curl_init(getenv('BASE_URL') . $caminho);
    $cabecalhos = ['X-API-Key: ' . getenv('CHAVE'), 'Content-Type: application/json'];
    if ($pedido !== null) $cabecalhos[] = "Idempotency-Key: $pedido";
    if ($corpo !== null) curl_setopt($conexao, CURLOPT_POSTFIELDS, json_encode($corpo));
    curl_setopt_array($conexao, [CURLOPT_CUSTOMREQUEST => $metodo, CURLOPT_HTTPHEADER => $cabecalhos, CURLOPT_RETURNTRANSFER => true]);
    $resposta = curl_exec($conexao);
    if (curl_getinfo($conexao, CURLINFO_HTTP_CODE) >= 300 || $resposta === false) throw new Exception($resposta ?: curl_error($conexao));
    return $resposta;
}`,
  call({ answer, value, method, path, json, key, repeatWhile }) {
    const notation: Notation = {
      open: '[',
      close: ']',
      field: (name) => `'${name}' => `,
      list: (items) => `[${items.join(', ')}]`,
      plain: single,
      variable: variables('$', "date('c')"),
    };
    const given = [
      `'${method}'`,
      `"${pathWith(path, (name) => `$${camel(name)}`)}"`,
      ...(value ? [written(value, notation)] : []),
      ...(key === 'kept' ? ['bin2hex(random_bytes(16))'] : []),
    ].join(', ');
    if (repeatWhile)
      return `while (($${answer} = json_decode(chamar(${given}), true)['analise'])['pendente']) sleep(3);\necho $${answer}['situacao'], PHP_EOL;`;
    return json
      ? `$${answer} = json_decode(chamar(${given}), true);`
      : `file_put_contents('simulacao.pdf', chamar(${given}));`;
  },
  keep(answer, name, place) {
    const text = place.reduce<string>(
      (text, step) =>
        step === OFFERED
          ? `array_values(array_filter(${text}, fn($um) => $um['sucesso']))[0]`
          : `${text}[${single(step)}]`,
      `$${answer}`,
    );
    return `$${camel(name)} = ${text};`;
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
  call({ answer, value, method, path, json, key, repeatWhile }) {
    const shell = (name: string) => `$${name.toUpperCase()}`;
    const named: Readonly<Record<string, string>> = {
      cpf: '"900.000.001-75"',
      consentimento_timestamp: `"'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'"`,
    };
    const body = value ? jsonWith(value, (name) => named[name] ?? `'"${shell(name)}"'`) : undefined;
    const call = [
      `${json ? 'chamar' : 'curl -sS --fail-with-body'} "$BASE_URL${pathWith(path, shell)}"`,
      ...(method === 'GET' || method === 'POST' ? [] : [`-X ${method}`]),
      '-H "X-API-Key: $CHAVE"',
      ...(key === 'kept' ? ['-H "Idempotency-Key: pedido-$(date +%s)-$$"'] : []),
      ...(body ? ['-H "Content-Type: application/json"', `-d '${body}'`] : []),
      ...(json ? [] : ['-o simulacao.pdf || { cat simulacao.pdf >&2; exit 1; }']),
    ].join(' \\\n  ');
    const name = answer.toUpperCase();
    if (!json) return call;
    const assigned = `${name}=$(${call})`;
    if (!repeatWhile) return assigned;
    // Bash heeds no set -e in a loop's condition.
    return `while\n  ${indented(assigned, '  ')} || exit 1\n  [ "$(echo "$${name}" | campo pendente)" = true ]\ndo sleep 3; done\necho "$${name}" | campo situacao`;
  },
  keep: (answer, name, place) => `${name.toUpperCase()}=$(echo "$${answer.toUpperCase()}" | campo ${last(place)})`,
};
