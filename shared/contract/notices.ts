import * as z from 'zod/mini';
import { isTestCpf, outcomeNamed, TEST_CPFS } from '../domain/values/cpf.ts';
import type { Environment } from '../domain/values/tenancy.ts';
import { described } from './described.ts';

// `avisos`: the notices of a 2xx answer about fields that had no effect or an unexpected effect.

export interface Notice {
  /** Dotted path of the field, in the form in which answers may repeat it (`shownName`). */
  readonly campo: string;
  readonly motivo: string;
}

export const MOST_NOTICES = 20;

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
    'O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20, dos quais o último diz quantos faltam; ausente quando não há nada a dizer.',
  );

/**
 * Undefined if there are none. If there are more than 20, the twentieth says how many are left out: callers pass
 * notices about unknown fields last.
 */
export function firstNotices(...lists: readonly (readonly Notice[])[]): Notice[] | undefined {
  const all = lists.flat();
  if (all.length <= MOST_NOTICES) return all.length > 0 ? all : undefined;
  const shown = all.slice(0, MOST_NOTICES - 1);
  const motivo = `Há mais ${all.length - shown.length} avisos, que não cabem aqui: confira os nomes de todos os campos.`;
  return shown.concat({ campo: 'avisos', motivo });
}

export function outcomeNotices(note: string | null | undefined, environment: Environment): readonly Notice[] {
  const named = outcomeNamed(note ?? undefined);
  const outcomes: readonly string[] = Object.values(TEST_CPFS);
  if (environment !== 'sandbox' || named === undefined || outcomes.includes(named)) return [];
  return [{ campo: 'observacao', motivo: `Não é um desfecho do sandbox; use um destes: ${outcomes.join(', ')}.` }];
}

export function realCpfNotices(campo: string, cpf: unknown, environment: Environment): readonly Notice[] {
  if (environment !== 'sandbox' || cpf === undefined || isTestCpf(String(cpf))) return [];
  return [{ campo, motivo: 'Não é um CPF de teste: não traga ao sandbox dados de pessoas reais.' }];
}
