import { describe, expect, it } from 'vitest';
import { usePeers } from '../../makers/peers.ts';
import { useManager } from '../../makers/served-administration.ts';

const peers = usePeers();
const manager = useManager(peers);

describe("the operator's token", () => {
  it('is written from standard input, and shown nowhere', async () => {
    const token = 'operator-token-0123456789';
    const call = ['operator', 'set-token', '--reason', 'operator rotated it', '--yes'];
    const ran = await manager(call, { input: `${token}\n` });
    expect(ran.code).toBe(0);
    expect(ran.out + ran.err).not.toContain(token);
    expect(peers.secrets.current(process.env['OPERATOR_TOKEN_SECRET']!)).toBe(token);
    const audit = await manager(['audit', 'list', '--service', '--json']);
    const row = audit.json().find(({ action }: { action: string }) => action === 'set-operator-token');
    expect(row).toMatchObject({ outcome: 'done', reason: 'operator rotated it' });
    expect(audit.out).not.toContain(token);
  });

  it.each(['', 'short', 'has a space in the middle of it', 'first-line-of-a-file\nsecond-line-of-it'])(
    'is refused as %j',
    async (input) => {
      const before = peers.secrets.current(process.env['OPERATOR_TOKEN_SECRET']!);
      const ran = await manager(['operator', 'set-token', '--reason', 'r', '--yes'], { input });
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('that is no bearer token')]);
      expect(peers.secrets.current(process.env['OPERATOR_TOKEN_SECRET']!)).toBe(before);
    },
  );
});
