/** Names of an answer that hold a moment. */
type MomentName = 'at' | `${string}_at` | `${string}_since` | `${string}_until`;
const MOMENT = /^at$|_(at|since|until)$/;

/** What is passed on as it came: the words in it are not the API's own. */
type Verbatim = 'target' | 'body' | 'person';
const VERBATIM: ReadonlySet<string> = new Set<Verbatim>(['target', 'body', 'person']);

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type ShownField<Name, Value> = Name extends Verbatim
  ? Value
  : Name extends MomentName
    ? number | Extract<Shown<Value>, undefined>
    : Shown<Value>;

/** An answer of the API as this program has it: names in one word, moments in milliseconds since 1970, nothing for `null`. */
export type Shown<Value> = Value extends null
  ? undefined
  : Value extends string | number | boolean | undefined
    ? Value
    : Value extends readonly (infer One)[]
      ? readonly Shown<One>[]
      : Value extends object
        ? { readonly [Name in keyof Value as Camel<Name & string>]: ShownField<Name, Value[Name]> }
        : Value;

/** Reads an answer, or a part of one. */
export function shown<Value>(value: Value): Shown<Value> {
  return read(value) as Shown<Value>;
}

function read(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map(read);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (part === null ? [] : [[camel(name), field(name, part)]])),
  );
}

function field(name: string, value: unknown): unknown {
  if (VERBATIM.has(name)) return value;
  return MOMENT.test(name) && typeof value === 'string' ? Date.parse(value) : read(value);
}

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
