import * as z from 'zod/mini';
import type { EvidenceFault } from '../domain/values/evidence.ts';

export const keptAs = (
  faultOf: (text: string) => EvidenceFault | undefined,
  sentences: Readonly<Record<EvidenceFault, string>>,
) =>
  z.check<string>(({ value, issues }) => {
    const fault = faultOf(value);
    if (fault !== undefined) issues.push({ code: 'custom', message: sentences[fault], input: value });
  });
