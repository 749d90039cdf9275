import { setImmediate as turn } from 'node:timers/promises';
import { it, vi } from 'vitest';
import { seededRandom } from '#infra/local/aws/aws-like/settings.ts';
import { intercepted, shuffled } from '../makers/intercepted.ts';
import { makePartner } from '../makers/peers.ts';
import { cpfFrom } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';
import { Erasable } from './erasable.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

const SOAK = Boolean(process.env['SOAK']);
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const SEEDS =
  process.env['SEEDS']?.split(',').map(Number) ?? Array.from({ length: SOAK ? 30 : 5 }, (_, index) => index + 1);

const scene = useScene();

it.each(SEEDS)(
  'an erasure leaves nothing of the person while other calls, poller and sweeper run in any order (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    let now = 0;
    const story = await Erasable.begin({
      ...{ scene, partner: await makePartner(), clock: () => ++now, cpfs: [cpfFrom(seed)], mayBeUnavailable: false },
      one: (of) => of[Math.floor(random() * of.length)]!,
      call: async (run) => {
        const start = ++now;
        const result = await intercepted(shuffled(random), run);
        return { start, end: ++now, lost: false, result };
      },
    });
    await story.create();
    await story.simulate();
    if (random() < 0.7) {
      await story.submit();
      // Some analyses are decided by now, and wait for the poller that runs in the race.
      passTime(61_000);
    }
    const { erase, submit, simulate, patch, create, read, sweep } = story;
    const twice = [erase, submit, simulate, patch, create, read].flatMap((step) => [step, step]);
    const steps = [...[...twice, sweep].map((step) => step.bind(story)), () => scene.poll()];
    await Promise.all(
      steps.map(async (step) => {
        for (let turns = Math.floor(random() * 200); turns > 0; turns--) await turn();
        await step();
      }),
    );
    for (let minute = 0; minute < 3; minute++) await scene.tick();
    await story.expectEnd();
  },
);
