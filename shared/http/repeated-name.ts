/**
 * The dotted path of the first name that an object of a JSON text has twice; undefined where every name is its object's
 * only one. JSON.parse keeps the last of them in silence, so two readers of one body could see two amounts (RFC 7493,
 * 2.3). The text must be valid JSON. No recursion: the depth of a body is the caller's.
 */
export function repeatedName(text: string): string | undefined {
  const open: { readonly names: Set<string> | undefined; at: string }[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
  let last = '';
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const part = match[0];
    const within = open.at(-1);
    if (part === '{' || part === '[') {
      // In an object the place is set by each name, before anything within can ask for it.
      open.push({ names: part === '{' ? new Set() : undefined, at: '0' });
    } else if (part === '}' || part === ']') {
      open.pop();
    } else if (part === ',' && within && !within.names) {
      within.at = String(Number(within.at) + 1);
    } else if (part === ':' && within?.names) {
      within.at = JSON.parse(last) as string;
      if (within.names.has(within.at)) return open.map(({ at }) => at).join('.');
      within.names.add(within.at);
    }
    last = part;
  }
  return undefined;
}
