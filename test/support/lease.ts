import { setTimeout as sleep } from 'node:timers/promises';

interface Leased {
  stop: () => Promise<unknown>;
}

const worlds = new Map<string, Promise<Leased>>();
/** The runner kills a worker one second after it disconnected from it. */
const STOP_MS = 800;

/**
 * A world that the test files of one worker use one after another, started by the first of them. A test leaves nothing
 * behind that another one sees: it makes clients, users and applications of its own. Worlds that are configured,
 * killed or counted are started with `start` instead.
 */
export function lease<T extends Leased>(name: string, start: () => Promise<T>): Promise<T> {
  const running = worlds.get(name);
  if (running !== undefined) return running as Promise<T>;
  const world = start();
  worlds.set(name, world);
  // The next file starts it anew, instead of failing by an error that is not its own.
  world.catch(() => worlds.delete(name));
  return world;
}

process.once('disconnect', () => {
  const stops = [...worlds.values()].map(async (world) => (await world).stop());
  void Promise.race([Promise.allSettled(stops), sleep(STOP_MS)]).finally(() => process.exit());
});
