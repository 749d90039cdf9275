/**
 * Undefined if no object repeats a name. JSON.parse silently keeps the last value, so two readers of one body could see
 * two amounts (RFC 7493, 2.3). The text must be valid JSON. There is no recursion, since the caller decides how deep a
 * body is.
 */
export function repeatedName(text: string): string | undefined {
  const open: { readonly names: Set<string> | undefined; at: string }[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
  let last = '';
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const part = match[0];
    const within = open.at(-1);
    if (part === '{' || part === '[') {
      // A list starts at index 0. In an object, each name replaces this value before a value inside it is read.
      open.push({ names: part === '{' ? new Set() : undefined, at: '0' });
    } else if (part === '}' || part === ']') {
      open.pop();
    } else if (part === ',' && within && !within.names) {
      within.at = String(Number(within.at) + 1);
    } else if (part === ':' && within?.names) {
      within.at = String(JSON.parse(last));
      if (within.names.has(within.at)) return open.map(({ at }) => at).join('.');
      within.names.add(within.at);
    }
    last = part;
  }
  return undefined;
}
