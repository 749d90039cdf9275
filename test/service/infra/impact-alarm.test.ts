import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { ImpactAlarm, type ImpactAlarmProps } from '../../../infra/constructs/impact-alarm.ts';
import { metricsOf } from '../../../infra/metrics.ts';
import { readRunbook } from '../../../infra/runbook.ts';
import { stageValues } from '../../../infra/stages.ts';

const stage = stageValues('prod', {});
const metric = metricsOf(stage).queue('ApproximateNumberOfMessagesVisible', 'deadLetterQueue');
const IMPACT = 'Partners do not hear of outcomes of analyses.';

function made(changes: Partial<ImpactAlarmProps>): Template {
  const stack = new Stack(new App(), 'stack');
  const page = new Topic(stack, 'Pages');
  new ImpactAlarm(stack, 'it', {
    setting: { stage, runbook: readRunbook('# Runbook\n## dlq-replay\n### Cure\nRedrive.\n'), topics: { page } },
    name: 'dead',
    level: 'page',
    impact: IMPACT,
    section: 'dlq-replay',
    when: { metric, atLeast: 1 },
    ...changes,
  });
  return Template.fromStack(stack);
}

describe('an alarm', () => {
  it.each([
    ['no words', ''],
    ['a word', 'Bad.'],
    ['no sentence', 'dead letters in the queue, many of them'],
  ])('cannot be made with %s for its impact', (_, impact) => {
    expect(() => made({ impact })).toThrow(/its impact is no sentence/);
  });

  it('cannot be made with a section that the runbook lacks', () => {
    expect(() => made({ section: 'dlq' })).toThrow('infra/RUNBOOK.md has no section dlq');
  });
});
