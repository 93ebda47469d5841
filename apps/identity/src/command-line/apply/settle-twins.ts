import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT_CODES } from '@app/database';
import { CommandLineError } from '../command-line.errors.js';

const PAUSE_MS = 250;
/** Others remove theirs with their next requests. */
const MAX_LOOKS = 12;
/** Another run may go through all its looks before it removes its own. */
const MAX_FURTHER_LOOKS = 5 * MAX_LOOKS;

export interface Twins {
  /** The object that this run has just created. */
  readonly ownId: string;
  /** The ids of all objects of this name, also those that other runs have created. */
  readonly list: () => Promise<readonly string[]>;
  readonly removeOwn: () => Promise<void>;
}

/**
 * Leaves one of the objects that several runs have created at the same time: no creation of the API takes an `Idempotency-Key`. A run keeps its
 * object when it sees no other, or when its id is the smallest and the others go away. A run that looked before the others had created theirs keeps its
 * own in any case, which does not go away for them, so that they remove theirs.
 * @returns the id that is left
 * @throws CommandLineError where the runs have removed all of them, as after a long pause of one
 */
export async function settleTwins({ ownId, list, removeOwn }: Twins): Promise<string> {
  for (let look = 1; look <= MAX_LOOKS; look++) {
    const others = (await list()).filter((id) => id !== ownId);
    if (others.length === 0) return ownId;
    if (others.some((id) => id < ownId)) break;
    await sleep(PAUSE_MS);
  }
  await removeOwn();
  for (let look = 1; look <= MAX_FURTHER_LOOKS; look++) {
    const [left, ...more] = (await list()).filter((id) => id !== ownId);
    if (left !== undefined && more.length === 0) return left;
    await sleep(PAUSE_MS);
  }
  throw new CommandLineError(
    'Other runs of the command make the same at the same time. Run it again once they have ended.',
    EXIT_CODES.failed,
  );
}
