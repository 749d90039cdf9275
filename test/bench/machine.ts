import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { median } from './bench.ts';

/** Microseconds that each operation took on the machine on which the budgets were set (test/bench/README.md). */
const REFERENCE_MACHINE = { encryption: 19, hash: 9 };
const CALLS = 20_000;
const ROUNDS = 5;

const key = randomBytes(32);
const row = randomBytes(900);

const OPERATIONS = {
  encryption() {
    const cipher = createCipheriv('aes-256-gcm', key, randomBytes(12));
    cipher.update(row);
    cipher.final();
    cipher.getAuthTag();
  },
  hash() {
    createHmac('sha256', key).update(row.subarray(0, 40)).digest('base64url');
  },
};

function microseconds(operation: () => void): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    for (let call = 0; call < CALLS; call++) operation();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / CALLS;
  });
  return median(rounds);
}

/**
 * Returns how many times slower this machine is than the one on which the budgets in milliseconds and microseconds were
 * set.
 */
export function slowness(): number {
  return Math.sqrt(
    (microseconds(OPERATIONS.encryption) / REFERENCE_MACHINE.encryption) *
      (microseconds(OPERATIONS.hash) / REFERENCE_MACHINE.hash),
  );
}
