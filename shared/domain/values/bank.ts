import { fold } from './fold.ts';

/** The banks of the specification, by the nickname that the wire carries. */
export const BANKS = ['bradesco', 'itau', 'santander', 'inter', 'brb', 'cashme'] as const;
export type Bank = (typeof BANKS)[number];

interface BankIdentity {
  /** Number on the wire (`banco_id`), 1 to 6. */
  readonly id: number;
  /** The name that people use first, other names after it. */
  readonly names: readonly [string, ...string[]];
}

export const BANK_IDENTITIES: Readonly<Record<Bank, BankIdentity>> = {
  bradesco: { id: 1, names: ['Bradesco', 'Banco Bradesco'] },
  itau: { id: 2, names: ['Itaú', 'Itaú Unibanco', 'Banco Itaú'] },
  santander: { id: 3, names: ['Santander', 'Banco Santander'] },
  inter: { id: 4, names: ['Inter', 'Banco Inter'] },
  brb: { id: 5, names: ['BRB', 'Banco de Brasília'] },
  cashme: { id: 6, names: ['CashMe'] },
};

const BY_ANY_NAME: ReadonlyMap<string, Bank> = /* @__PURE__ */ new Map(
  BANKS.flatMap((bank) =>
    [bank, String(BANK_IDENTITIES[bank].id), ...BANK_IDENTITIES[bank].names.map(fold)].map(
      (name) => [name, bank] as const,
    ),
  ),
);

/** The bank that a nickname, name or id means, whatever its case and accents; undefined for any other text. */
export function bankCalled(name: string): Bank | undefined {
  return BY_ANY_NAME.get(fold(name));
}
