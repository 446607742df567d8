import { NodeDigest } from '../../../../src/adapters/outbound/system/node-digest.ts';
import { SystemClock } from '../../../../src/adapters/outbound/system/system-clock.ts';
import { SystemRandomness } from '../../../../src/adapters/outbound/system/system-randomness.ts';
import { clockContract } from '../../../contracts/clock.contract.ts';
import { digestContract } from '../../../contracts/digest.contract.ts';
import { randomnessContract } from '../../../contracts/randomness.contract.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { SeededRandomness } from '../../../fakes/seeded-randomness.ts';

clockContract('SystemClock', () => ({ clock: new SystemClock(), pass: async () => {} }));
clockContract('FakeClock', () => {
  const clock = new FakeClock();
  return { clock, pass: (ms) => clock.advance(ms) };
});

randomnessContract('SystemRandomness', () => new SystemRandomness());
randomnessContract('SeededRandomness', () => new SeededRandomness(42));

digestContract('NodeDigest', () => new NodeDigest());
