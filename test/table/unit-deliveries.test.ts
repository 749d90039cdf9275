import { tableDeliveries } from '../../shared/table/deliveries.ts';
import { tableUnitDeliveries } from '../../shared/table/unit-deliveries.ts';
import { disableWebhook, enableWebhook, setWebhook } from '../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';
import { bookOne } from '../makers/booked.ts';
import { usePeers } from '../makers/peers.ts';
import { describeUnitDeliveries } from './unit-deliveries.suite.ts';

usePeers();
describeUnitDeliveries((clock) => ({
  own: tableUnitDeliveries(clock),
  deliveries: tableDeliveries(clock),
  keep: bookOne,
  setEndpoint: (partnerId, now) => setWebhook(partnerId, 'https://hooks.parceiro.com.br/', newWebhookSecret(), now),
  disable: (partnerId, now) => disableWebhook(partnerId, 'manager', now),
  enable: enableWebhook,
}));
