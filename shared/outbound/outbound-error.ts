/** Why a request brought no usable answer: a closed set, which each adapter maps to its own words. */
export type OutboundFault = 'blocked' | 'dns' | 'connection' | 'tls' | 'timeout' | 'aborted' | 'too_large';

/** A request that failed. The message is for people: it may name hosts and addresses, never what was sent. */
export class OutboundError extends Error {
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}
