/** Returns a value in which bytes are written as `{ "bytes": base64 }`. Throws an Error for a set, which JSON cannot hold. */
function writable(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (value instanceof Set) throw new Error('a record cannot hold a set');
  if (Array.isArray(value)) return value.map(writable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, writable(part)]));
}
/** Reads bytes back that `writable` has written. */
const bytesBack = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'bytes' in value && typeof value.bytes === 'string'
    ? Buffer.from(value.bytes, 'base64')
    : value;

/** Returns a value as it is after it was written to a record and read again. */
export const asRecorded = <T>(value: T): T => JSON.parse(JSON.stringify(writable(value)), bytesBack);
