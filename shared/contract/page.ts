import * as z from 'zod/mini';
import { Failure, type FieldFault } from '../domain/values/failure.ts';
import { described } from './described.ts';
import { firstNotices, type Notice, noticeList } from './notices.ts';
import { unknownFields } from './unknown-fields.ts';

export const DEFAULT_PAGE = 20;
export const LARGEST_PAGE = 100;

export const pageView = {
  limit: described(z.int(), 'Tamanho de página que valeu para esta resposta.'),
  offset: described(z.int(), 'Quantos itens foram pulados antes desta página.'),
  tem_mais: described(z.boolean(), 'true quando há itens depois desta página: peça a próxima com offset + limit.'),
  avisos: noticeList(),
};

export const pageInput = z.object({
  limit: described(
    z._default(z.int().check(z.minimum(1), z.maximum(LARGEST_PAGE)), DEFAULT_PAGE),
    'Quantos itens cabem na página, de 1 a 100.',
  ),
  offset: described(
    z._default(z.int().check(z.minimum(0)), 0),
    'Quantos itens pular; a lista vai do mais novo ao mais antigo.',
  ),
});

export interface Page {
  readonly limit: number;
  readonly offset: number;
  /** Undefined if there are none. */
  readonly avisos?: Notice[];
}

function integerIn(text: string | undefined, least: number, most: number, fallback: number): number | undefined {
  if (text === undefined) return fallback;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) && value >= least && value <= most ? value : undefined;
}

type Query = Readonly<Record<string, string | undefined>>;

export function limitIn(query: Query, faults: FieldFault[]): number {
  const limit = integerIn(query['limit'], 1, LARGEST_PAGE, DEFAULT_PAGE);
  if (limit === undefined) faults.push({ field: 'limit', reason: `deve ser um inteiro de 1 a ${LARGEST_PAGE}` });
  return limit ?? DEFAULT_PAGE;
}

/** Throws `campo_invalido`, which names `limit`, `offset` or both. `known` describes the list's parameters. */
export function parsePage(query: Query, known: z.ZodMiniObject = pageInput): Page {
  const faults: FieldFault[] = [];
  const limit = limitIn(query, faults);
  const offset = integerIn(query['offset'], 0, Number.MAX_SAFE_INTEGER, 0);
  if (offset === undefined) faults.push({ field: 'offset', reason: 'deve ser um inteiro maior ou igual a 0' });
  if (offset === undefined || faults.length > 0) throw new Failure('campo_invalido', { fields: faults });
  return { limit, offset, avisos: firstNotices(unknownFields(known, query)) };
}

/** Returns one page of a whole list, and whether more items follow. Both come from the same read. */
export function pageOf<T>(items: readonly T[], { limit, offset }: Page): { items: readonly T[]; more: boolean } {
  return { items: items.slice(offset, offset + limit), more: items.length > offset + limit };
}
