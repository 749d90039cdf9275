import type { Context } from 'aws-lambda';
import { type ScheduledEvent, scheduledRun } from '#shared/runtime/background-runs.ts';
import { logInfo, logWarning } from '#shared/runtime/log.ts';
import { emit } from '#shared/runtime/metrics.ts';
import * as wiring from '#shared/wiring.ts';

let probe: ReturnType<typeof wiring.serviceProbe> | undefined;

/** Emits no metric until the key is written, so that a new stage does not look like an outage. */
export async function handler(tick: ScheduledEvent, context: Context): Promise<void> {
  await scheduledRun('probe-service', tick, context, look);
}

async function look(): Promise<void> {
  probe ??= wiring.serviceProbe();
  const seen = await probe.look();
  if (!seen) return logInfo('probe_without_key');
  const { faults, latency, certificateDays } = seen;
  const isWell = Object.keys(faults).length === 0;
  const metrics: { ProbeSuccess: number; ProbeLatency?: number; CertificateDays?: number } = {
    ProbeSuccess: isWell ? 1 : 0,
  };
  if (latency !== undefined) metrics.ProbeLatency = latency;
  if (certificateDays !== undefined) metrics.CertificateDays = certificateDays;
  emit({}, metrics);
  const { health = 'ok', signed_in = 'ok' } = faults;
  const facts = { health, signed_in, milliseconds: latency, certificate_days: certificateDays };
  if (isWell) logInfo('probe_completed', facts);
  else logWarning('probe_failed', facts);
}
