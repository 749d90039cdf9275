import type { Instant } from '../values/time.ts';
import type { Analysis } from './analysis.ts';
import type { Span } from './poll-cursor.ts';
import type { Analyses } from './ports.ts';

/** An analysis that is due, and the span that it was read from. */
export interface DueAnalysis {
  readonly analysis: Analysis;
  readonly span: Span;
  /** Number of analyses that the reader returned before this one. */
  readonly place: number;
}

export interface DueReader {
  /** Returns the next analysis. Undefined at the end. Throws if the table cannot be read. */
  next(): Promise<DueAnalysis | undefined>;
  /**
   * Returns the spans that remain: from the first analysis in `unasked`, or from the next unread analysis if `unasked`
   * is empty. `unasked` are analyses that were read and not asked about, in the order of reading.
   */
  remaining(unasked: readonly DueAnalysis[]): Span[];
}

/** Returns a reader of the pending analyses in these spans, in their order. It reads a page only when it is needed. */
export function dueReader(analyses: Pick<Analyses, 'pending'>, spans: readonly Span[]): DueReader {
  let index = 0;
  let page: readonly Analysis[] = [];
  let taken = 0;
  let started = false;
  let after: string | undefined;
  let place = 0;

  /**
   * Returns the creation time from which the current span must be read again. It includes the last analysis of a
   * finished page, because the next page may begin with analyses of the same millisecond.
   */
  const unreadFrom = (span: Span): Instant => (page[taken] ?? page.at(-1))?.createdAt ?? span.from;

  return {
    async next() {
      for (;;) {
        const span = spans[index];
        if (!span) return undefined;
        const analysis = page[taken];
        if (analysis) {
          taken += 1;
          return { analysis, span, place: place++ };
        }
        if (started && after === undefined) {
          index += 1;
          started = false;
          page = [];
          taken = 0;
          continue;
        }
        const read = await analyses.pending(span.partition, span, after);
        ({ items: page, next: after } = read);
        taken = 0;
        started = true;
      }
    },

    remaining(unasked) {
      const [first] = unasked;
      if (first) {
        const { span, analysis } = first;
        return [{ ...span, from: analysis.createdAt }, ...spans.slice(spans.indexOf(span) + 1)];
      }
      const span = spans[index];
      if (!span) return [];
      const isFinished = started && after === undefined && taken === page.length;
      const rest = spans.slice(index + 1);
      return isFinished ? rest : [{ ...span, from: unreadFrom(span) }, ...rest];
    },
  };
}
