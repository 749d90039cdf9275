import MiniSearch from 'minisearch';
import document from '../openapi/openapi.json' with { type: 'json' };
import { PAGES, type PageName, REFERENCE } from './contents.ts';
import type { Section } from './markdown.ts';
import { anchors, OPERATIONS, type OpenApiOperation, resolved } from './openapi-operation.ts';
import { type Hit, SEARCH } from './search-options.ts';

/** The `codigo` values in an operation's responses. */
function codesOf({ responses }: OpenApiOperation): string {
  const told = JSON.stringify(Object.values(responses).map(resolved));
  return [...new Set([...told.matchAll(/"codigo":"(\w+)"/g)].map(([, code]) => code!))].join(' ');
}

const inReference = 'Referência';

function operations(): Hit[] {
  return OPERATIONS.map((operation) => ({
    address: `${REFERENCE}#${operation.anchor}`,
    title: operation.summary,
    page: inReference,
    text: `${operation.method} ${operation.path} · ${operation.description} ${codesOf(operation)}`,
  }));
}

function events(): Hit[] {
  return Object.entries(document.webhooks).map(([name, { post }]) => ({
    address: `${REFERENCE}#${anchors.webhook(name, post)}`,
    title: `Evento ${name}`,
    page: inReference,
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
      text: fields.map(([field, { description = '' }]) => `${field}: ${description}`).join(' '),
    };
  });
}

/** The search's index as JSON: the guide's sections, and the reference's operations, events and schemas. */
export function searchIndex(sections: Readonly<Record<PageName, readonly Section[]>>): string {
  const guide = PAGES.flatMap((page) =>
    sections[page].map(
      ({ id, title, text }): Hit => ({
        address: id ? `${page}#${id}` : page,
        title,
        page: sections[page][0]!.title,
        text,
      }),
    ),
  );
  const index = new MiniSearch<Hit>(SEARCH);
  index.addAll([...guide, ...operations(), ...events(), ...schemas()]);
  return JSON.stringify(index);
}
