/** A line of a log as Logs Insights sees it: the fields that it finds in JSON, flattened, and its own with `@`. */
export type LogEvent = Readonly<Record<string, unknown>>;

const WORDS = /\s*("[^"]*"|\/(?:[^/\\]|\\.)+\/|@?[A-Za-z_][\w.]*|\d+(?:\.\d+)?[smhd]?|!=|>=|<=|[=<>(),[\]*])/y;
const OPERATORS = ['=', '!=', '>', '>=', '<', '<=', 'like', 'in'];
const AGGREGATES = ['count', 'count_distinct', 'sum', 'avg', 'min', 'max', 'pct', 'latest'];

type Value = (event: LogEvent) => unknown;

interface Column {
  readonly name: string;
  readonly of: (events: readonly LogEvent[]) => unknown;
}

/** The fields of a log line, flattened as Logs Insights does: `errors.0.name`. A line that is no JSON has none. */
export function discovered(text: string): Record<string, unknown> {
  try {
    const fields: Record<string, unknown> = {};
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) fields[path] = value;
      else for (const [name, inner] of Object.entries(value)) walk(inner, path ? `${path}.${name}` : name);
    };
    walk(JSON.parse(text), '');
    return fields;
  } catch {
    return {};
  }
}

const number = (value: unknown): number | undefined =>
  value === undefined || value === null || value === '' || Number.isNaN(Number(value)) ? undefined : Number(value);

function compare(operator: string, left: unknown, right: unknown): boolean {
  if (left === undefined || left === null) return operator === '!=';
  const [a, b] = [number(left), number(right)];
  if (operator === '=' || operator === '!=')
    return (String(left) === String(right) || (a !== undefined && a === b)) === (operator === '=');
  if (a === undefined || b === undefined) return false;
  return operator === '>' ? a > b : operator === '>=' ? a >= b : operator === '<' ? a < b : a <= b;
}

/** One command of a query, read word by word. Throws where it says what the runbook's queries do not. */
class Reader {
  /** Names of the fields that were read. */
  readonly fields = new Set<string>();
  private readonly words: string[] = [];
  private at = 0;

  constructor(text: string) {
    WORDS.lastIndex = 0;
    for (let end = 0; end < text.trimEnd().length; end = WORDS.lastIndex) {
      const match = WORDS.exec(text);
      if (!match) throw new Error(`cannot be read: ${text.slice(end)}`);
      this.words.push(match[1]!);
    }
  }

  get done(): boolean {
    return this.at >= this.words.length;
  }

  /** Whether the next word is this one, which is then taken. */
  take(word: string): boolean {
    const found = this.words[this.at]?.toLowerCase() === word;
    if (found) this.at += 1;
    return found;
  }

  next(): string {
    const word = this.words[this.at];
    if (word === undefined) throw new Error('the query ends too early');
    this.at += 1;
    return word;
  }

  list<T>(item: () => T): T[] {
    const items = [item()];
    while (this.take(',')) items.push(item());
    return items;
  }

  condition(): Value {
    const parts = [this.both()];
    while (this.take('or')) parts.push(this.both());
    return (event) => parts.some((part) => part(event));
  }

  /** A field, a literal, or a function of such. */
  value(): Value {
    const word = this.next();
    if (word.startsWith('"')) return () => word.slice(1, -1);
    if (/^\d+(\.\d+)?$/.test(word)) return () => Number(word);
    if (!this.take('(')) return this.field(word);
    const inner = this.list(() => (/^\d+[smhd]$/.test(this.words[this.at] ?? '') ? this.period() : this.value()));
    if (!this.take(')')) throw new Error(`${word}( is not closed`);
    switch (word) {
      case 'ispresent':
        return (event) => inner[0]!(event) !== undefined;
      case 'strcontains':
        return (event) => (String(inner[0]!(event) ?? '').includes(String(inner[1]!(event))) ? 1 : 0);
      case 'bin':
        return (event) => Math.floor(Date.parse(String(event['@timestamp'])) / Number(inner[0]!(event)));
      default:
        throw new Error(`the function ${word} is not known here`);
    }
  }

  /** A column of `stats`. */
  column(): Column {
    const kind = this.next();
    if (!AGGREGATES.includes(kind) || !this.take('(')) throw new Error(`${kind} is not known here`);
    const [value, extra] = this.take('*') ? [() => 1] : this.list(() => this.value());
    if (!this.take(')')) throw new Error(`${kind}( is not closed`);
    const name = this.take('as') ? this.next() : kind;
    return { name, of: (events) => aggregate(kind, events.map(value!), extra) };
  }

  private both(): Value {
    const parts = [this.test()];
    while (this.take('and')) parts.push(this.test());
    return (event) => parts.every((part) => part(event));
  }

  private test(): Value {
    if (this.take('(')) {
      const inner = this.condition();
      if (!this.take(')')) throw new Error('( is not closed');
      return inner;
    }
    const left = this.value();
    const operator = this.words[this.at]?.toLowerCase() ?? '';
    if (!OPERATORS.includes(operator)) return left;
    this.at += 1;
    if (operator === 'like') {
      const pattern = new RegExp(this.next().slice(1, -1));
      return (event) => pattern.test(String(left(event) ?? ''));
    }
    if (operator === 'in') {
      this.take('[');
      const options = this.list(() => this.value());
      this.take(']');
      return (event) => options.some((option) => compare('=', left(event), option(event)));
    }
    const right = this.value();
    return (event) => compare(operator, left(event), right(event));
  }

  private field(name: string): Value {
    this.fields.add(name);
    return (event) => event[name];
  }

  private period(): Value {
    const [, count, unit] = /^(\d+)([smhd])$/.exec(this.next())!;
    const milliseconds = Number(count) * { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 's']!;
    return () => milliseconds;
  }
}

function aggregate(kind: string, values: readonly unknown[], extra: Value | undefined): unknown {
  const present = values.filter((value) => value !== undefined);
  if (kind === 'count') return present.length;
  if (kind === 'count_distinct') return new Set(present).size;
  if (kind === 'latest') return present.at(-1);
  const numbers = present.flatMap((value) => number(value) ?? []).sort((a, b) => a - b);
  if (numbers.length === 0) return undefined;
  const sum = numbers.reduce((all, one) => all + one, 0);
  if (kind === 'sum') return sum;
  if (kind === 'avg') return sum / numbers.length;
  if (kind === 'pct') return numbers[Math.ceil((Number(extra!({})) / 100) * numbers.length) - 1];
  return kind === 'min' ? numbers[0] : numbers.at(-1);
}

/** What a query gives. */
export interface Answer {
  readonly rows: readonly LogEvent[];
  /** The lines that pass its filters, in the order of time. */
  readonly matched: readonly LogEvent[];
  /** Fields of those lines that its other commands use. */
  readonly shows: ReadonlySet<string>;
}

/** Runs a query over lines in the order of time: the part of Logs Insights' language that the runbook uses. */
export function runQuery(query: string, lines: readonly LogEvent[]): Answer {
  let rows = lines;
  let matched = lines;
  const made = new Set<string>();
  const shows = new Set<string>();
  for (const command of query.split(/\n\s*\|/)) {
    const reader = new Reader(command);
    const verb = reader.next();
    let names: string[] = [];
    if (verb === 'filter') {
      const passes = reader.condition();
      rows = rows.filter(passes);
      matched = rows;
    } else if (verb === 'stats') {
      const columns = reader.list(() => reader.column());
      const by = reader.take('by') ? reader.list(() => reader.value()) : [];
      const groups = Map.groupBy(rows, (row) => JSON.stringify(by.map((value) => value(row) ?? null)));
      names = columns.map(({ name }) => name);
      rows = [...groups.values()].map((group) => Object.fromEntries(columns.map(({ name, of }) => [name, of(group)])));
    } else if (verb === 'sort') {
      const key = reader.value();
      const sign = reader.take('desc') ? -1 : 1;
      reader.take('asc');
      const of = (row: LogEvent) => number(key(row)) ?? Date.parse(String(key(row)));
      rows = rows.toSorted((a, b) => sign * (of(a) - of(b)));
    } else if (verb === 'limit') rows = rows.slice(0, Number(reader.next()));
    else if (verb === 'fields' || verb === 'display') reader.list(() => reader.value());
    else throw new Error(`the command ${verb} is not known here`);
    if (!reader.done) throw new Error(`left over in: ${command}`);
    if (verb !== 'filter') for (const field of reader.fields) if (!made.has(field)) shows.add(field);
    // A column may go by the name of the field that it is made of.
    for (const name of names) made.add(name);
  }
  return { rows, matched, shows };
}
