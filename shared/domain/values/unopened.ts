/**
 * Something that was found and not yet looked into: its personal data is still sealed. `open` decrypts and parses it, and
 * throws where it cannot. What is read before its reader is admitted stays unopened until then.
 */
export interface Unopened<T> {
  open(): Promise<T>;
}
