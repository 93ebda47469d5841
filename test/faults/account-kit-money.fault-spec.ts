import { it, jest } from '@jest/globals';
import { faultSeed } from '../support/seeded-random.js';
import { MoneyModel } from './money-model.js';

jest.setTimeout(400_000);

const SEED = faultSeed();
/** A cancelled operation that never failed a simulation stays `signed` after its cancellation is final, and its client hears nothing. */
const HAS_CANCELLATIONS = false;
const STEPS = 40;

it.each([
  ['executors', false],
  ['a bundler', true],
])(
  `account-kit with %s: pays once, leaves no lane dead and gives reservations back, in a random interleaving (FAULT_SEED=${SEED})`,
  async (_, hasBundler) => {
    process.stdout.write(`account-kit-money runs with FAULT_SEED=${SEED}\n`);
    const model = await MoneyModel.start({ hasBundler, hasCancellations: HAS_CANCELLATIONS, seed: SEED });
    try {
      await model.run(STEPS);
      await model.check();
      process.stdout.write(`account-kit-money: ${await model.summarize()}\n`);
    } finally {
      await model.stop();
    }
  },
);
