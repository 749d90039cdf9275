import { expect, it } from 'vitest';
import { withDeadline } from '#shared/runtime/deadline.ts';
import { addToLog, beginLog, logError, logInfo, logWarning } from '#shared/runtime/log.ts';
import { captureLogLines } from '#test/makers/partner-call.ts';

it('each log line has the facts of its own invocation, and none of the invocation before', async () => {
  const lines = await captureLogLines(async () => {
    beginLog({ operation: 'first' });
    addToLog({ partner: 3 });
    logInfo('request_completed', { status: 200 });
    beginLog({ operation: 'second' });
    logWarning('unknown_status');
    logError('request_failed', new TypeError('90000000175'));
  });
  expect(lines).toMatchObject([
    { level: 'INFO', operation: 'first', partner: 3, code: 'request_completed', status: 200 },
    { level: 'WARN', operation: 'second', code: 'unknown_status' },
    { level: 'ERROR', operation: 'second', code: 'request_failed', errors: [{ name: 'TypeError' }] },
  ]);
  expect(lines.slice(1).filter((line) => 'partner' in line)).toEqual([]);
  expect(JSON.stringify(lines)).not.toContain('90000000175');
});

it('a part of an invocation that hung neither adds to the log of the next one nor takes its facts', async () => {
  const gate = Promise.withResolvers<void>();
  const lines = await captureLogLines(async () => {
    beginLog({ operation: 'first' });
    const hanging = withDeadline(60_000, async () => {
      await gate.promise;
      addToLog({ partner: 3 });
      logWarning('row_unreadable');
    });
    beginLog({ operation: 'second' });
    await withDeadline(60_000, async () => {
      gate.resolve();
      await hanging;
      addToLog({ partner: 4 });
    });
    logInfo('request_completed', { status: 200 });
  });
  expect(lines).toMatchObject([
    { operation: 'first', partner: 3, code: 'row_unreadable' },
    { operation: 'second', partner: 4, code: 'request_completed' },
  ]);
});
