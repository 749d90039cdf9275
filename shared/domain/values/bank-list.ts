export interface BankIdentity {
  /** Number on the wire (`banco_id`), 1 to LARGEST_BANK_ID. Stored ids carry it: never changed, never given again. */
  readonly id: number;
  /** The name that people use first, other names after it. */
  readonly names: readonly [string, ...string[]];
}

/**
 * The banks, in the order of every list, by the nickname that wire and rows carry. This is the only list of them:
 * functions/README.md says what else a new one needs.
 */
export const BANK_LIST = {
  bradesco: { id: 1, names: ['Bradesco', 'Banco Bradesco'] },
  itau: { id: 2, names: ['Itaú', 'Itaú Unibanco', 'Banco Itaú'] },
  santander: { id: 3, names: ['Santander', 'Banco Santander'] },
  inter: { id: 4, names: ['Inter', 'Banco Inter'] },
  brb: { id: 5, names: ['BRB', 'Banco de Brasília'] },
  cashme: { id: 6, names: ['CashMe'] },
} as const satisfies Readonly<Record<string, BankIdentity>>;
