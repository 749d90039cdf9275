import { expect, it, vi } from 'vitest';
import { Paper } from '#shared/pdf/paper.ts';
import { scheduleTable } from '#shared/pdf/schedule-table.ts';
import { makeOffer } from '#test/makers/simulation.ts';

it('scheduleTable marks the first heads as heads of columns, and the first cell of each row as head of its row', () => {
  const paper = new Paper({ title: 'Título', subject: 'Assunto', createdAt: 0 });
  paper.doc.addPage();
  const tagged = vi.spyOn(paper, 'tagged');
  // The table has a second page, whose heads are only for the eye.
  const { schedule } = makeOffer('itau', { term: 60 });
  scheduleTable(paper, schedule, 100, () => 100);
  const scopes = tagged.mock.calls.flatMap(([, role, , options]) => (role === 'TH' ? [options?.scope] : []));
  const rows = scopes.slice(-schedule.length - 1);
  expect(new Set(rows)).toEqual(new Set(['Row']));
  expect(scopes.slice(0, -rows.length)).toEqual(Array(8).fill('Column'));
});
