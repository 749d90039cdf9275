import { STEP_WORDS } from '#shared/contract/account.ts';
import { FAILURES } from '#shared/contract/failures.ts';
import { DEFAULT_PAGE, LARGEST_PAGE } from '#shared/contract/page.ts';
import { ROUTES } from '#shared/contract/routes.ts';
import { CONSENT_KEPT, FORM_KEPT, PENDING_LIMIT } from '#shared/domain/analyses/analysis.ts';
import { DEFAULT_LIMIT } from '#shared/domain/partners/partner.ts';
import { STEPS } from '#shared/domain/partners/sandbox-checklist.ts';
import { BANK_IDENTITIES, BANKS } from '#shared/domain/values/bank.ts';
import { FAILURE_CODES, LARGEST_BODY } from '#shared/domain/values/failure.ts';
import { IDEMPOTENCY_TTL } from '#shared/domain/values/idempotency.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { days, hours, minutes, seconds } from '#shared/domain/values/time.ts';
import {
  ANSWER_WITHIN,
  DELIVERY_KEPT,
  LONGEST_RETRY_WAIT,
  RETRY_WAITS,
  retrySpan,
} from '#shared/domain/webhooks/delivery.ts';
import { clientPackages } from '../client/packages.ts';
import { SANDBOX_CPFS } from '../openapi/documentation.ts';
import document from '../openapi/openapi.json' with { type: 'json' };
import { DOWNLOADS } from './contents.ts';
import { PLACEHOLDERS } from './facts.ts';
import { duration } from './numbers.ts';
import { operationNamed, type Schema } from './openapi-operation.ts';
import { conditions, homeExample, mip, type Row, rates, scenario, type Table, taxExample } from './pricing-tables.ts';

function errors(): Table {
  const rows = FAILURE_CODES.map((code): [number, Row] => {
    const { status, erro, retryAfter } = FAILURES[code];
    const [cause = '', ...cure] = erro.split(/(?<=\.) /);
    const wait = retryAfter === undefined ? 'sim' : 'sim, após `Retry-After`';
    const again = retryAfter !== undefined || status >= 500 ? wait : 'não';
    return [status, [`\`${code}\``, status, cause, cure.join(' '), again]];
  });
  const sorted = rows.sort(([a], [b]) => a - b).map(([, row]) => row);
  return [['Código', 'HTTP', 'Causa', 'O que fazer', 'Repetir'], sorted];
}

function sandbox(): Table {
  const rows = SANDBOX_CPFS.map(([cpf, outcome]): Row => [`\`${cpf}\``, outcome]);
  rows.push(['qualquer outro', 'aprovado']);
  return [['CPF', 'Desfecho'], rows];
}

const validation = (): Table => [
  ['Passo', 'O que o mostra'],
  STEPS.map((step) => [`\`${STEP_WORDS[step].passo}\``, STEP_WORDS[step].mostra]),
];

function attempts(): Table {
  const environments: readonly Environment[] = ['sandbox', 'producao'];
  const longest = Math.max(...environments.map((environment) => RETRY_WAITS[environment].length));
  const wait = (environment: Environment, index: number) => {
    const waited = RETRY_WAITS[environment][index];
    if (waited === undefined) return '—';
    return waited === 0 ? 'na hora' : `${duration(waited)} depois`;
  };
  const rows: { from: number; to: number; waits: readonly string[] }[] = [];
  for (let index = 0; index < longest; index++) {
    const waits = environments.map((environment) => wait(environment, index));
    const last = rows.at(-1);
    if (last?.waits.join() === waits.join()) last.to = index + 1;
    else rows.push({ from: index + 1, to: index + 1, waits });
  }
  return [
    ['Tentativa', 'Sandbox', 'Produção'],
    rows.map(({ from, to, waits }) => [from === to ? from : `${from} a ${to}`, ...waits]),
  ];
}

function idempotency(): Table {
  const words = { required: 'obrigatória', optional: 'opcional', none: '' };
  const rows = ROUTES.filter((route) => route.idempotency !== 'none').map(({ method, path, idempotency }) => [
    `\`${method} ${path}\``,
    words[idempotency],
    duration(idempotency === 'required' ? IDEMPOTENCY_TTL.analyses : IDEMPOTENCY_TTL.records),
  ]);
  return [['Rota', '`Idempotency-Key`', 'A resposta fica guardada por'], rows];
}

/** Throws an Error if the document names no greatest length. */
function longest(name: string, schema: Schema | undefined): number {
  if (schema?.maxLength === undefined) throw new Error(`the document names no greatest length of ${name}`);
  return schema.maxLength;
}

function limits(): Table {
  const lead = document.components.schemas.LeadNovo.properties;
  const key = operationNamed('submit-analyses').parameters?.find(({ name }) => name === 'Idempotency-Key');
  const rows: Row[] = [
    ['Chamadas', `${DEFAULT_LIMIT} por minuto, por parceiro e ambiente, salvo outro acordo`],
    ['Corpo de um pedido', `${LARGEST_BODY / 1024} KiB`],
    ['Bancos por pedido', `de 1 a ${BANKS.length}: ${BANKS.map((bank) => `\`${bank}\``).join(', ')}`],
    ['Página de uma lista', `\`limit\` de 1 a ${LARGEST_PAGE}, padrão ${DEFAULT_PAGE}; \`offset\` a partir de 0`],
    ['`Idempotency-Key`', `de 1 a ${longest('Idempotency-Key', key?.schema)} caracteres ASCII imprimíveis`],
    ['`nome` e outros textos curtos', `${lead.nome.maxLength} caracteres`],
    ['`email`', `${lead.email.maxLength} caracteres`],
    ['`observacao`', `${lead.observacao.maxLength} caracteres`],
    ['Resposta ao webhook', `em até ${ANSWER_WITHIN / seconds(1)} segundos`],
    [
      'Tentativas de um webhook',
      `${RETRY_WAITS.producao.length} em produção, ao longo de ${Math.floor(retrySpan('producao') / hours(1))} horas; ${RETRY_WAITS.sandbox.length} no sandbox`,
    ],
    [
      'Maior espera entre tentativas',
      `${Math.floor(LONGEST_RETRY_WAIT / hours(1))} h ${(LONGEST_RETRY_WAIT % hours(1)) / minutes(1)} min, mesmo que \`Retry-After\` peça mais`,
    ],
  ];
  return [['O quê', 'Limite'], rows];
}

function banks(): Table {
  const rows = BANKS.map((bank): Row => {
    const { id, names } = BANK_IDENTITIES[bank];
    return [id, `\`${bank}\``, names.join(', ')];
  });
  return [['`banco_id`', 'Apelido (`banco`)', 'Também aceito em `bancos`'], rows];
}

function scopes(): Table {
  const byScope = Map.groupBy(
    ROUTES.filter(({ scope }) => scope !== 'public'),
    ({ scope }) => scope,
  );
  const rows = Array.from(byScope, ([scope, routes]) => [
    scope === 'any' ? 'qualquer chave' : scope === 'all' ? 'todos juntos' : `\`${scope}\``,
    routes.map(({ method, path }) => `\`${method} ${path}\``).join(', '),
  ]);
  return [['Escopo', 'O que libera'], rows];
}

const downloads = (): Table => [
  ['Arquivo', 'Para quê'],
  DOWNLOADS.map(({ name, about }) => [`[${name}](${name})`, about]),
];

function retention(): Table {
  const evidence = `${Math.floor(CONSENT_KEPT / days(365))} anos; ninguém o altera nem apaga, nem o próprio serviço`;
  return [
    ['O quê', 'Por quanto tempo'],
    [
      [
        'Registro de consentimento: aceite, momento, IP, canal, versão do texto, análises, bancos e qual chave o enviou',
        evidence,
      ],
      ['Registro de revogação: momento, canal e, se foi por uma chave, qual', evidence],
      [
        'Análise: banco, número da consulta, situação, texto do banco e momento do consentimento',
        'enquanto o lead existir; fica depois da eliminação dele, sem o formulário, como prova da consulta',
      ],
      ['Lead e simulações', `${PLACEHOLDERS.leadRetention}; cifrados`],
      [
        'Formulário da análise',
        `mostrado até ${duration(FORM_KEPT)} depois do desfecho da última análise dele, ou até a eliminação; cifrado; ${duration(PENDING_LIMIT + FORM_KEPT)} depois do envio ninguém mais o lê, e o banco de dados o apaga`,
      ],
      [
        'Evento de webhook e as suas tentativas',
        `${duration(DELIVERY_KEPT)} depois da última; sem campo para dados pessoais`,
      ],
      [
        'Resposta guardada para repetição',
        `${duration(IDEMPOTENCY_TTL.records)} em leads, simulações e revogações, ${duration(IDEMPOTENCY_TTL.analyses)} em análises`,
      ],
    ],
  ];
}

const packages = (): Table => [
  ['Arquivo', 'SHA-256'],
  clientPackages().map(({ name, sha256 }): Row => [`[${name}](pacotes/${name})`, `\`${sha256}\``]),
];

const TABLES: Readonly<Record<string, () => Table>> = {
  erros: errors,
  sandbox,
  tentativas: attempts,
  validacao: validation,
  idempotencia: idempotency,
  limites: limits,
  guarda: retention,
  escopos: scopes,
  bancos: banks,
  arquivos: downloads,
  pacotes: packages,
  taxas: rates,
  condicoes: conditions,
  cenario: scenario,
  mip,
  'exemplo-compra': homeExample,
  'exemplo-iof': taxExample,
};

/** Throws an Error if there is no table of this name. */
export function tableNamed(name: string): string {
  const make = TABLES[name];
  if (!make) throw new Error(`no table ${name}`);
  const [head, rows] = make();
  const lines = [head, head.map(() => '---')].concat(rows);
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
