import type { Failure, FailureCode } from '../domain/values/failure.ts';
import { fieldFailure } from './failures.ts';

// What is wrong around a body: path, query, headers, JSON. The checks of shared/http throw these failures, and the
// OpenAPI document shows them.

const keyFailure = (code: FailureCode, reason: string): Failure => fieldFailure(code, ['Idempotency-Key'], reason);

/** Characters of a caller's own name that an answer repeats. */
export const LONGEST_NAME = 64;

/**
 * A name that the caller chose, as answers may repeat it: short, printable, and without numbers that could be a
 * person's. Four digits with only punctuation between them are masked, so that a CPF is in either spelling.
 */
export function shownName(name: string): string {
  const printable = name.slice(0, 4 * LONGEST_NAME).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '');
  return printable
    .replace(/\p{N}(?:[^\p{L}\p{N}]*\p{N}){3,}/gu, '…')
    .slice(0, LONGEST_NAME)
    .toWellFormed();
}

/** The route needs an Idempotency-Key and there is none. */
export const keyMissing = () =>
  keyFailure('campo_obrigatorio', 'é obrigatório nesta rota; envie uma chave nova por pedido, por exemplo um UUID');

/** The Idempotency-Key is not 1 to 255 printable ASCII characters. */
export const keyMalformed = () => keyFailure('campo_invalido', 'deve ter de 1 a 255 caracteres ASCII visíveis');

/** The header Idempotency-Key came more than once. */
export const keyRepeated = () => keyFailure('campo_invalido', 'veio repetido; envie o cabeçalho uma vez');

/** The Idempotency-Key was used with another body. */
export const keyReused = () =>
  keyFailure('idempotency_conflito', 'já foi usada com outro corpo; use uma chave nova ou repita o corpo original');

/** The id in the path is no positive safe integer. */
export const pathIdMalformed = () =>
  fieldFailure('campo_invalido', ['id'], 'deve ser um número inteiro positivo, como o que a criação devolveu');

/** Query parameters came more than once. */
export const parametersRepeated = (names: readonly string[]) =>
  fieldFailure('campo_invalido', names.map(shownName), 'veio repetido; envie o parâmetro uma vez');

/** An object of the body has a name twice; `path` is dotted. */
export const nameRepeated = (path: string) =>
  fieldFailure('json_invalido', [shownName(path)], 'aparece mais de uma vez; envie o campo uma só vez');
