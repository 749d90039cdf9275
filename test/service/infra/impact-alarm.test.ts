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

  it('says what it means and links what to do, and tells its topic of the beginning and the end', () => {
    const [alarm] = Object.values(made({}).findResources('AWS::CloudWatch::Alarm'));
    expect(alarm?.['Properties']).toMatchObject({
      AlarmName: 'partner-credit-prod-dead',
      AlarmDescription: `page: ${IMPACT} What to do: ${stage.runbookUrl}#dlq-replay`,
      TreatMissingData: 'notBreaching',
      AlarmActions: [{ Ref: 'Pages127DFD1A' }],
      OKActions: [{ Ref: 'Pages127DFD1A' }],
    });
  });

  it('tells no one where its level has no topic', () => {
    made({ level: 'ticket' }).hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'partner-credit-prod-dead',
    });
    expect(JSON.stringify(made({ level: 'ticket' }).findResources('AWS::CloudWatch::Alarm'))).not.toContain(
      'AlarmActions',
    );
  });

  it('of several conditions goes off only when all hold, and only the whole tells someone', () => {
    const template = made({
      when: [
        { metric, atLeast: 1 },
        { metric, above: 2, datapoints: 3, outOf: 5, missingIsBad: true },
      ],
    });
    template.hasResourceProperties('AWS::CloudWatch::CompositeAlarm', {
      AlarmName: 'partner-credit-prod-dead',
      AlarmActions: [{ Ref: 'Pages127DFD1A' }],
    });
    const parts = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
    expect(parts).toHaveLength(2);
    expect(JSON.stringify(parts)).not.toContain('AlarmActions');
    expect(parts[1]?.['Properties']).toMatchObject({
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 2,
      DatapointsToAlarm: 3,
      EvaluationPeriods: 5,
      TreatMissingData: 'breaching',
    });
    const [composite] = Object.values(template.findResources('AWS::CloudWatch::CompositeAlarm'));
    expect(JSON.stringify(composite)).toMatch(/ALARM\(.*AND.*ALARM\(/);
  });
});
