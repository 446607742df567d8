import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith } from '../support/capabilities.ts';
import { rounds } from '../support/rounds.ts';
import { together } from './crash-load.ts';
import { anyOf, type CrashScene, type Ground, survives } from './crash-scene.ts';

const KILLS = rounds(2, 200);
/** After it is ready; most of its jobs take less. */
const MAX_LIFE_MS = 4_000;

async function strike({ replicas, load, blows }: CrashScene<Ground>): Promise<void> {
  const service = anyOf(replicas, 0);
  let kills = 0;
  const killing = async (): Promise<void> => {
    for (; kills < KILLS; kills += 1) {
      await sleep(Math.random() * MAX_LIFE_MS);
      await service.kill9();
      await service.start();
      blows['kill'] = kills + 1;
    }
  };
  await together(
    killing(),
    // each kill may end the two jobs that run: three of each script leave enough that nothing disturbs
    load.drive((own) => own > 2 && kills >= KILLS),
  );
}

describeWith(['fleet', 'rsync'], `one service on SQLite that is killed ${KILLS} times`, () =>
  // each of its backups that runs dies with it
  survives(
    {
      replicas: 1,
      hosts: 1,
      leastDone: 1 / 4,
      makeGround: async () => ({ url: null, stop: async () => {} }),
    },
    strike,
  ),
);
