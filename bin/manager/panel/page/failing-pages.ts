import type { AnswerOf, SentQuery } from '#shared/administration/operations.ts';
import { ask } from './api.ts';

type FailingWebhook = AnswerOf<'list-failing-webhooks'>['webhooks'][number];

const ENOUGH = 50;
/** Pages of the API that one page of the list reads at most. */
const MOST_PAGES = 10;

const listFailing = (query: SentQuery<'list-failing-webhooks'>) => ask('list-failing-webhooks', { query });

/**
 * The API answers failing and disabled webhooks on pages of their own, and a page may have no rows: a single page could
 * hide the disabled webhooks.
 */
export async function failingPage(
  cursor: string | undefined,
  list: (
    query: SentQuery<'list-failing-webhooks'>,
  ) => Promise<Pick<AnswerOf<'list-failing-webhooks'>, 'webhooks' | 'next_cursor'>> = listFailing,
): Promise<{ readonly rows: readonly FailingWebhook[]; readonly next: string | null }> {
  let rows: readonly FailingWebhook[] = [];
  let next = cursor ?? null;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await list({ cursor: next ?? undefined });
    rows = rows.concat(page.webhooks);
    next = page.next_cursor;
    if (next === null || rows.length >= ENOUGH) break;
  }
  return { rows, next };
}
