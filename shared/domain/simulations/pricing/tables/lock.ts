import { createHash } from 'node:crypto';

/**
 * SHA-256 of the content of every published table. An entry is added together with its file, and is never changed or
 * removed, because stored offers are computed again from these figures. validate.ts prints the line that a new table
 * needs.
 */
export const LOCK: Readonly<Record<string, string>> = {
  'bradesco-2026-11': 'e836fd3254e38d1e9f26b864f39017eb655c683141a61d52c917cff9213f9fac',
  'brb-2026-11': '53caa0cfe23303c1738681a1ddd9d9b28da51fe9174f14852d5a7533df890b28',
  'cashme-2026-11': 'c191c4a8c6d7bc0a70fd264188b2c0f6e12579779cb257ee3d99e4c52831da39',
  'credit-tax-2015': 'cb0f457aeffa4c4100c21f493c00eefc38fad5ab6952c5cb77dd07e4d471690d',
  'housing-rules-2026-04': 'aa6a774e75ad5d0f66f9cb1018d5352b628b271a90970d62b3c37498df050a6a',
  'inter-2026-11': 'e5ccc549d74a58fbf918a13c4f6a90eb93243a0439bec54c1a269cee2f57f02f',
  'inter-2026-12': 'c8283794e100adb74d7249636f6480c92dff5bcfb417636f86bed0bdeb21dd42',
  'itau-2026-11': '50ada1a6f01662c242db701cb1b1a6824609946ad76d49c6386656e10fbb3f03',
  'market-mip-2025': 'ad04701ec4a44b9aa2ce4a641e1201462f50dc6cadc5f2471f14faa6a70b9b27',
  'santander-2026-11': '384297ac1c5c39669e181849a8aa49e1bdbb8dbe6821777467354251888d1442',
  'scenario-2026-07': '03e358c135de98592747cbd0367dce66b164ab9991bc03694190251011bb269a',
};

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`)
    .join(',')}}`;
}

/** Comments, layout and the order of keys do not change the result. */
export const fingerprint = (table: object): string => createHash('sha256').update(canonical(table)).digest('hex');
