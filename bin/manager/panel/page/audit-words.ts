import { callerName } from '#shared/administration/caller-name.ts';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { AUDIT_TARGET, DUTY, valueText } from './words.ts';

type Target = AnswerOf<'list-audit'>['entries'][number]['target'];

/** Returns who made a call: `ana.lima@exemplo.com.br / gestão`. A role that is named after no duty is named itself. */
export function callerShown(arn: string): string {
  const caller = callerName(arn);
  if (!caller) return arn;
  const { person, duty, role } = caller;
  const acting = duty === undefined ? role : DUTY[duty];
  return acting === undefined ? person : `${person} / ${acting}`;
}

/**
 * Returns the facts of a row in words. A fact that is a caller names the person. A unit among `units` is named, too.
 */
export function targetShown(
  target: Target,
  units: readonly { readonly unit_id: number; readonly name: string }[],
): readonly string[] {
  const facts = Object.entries(target).filter(([, value]) => value !== '');
  return facts.map(([name, value]) => {
    const unit = name === 'unit' ? units.find(({ unit_id }) => String(unit_id) === String(value)) : undefined;
    const text = callerShown(valueText(name, value));
    return `${AUDIT_TARGET[name] ?? name} ${text}${unit === undefined ? '' : ` (${unit.name})`}`;
  });
}
