/**
 * GET /v1/leads/{id} as an Express application behind serverless-http. It uses the same table, schemas and answers,
 * without our HTTP layer.
 */
import express from 'express';
import serverless from 'serverless-http';
import { leadFound, leadFoundBody } from '#shared/contract/lead.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import * as wiring from '#shared/wiring.ts';

const app = express();
app.use(express.json());
app.get('/v1/leads/:id', async (request, response) => {
  const caller = await wiring.apiKeyAuth().authenticate(request.get('x-api-key') ?? '');
  const lead = await wiring.leads().get(caller, Number(request.params.id) as LeadId);
  if (!lead) throw new Failure('nao_encontrado');
  response.json(leadFound.parse(leadFoundBody(lead)));
});

export const handler = serverless(app);
