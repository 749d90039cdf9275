/**
 * A line of a log as Logs Insights sees it: its flattened JSON fields, and the fields of Logs Insights, which begin
 * with `@`.
 */
export type LogEvent = Readonly<Record<string, unknown>>;

/**
 * Returns the fields of a log line, flattened as Logs Insights does: `errors.0.name`. Empty if the line is not JSON.
 */
export function flattenLogLine(text: string): Record<string, unknown> {
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
/** Words of the query language that are not names of fields. Functions are recognised by their parenthesis. */
const KEYWORDS = [...COMMANDS, 'by', 'as', 'asc', 'desc'];
const FUNCTIONS = 'count sum avg min max pct latest bin count_distinct strcontains ispresent unmask'.split(' ');

/**
 * Whether a comparison of a filter is true for a line. Throws an Error for comparisons that the runbook's queries do
 * not use.
 */
function isTrueFor(test: string, line: LogEvent): boolean {
  const presence = /^ispresent\(([\w.]+)\)$/.exec(test);
  if (presence) return line[presence[1]!] !== undefined;
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
 * Runs the part of Logs Insights' query language that the runbook uses. Returns the lines that pass the filters, and
 * the fields that the other commands use. Throws an Error for any other command or function.
 */
export function runQuery(query: string, lines: readonly LogEvent[]) {
  let matched = lines;
  const resultNames = new Set<string>();
  const shows = new Set<string>();
  for (const command of query.split(/\n\s*\| ?/)) {
    const [verb = ''] = command.split(' ');
    if (!COMMANDS.includes(verb)) throw new Error(`the command ${verb} is not known here`);
    // After `stats` a filter is about results of `stats`, not about lines.
    if (verb === 'filter' && !resultNames.size) {
      const alternatives = command
        .slice(verb.length + 1)
        .split(' or ')
        .map((conjunction) => conjunction.split(' and '));
      matched = matched.filter((line) =>
        alternatives.some((conjunction) => conjunction.every((test) => isTrueFor(test, line))),
      );
      continue;
    }
    const withoutNames = command.replace(/"[^"]*"|'[^']*'/g, '').replace(/ as (\w+)/g, (_, name: string) => {
      resultNames.add(name);
      return '';
    });
    for (const [, name, parenthesis] of withoutNames.matchAll(/(?<![\w.@])(@?[A-Za-z_][\w.]*)(\()?/g)) {
      if (parenthesis && !FUNCTIONS.includes(name!)) throw new Error(`the function ${name} is not known here`);
      if (!parenthesis && !KEYWORDS.includes(name!) && !resultNames.has(name!)) shows.add(name!);
    }
  }
  return { matched, shows };
}
