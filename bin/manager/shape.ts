import * as z from 'zod/mini';

/** A schema in the form that the command line reads: JSON Schema without references and without `null`. */
export interface Shape {
  readonly type: string | undefined;
  readonly format: string | undefined;
  readonly description: string | undefined;
  /** Empty if any text is allowed. */
  readonly choices: readonly string[];
  readonly isNullable: boolean;
  readonly isFlag: boolean;
  /** Whether the value must not be in a shell's history. */
  readonly isSecret: boolean;
  /** Whether the value is in this answer only. */
  readonly isShownOnce: boolean;
  /** Whether a moment says when the next command is due. */
  readonly isNextStep: boolean;
  /** Whether a number counts only its own page, so that the counts of pages are added up. */
  readonly isOfPage: boolean;
  readonly fallback: unknown;
  /** The number at which a count stops. */
  readonly cap: number | undefined;
  readonly items: Shape | undefined;
  readonly fields: ReadonlyMap<string, Shape>;
  readonly needed: readonly string[];
  /** Whether an object has more fields than its schema names. */
  readonly isLoose: boolean;
}

type Raw = z.core.JSONSchema.JSONSchema;

/** Returns the shape of what a schema takes (`input`) or returns (`output`). A missing schema takes no fields. */
export function shapeOf(schema: z.ZodMiniType = z.object({}), io: 'input' | 'output' = 'output'): Shape {
  const whole = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return plain(whole, whole.$defs ?? {});
}

function plain(given: z.core.JSONSchema._JSONSchema, named: Readonly<Record<string, Raw>>): Shape {
  const own = typeof given === 'boolean' ? {} : given;
  const referred = named[own.$ref?.slice('#/$defs/'.length) ?? ''];
  const outer: Raw = { ...referred, ...own };
  const kinds = outer.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  // Undefined for a union, whose kinds may differ.
  const [only] = kinds.length === 1 ? kinds : [];
  const inner = only && (only.$ref === undefined ? only : named[only.$ref.slice('#/$defs/'.length)]);
  const at: Raw = { ...inner, ...outer };
  const { items, properties = {}, additionalProperties, enum: values, const: value } = at;
  const types = [at.type ?? []].flat();
  const [type] = types.filter((one) => one !== 'null');
  const texts = (values ?? [value]).filter((one) => typeof one === 'string');
  return {
    type,
    format: at.format,
    description: at.description,
    choices: texts,
    isNullable: types.includes('null') || kinds.length < (outer.anyOf?.length ?? 0),
    isFlag: type === 'boolean' || value === true || texts.join() === 'true,false',
    isSecret: at.writeOnly === true,
    isShownOnce: at['x-shown-once'] === true,
    isNextStep: at['x-next-step'] === true,
    isOfPage: at['x-of-page'] === true,
    fallback: at.default,
    cap: at.maximum,
    items: items === undefined || Array.isArray(items) ? undefined : plain(items, named),
    fields: new Map(Object.entries(properties).map(([name, part]) => [name, plain(part, named)])),
    needed: at.required ?? [],
    isLoose:
      type === 'object' && typeof additionalProperties === 'object' && Object.keys(additionalProperties).length === 0,
  };
}

export const isTable = ({ items }: Shape): boolean => items?.type === 'object' && items.fields.size > 0;
