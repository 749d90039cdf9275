import { MOST_KEPT } from '../../../../shared/domain/webhooks/waiting.ts';

/** How many events are kept: the service counts up to a number, which stands for more too. */
export const keptText = (kept: number) => (kept === MOST_KEPT ? `${kept} ou mais` : String(kept));
