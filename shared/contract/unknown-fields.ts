/**
 * What answers say of a body's fields that its schema does not know: nothing that was sent is dropped in silence
 * (shared/contract/README.md#notices, rule 1). The name that was probably meant is looked for in this order: the same
 * name in another spelling (`valorImovel`), a name that people try (field-aliases.ts), the nearest by edit distance.
 * Objects right inside the body are looked into as well; nothing deeper has a schema. Worst case: the 20 entries of an
 * answer, each compared with the some 40 fields of a schema in at most 64 x 64 steps, whatever the body's size.
 */
import * as z from 'zod/mini';
import type { FieldFault } from '../domain/values/failure.ts';
import { nearestName, plainName } from '../domain/values/nearest-name.ts';
import { ALIASES, ELSEWHERE, NOTHING_BESIDE } from './field-aliases.ts';
import { isObject, type JsonObject } from './fields.ts';
import type { Notice } from './notices.ts';
import { LONGEST_NAME, shownName } from './request-failures.ts';

/** The object that a field holds, whether or not it may be absent or null; undefined for any other field. */
function objectIn(type: z.core.$ZodType): z.ZodMiniObject | undefined {
  let inner = type;
  while (inner instanceof z.ZodMiniOptional || inner instanceof z.ZodMiniNullable) inner = inner.def.innerType;
  return inner instanceof z.ZodMiniObject ? inner : undefined;
}

/** Every field that a schema knows, dotted inside its objects. */
function pathsOf({ shape }: z.ZodMiniObject): string[] {
  return Object.entries(shape).flatMap(([field, type]) => [
    field,
    ...Object.keys(objectIn(type)?.shape ?? {}).map((inner) => `${field}.${inner}`),
  ]);
}

/** Unknown names of a refused body that are compared with the fields of its schema. */
const MOST_NAMES = 40;
/** Names of an unknown object that tell whether it is the body itself, wrapped. */
const FIRST_NAMES = 3;

function meant(name: string, schema: z.ZodMiniObject): string | undefined {
  const fields = Object.keys(schema.shape);
  const plain = plainName(name);
  if (fields.includes(NOTHING_BESIDE.get(plain) ?? '')) return undefined;
  const paths = pathsOf(schema);
  return (
    fields.find((field) => plainName(field) === plain) ??
    ALIASES.get(plain)?.find((target) => paths.includes(target)) ??
    nearestName(name, fields)
  );
}

function sentence(name: string, schema: z.ZodMiniObject, value: unknown): string {
  if (name.length > LONGEST_NAME) return 'Campo desconhecido; foi ignorado.';
  const elsewhere = ELSEWHERE.get(plainName(name));
  if (elsewhere) return `Campo desconhecido; ${elsewhere}.`;
  const field = meant(name, schema);
  if (field) return `Campo desconhecido; quis dizer ${field}?`;
  const inner = isObject(value) ? Object.keys(value).slice(0, FIRST_NAMES) : [];
  return inner.some((one) => one.length <= LONGEST_NAME && meant(one, schema) !== undefined)
    ? 'Campo desconhecido; envie os campos sem este objeto em volta.'
    : 'Campo desconhecido; foi ignorado.';
}

/**
 * The faults of fields that a body lacks, each with the unknown name that probably means it, where one does: of the body
 * itself, or of an object that no field holds, as in `{"data": {"nome": ...}}`. That object's own name could be anybody's, and
 * reasons are kept.
 */
export function withMisnamed(
  missing: readonly FieldFault[],
  schema: z.ZodMiniObject,
  body: JsonObject,
): readonly FieldFault[] {
  const sent = new Map<string, string>();
  let left = MOST_NAMES;
  const look = (object: JsonObject, wrapped: boolean) => {
    for (const name of Object.keys(object)) {
      if (!wrapped && Object.hasOwn(schema.shape, name)) continue;
      if (left-- <= 0) return;
      const field = name.length <= LONGEST_NAME ? meant(name, schema) : undefined;
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

/** A notice for each field of a body that its schema does not know, in the body's order; at most `most` of them. */
export function unknownFields(schema: z.ZodMiniObject, body: JsonObject, most = 20): readonly Notice[] {
  const notices: Notice[] = [];
  const look = (within: z.ZodMiniObject, object: JsonObject, prefix: string) => {
    for (const name of Object.keys(object)) {
      if (notices.length === most) return;
      const type = Object.hasOwn(within.shape, name) ? within.shape[name] : undefined;
      const value = object[name];
      if (!type) notices.push({ campo: prefix + shownName(name), motivo: sentence(name, within, value) });
      const inner = type && objectIn(type);
      if (inner && isObject(value)) look(inner, value, `${prefix}${name}.`);
    }
  };
  look(schema, body, '');
  return notices;
}

/** Notices of what stands beside a body and has no effect: parameters of its address, and a header that probably means the key. */
export function unusedBeside(query: Readonly<Record<string, string>>, misnamedKey?: string): readonly Notice[] {
  const inBody = 'Parâmetro do endereço sem efeito nesta rota; os campos vão no corpo.';
  const header = 'Cabeçalho desconhecido, e o pedido ficou sem chave de idempotência; quis dizer Idempotency-Key?';
  const notices = Object.keys(query).map((name) => ({ campo: shownName(name), motivo: inBody }));
  if (misnamedKey !== undefined) notices.push({ campo: shownName(misnamedKey), motivo: header });
  return notices;
}
