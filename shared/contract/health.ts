import * as z from 'zod';
import { momentField, okay } from './fields.ts';

export const healthView = z
  .object({
    ok: okay(),
    version: z.string().describe('Versão da interface, a de info.version neste documento.'),
    uptime_s: z.int().describe('Há quantos segundos está de pé o processo que respondeu; cada um conta o seu.'),
    timestamp: momentField('Relógio do serviço, UTC.'),
  })
  .meta({ id: 'Saude' });
