import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { rehearseRestore } from '#infra/local/rehearsal/rehearse-restore.ts';

const SOAK = Boolean(process.env['SOAK']);
const folder = mkdtempSync(join(tmpdir(), 'partner-credit-rehearsal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// In doubt, a submission is left alone for the minute of its lease: that part waits, and is the soak's.
it(`a restored table accounts for what was accepted, decided and booked${SOAK ? ', and for what was in doubt' : ''}`, {
  timeout: 600_000,
}, async () => {
  const lines: string[] = [];
  const findings = await rehearseRestore({
    project: join(import.meta.dirname, '../..'),
    folder,
    people: 3,
    inDoubt: SOAK,
    assembly: inject('assembly'),
    say: (line) => lines.push(line),
  });
  expect(findings.filter(({ missing }) => missing.length > 0)).toEqual([]);
  // Each finding is about something: none holds because there was nothing of it.
  const empty = findings.filter(({ of }) => of === 0).map(({ what }) => what);
  expect(empty.length, empty.join()).toBe(SOAK ? 0 : 1);
  // Its note goes with the emulator that it names: none is left running.
  expect(existsSync(join(folder, 'dynamodb.pid'))).toBe(false);
  expect(lines).toContainEqual(expect.stringMatching(/^lost: both tables/));
});
