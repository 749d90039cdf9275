import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { emit } from '#shared/runtime/metrics.ts';

const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
});
afterEach(() => void vi.restoreAllMocks());

it('emit leaves a metric out if its value is undefined', () => {
  emit({ environment: 'producao', bank: 'itau' }, { OperatorLatency: 120, OperatorErrors: undefined });
  expect(lines).toHaveLength(1);
  const line = JSON.parse(lines[0] ?? '');
  expect(line).toMatchObject({ OperatorLatency: 120 });
  expect(line).not.toHaveProperty('OperatorErrors');
  expect(line._aws.CloudWatchMetrics[0].Metrics).toEqual([{ Name: 'OperatorLatency', Unit: 'Milliseconds' }]);
});

it('emit writes no line if every value is undefined', () => {
  emit({}, { Polls: undefined });
  expect(lines).toEqual([]);
});
