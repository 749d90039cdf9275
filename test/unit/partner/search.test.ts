import { expect, it } from 'vitest';
import { find, loadIndex, suggestPages } from '#shared/partner/docs/find.ts';
import { renderedPages } from '#shared/partner/docs/layout.ts';
import { searchIndex } from '#shared/partner/docs/search.ts';
import queries from './search-queries.json' with { type: 'json' };

/** Queries that the very first result must answer. */
const AT_ONCE = new Set(queries.atOnce);
const index = loadIndex(searchIndex(renderedPages()));

const answers = (address: string, place: string) =>
  place.includes('#') ? address === place : address.split('#')[0] === place;
const addressesOf = (query: string) => find(index, query).map(({ address }) => address);
// Queries that integrators type, separated by commas, by the page that answers them. A fragment means that only that
// section answers.
const rows = Object.entries(queries.places).flatMap(([place, asked]) =>
  asked.split(', ').map((query) => [query, place] as const),
);

it.each(rows)('the search finds for “%s” the answer in %s among the first three results', (query, place) => {
  const found = addressesOf(query).slice(0, AT_ONCE.has(query) ? 1 : 3);
  expect(found).toContainEqual(expect.toSatisfy((address: string) => answers(address, place)));
});

// All queries of earlier lists. The search's words were chosen for them, so a new list would find less.
it('the search finds a right page for 99 % of the further queries among the first three results', () => {
  const asked = Object.entries(queries.further);
  const missed = asked.filter(([query, pages]) => {
    const found = addressesOf(query).slice(0, 3);
    return !found.some((address) => pages.split(' ').includes(address.split('#')[0]!));
  });
  expect(1 - missed.length / asked.length, JSON.stringify(missed)).toBeGreaterThan(0.99);
});

it('the search forgives a wrong letter, a missing accent, an unfinished word and two joined words', () => {
  for (const query of ['consentimeto', 'assinatua', 'webhok', 'simlação', 'healthcheck', 'idempotencykey'])
    expect(addressesOf(query), query).not.toEqual([]);
  for (const [query, page] of Object.entries({ wehbook: 'webhooks', sandobx: 'sandbox', tiemout: 'rede' })) {
    const pages = addressesOf(query).map((address) => address.split('#')[0]);
    expect(pages.slice(0, 3), query).toContain(page);
  }
  expect(addressesOf('idempotencia')).toEqual(addressesOf('idempotência'));
  expect(addressesOf('homologaç')[0]).toMatch(/^sandbox/);
});

it('the search finds the operation that refuses with a code, although other sections have its words', () => {
  const pages = find(index, 'divergencia_titular').map(({ page }) => page);
  expect(pages).toContain('Submeter análises de crédito');
});

it('the search looks for any of the words if no section has all of them', () => {
  expect(addressesOf('webhook xilofone')).not.toEqual([]);
  expect(addressesOf('xilofone')).toEqual([]);
});

it('the search offers three pages if it finds nothing', () => {
  for (const query of ['xilofone', 'zzzzzz', '???', 'de']) {
    const pages = suggestPages(index, query);
    expect(pages.map(({ address }) => address.includes('#'))).toEqual([false, false, false]);
    expect(new Set(pages.map(({ title }) => title)).size).toBe(3);
  }
  expect(suggestPages(index, 'zzzzzz').map(({ address }) => address)).toEqual(['inicio', 'fluxo', 'erros']);
});
