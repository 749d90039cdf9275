import * as z from 'zod';
import { analysisInput, hasSpouse, SPOUSE } from '../../contract/analysis.ts';
import { MARITAL_STATUSES } from '../../domain/leads/lead.ts';

/**
 * The submission as partners must send it. The service leaves the four fields of the consent to a check of their own,
 * which answers another status; to partners they are required like the others.
 */
export const submissionSchema = analysisInput
  .required({ consentimento_timestamp: true, consentimento_ip: true, consentimento_canal: true })
  .extend({ consentimento: z.literal(true).meta({ ...analysisInput.shape.consentimento.meta() }) })
  .meta({
    id: 'AnaliseNova',
    anyOf: [
      {
        title: 'Sem cônjuge',
        properties: { estado_civil: { enum: MARITAL_STATUSES.filter((status) => !hasSpouse(status)) } },
      },
      {
        title: 'Com cônjuge',
        properties: { estado_civil: { enum: MARITAL_STATUSES.filter(hasSpouse) } },
        required: [...SPOUSE],
      },
    ],
  });
