/** A line of a log as Logs Insights sees it: the fields that it finds in JSON, flattened, and its own with `@`. */
export type LogEvent = Readonly<Record<string, unknown>>;

/** The fields of a log line, flattened as Logs Insights does: `errors.0.name`. A line that is no JSON has none. */
export function discovered(text: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) fields[path] = value;
    else for (const [name, inner] of Object.entries(value)) walk(inner, path ? `${path}.${name}` : name);
  };
  try {
    walk(JSON.parse(text), '');
  } catch {
    return {};
  }
  return fields;
}

const COMMANDS = ['filter', 'stats', 'sort', 'limit', 'fields', 'display'];
/** Words of the language that name no field. Functions are known by their parenthesis. */
const WORDS = [...COMMANDS, 'by', 'as', 'asc', 'desc'];
const FUNCTIONS = 'count sum avg min max pct latest bin count_distinct strcontains ispresent unmask'.split(' ');

/** Whether one comparison of a filter holds. Throws where it says what the runbook's queries do not. */
function holds(test: string, line: LogEvent): boolean {
  const present = /^ispresent\(([\w.]+)\)$/.exec(test);
  if (present) return line[present[1]!] !== undefined;
  const [, field, operator, text] = /^(@?[\w.]+) (=|>=|<|>|like|in) (.+)$/.exec(test) ?? [];
  if (!field) throw new Error(`${test} is not known here`);
  const value = line[field];
  if (operator === 'like') return new RegExp(text!.slice(1, -1)).test(String(value ?? ''));
  const wanted = JSON.parse(text!.replaceAll("'", '"'));
  if (operator === 'in') return wanted.includes(value);
  if (operator === '=') return value !== undefined && String(value) === String(wanted);
  if (value === undefined) return false;
  return operator === '>'
    ? Number(value) > wanted
    : operator === '<'
      ? Number(value) < wanted
      : Number(value) >= wanted;
}

/**
 * Looks for what a query is about, by the part of Logs Insights' language that is in use here: the lines that pass its
 * filters, and their fields that its other commands use. Throws for any other.
 */
export function lookFor(query: string, lines: readonly LogEvent[]) {
  let matched = lines;
  const made = new Set<string>();
  const shows = new Set<string>();
  for (const command of query.split(/\n\s*\| ?/)) {
    const [verb = ''] = command.split(' ');
    if (!COMMANDS.includes(verb)) throw new Error(`the command ${verb} is not known here`);
    // After `stats` a filter is about what was made of the lines.
    if (verb === 'filter' && !made.size) {
      const alternatives = command
        .slice(verb.length + 1)
        .split(' or ')
        .map((all) => all.split(' and '));
      matched = matched.filter((line) => alternatives.some((all) => all.every((test) => holds(test, line))));
      continue;
    }
    const bare = command.replace(/"[^"]*"|'[^']*'/g, '').replace(/ as (\w+)/g, (_, name: string) => {
      made.add(name);
      return '';
    });
    for (const [, name, parenthesis] of bare.matchAll(/(?<![\w.@])(@?[A-Za-z_][\w.]*)(\()?/g)) {
      if (parenthesis && !FUNCTIONS.includes(name!)) throw new Error(`the function ${name} is not known here`);
      if (!parenthesis && !WORDS.includes(name!) && !made.has(name!)) shows.add(name!);
    }
  }
  return { matched, shows };
}
