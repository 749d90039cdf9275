import fc from 'fast-check';

/**
 * Compares two OpenAPI documents of the partners' API. The API may only grow: a program that was written against the
 * earlier document must work with the later one. test/DECISIONS.md says why the rules are ours.
 */
interface Schema extends Limits {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly 'x-extensible-enum'?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly then?: Schema;
  readonly else?: Schema;
}

type Limit = 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | Bound;
type Bound = 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum';

interface Narrowing {
  /** Type of the values that the limit concerns. */
  readonly type: 'string' | 'number' | 'array';
  /** Returns the narrowest of several limits. */
  readonly narrower: (...limits: number[]) => number;
}

const LIMITS: ReadonlyMap<Limit, Narrowing> = new Map<Limit, Narrowing>([
  ['minLength', { type: 'string', narrower: Math.max }],
  ['maxLength', { type: 'string', narrower: Math.min }],
  ['minimum', { type: 'number', narrower: Math.max }],
  ['maximum', { type: 'number', narrower: Math.min }],
  ['exclusiveMinimum', { type: 'number', narrower: Math.max }],
  ['exclusiveMaximum', { type: 'number', narrower: Math.min }],
  ['minItems', { type: 'array', narrower: Math.max }],
  ['maxItems', { type: 'array', narrower: Math.min }],
]);
type Limits = { readonly [Name in Limit]?: number };

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
  readonly required?: boolean;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Response extends Content {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** Security schemes that a call must use together, by name. */
type Requirement = Readonly<Record<string, readonly string[]>>;

interface Operation {
  /** A call must fulfil one of these. */
  readonly security?: readonly Requirement[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Response>>;
}

type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The parts of an OpenAPI document that a partner's program depends on. */
export interface OpenapiDocument {
  readonly paths: Operations;
  readonly webhooks?: Operations;
  /** Applies to each operation that has no `security` of its own. */
  readonly security?: readonly Requirement[];
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Who writes a body. A body of the service may have more fields later, a body of the partner may need no more. */
type Writer = 'partner' | 'service';

/** The values that are allowed at a place of a body, with references resolved and all branches put together. */
interface Shape {
  readonly fields: ReadonlyMap<string, readonly Schema[]>;
  /** Fields that every branch needs. */
  readonly always: ReadonlySet<string>;
  /** Fields that some branch needs. */
  readonly sometimes: ReadonlySet<string>;
  /** Values of closed lists. */
  readonly values: ReadonlySet<string>;
  /** Values of lists that may grow. */
  readonly openValues: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  readonly items: readonly Schema[];
  /** The narrowest limits of all branches. */
  readonly limits: ReadonlyMap<Limit, number>;
  readonly patterns: ReadonlySet<string>;
  readonly formats: ReadonlySet<string>;
  readonly defaults: ReadonlySet<string>;
}

/** Returns what a reference points to. Throws an Error if the document does not have it. */
function resolved<Part extends { readonly $ref?: string }>(document: OpenapiDocument, part: Part): Part {
  if (part.$ref === undefined) return part;
  const [, , kind = '', name = ''] = part.$ref.split('/');
  const found = document.components?.[kind]?.[name];
  if (found === undefined) throw new Error(`the document has no ${part.$ref}`);
  return resolved(document, found as Part);
}

/** Returns a schema and the schemas of its branches. `certain`: whether the branch always applies. */
function branchesOf(document: OpenapiDocument, given: Schema, certain = true): { schema: Schema; certain: boolean }[] {
  const schema = resolved(document, given);
  const sure = (schema.allOf ?? []).flatMap((branch) => branchesOf(document, branch, certain));
  const [oneOf = [], anyOf = []] = [schema.oneOf, schema.anyOf];
  const choices = [...oneOf, ...anyOf];
  if (schema.then) choices.push(schema.then);
  if (schema.else) choices.push(schema.else);
  const unsure = choices.flatMap((branch) => branchesOf(document, branch, false));
  return [{ schema, certain }, ...sure, ...unsure];
}

function shapeOf(document: OpenapiDocument, schemas: readonly Schema[]): Shape {
  const branches = schemas.flatMap((schema) => branchesOf(document, schema));
  const fields = new Map<string, Schema[]>();
  for (const { schema } of branches) {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      fields.set(name, (fields.get(name) ?? []).concat(field));
    }
  }
  const certain = branches.filter((branch) => branch.certain);
  const constants = branches.filter(({ schema }) => schema.const !== undefined).map(({ schema }) => schema.const);
  const values = branches.flatMap(({ schema }) => schema.enum ?? []).concat(constants);
  return {
    fields,
    always: new Set(certain.flatMap(({ schema }) => schema.required ?? [])),
    sometimes: new Set(branches.flatMap(({ schema }) => schema.required ?? [])),
    values: new Set(values.map((value) => JSON.stringify(value))),
    openValues: new Set(
      branches.flatMap(({ schema }) => schema['x-extensible-enum'] ?? []).map((value) => JSON.stringify(value)),
    ),
    types: new Set(branches.flatMap(({ schema }) => schema.type ?? [])),
    items: branches.flatMap(({ schema }) => schema.items ?? []),
    limits: limitsOf(branches.map(({ schema }) => schema)),
    patterns: new Set(branches.flatMap(({ schema }) => schema.pattern ?? [])),
    formats: new Set(branches.flatMap(({ schema }) => schema.format ?? [])),
    defaults: new Set(
      branches.flatMap(({ schema }) => (schema.default === undefined ? [] : JSON.stringify(schema.default))),
    ),
  };
}

function limitsOf(schemas: readonly Schema[]): ReadonlyMap<Limit, number> {
  const limits = new Map<Limit, number>();
  for (const [name, { narrower }] of LIMITS) {
    const values = schemas.flatMap((schema) => schema[name] ?? []);
    if (values.length > 0) limits.set(name, narrower(...values));
  }
  return limits;
}

/** Whether a place may hold values of a type. A place that names no type may hold all of them. */
const mayBe = ({ types }: Shape, type: string): boolean =>
  types.size === 0 || types.has(type) || (type === 'number' && types.has('integer'));

/** The letters and signs of Europe's languages, each as a text. `fc.stringMatching` makes only ASCII characters. */
const CHARACTERS = Array.from({ length: 0x800 }, (_, code) => String.fromCharCode(code));

/**
 * Returns the shortest text found that fits some patterns and not another one. Undefined if there is none among the
 * characters and 1,000 longer texts. Whether all texts of a regular expression fit another one cannot be computed in
 * every case.
 */
function textOutside(pattern: string, patterns: ReadonlySet<string>): string | undefined {
  const [first, ...others] = Array.from(patterns, (source) => new RegExp(source));
  if (!first) return undefined;
  const later = new RegExp(pattern);
  return fc
    .sample(fc.stringMatching(first, { size: 'medium' }), { numRuns: 1_000, seed: 1 })
    .concat(CHARACTERS.filter((character) => first.test(character)))
    .filter((text) => others.every((other) => other.test(text)) && !later.test(text))
    .toSorted((one, other) => one.length - other.length)[0];
}

const missing = <T>(before: Iterable<T>, after: { has(value: T): boolean }): T[] =>
  Array.from(before).filter((value) => !after.has(value));

/** Returns the JSON of each security scheme without its description, by name. */
const schemesOf = ({ components }: OpenapiDocument): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(components?.['securitySchemes'] ?? {}).map(([name, scheme]) => [
      name,
      JSON.stringify(scheme, (key, part) => (key === 'description' ? undefined : part)),
    ]),
  );

/** The requirement that a call without a key fulfils. */
const NONE = '{}';

/** Returns the JSON of each requirement of an operation. */
const requirementsOf = (document: OpenapiDocument, { security = document.security ?? [] }: Operation): string[] =>
  security.length === 0 ? [NONE] : security.map((requirement) => JSON.stringify(requirement));

/** Compares two documents. Collects a sentence for each thing that would break a partner's program. */
class Comparison {
  readonly losses: string[] = [];
  private readonly compared = new Set<string>();
  private readonly before: OpenapiDocument;
  private readonly after: OpenapiDocument;

  constructor(before: OpenapiDocument, after: OpenapiDocument) {
    this.before = before;
    this.after = after;
  }

  operations(kind: string, before: Operations, after: Operations): void {
    for (const [path, methods] of Object.entries(before)) {
      const later = after[path];
      if (later === undefined) {
        this.losses.push(`the ${kind} ${path} was removed`);
        continue;
      }
      for (const [method, operation] of Object.entries(methods)) {
        const place = kind === 'path' ? `${method.toUpperCase()} ${path}` : `the webhook ${path}`;
        const same = later[method];
        if (same === undefined) this.losses.push(`${place} was removed`);
        else this.operation(place, operation, same, kind === 'path' ? 'partner' : 'service');
      }
    }
  }

  private operation(place: string, before: Operation, after: Operation, writer: Writer): void {
    this.parameters(place, before, after);
    this.security(place, before, after);
    if (!before.requestBody && after.requestBody?.required) this.losses.push(`${place} now requires a body`);
    this.content(`${place}, request`, before.requestBody, after.requestBody, writer);
    for (const [status, response] of Object.entries(before.responses ?? {})) {
      const found = after.responses?.[status];
      if (found === undefined) {
        this.losses.push(`${place}: the answer ${status} was removed`);
        continue;
      }
      const [earlier, later] = [resolved(this.before, response), resolved(this.after, found)];
      const headers = missing(Object.keys(earlier.headers ?? {}), new Set(Object.keys(later.headers ?? {})));
      for (const name of headers) this.losses.push(`${place}, answer ${status}: the header ${name} was removed`);
      this.content(`${place}, answer ${status}`, earlier, later, 'service');
    }
  }

  schemes(): void {
    const later = schemesOf(this.after);
    for (const [name, scheme] of schemesOf(this.before)) {
      if (later.get(name) !== scheme) this.losses.push(`the security scheme ${name} was removed or changed`);
    }
  }

  private security(place: string, before: Operation, after: Operation): void {
    const accepted = new Set(requirementsOf(this.after, after));
    if (accepted.has(NONE)) return;
    for (const requirement of missing(requirementsOf(this.before, before), accepted))
      this.losses.push(`${place}: the security ${requirement} is no longer accepted`);
  }

  private parameters(place: string, before: Operation, after: Operation): void {
    const named = (document: OpenapiDocument, { parameters = [] }: Operation) =>
      new Map(
        parameters.map((given) => {
          const parameter = resolved(document, given);
          return [`${parameter.in} ${parameter.name}`, parameter] as const;
        }),
      );
    const [earlier, later] = [named(this.before, before), named(this.after, after)];
    for (const name of missing(earlier.keys(), later)) this.losses.push(`${place}: the parameter ${name} was removed`);
    for (const [name, { required, schema }] of later) {
      const known = earlier.get(name);
      if (required && !known?.required) this.losses.push(`${place}: the parameter ${name} became required`);
      if (known?.schema && schema) this.schema(`${place}: the parameter ${name}`, [known.schema], [schema], 'partner');
    }
  }

  private content(place: string, before: Content | undefined, after: Content | undefined, writer: Writer): void {
    for (const [type, { schema }] of Object.entries(before?.content ?? {})) {
      const later = after?.content?.[type];
      if (later === undefined) this.losses.push(`${place}: the content ${type} was removed`);
      else if (schema && later.schema) this.schema(place, [schema], [later.schema], writer);
    }
  }

  private schema(place: string, before: readonly Schema[], after: readonly Schema[], writer: Writer): void {
    // A schema that contains itself is compared once.
    const pair = JSON.stringify([place.split(':')[0], writer, before, after]);
    if (this.compared.has(pair)) return;
    this.compared.add(pair);
    const [earlier, later] = [shapeOf(this.before, before), shapeOf(this.after, after)];
    for (const name of missing(earlier.fields.keys(), later.fields))
      this.losses.push(`${place}: the field ${name} was removed`);
    if (later.values.size > 0) {
      for (const value of missing(earlier.values, later.values))
        this.losses.push(`${place}: the value ${value} was removed`);
    }
    for (const value of missing(earlier.openValues, later.openValues))
      this.losses.push(`${place}: the value ${value} was removed`);
    if (writer === 'partner') this.accepts(place, earlier, later);
    else this.answers(place, earlier, later);
    for (const [name, schemas] of earlier.fields) {
      const same = later.fields.get(name);
      if (same) this.schema(`${place}: ${name}`, schemas, same, writer);
    }
    if (earlier.items.length > 0 && later.items.length > 0) this.schema(place, earlier.items, later.items, writer);
  }

  /** The service must accept what it accepted before. */
  private accepts(place: string, before: Shape, after: Shape): void {
    for (const name of missing(after.sometimes, before.sometimes)) {
      const change = before.fields.has(name) ? 'became required' : 'is new and required';
      this.losses.push(`${place}: the field ${name} ${change}`);
    }
    for (const name of missing(after.always, before.always)) {
      if (before.sometimes.has(name)) this.losses.push(`${place}: the field ${name} became required in every case`);
    }
    if (before.values.size === 0 && after.values.size > 0)
      this.losses.push(`${place}: only listed values are accepted now`);
    if (after.types.size > 0) {
      for (const type of missing(before.types, after.types))
        this.losses.push(`${place}: the type ${type} is no longer accepted`);
    }
    this.limits(place, before, after);
    this.patterns(place, before, after);
    if (after.formats.size > 0) {
      for (const format of missing(before.formats, after.formats))
        this.losses.push(`${place}: the format ${format} is no longer accepted`);
      if (before.formats.size === 0 && mayBe(before, 'string'))
        this.losses.push(`${place}: only texts of a format are accepted now`);
    }
    for (const value of missing(before.defaults, after.defaults))
      this.losses.push(`${place}: the default is no longer ${value}`);
  }

  private limits(place: string, before: Shape, after: Shape): void {
    for (const [name, { type, narrower }] of LIMITS) {
      const [known, limit] = [before.limits.get(name), after.limits.get(name)];
      if (limit === undefined) continue;
      const isKept = known === undefined ? !mayBe(before, type) : narrower(known, limit) === known;
      if (!isKept) this.losses.push(`${place}: ${name} was ${known ?? 'not set'}, and is now ${limit}`);
    }
  }

  private patterns(place: string, before: Shape, after: Shape): void {
    for (const pattern of missing(after.patterns, before.patterns)) {
      const text = textOutside(pattern, before.patterns);
      if (text !== undefined) this.losses.push(`${place}: the text ${JSON.stringify(text)} no longer fits the pattern`);
      if (before.patterns.size === 0 && mayBe(before, 'string'))
        this.losses.push(`${place}: only texts of a pattern are accepted now`);
    }
  }

  /** A reader of the earlier document must understand what the service answers. */
  private answers(place: string, before: Shape, after: Shape): void {
    for (const name of missing(before.always, after.always)) {
      if (after.fields.has(name)) this.losses.push(`${place}: the field ${name} may be missing now`);
    }
    if (before.types.size > 0) {
      for (const type of missing(after.types, before.types)) this.losses.push(`${place}: the type ${type} is new`);
    }
    if (before.values.size > 0) {
      for (const value of missing(after.values, before.values))
        this.losses.push(`${place}: the value ${value} is new in a closed list`);
    }
    if (before.formats.size > 0) {
      for (const format of missing(after.formats, before.formats))
        this.losses.push(`${place}: the format ${format} is new`);
      for (const format of missing(before.formats, after.formats))
        this.losses.push(`${place}: the format ${format} was removed`);
    }
  }
}

/** Returns a sentence for each thing in the later document that would break a program written against the earlier one. */
export function lossesBetween(before: OpenapiDocument, after: OpenapiDocument): readonly string[] {
  const comparison = new Comparison(before, after);
  comparison.operations('path', before.paths, after.paths);
  comparison.operations('webhook', before.webhooks ?? {}, after.webhooks ?? {});
  comparison.schemes();
  return comparison.losses;
}
