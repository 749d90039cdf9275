import { addDays, type Day, dayOf } from '#shared/domain/values/clock.ts';
import type { Stage } from './stages.ts';

/** Runtime of all functions, and the day on which its support by Lambda ends. Source: AWS Lambda, Runtimes. */
export const RUNTIME = { name: 'nodejs24.x', end: dayOf('2028-04-30') } as const;

export interface End {
  readonly what: string;
  readonly day: Day;
  /** Days before the end from which doctor reports the end. */
  readonly notice: number;
  readonly cure: string;
}

/** infra/README.md, What ends, also lists the days that the code does not know. */
export function endsOf({ support }: Pick<Stage, 'support'>): readonly End[] {
  const contact: End = {
    what: 'security.txt',
    day: dayOf(support.contactUntil),
    notice: 60,
    cure: 'set support.contactUntil in infra/stages.ts',
  };
  const runtime: End = {
    what: `support of ${RUNTIME.name}`,
    day: RUNTIME.end,
    notice: 365,
    cure: 'move to the next runtime: infra/README.md, What ends',
  };
  return [contact, runtime].sort((a, b) => (a.day < b.day ? -1 : 1));
}

export const isNear = ({ day, notice }: End, today: Day): boolean => addDays(today, notice) >= day;
