import { BANK_LIST, type BankIdentity } from './bank-list.ts';
import { fold } from './nearest-name.ts';

export type Bank = keyof typeof BANK_LIST;

export const isBank = (text: string): text is Bank => Object.hasOwn(BANK_LIST, text);

export const BANKS: readonly Bank[] = /* @__PURE__ */ Object.keys(BANK_LIST).filter(isBank);
export const BANK_IDENTITIES: Readonly<Record<Bank, BankIdentity>> = BANK_LIST;

export const bankName = (bank: Bank) => BANK_IDENTITIES[bank].names[0];

const BY_ANY_NAME: ReadonlyMap<string, Bank> = /* @__PURE__ */ new Map(
  BANKS.flatMap((bank) =>
    [bank, String(BANK_IDENTITIES[bank].id), ...BANK_IDENTITIES[bank].names.map(fold)].map(
      (name) => [name, bank] as const,
    ),
  ),
);

/** Case, accents and extra blanks do not count. Undefined if no bank has the name. */
export const bankCalled = (name: string): Bank | undefined => BY_ANY_NAME.get(fold(name));
