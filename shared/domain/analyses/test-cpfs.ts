/** What each test CPF of the sandbox forces (contract, Sandbox). The analysis stores it instead of the CPF. */
export const TEST_CPFS = {
  '90000000175': 'aprovado',
  '90000000256': 'condicionado',
  '90000000337': 'recusado',
  '90000000418': 'cancelado',
  '90000000507': 'erro',
  '90000000680': 'pendente',
  '90000000760': 'aprovado_5min',
  '90000000841': 'entrega_falha',
  '90000000922': 'webhook_falha',
} as const;

export type ForcedOutcome = (typeof TEST_CPFS)[keyof typeof TEST_CPFS];

/** Whether a CPF, as its 11 digits, belongs to the sandbox and to nobody else. */
export const isTestCpf = (cpf: string): cpf is keyof typeof TEST_CPFS => Object.hasOwn(TEST_CPFS, cpf);
