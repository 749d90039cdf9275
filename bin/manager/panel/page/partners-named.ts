import type { AnswerOf } from '#shared/administration/operations.ts';
import { ask, runPages } from './api.ts';

export interface Picked {
  readonly partnerId: number;
  readonly name: string;
}

const ENOUGH_TO_CHOOSE = 8;
/** Largest number of pages to ask for. Each page looks at up to 2,000 partners, and may find none. */
const MOST_PAGES = 10;

type Page = Pick<AnswerOf<'list-partners'>, 'next_cursor' | 'partners'>;

/** Returns the first partners found, and whether there may be more. Throws a CallError. */
export async function partnersNamed(
  name: string,
  goesOn: () => boolean,
  list = (cursor: string | undefined): Promise<Page> =>
    ask('list-partners', { query: { name, limit: String(ENOUGH_TO_CHOOSE), cursor } }),
) {
  const pages: Page[] = [];
  const all = () => pages.flatMap(({ partners }) => partners);
  await runPages(
    list,
    (page) => pages.push(page),
    () => goesOn() && pages.length < MOST_PAGES && all().length < ENOUGH_TO_CHOOSE,
  );
  return {
    found: all().map(({ partner_id: partnerId, name: partnerName }): Picked => ({ partnerId, name: partnerName })),
    more: pages.at(-1)?.next_cursor !== null,
  };
}

/** Returns a dash if there is no unit: the number of the partner must not look like a unit's number. */
export function unitShown(
  unitId: number | null,
  units: readonly { readonly unit_id: number; readonly name: string }[] = [],
): { readonly name: string | undefined; readonly number: number | undefined } {
  if (unitId === null) return { name: '—', number: undefined };
  return { name: units.find(({ unit_id }) => unit_id === unitId)?.name, number: unitId };
}

export function choiceText({ found, more }: Awaited<ReturnType<typeof partnersNamed>>): string {
  if (found.length > 0) return `${found.length} para escolher abaixo${more ? '; há mais: escreva mais do nome' : ''}.`;
  return more
    ? 'Nenhum até aqui, mas há mais parceiros: procure na lista de parceiros.'
    : 'Nenhum parceiro com este nome.';
}
