import { capacity, personalData } from './alarms/capacity.ts';
import { operator, pricingTables } from './alarms/operator.ts';
import type { AlarmRow } from './alarms/row.ts';
import { outside, serviceLevel } from './alarms/service-level.ts';
import { callers, webhooks } from './alarms/webhooks.ts';
import type { Stage } from './stages.ts';

/** Every alarm that tells someone, as data; composites last, since each needs its parts made before it. */
export function alarmsOf(stage: Stage): readonly AlarmRow[] {
  const rows = [serviceLevel, outside, capacity, operator, webhooks, callers, pricingTables, personalData].flatMap(
    (family) => family(stage),
  );
  const isComposite = ({ when }: AlarmRow) => 'alarms' in when;
  return rows.filter((row) => !isComposite(row)).concat(rows.filter(isComposite));
}

/**
 * The alarms that a stage makes. Where nobody would be told of them they only cost: production has them always, and then
 * somebody is told.
 */
export function alarmsMade(stage: Stage): readonly AlarmRow[] {
  const told = stage.alarmTargets.page.length + stage.alarmTargets.ticket.length > 0;
  return told || stage.name === 'prod' ? alarmsOf(stage) : [];
}
