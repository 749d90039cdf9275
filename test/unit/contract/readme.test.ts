import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FAILURES } from '#shared/contract/failures.ts';
import { formatCpf, parseCpf, TEST_CPFS } from '#shared/domain/values/cpf.ts';

const README = readFileSync(new URL('../../../shared/contract/README.md', import.meta.url), 'utf8');

/**
 * Returns the rows of a section's first table whose head begins with these cells. Each row is its cells without
 * backticks.
 */
function table(section: string, head: string): string[][] {
  const text = README.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  const lines = text.split('\n').map((line) => line.trim());
  const start = lines.findIndex((line) => line.startsWith(head));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) => {
    const cells = line.split('|').slice(1, -1);
    return cells.map((cell) => cell.trim().replaceAll('`', ''));
  });
}

it('README.md lists each codigo with its status', () => {
  const listed = table('Errors', '| codigo |').map(([code, status]) => [code, Number(status)]);
  const codes = Object.entries(FAILURES).map(([code, { status }]) => [code, status]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(codes));
});

it('README.md lists each test CPF of the sandbox', () => {
  const listed = table('Sandbox', '| CPF |').map(([cpf]) => cpf);
  const cpfs = Object.keys(TEST_CPFS).flatMap((digits) => parseCpf(digits) ?? []);
  expect(listed).toEqual([...cpfs.map(formatCpf), 'any other']);
});
