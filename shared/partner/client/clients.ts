import { readFileSync } from 'node:fs';
import type { OpenAPI3 } from 'openapi-typescript';
import { ROUTES, type Route } from '../../contract/routes.ts';
import { refName } from '../openapi/ref-name.ts';

// The client for TypeScript joins client.ts and generated.ts. The client for Python consists of a TypedDict for each
// body of the document, transport.py, and a method for each operation.

export const CLIENT_FILE = 'credito-imobiliario.ts';
export const PYTHON_CLIENT_FILE = 'credito_imobiliario.py';

/** The client is a package, since a single module cannot declare that it has types. */
export const PYTHON_CLIENT_PATH = 'shared/partner/client/python/credito_imobiliario/__init__.py';

const text = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

const IMPORTS = `import { type components, LISTS, OPERATIONS, type operations } from './generated.ts';

export type { components, operations } from './generated.ts';
`;
const HEAD = `// Cliente da API de crédito imobiliário para parceiros, gerado da descrição OpenAPI que o serviço publica.
// Um arquivo, sem dependências: Node 20 ou mais novo, Deno, Bun. TypeScript 5.7 ou mais novo.
//
//   const api = new PartnerClient({ baseUrl: 'https://...', key: process.env.CHAVE! });
//   const lead = await api.call('create-lead', { body: { nome: 'Marina Duarte Alves', cpf: '900.000.001-75' } });
//   const { body } = await api.call('get-lead', { id: lead.body.lead_id });
`;

export function partnerClient(): string {
  const client = text('./client.ts');
  if (!client.startsWith(IMPORTS)) throw new Error('client.ts does not begin with what it takes from generated.ts');
  return `${HEAD}\n${client.slice(IMPORTS.length).trimStart()}\n${text('./generated.ts')}`;
}

/**
 * The text has the types of openapi-typescript, a row for each operation (method, path, whether it takes or needs an
 * Idempotency-Key, form of its id), and a row for each list.
 */
export async function generatedTypes(document: object): Promise<string> {
  const source: OpenAPI3 & Document = JSON.parse(JSON.stringify(document));
  // The code that serves the client's text does not need the compiler that this import loads.
  const { astToString, default: openapiTypescript } = await import('openapi-typescript');
  const types = astToString(await openapiTypescript(source));
  const rows = ROUTES.filter(({ tag }) => tag !== 'docs').map((route) => {
    const { operation, method, path, idempotency } = route;
    return `  '${operation}': ['${method}', '${path}', '${idempotency}', '${idFormOf(route)}'],`;
  });
  const lists = Object.values(source.paths)
    .flatMap((item) => Object.values<Operation>(item))
    .flatMap((operation) => {
      const list = listOf(operation, source);
      return list ? [`  '${operation.operationId}': ['${list.items}', '${list.itemId}', '${list.place}'],`] : [];
    });
  const tables = Object.entries({ OPERATIONS: rows, LISTS: lists });
  return `${types}\n${tables.map(([name, lines]) => `export const ${name} = {\n${lines.join('\n')}\n} as const;\n`).join('')}`;
}

function idFormOf({ pathId }: Route): 'none' | 'number' | 'event' {
  return pathId === 'none' || pathId === 'event' ? pathId : 'number';
}

/** An id is passed through the function that checks its form. */
function pythonPath(route: Route): string {
  const form = idFormOf(route);
  if (form === 'none') return JSON.stringify(route.path);
  return `f${JSON.stringify(route.path.replace('{id}', `{_in_path(id, _${form.toUpperCase()}_ID)}`))}`;
}

const PYTHON_HEAD = `"""Cliente da API de crédito imobiliário para parceiros, gerado da descrição OpenAPI que o serviço publica.

Um arquivo, só com a biblioteca padrão: Python 3.9 ou mais novo.

    api = PartnerClient("https://...", key=os.environ["CHAVE"])
    lead = api.create_lead({"nome": "Marina Duarte Alves", "cpf": "900.000.001-75"})
    print(api.get_lead(lead.body["lead_id"]).body)
"""

from __future__ import annotations

import base64
import calendar
import email.utils
import hashlib
import hmac
import http.client
import itertools
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import (
    Any,
    Callable,
    Dict,
    Generic,
    Iterable,
    Iterator,
    List,
    Literal,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    Set,
    Tuple,
    TypedDict,
    TypeVar,
    Union,
)
`;

const PYTHON_NAMES = ['Answer', 'NetworkError', 'PartnerClient', 'PartnerError', 'WebhookError', 'verify_webhook'];

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
}
interface Media {
  readonly schema: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: { readonly 'application/json': Media } };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Document {
  readonly info: { readonly version: string; readonly license: { readonly name: string; readonly identifier: string } };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};
/** Types that a field of a request's body also accepts, by the field's format or type. */
const SENT: Readonly<Record<string, string>> = {
  date: 'Union[str, date]',
  'date-time': 'Union[str, datetime]',
  number: 'Union[float, Decimal]',
};
const pascal = (name: string) => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
const literal = (value: unknown) => (value === true ? 'True' : value === false ? 'False' : JSON.stringify(value));

class Types {
  readonly classes = new Map<string, string>();

  /** `name`: the name for an object without a name of its own. `isSent`: whether it belongs to a request's body. */
  of(schema: Schema, name: string, isSent = false): string {
    if (schema.$ref) return refName(schema.$ref);
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    const types = [schema.type ?? 'object'].flat();
    const known = types.filter((type) => type !== 'null');
    const values = schema.enum?.filter((value) => value !== null);
    const typeName = (type: string) => {
      if (values) return `Literal[${values.map(literal).join(', ')}]`;
      if (type === 'array') return `List[${this.of(schema.items ?? {}, `${name}Item`, isSent)}]`;
      const simple = (isSent ? (SENT[schema.format ?? type] ?? SENT[type]) : undefined) ?? SIMPLE[type];
      if (simple) return simple;
      if (type !== 'object') throw new Error(`Python has no type for ${type}`);
      return schema.properties ? this.addObject(name, schema, isSent) : 'Mapping[str, Any]';
    };
    const kinds = known.map(typeName).join(', ');
    const type = known.length > 1 ? `Union[${kinds}]` : kinds;
    return known.length < types.length ? `Optional[${type}]` : type;
  }

  /** Adds a TypedDict. Before Python 3.11, fields that may be missing need a class of their own. */
  addObject(name: string, { properties = {}, required = [], description }: Schema, isSent: boolean): string {
    const lines = Object.entries(properties).map(([field, schema]) => {
      const words = schema.description ? `    # ${schema.description.replaceAll('\n', ' ')}\n` : '';
      return [
        required.includes(field),
        `${words}    ${field}: ${this.of(schema, name + pascal(field), isSent)}`,
      ] as const;
    });
    const words = description ? `    """${description}"""\n\n` : '';
    const needed = lines.flatMap(([is, line]) => (is ? [line] : []));
    const optional = lines.flatMap(([is, line]) => (is ? [] : [line]));
    const base = optional.length > 0 && needed.length > 0 ? `_${name}` : name;
    const first = `class ${base}(TypedDict${needed.length > 0 ? '' : ', total=False'}):\n${base === name ? words : ''}${(needed.length > 0 ? needed : optional).join('\n')}`;
    const second = `\n\n\nclass ${name}(${base}, total=False):\n${words}${optional.join('\n')}`;
    this.classes.set(name, base === name ? first : first + second);
    return name;
  }
}

/** Undefined if the first success is no JSON. */
function successOf({ responses }: Operation): Schema | undefined {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  return success?.content?.['application/json']?.schema;
}

/** Names of the field that is the id of an item of a list. If an item has two of them, the first is its own id. */
const ITEM_IDS = ['id', 'analise_id', 'request_id'];

/**
 * Returns the field of a list's items, the field of an item's id, and the parameter by which a page begins. Undefined
 * if the operation answers no list. Throws if the items have no id, by which an iterator skips a repeated item.
 */
function listOf(operation: Operation, { components }: Document) {
  const schemaAt = (schema: Schema | undefined): Schema =>
    (schema?.$ref ? components.schemas[refName(schema.$ref)] : schema) ?? {};
  const { properties = {}, required = [] } = schemaAt(successOf(operation));
  const items = required.find((field) => properties[field]?.type === 'array');
  if (!('tem_mais' in properties) || items === undefined) return undefined;
  const item = schemaAt(properties[items]?.items);
  const itemId = ITEM_IDS.find((field) => item.required?.includes(field));
  if (itemId === undefined) throw new Error(`the items of ${operation.operationId} have no id`);
  const place = 'proximo_cursor' in properties ? 'cursor' : 'offset';
  return { items, itemId, place, schema: properties[items] ?? {} };
}

function answerOf(operation: Operation, document: Document, types: Types) {
  const schema = successOf(operation);
  if (!schema) return { type: 'bytes' };
  const type = types.of(schema, pascal(operation.operationId.replaceAll('-', '_')));
  const list = listOf(operation, document);
  if (!list) return { type };
  const item = types.of(list.schema, type + pascal(list.items)).slice('List['.length, -1);
  return { type, list: { items: list.items, itemId: list.itemId, place: list.place, item } };
}

/** Returns the call and, for a list, an iterator over all its pages. */
function methodsOf(
  method: string,
  route: Route,
  operation: Operation,
  document: Document,
  types: Types,
): readonly string[] {
  const name = operation.operationId.replaceAll('-', '_');
  const { type, list } = answerOf(operation, document, types);
  const content = operation.requestBody?.content['application/json'].schema;
  const needed = operation.requestBody?.required;
  const queries = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const asked = queries.map((query) => [query.name, types.of(query.schema, '')] as const);
  const idOf = (operation.parameters ?? []).find((parameter) => parameter.in === 'path')?.schema;
  const self = idOf ? ['self', `id: ${types.of(idOf, '')}`] : ['self'];
  const positional = Array.from(self);
  if (content) positional.push(`body: ${needed ? types.of(content, '') : `Optional[${types.of(content, '')}] = None`}`);
  const named = asked.map(([name, type]) => `${name}: Optional[${type}] = None`);
  const given = [JSON.stringify(method.toUpperCase()), pythonPath(route)];
  if (asked.length > 0) given.push(`query={${asked.map(([name]) => `"${name}": ${name}`).join(', ')}}`);
  if (content) given.push('body=body');
  if (route.idempotency !== 'none') {
    named.push(
      `idempotency_key: ${route.idempotency === 'required' ? 'Union[str, uuid.UUID]' : 'Union[str, uuid.UUID, None] = None'}`,
    );
    given.push(`keyed="${route.idempotency}"`, 'idempotency_key=idempotency_key');
  }
  const signature = positional.concat(named.length > 0 ? '*' : [], named).join(', ');
  const call = `    def ${name}(${signature}) -> Answer[${type}]:\n        """${operation.summary}."""\n        return self._call(${given.join(', ')})`;
  if (!list) return [call];
  const { place } = list;
  const filters = asked.filter(([name]) => name !== place);
  const all = self
    .concat(
      '*',
      filters.map(([name, type]) => `${name}: Optional[${type}] = None`),
    )
    .join(', ');
  const passed = filters.map(([name]) => `${name}=${name}`).concat(`${place}=${place}`);
  if (idOf) passed.unshift('id');
  const filtered = asked.some(([name]) => name === 'situacao') ? ', situacao is not None' : '';
  const kind = place === 'cursor' ? ', by_cursor=True' : filtered;
  return [
    call,
    `    def iter_${name.replace(/^list_/, '')}(${all}) -> Iterator[${list.item}]:\n        """${operation.summary}: um item por vez, por todas as páginas, cada um uma vez."""\n        return self._pages(lambda ${place}: self.${name}(${passed.join(', ')}).body, "${list.items}", "${list.itemId}"${kind})`,
  ];
}

/**
 * Returns the schemas of sent bodies. Throws if an answer has such a schema, too: its fields would be typed as dates
 * and Decimals, although an answer has texts and floats.
 */
function sentSchemas({ paths, components }: Document): ReadonlySet<string> {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const namesIn = (part: unknown): readonly string[] =>
    Array.from((JSON.stringify(part) ?? '').matchAll(/"#\/components\/schemas\/(\w+)"/g), ([, name = '']) => name);
  const reachedFrom = (parts: readonly unknown[]): Set<string> => {
    const reached = new Set(parts.flatMap(namesIn));
    // The loop also visits names that it adds to the set.
    for (const name of reached) for (const inner of namesIn(components.schemas[name])) reached.add(inner);
    return reached;
  };
  const sent = reachedFrom(operations.map(({ requestBody }) => requestBody));
  const answered = reachedFrom(operations.map(({ responses }) => responses));
  for (const name of sent)
    if (answered.has(name)) throw new Error(`${name} is in a body that is sent and in an answer`);
  return sent;
}

/** Throws if a schema of the document has no type in Python. */
export function pythonClient(source: object): string {
  const document: Document = JSON.parse(JSON.stringify(source));
  const types = new Types();
  const sent = sentSchemas(document);
  const unions: string[] = [];
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (schema.oneOf) unions.push(`${name} = Union[${schema.oneOf.map((part) => types.of(part, name)).join(', ')}]`);
    else types.addObject(name, schema, sent.has(name));
  }
  const methods = Object.values(document.paths).flatMap((item) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const route = ROUTES.find((candidate) => candidate.operation === operation.operationId);
      return route && route.tag !== 'docs' ? methodsOf(method, route, operation, document, types) : [];
    }),
  );
  const events = Object.keys(document.components.schemas).filter((name) => name.startsWith('Evento'));
  unions.push(`Event = Union[${events.join(', ')}]`);
  const transport = text('./python/transport.py').trimEnd();
  const version = `__version__ = ${JSON.stringify(document.info.version)}`;
  const client = `class PartnerClient(_Transport):\n    """As operações da API. Cada chamada devolve uma Answer, ou lança PartnerError quando a API recusa e
    NetworkError quando não chega resposta inteira.
    """\n\n${methods.join('\n\n')}`;
  const classes = Array.from(types.classes.values()).join('\n\n\n');
  const names = Array.from(types.classes.keys())
    .concat(
      unions.map((union) => union.replace(/ =.*/s, '')),
      PYTHON_NAMES,
    )
    .filter((name) => !name.startsWith('_'));
  const all = `# O que "import *" traz: nada dos módulos usados aqui, como datetime.\n__all__ = ${JSON.stringify(names)}`;
  return `${[`${PYTHON_HEAD}\n${version}`, classes, unions.join('\n'), transport, client, all].join('\n\n\n')}\n`;
}

export function packageManifest({ info }: { readonly info: { readonly version: string } }): string {
  return text('./package.json').replace(/"version": "[^"]*"/, `"version": "${info.version}"`);
}

/**
 * Leaves out the news of the next version, and links. Throws an Error if the news do not begin with this version.
 */
export function changelogOf(news: string, version: string): string {
  const released = news.replace(/^\n### Próxima versão\n.*?(?=\n### )/s, '');
  if (!released.startsWith(`\n### ${version}\n`)) throw new Error(`versoes.md does not begin its news with ${version}`);
  return `# Novidades\n${released.replaceAll('\n###', '\n##').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')}`;
}

export function packageFiles(source: object): readonly { readonly path: string; readonly text: string }[] {
  const document: Document = JSON.parse(JSON.stringify(source));
  const { version, license } = document.info;
  const news = text('../docs/pages/versoes.md').split('\n## Novidades\n')[1] ?? '';
  return [
    { path: 'CHANGELOG.md', text: changelogOf(news, version) },
    { path: 'LICENSE', text: `${license.name} (${license.identifier}).\n` },
  ];
}
