let heard: string[] = [];

/** Takes what a part of the service has written, to be looked through after the test that caused it. */
export function overhear(text: string): void {
  heard.push(text);
}

/** All that was heard since the last call. */
export function takeHeard(): string[] {
  const all = heard;
  heard = [];
  return all;
}
