/**
 * Nothing that was sent is dropped in silence (shared/contract/README.md#notices, rule 1). The suggested name is the
 * same name in another spelling, else a name that people try (field-aliases.ts), else the nearest by edit distance. The
 * work is bounded whatever the body's size: at most 80 names are compared, each in at most 64 x 64 steps.
 */
import * as z from 'zod/mini';
import type { FieldFault } from '../domain/values/failure.ts';
import { nearestName, plainName } from '../domain/values/nearest-name.ts';
import { ALIASES, BELONGS_ELSEWHERE, MEANINGLESS_NEXT_TO } from './field-aliases.ts';
import { isObject, type JsonObject } from './fields.ts';
import { MOST_NOTICES, type Notice } from './notices.ts';
import { LONGEST_NAME, shownName } from './request-failures.ts';

/** Returns the object's schema, also if the object is optional or nullable. Undefined for any other field. */
function objectIn(type: z.core.$ZodType): z.ZodMiniObject | undefined {
  let inner = type;
  while (inner instanceof z.ZodMiniOptional || inner instanceof z.ZodMiniNullable) inner = inner.def.innerType;
  return inner instanceof z.ZodMiniObject ? inner : undefined;
}

function pathsOf({ shape }: z.ZodMiniObject): string[] {
  return Object.entries(shape).flatMap(([field, type]) => [
    field,
    ...Object.keys(objectIn(type)?.shape ?? {}).map((inner) => `${field}.${inner}`),
  ]);
}

const MOST_NAMES = 40;
/** How many names inside an unknown object are compared, to find out whether the object wraps the whole body. */
const FIRST_NAMES = 3;

function meantField(name: string, schema: z.ZodMiniObject): string | undefined {
  const fields = Object.keys(schema.shape);
  const plain = plainName(name);
  if (fields.includes(MEANINGLESS_NEXT_TO.get(plain) ?? '')) return undefined;
  const paths = pathsOf(schema);
  return (
    fields.find((field) => plainName(field) === plain) ??
    ALIASES.get(plain)?.find((target) => paths.includes(target)) ??
    nearestName(name, fields)
  );
}

const IGNORED = 'Campo desconhecido; foi ignorado.';
const NOT_COMPARED: Notice = { campo: '', motivo: IGNORED };

function sentence(name: string, schema: z.ZodMiniObject, value: unknown): string {
  if (name.length > LONGEST_NAME) return IGNORED;
  const elsewhere = BELONGS_ELSEWHERE.get(plainName(name));
  if (elsewhere) return `Campo desconhecido; ${elsewhere}.`;
  const field = meantField(name, schema);
  if (field) return `Campo desconhecido; quis dizer ${field}?`;
  const inner = isObject(value) ? Object.keys(value).slice(0, FIRST_NAMES) : [];
  return inner.some((inside) => inside.length <= LONGEST_NAME && meantField(inside, schema) !== undefined)
    ? 'Campo desconhecido; envie os campos sem este objeto em volta.'
    : IGNORED;
}

/**
 * If an unknown name probably means a missing field, the field's reason names the unknown name, also inside an unknown
 * object, as in `{"data": {"nome": ...}}`. The reason never repeats the name of that object, which could be a person's.
 */
export function withMisnamed(
  missing: readonly FieldFault[],
  schema: z.ZodMiniObject,
  body: JsonObject,
): readonly FieldFault[] {
  const sent = new Map<string, string>();
  let remaining = MOST_NAMES;
  const look = (object: JsonObject, wrapped: boolean) => {
    for (const name of Object.keys(object)) {
      if (!wrapped && Object.hasOwn(schema.shape, name)) continue;
      if (remaining-- <= 0) return;
      const field = name.length <= LONGEST_NAME ? meantField(name, schema) : undefined;
      const value = object[name];
      if (field === undefined && !wrapped && isObject(value)) look(value, true);
      if (field === undefined || sent.has(field)) continue;
      const cure = wrapped ? ' dentro de outro objeto: envie os campos sem ele' : `: quis dizer ${field}?`;
      sent.set(field, `veio ${shownName(name)}${cure}`);
    }
  };
  look(body, false);
  return missing.map(({ field, reason }) => {
    const hint = sent.get(field);
    return { field, reason: hint === undefined ? reason : `${reason} (${hint})` };
  });
}

/**
 * Returns notices in the body's order. Only the first 20 are compared with the schema's names: an answer shows no more.
 */
export function unknownFields(schema: z.ZodMiniObject, body: JsonObject): readonly Notice[] {
  const notices: Notice[] = [];
  const look = (within: z.ZodMiniObject, object: JsonObject, prefix: string) => {
    for (const name of Object.keys(object)) {
      const type = Object.hasOwn(within.shape, name) ? within.shape[name] : undefined;
      const value = object[name];
      const isCompared = notices.length < MOST_NOTICES;
      if (!type && isCompared) notices.push({ campo: prefix + shownName(name), motivo: sentence(name, within, value) });
      else if (!type) notices.push(NOT_COMPARED);
      const inner = type && objectIn(type);
      if (inner && isObject(value)) look(inner, value, `${prefix}${name}.`);
    }
  };
  look(schema, body, '');
  return notices;
}

/** Returns notices about query parameters, and about a header that probably means Idempotency-Key. */
export function noticesOnQueryAndKey(query: Readonly<Record<string, string>>, misnamedKey?: string): readonly Notice[] {
  const inBody = 'Parâmetro do endereço sem efeito nesta rota; os campos vão no corpo.';
  const header = 'Cabeçalho desconhecido, e o pedido ficou sem chave de idempotência; quis dizer Idempotency-Key?';
  const notices = Object.keys(query).map((name) => ({ campo: shownName(name), motivo: inBody }));
  if (misnamedKey !== undefined) notices.push({ campo: shownName(misnamedKey), motivo: header });
  return notices;
}
