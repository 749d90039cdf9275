import MiniSearch from 'minisearch';
import document from '../contract/openapi.json' with { type: 'json' };
import { PAGES, type PageName, REFERENCE } from './contents.ts';
import type { Section } from './markdown.ts';
import { type Hit, SEARCH } from './search-options.ts';

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly responses?: Readonly<Record<string, unknown>>;
}

/** Where the reference shows something: what stands after # in its address. */
export const anchors = {
  operation: ({ tags, operationId }: Described) => `tag/${tags[0]!}/${operationId}`,
  webhook: (name: string, { tags }: Described) => `tag/${tags[0]!}/webhook/${name}`,
  schema: (name: string) => `modelos/${name}`,
};

/** Slugs of errors that an operation answers, out of its responses. */
function codesOf(operation: Described): string {
  const shared = document.components.responses as Readonly<Record<string, unknown>>;
  const resolved = Object.values(operation.responses ?? {}).map((response) => {
    const { $ref } = response as { $ref?: string };
    return $ref ? shared[$ref.split('/').at(-1)!] : response;
  });
  return [...new Set([...JSON.stringify(resolved).matchAll(/"codigo":"(\w+)"/g)].map(([, code]) => code!))].join(' ');
}

const inReference = 'Referência';

function operations(): Hit[] {
  const paths = document.paths as unknown as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      address: `${REFERENCE}#${anchors.operation(operation)}`,
      title: operation.summary,
      page: inReference,
      text: `${method.toUpperCase()} ${path} · ${operation.description} ${codesOf(operation)}`,
    })),
  );
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
