import { expect, it, jest } from '@jest/globals';
import { MoneyModel } from './money-model.js';

jest.setTimeout(400_000);

/** Seeds whose steps differ; each takes about 20 s. */
const SEEDS = [1, 2];
const STEPS = 40;

/** `FAULT_SEED=7` repeats one run, `FAULT_SEEDS=20` runs the seeds from 1 to 20. */
function chooseSeeds(): number[] {
  const { FAULT_SEED, FAULT_SEEDS } = process.env;
  if (FAULT_SEED) return [Number(FAULT_SEED)];
  return FAULT_SEEDS ? Array.from({ length: Number(FAULT_SEEDS) }, (_, index) => index + 1) : SEEDS;
}

it.each(
  chooseSeeds().flatMap((seed) => [
    { seed, sender: 'executors', hasBundler: false },
    { seed, sender: 'a bundler', hasBundler: true },
  ]),
)(
  'account-kit with $sender: pays once, leaves no lane dead and gives reservations back, in the random interleaving of FAULT_SEED=$seed',
  async ({ seed, sender, hasBundler }) => {
    const model = await MoneyModel.start({ hasBundler, seed, steps: STEPS });
    try {
      await model.run();
      const { text, payments } = await model.summarize();
      process.stdout.write(`account-kit with ${sender}, FAULT_SEED=${seed}: ${text}\n`);
      expect(payments).toBeGreaterThan(0);
    } finally {
      await model.stop();
    }
  },
);
