export interface BankIdentity {
  /**
   * Number of the bank on the wire (`banco_id`), from 1 to LARGEST_BANK_ID. Stored ids of simulations contain it:
   * never change a bank's number, and never give it to another bank.
   */
  readonly id: number;
  /** The first is the name that people use. */
  readonly names: readonly [string, ...string[]];
}

/** Every list of banks has this order. functions/README.md says what else a new bank needs. */
export const BANK_LIST = {
  bradesco: { id: 1, names: ['Bradesco', 'Banco Bradesco'] },
  itau: { id: 2, names: ['Itaú', 'Itaú Unibanco', 'Banco Itaú'] },
  santander: { id: 3, names: ['Santander', 'Banco Santander'] },
  inter: { id: 4, names: ['Inter', 'Banco Inter'] },
  brb: { id: 5, names: ['BRB', 'Banco de Brasília'] },
  cashme: { id: 6, names: ['CashMe'] },
} as const satisfies Readonly<Record<string, BankIdentity>>;
