import type { PartnerId } from '../../shared/domain/values/ids.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';
import { describeDeliveryOverlaps } from '../flows/delivery-overlaps.suite.ts';
import { describeOverlaps } from '../flows/overlaps.suite.ts';
import { type SweepSize, seedsUpTo } from '../makers/interleaved.ts';
import { MemoryStore } from '../makers/memory-store.ts';
import { dueOf, MemoryWebhooks } from '../makers/memory-webhooks.ts';
import type { WebhookStore } from '../makers/overlapping-delivery.ts';
import { describeAnalyses } from '../table/analyses.suite.ts';
import { describeErasures } from '../table/erasures.suite.ts';
import { describeLeads } from '../table/leads.suite.ts';

// What a sweep in memory says of the domain holds as far as the rows in memory keep to what the table's adapters keep to.
describeAnalyses((clock) => new MemoryStore(clock));
describeLeads((clock) => new MemoryStore(clock).leads);
describeErasures((clock) => new MemoryStore(clock));

function memoryWebhooks(): WebhookStore {
  const memory = new MemoryWebhooks();
  return {
    deliveries: memory.deliveries,
    endpoints: memory.endpoints,
    makePartner: async (now) => {
      const partnerId = 3 as PartnerId;
      await memory.manager.set(partnerId, 'https://parceiro.example/', newWebhookSecret(), now);
      return partnerId;
    },
    book: async (delivery) => memory.book(delivery),
    enable: memory.manager.enable,
    resend: async ({ eventId }, now) => memory.resend(eventId, now),
    disable: memory.manager.disable,
    replay: async (eventId, now) => {
      const found = memory.delivery(eventId);
      if (!found) return { kind: 'absent' };
      if (found.state === 'pendente') return { kind: 'pending' };
      return { kind: 'due', due: dueOf(memory.book({ ...found, state: 'pendente', dueAt: now, wishedAt: now })) };
    },
  };
}

const SOAK = process.env['SOAK'] !== undefined;
const SIZE: SweepSize = { every: SOAK ? 1 : 3, seeds: seedsUpTo(SOAK ? 1_000 : 20), answersWait: true };
describeOverlaps((clock) => new MemoryStore(clock), SIZE);
describeDeliveryOverlaps(memoryWebhooks, SIZE);
