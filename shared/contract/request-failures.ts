import { Failure, type FailureCode } from '../domain/values/failure.ts';
import { fieldFailure } from './failures.ts';
import type { Route } from './routes.ts';

const keyFailure = (code: FailureCode, reason: string): Failure => fieldFailure(code, ['Idempotency-Key'], reason);

/** Most characters that an answer repeats of a name that the caller chose. */
export const LONGEST_NAME = 64;

/**
 * Returns a name that the caller chose as answers may repeat it: short and printable. Four digits or more are masked if
 * no letter is between them, so that a CPF is masked with and without punctuation.
 */
export function shownName(name: string): string {
  const printable = name.slice(0, 4 * LONGEST_NAME).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '');
  return printable
    .replace(/\p{N}(?:[^\p{L}\p{N}]*\p{N}){3,}/gu, '…')
    .slice(0, LONGEST_NAME)
    .toWellFormed();
}

const chosenFailure = (code: FailureCode, names: readonly string[], reason: string): Failure =>
  new Failure(code, { fields: names.map((name) => ({ field: shownName(name), reason, chosen: true })) });

/** `misnamed` is the header that probably means Idempotency-Key, if there is one. */
export function keyMissing(misnamed?: string): Failure {
  const hint = misnamed === undefined ? '' : ` (veio ${shownName(misnamed)}: quis dizer Idempotency-Key?)`;
  const cure = 'é obrigatório nesta rota; envie uma chave nova por pedido, por exemplo um UUID';
  return keyFailure('campo_obrigatorio', cure + hint);
}

export const keyMalformed = () => keyFailure('campo_invalido', 'deve ter de 1 a 255 caracteres ASCII visíveis');

export const keyRepeated = () => keyFailure('campo_invalido', 'veio repetido; envie o cabeçalho uma vez');

/** Returns the failure of an Idempotency-Key with a comma: two headers that a proxy joined. */
export const keyJoined = () =>
  keyFailure(
    'campo_invalido',
    'tem vírgula, como a de um cabeçalho repetido que um proxy juntou; envie uma chave, sem vírgula',
  );

export const keyReused = () =>
  keyFailure(
    'idempotency_conflito',
    'já foi usada com outro corpo, ou em outro lead; repita o pedido original como foi, ou use uma chave nova se este é outro',
  );

export function scopesMissing(scopes: readonly string[]): Failure {
  const list = new Intl.ListFormat('pt-BR').format(scopes);
  const text =
    scopes.length === 1
      ? `Falta à chave o escopo ${list}, que esta operação exige. Peça ao gestor uma chave com ele.`
      : `Faltam à chave os escopos ${list}, que esta operação exige. Peça ao gestor uma chave com eles.`;
  return new Failure('sem_permissao', { text });
}

const JSON_CAUSES = {
  ends: 'o texto acaba antes do fim',
  singleQuotes: 'há aspas simples no lugar de aspas duplas',
  openText: 'um texto não fecha as aspas, ou tem quebra de linha ou barra invertida solta',
  missingComma: 'falta uma vírgula',
  trailingComma: 'sobra uma vírgula',
  comment: 'JSON não tem comentários',
  bareWord: 'há uma palavra sem aspas; só true, false e null vão sem elas, em minúsculas',
  decimalComma: 'há uma vírgula decimal em um número; use ponto e nenhum separador de milhar, como em 350000.50',
  brokenNumber:
    'há um número com zero à esquerda ou mais de um ponto; valores vão como 350000.50, e CPF, CEP e telefone entre aspas',
  unexpected: 'há um caractere que não cabe ali',
};

/** Why a body is not JSON, and where. The first line and the first column are 1. */
export interface JsonFault {
  readonly cause: keyof typeof JSON_CAUSES;
  readonly line: number;
  readonly column: number;
}

/** The failure repeats nothing of the body. */
export function jsonMalformed({ cause, line, column }: JsonFault): Failure {
  const text = `O corpo não é JSON: na linha ${line}, coluna ${column}, ${JSON_CAUSES[cause]}. Corrija o corpo e envie de novo.`;
  return new Failure('json_invalido', { text });
}

export const notUtf8 = () =>
  new Failure('json_invalido', { text: 'O corpo não está em UTF-8. Codifique-o em UTF-8 e envie de novo.' });

export const codingUnknown = () =>
  new Failure('tipo_nao_suportado', {
    text: 'O Content-Encoding do corpo não é aceito. Envie o corpo em gzip, em deflate ou sem compressão.',
    headers: { 'Accept-Encoding': 'gzip, deflate' },
  });

export const codingBroken = () =>
  new Failure('json_invalido', {
    text: 'O corpo não está como Content-Encoding diz. Comprima-o assim ou retire o cabeçalho, e envie de novo.',
  });

export const notAnObject = () =>
  new Failure('json_invalido', {
    text: 'O corpo é JSON, mas não é um objeto. Envie os campos entre chaves, como em {"nome": "..."}.',
  });

const KEY_FAULTS = {
  missing: 'A chave não veio. Envie-a no cabeçalho X-API-Key.',
  repeated: 'A chave veio mais de uma vez no mesmo cabeçalho. Envie-a uma vez, em X-API-Key.',
  basic: 'A chave veio como Basic. Envie-a em X-API-Key, ou em Authorization: Bearer.',
  noBearer:
    'Falta a palavra Bearer antes da chave em Authorization. Envie Authorization: Bearer e a chave, ou X-API-Key.',
  otherScheme:
    'O cabeçalho Authorization não traz Bearer e uma chave. Envie Authorization: Bearer e a chave, ou X-API-Key.',
  bearerInKey: 'Em X-API-Key vai só a chave, sem a palavra Bearer. Retire-a e envie de novo.',
  quoted: 'A chave veio entre aspas. Envie-a sem elas.',
  webhookSecret:
    'Isto é o segredo dos webhooks, que só serve para conferir a assinatura deles. Envie a chave, que começa por pmc_.',
  two: 'Vieram duas chaves diferentes, em X-API-Key e em Authorization. Envie só uma, em X-API-Key.',
  inQuery:
    'A chave veio no endereço, que fica em registros: peça ao gestor que a troque. Envie a nova no cabeçalho X-API-Key.',
  otherHeader: 'A chave veio em outro cabeçalho. Envie-a em X-API-Key.',
  noPrefix: 'A chave veio sem o começo. Envie-a inteira, desde pmc_.',
};

/** How a wrong key was sent, as far as its form shows. The failure's text then says how to correct the call. */
export type KeyFault = keyof typeof KEY_FAULTS;

export const keyRefused = (fault: KeyFault) => new Failure('auth_invalid', { text: KEY_FAULTS[fault] });

export const pathIdMalformed = () =>
  fieldFailure('campo_invalido', ['id'], 'deve ser um número inteiro positivo, como o que a criação devolveu');

export const eventIdMalformed = () =>
  fieldFailure('campo_invalido', ['id'], 'deve ser o id de um evento: evt_ e 32 letras e algarismos');

export const parametersRepeated = (names: readonly string[]) =>
  chosenFailure('campo_invalido', names, 'veio repetido; envie o parâmetro uma vez');

/** `path` is dotted. */
export const nameRepeated = (path: string) =>
  chosenFailure('json_invalido', [path], 'aparece mais de uma vez; envie o campo uma só vez');

export function methodNotAllowed(used: string, methods: readonly string[]): Failure {
  const cure = new Intl.ListFormat('pt-BR', { type: 'disjunction' }).format(methods);
  const text = `A rota não aceita ${used}. Use ${cure}.`;
  return new Failure('metodo_nao_permitido', { text, headers: { Allow: methods.join(', ') } });
}

export const noRouteAtRoot = (address: string) =>
  new Failure('rota_nao_encontrada', { text: `Aqui não há rota. A documentação está em ${address}/docs.` });

export function routeNotFound(nearest: Pick<Route, 'method' | 'path'> | undefined): Failure {
  const text =
    nearest &&
    `Esta rota não existe; a mais próxima é ${nearest.method} ${nearest.path}. Confira o caminho na documentação.`;
  return new Failure('rota_nao_encontrada', text ? { text } : {});
}

/**
 * After an erasure is requested, POST /v1/leads returns the same lead until the erasure begins. So the text says not to
 * repeat the call with the same `lead_id`.
 */
export function leadNotFound(): Failure {
  const reason =
    'não existe nesta unidade e neste ambiente, ou a eliminação dos dados foi pedida; use o lead_id que a criação devolve, e não repita com o mesmo';
  return fieldFailure('lead_nao_encontrado', ['lead_id'], reason);
}
