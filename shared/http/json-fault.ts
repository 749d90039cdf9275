/**
 * Finds where and why a text is not JSON (RFC 8259). The runtime's parser tells the place only in a message that quotes
 * the body, which holds personal data. A differential test compares both.
 */
import type { JsonFault } from '../contract/request-failures.ts';

const SPACE = /[ \t\n\r]*/y;
// Every character from the blank on, except quotation mark and backslash.
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

function endOf(token: RegExp, text: string, at: number): number | undefined {
  token.lastIndex = at;
  return token.test(text) ? token.lastIndex : undefined;
}

function afterSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** Kind of token that must come next. After `first...` the object or list that was just opened may also end. */
type Wanted = 'value' | 'firstValue' | 'name' | 'firstName' | 'colon' | 'after';

/** Undefined if the text is JSON. */
function faultyAt(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let wanted: Wanted = 'value';
  for (let at = afterSpace(text, 0); ; at = afterSpace(text, at)) {
    const next = text[at];
    const within = open.at(-1);
    const closes = within && next === (within === '{' ? '}' : ']');
    if (wanted === 'after' && !within) return at === text.length ? undefined : at;
    if (closes && (wanted === 'after' || wanted === 'firstValue' || wanted === 'firstName')) {
      open.pop();
      wanted = 'after';
      at += 1;
    } else if (wanted === 'after') {
      if (next !== ',') return at;
      wanted = within === '{' ? 'name' : 'value';
      at += 1;
    } else if (wanted === 'colon') {
      if (next !== ':') return at;
      wanted = 'value';
      at += 1;
    } else if (wanted === 'name' || wanted === 'firstName') {
      const end = endOf(STRING, text, at);
      if (end === undefined) return at;
      wanted = 'colon';
      at = end;
    } else if (next === '{' || next === '[') {
      open.push(next);
      wanted = next === '{' ? 'firstName' : 'firstValue';
      at += 1;
    } else {
      const end = endOf(STRING, text, at) ?? endOf(SCALAR, text, at);
      if (end === undefined) return at;
      wanted = 'after';
      at = end;
    }
  }
}

function causeAt(text: string, at: number): JsonFault['cause'] {
  const next = text[at] ?? '';
  if (next === '') return 'ends';
  if (next === "'") return 'singleQuotes';
  if (next === '"') return /[,[{:]\s*$/.test(text.slice(0, at).slice(-64)) || at === 0 ? 'openText' : 'missingComma';
  if ((next === '}' || next === ']') && /,\s*$/.test(text.slice(0, at).slice(-64))) return 'trailingComma';
  if (next === '/') return 'comment';
  const before = text.slice(0, at).slice(-64);
  if (/\d/.test(next) && /\d,$/.test(before)) return 'decimalComma';
  if (/[\d.]/.test(next) && /\d$/.test(before)) return 'brokenNumber';
  if (/[\p{L}_$]/u.test(next)) return 'bareWord';
  return 'unexpected';
}

/** Lines and columns count from 1; a column is a character. Undefined if the text is JSON. */
export function jsonFaultOf(text: string): JsonFault | undefined {
  const at = faultyAt(text);
  if (at === undefined) return undefined;
  const lines = text.slice(0, at).split('\n');
  const characters = Array.from(lines.at(-1) ?? '');
  return { cause: causeAt(text, at), line: lines.length, column: characters.length + 1 };
}
