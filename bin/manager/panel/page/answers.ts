import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Instant, Milliseconds } from '#shared/domain/values/time.ts';
import { onFailedChange } from './api.ts';

/**
 * Reads an answer when the screen opens, when an element of `by` changes, and after a change that failed, because that
 * change may have been made. If an element of `by` changes, the old answer is removed first. Else the old answer stays
 * during the read, also if the read fails. `load` receives a function that returns whether the answer is still wanted.
 */
export function useAnswer<Answer>(load: (current: () => boolean) => Promise<Answer>, by: readonly unknown[]) {
  const [state, setState] = useState<{ answer?: Answer; error?: unknown; readAt?: Instant; loading: boolean }>({
    loading: true,
  });
  const round = useRef(0);
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(() => {
    const ownRound = ++round.current;
    setState(({ answer, readAt }) => ({ answer, readAt, loading: true }));
    latest
      .current(() => ownRound === round.current)
      .then(
        (answer) => ownRound === round.current && setState({ answer, readAt: Date.now(), loading: false }),
        // The old answer stays: the screen made from it may show a key that is shown only once.
        (error: unknown) => ownRound === round.current && setState((kept) => ({ ...kept, error, loading: false })),
      );
  }, []);
  // Asks again only if `by` changes: the question depends on nothing else.
  useEffect(() => {
    setState({ loading: true });
    reload();
    onFailedChange.add(reload);
    return () => {
      onFailedChange.delete(reload);
      round.current++;
    };
  }, [reload, ...by]);
  return { answer: state.answer, error: state.error, readAt: state.readAt, loading: state.loading, reload };
}
export type Answered<Answer> = ReturnType<typeof useAnswer<Answer>>;

/**
 * Looks for a text once the person has not typed for `quiet`, unless the text is too short. `look` receives a function
 * that says whether the result is still wanted.
 */
export function useTyped<Found>(
  typed: string,
  tooLittle: boolean,
  quiet: Milliseconds,
  look: (current: () => boolean) => Promise<Found>,
): { readonly found: Found | undefined; readonly error: unknown; readonly reload: () => void } {
  const [state, setState] = useState<{ found?: Found; error?: unknown }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    setState({});
    if (tooLittle) return;
    let current = true;
    const timer = setTimeout(() => {
      look(() => current).then(
        (found) => current && setState({ found }),
        (error: unknown) => current && setState({ error }),
      );
    }, quiet);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [typed, round]);
  return { found: state.found, error: state.error, reload: () => setRound((last) => last + 1) };
}

export function useWork() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/** Starts again whenever an element of `by` changes. */
export function usePages<Row>(load: (cursor: string | undefined) => Promise<Page<Row>>, by: readonly unknown[]) {
  const [rest, setRest] = useState<{ rows: readonly Row[]; next: string | null }>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  // Counts how often the list was started. A page that was asked for before the last start is dropped.
  const generation = useRef(0);
  const first = useAnswer(async () => {
    generation.current++;
    setRest(undefined);
    setError(undefined);
    return load(undefined);
  }, by);
  const next = rest ? rest.next : (first.answer?.next ?? null);
  const rows = first.answer && (rest ? first.answer.rows.concat(rest.rows) : first.answer.rows);
  const onMore = async () => {
    if (next === null || busy) return;
    setBusy(true);
    const ownGeneration = generation.current;
    try {
      const page = await load(next);
      if (ownGeneration === generation.current)
        setRest({ rows: (rest?.rows ?? []).concat(page.rows), next: page.next });
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return {
    rows,
    error: first.error ?? error,
    loading: first.loading || busy,
    readAt: first.readAt,
    more: next !== null,
    onMore: () => void onMore(),
    reload: first.reload,
  };
}
export type Pages<Row> = ReturnType<typeof usePages<Row>>;
