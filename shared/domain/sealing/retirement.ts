import type { SealingKeys } from './ports.ts';

/** Why a sealing key cannot be retired at `now` (milliseconds), whatever rows there are; undefined where it can. */
export function retirementRefusal(
  version: number,
  { current, versions, settledAt }: SealingKeys,
  now: number,
): string | undefined {
  if (!versions.includes(version)) return `There is no sealing key version ${version}.`;
  if (version === current) return `Version ${version} is the current one: rotate first.`;
  if (now >= settledAt) return undefined;
  return `Functions may still seal by an older version until ${new Date(settledAt).toISOString()}: try again then.`;
}
