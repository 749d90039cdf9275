import MiniSearch from 'minisearch';
import document from '../openapi/openapi.json' with { type: 'json' };
import { PAGES, type PageName, REFERENCE } from './contents.ts';
import type { Section } from './markdown.ts';
import { anchors, OPERATIONS, type OpenApiOperation, resolved } from './openapi-operation.ts';
import { type Hit, SEARCH } from './search-options.ts';
import { SEARCH_WORDS } from './search-words.ts';

/** The `codigo` values in an operation's responses. */
function codesOf({ responses }: OpenApiOperation): string {
  const told = JSON.stringify(Object.values(responses).map(resolved));
  return [...new Set([...told.matchAll(/"codigo":"(\w+)"/g)].map(([, code]) => code!))].join(' ');
}

const inReference = 'Referência';

/** The guide explains; the reference lists, and its models name every field. */
const WEIGHT = { section: 1, row: 0.6, operation: 0.4, model: 0.1 } as const;
/** Its rows are looked for by their names. */
const ERRORS: PageName = 'erros';

function operations(): Hit[] {
  return OPERATIONS.map((operation) => ({
    address: `${REFERENCE}#${operation.anchor}`,
    title: operation.summary,
    page: inReference,
    words: '',
    weight: WEIGHT.operation,
    text: `${operation.method} ${operation.path} · ${operation.description} ${codesOf(operation)}`,
  }));
}

function events(): Hit[] {
  return Object.entries(document.webhooks).map(([name, { post }]) => ({
    address: `${REFERENCE}#${anchors.webhook(name, post)}`,
    title: `Evento ${name}`,
    page: inReference,
    words: '',
    weight: WEIGHT.operation,
    text: `${post.summary} · ${post.description}`,
  }));
}

function schemas(): Hit[] {
  return Object.entries(document.components.schemas).map(([name, schema]) => {
    const fields = Object.entries(
      ('properties' in schema ? schema.properties : {}) as Record<string, { description?: string }>,
    );
    return {
      address: `${REFERENCE}#${anchors.schema(name)}`,
      title: name,
      page: `${inReference}, modelos`,
      words: '',
      weight: WEIGHT.model,
      text: fields.map(([field, { description = '' }]) => `${field}: ${description}`).join(' '),
    };
  });
}

function guide(sections: Readonly<Record<PageName, readonly Section[]>>): Hit[] {
  return PAGES.flatMap((page) =>
    sections[page].map(({ id, title, level, text }): Hit => {
      const address = id ? `${page}#${id}` : page;
      const weight = level === 4 && page !== ERRORS ? WEIGHT.row : WEIGHT.section;
      return { address, title, page: sections[page][0]!.title, words: SEARCH_WORDS[address] ?? '', text, weight };
    }),
  );
}

/**
 * The search's index as JSON: the guide's sections, and the reference's operations, events and schemas. Throws where words
 * are listed for a section that is not there.
 */
export function searchIndex(sections: Readonly<Record<PageName, readonly Section[]>>): string {
  const hits = [...guide(sections), ...operations(), ...events(), ...schemas()];
  const addresses = new Set(hits.map(({ address }) => address));
  const lost = Object.keys(SEARCH_WORDS).filter((address) => !addresses.has(address));
  if (lost.length > 0) throw new Error(`search words for sections that are not there: ${lost.join(', ')}`);
  const index = new MiniSearch<Hit>(SEARCH);
  index.addAll(hits);
  return JSON.stringify(index);
}
