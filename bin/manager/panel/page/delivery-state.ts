import type { DeliveryState, Environment } from './words.ts';

/** How a state is coloured. */
export const STATE_TONES: Readonly<Record<DeliveryState, 'good' | 'bad' | 'warn' | 'calm'>> = {
  pendente: 'calm',
  entregue: 'good',
  esgotada: 'bad',
  suspensa: 'warn',
  sem_destino: 'warn',
};

/** What of a partner's deliveries is shown. */
export interface DeliveryFilters {
  readonly state: DeliveryState | '';
  readonly environment: Environment | '';
  readonly unit: string;
  readonly analysis: string;
  /** As an input of type datetime-local holds them. */
  readonly since: string;
  readonly until: string;
}
