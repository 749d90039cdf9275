import * as z from 'zod/mini';
import { isTestCpf, outcomeNamed, TEST_CPFS } from '../domain/values/cpf.ts';
import type { Environment } from '../domain/values/tenancy.ts';
import { described } from './described.ts';

// `avisos`: what a 2xx answer says of fields that had no effect, or an unexpected one.

/** One entry of `avisos`. */
export interface Notice {
  /** Dotted path of the field, as answers may repeat it (shownName). */
  readonly campo: string;
  /** A Portuguese sentence. */
  readonly motivo: string;
}

/** Entries of an answer's list. */
const MOST_NOTICES = 20;

export const noticeList = () =>
  described(
    z.optional(
      z.array(
        z.object({
          campo: described(
            z.string(),
            'Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.',
          ),
          motivo: described(z.string(), 'O que houve com o campo, em uma frase para pessoas.'),
        }),
      ),
    ),
    'O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer.',
  );

/** The first 20 notices of these lists, for an answer's `avisos`: those on unknown fields come last. Undefined if there are none. */
export function firstNotices(...lists: readonly (readonly Notice[])[]): Notice[] | undefined {
  const all = lists.flat().slice(0, MOST_NOTICES);
  return all.length > 0 ? all : undefined;
}

/** What the sandbox's answer says of a note that asks for an outcome that there is not. */
export function outcomeNotices(note: string | null | undefined, environment: Environment): readonly Notice[] {
  const named = outcomeNamed(note ?? undefined);
  const outcomes: readonly string[] = Object.values(TEST_CPFS);
  if (environment !== 'sandbox' || named === undefined || outcomes.includes(named)) return [];
  return [{ campo: 'observacao', motivo: `Não é um desfecho do sandbox; use um destes: ${outcomes.join(', ')}.` }];
}

/** What the sandbox's answer says of a CPF, given as its 11 digits, that may be a real person's. */
export function realCpfNotices(campo: string, cpf: unknown, environment: Environment): readonly Notice[] {
  if (environment !== 'sandbox' || cpf === undefined || isTestCpf(String(cpf))) return [];
  return [{ campo, motivo: 'Não é um CPF de teste: não traga ao sandbox dados de pessoas reais.' }];
}
