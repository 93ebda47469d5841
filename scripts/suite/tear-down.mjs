import { messageOf } from '../processes/error-facts.mjs';

/** @import { Running, Tools } from './bring-up.mjs' */
/** @import { Child } from '../processes/children.mjs' */

/**
 * Ends everything in order: what is half done, then the gateway, so that nothing new comes in while the apps behind
 * it still answer, then those, then what they stand on.
 * @param {Tools & { running: Running, isHurried: () => boolean }} options
 */
export async function tearDown({ children, running, progress, isHurried }) {
  children.close();
  /** @param {(child: Child) => boolean} choose */
  const stopAll = (choose) =>
    Promise.all(
      children
        .all()
        .filter(choose)
        .map((child) => children.stop(child)),
    );
  await stopAll(({ kind, name }) => kind === 'guard' && !SERVICES.includes(name));
  await stopAll(({ name }) => name === 'gateway');
  await stopAll(({ kind }) => kind === 'app');
  if (!isHurried()) await keepChain({ children, running, progress });
  await stopAll(() => true);
  for (const end of running.onEnd) end();
}

const SERVICES = ['postgres', 'anvil'];

/** @param {Tools & { running: Running }} options */
async function keepChain({ children, running, progress }) {
  if (!running.keepChain || !children.all().some(({ name }) => name === 'anvil')) return;
  try {
    await running.keepChain();
  } catch (error) {
    progress.say(`The state of the local chain is not kept: ${messageOf(error)}`);
  }
}
