/** DynamoDB adds this to each list and map, and 1 byte to each of their entries. */
const CONTAINER = 3;
const ENTRY = 1;

/**
 * Bytes of an item as DynamoDB counts them for its limits and its capacity units: names and texts in UTF-8, a number
 * by its digits, a null or a boolean 1. Source: DynamoDB developer guide, "Item sizes and formats".
 */
export function itemBytes(item: Readonly<Record<string, unknown>>): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).replace(/\D/g, '').length / 2) + 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + valueBytes(one) + ENTRY, CONTAINER);
  if (typeof value === 'object' && value !== null) {
    return itemBytes(value as Record<string, unknown>) + CONTAINER + ENTRY * Object.keys(value).length;
  }
  return 1;
}
