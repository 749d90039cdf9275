import { callerName } from '#shared/administration/caller-name.ts';
import type { Duty } from '#shared/administration/operation.ts';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { AUDIT_TARGET, DUTY, operationText, valueText } from './words.ts';

type Entry = AnswerOf<'list-audit'>['entries'][number];
type Target = Entry['target'];

/** `ana.lima@exemplo.com.br / gestão`. A role without a duty is shown by its own name. */
export function callerShown(arn: string): string {
  const caller = callerName(arn);
  if (!caller) return arn;
  const { person, duty, role } = caller;
  const acting = duty === undefined ? role : DUTY[duty];
  return acting === undefined ? person : `${person} / ${acting}`;
}

const isDuty = (word: string): word is Duty => Object.hasOwn(DUTY, word);

/** `caller` is an ARN as the audit shows it, or `ana@exemplo.com.br / manager, support`. */
export const userShown = (caller: string): string =>
  callerShown(caller).replace(/(?<=^|\/ |, )[a-z]+(?=, |$)/g, (word) => (isDuty(word) ? DUTY[word] : word));

/** A preview has the name of its change, so the text says that nothing changed. */
export const actionShown = ({ action, target }: Pick<Entry, 'action' | 'target'>): string =>
  target['dry_run'] === true ? `${operationText(action)}: só consulta, nada mudou` : operationText(action);

const ORDER = Object.keys(AUDIT_TARGET);
const placeOf = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

/** The facts have the same order in each row. A fact that is a caller's ARN is shown as the person. */
export function targetShown(
  target: Target,
  units: readonly { readonly unit_id: number; readonly name: string }[],
): readonly string[] {
  const facts = Object.entries(target)
    .filter(([name, value]) => value !== '' && name !== 'dry_run')
    .sort(([one], [other]) => placeOf(one) - placeOf(other));
  return facts.map(([name, value]) => {
    const unit = name === 'unit' ? units.find(({ unit_id }) => String(unit_id) === String(value)) : undefined;
    const text = callerShown(valueText(name, value));
    return `${AUDIT_TARGET[name] ?? name} ${text}${unit === undefined ? '' : ` (${unit.name})`}`;
  });
}
