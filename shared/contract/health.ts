import * as z from 'zod';
import { okay } from './fields.ts';

export const healthView = z
  .object({
    ok: okay(),
    version: z
      .string()
      .meta({ description: 'Versão da interface, a de info.version neste documento.', example: '1.0.0' }),
    uptime_s: z.int().meta({
      description: 'Há quantos segundos está de pé o processo que respondeu; cada um conta o seu.',
      example: 42,
    }),
    timestamp: z
      .string()
      .meta({ description: 'Relógio do serviço, UTC.', format: 'date-time', example: '2026-11-24T16:15:54.064Z' }),
  })
  .meta({ id: 'Saude' });
