import type { AnswerOf, SentBody } from '#shared/administration/operations.ts';
import { ask, runPages } from './api.ts';

type Answer = AnswerOf<'find-leads'>;
type Search = SentBody<'find-leads'> & { readonly reason: string };

/** Each place carries the CPF that was searched for: the input field may hold another CPF by now. */
export interface PersonSearch {
  readonly found: readonly (Answer['found'][number] & { readonly cpf: string })[];
  /** How many partners were looked at, if the person stopped the search before the last. Else undefined. */
  readonly stopped: { readonly done: number; readonly total: number } | undefined;
  readonly atOnePartner: boolean;
}

/** Looks at one partner after another until `goesOn` returns false. Throws a CallError. */
export async function searchPerson(
  search: Search,
  seen: (page: Answer) => void,
  goesOn: () => boolean,
  findLeads = (body: Search): Promise<Answer> => ask('find-leads', { body }),
): Promise<PersonSearch> {
  const { cpf, partner_id: partnerId } = search;
  const pages: Answer[] = [];
  await runPages(
    (cursor) => findLeads({ ...search, cursor }),
    (page) => {
      pages.push(page);
      seen(page);
    },
    goesOn,
  );
  const last = pages.at(-1);
  const stopped = last && last.next_cursor !== null ? { done: last.done, total: last.total } : undefined;
  const found = pages.flatMap((page) => page.found.map((row) => ({ ...row, cpf })));
  return { found, stopped, atOnePartner: partnerId !== undefined };
}

export function searchText({ found, stopped, atOnePartner }: PersonSearch): string | undefined {
  if (stopped) {
    const where = `A busca parou em ${stopped.done} de ${stopped.total} parceiros`;
    const rest = 'os outros não foram vistos';
    return found.length === 0 ? `${where}: ninguém até ali, e ${rest}.` : `${where}: ${rest}.`;
  }
  if (found.length > 0) return undefined;
  const nobody = `Nenhum lead${atOnePartner ? ' deste parceiro' : ''} é de quem tem este CPF, nem o cita como cônjuge.`;
  return `${nobody} Quem foi apagado só é encontrado pelo número do lead.`;
}
