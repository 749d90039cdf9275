/** The upper bounds that the benches check, by the number of the budget in test/bench/README.md. */
export const BUDGETS = {
  11: { overBareNode: 4.5, firstOverSecondCall: 3, firstCallMs: 15, healthOverBareNode: 1.2 },
  /** Wall time, as a multiple of that of the SDK without our code. */
  12: { 'get-lead': { http: 1.45, TLS: 1.28 }, 'asking banks': { http: 1.95, TLS: 1.6 } },
  /** Microseconds. */
  14: { submitting: 300, reading: 60 },
  /** Seconds. A tick is the time in which a run of the poller may begin work. */
  15: { oneEach: 6.5, inBatches: 1.2, tick: 40 },
  /** Milliseconds. */
  16: { quote: 3, sixBanks: 15 },
  /** Megabytes. */
  17: { grownHeap: 5 },
  21: { pdf: { kilobytes: 300, ms: 60 }, comparison: { kilobytes: 100, ms: 80 }, grownHeapMb: 5 },
  /** Median of a partner's calls next to forged keys, as a multiple of the median without them. */
  22: { besideForgedKeys: 1.5 },
} as const;
