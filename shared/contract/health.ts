import * as z from 'zod/mini';
import { described } from './described.ts';
import { momentField, okay } from './fields.ts';

export const healthView = described(
  z.object({
    ok: okay(),
    version: described(z.string(), 'Versão da interface, a de info.version neste documento.'),
    uptime_s: described(z.int(), 'Há quantos segundos está de pé o processo que respondeu; cada um conta o seu.'),
    timestamp: momentField('Relógio do serviço, UTC.'),
  }),
  { id: 'Saude' },
);
