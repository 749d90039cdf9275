import type { Instant } from '../values/time.ts';
import type { Analysis } from './analysis.ts';
import type { Span } from './poll-cursor.ts';
import type { Analyses } from './ports.ts';

/** An analysis that is due, and the span in which it was read. */
export interface DueAnalysis {
  readonly analysis: Analysis;
  readonly span: Span;
  /** How many were read before it. */
  readonly place: number;
}

export interface DueReader {
  /** The next analysis; undefined at the end. Throws what the table throws. */
  next(): Promise<DueAnalysis | undefined>;
  /**
   * The spans still to do: from the first of `held` (read but not asked about, in reading order), else from the next
   * unread analysis.
   */
  left(held: readonly DueAnalysis[]): Span[];
}

/** The pending analyses of some spans in their order, a page at a time and only as they are asked for. */
export function dueReader(analyses: Pick<Analyses, 'pending'>, spans: readonly Span[]): DueReader {
  let index = 0;
  let page: readonly Analysis[] = [];
  let used = 0;
  let begun = false;
  let after: string | undefined;
  let place = 0;

  /** Creation time from which the current span is unread. The last of a page comes again: others may share its millisecond. */
  const unreadFrom = (span: Span): Instant => (page[used] ?? page.at(-1))?.createdAt ?? span.from;

  return {
    async next() {
      for (;;) {
        const span = spans[index];
        if (!span) return undefined;
        const analysis = page[used];
        if (analysis) {
          used += 1;
          return { analysis, span, place: place++ };
        }
        if (begun && after === undefined) {
          index += 1;
          begun = false;
          page = [];
          used = 0;
          continue;
        }
        const read = await analyses.pending(span.partition, span, after);
        ({ items: page, next: after } = read);
        used = 0;
        begun = true;
      }
    },

    left(held) {
      const [first] = held;
      if (first) {
        const { span, analysis } = first;
        return [{ ...span, from: analysis.createdAt }, ...spans.slice(spans.indexOf(span) + 1)];
      }
      const span = spans[index];
      if (!span) return [];
      const spent = begun && after === undefined && used === page.length;
      const rest = spans.slice(index + 1);
      return spent ? rest : [{ ...span, from: unreadFrom(span) }, ...rest];
    },
  };
}
