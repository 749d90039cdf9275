import { bells } from './alarms/bells.ts';
import { capacity, copies, personalData } from './alarms/capacity.ts';
import { operator } from './alarms/operator.ts';
import { pricingTables } from './alarms/pricing-tables.ts';
import type { AlarmRow, Row } from './alarms/row.ts';
import { outside, serviceLevel } from './alarms/service-level.ts';
import { callers, webhooks } from './alarms/webhooks.ts';
import type { Stage } from './stages.ts';

/** Composite alarms come last, because the stack must make their parts first. */
export function alarmsOf(stage: Stage): readonly AlarmRow[] {
  const rows = [
    serviceLevel,
    outside,
    capacity,
    operator,
    webhooks,
    callers,
    pricingTables,
    personalData,
    copies,
  ].flatMap((family) => family(stage));
  const names = rows.map(({ name }) => name);
  // A stage may lack an alarm that a composite alarm names: without a firewall nothing is blocked.
  const joined = bells(stage).map((row): Row => {
    const { when } = row;
    return 'alarms' in when
      ? { ...row, when: { ...when, alarms: when.alarms.filter((name) => names.includes(name)) } }
      : row;
  });
  const isOf = (name: string, { when }: Row) =>
    'alarms' in when && (when.alarms.includes(name) || when.during === name);
  return rows.concat(joined).map((row) => {
    // An alarm that only feeds a composite alarm has the composite's runbook section.
    const section = joined.find((other) => isOf(row.name, other))?.name ?? row.name;
    return { ...row, section };
  });
}

/**
 * A stage that notifies nobody has no alarms, because alarms cost money. prod always has them: it must not be deployed
 * without a target.
 */
export function alarmsMade(stage: Stage): readonly AlarmRow[] {
  const notifiesSomeone = stage.alarmTargets.page.length + stage.alarmTargets.ticket.length > 0;
  return notifiesSomeone || stage.name === 'prod' ? alarmsOf(stage) : [];
}
