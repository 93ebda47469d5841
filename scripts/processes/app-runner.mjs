import { startApps, untilReady } from './app-processes.mjs';
import { lastLines } from './log-file.mjs';
import { watchLog } from './log-watch.mjs';

/** @import { App } from '../suite/apps.mjs' */
/** @import { LoggedChild } from './children.mjs' */

/** @typedef {ReturnType<typeof createAppRunner>} AppRunner */

/** How much of its log is shown of an app that has ended. */
const SHOWN_LINES = 12;

/**
 * Starts the apps, and starts single ones again. The end of a watched app is said and does not end the run: its next change starts it.
 * @param {object} options
 * @param {import('./children.mjs').Children} options.children
 * @param {string} options.root
 * @param {(app: import('../suite/apps.mjs').App) => NodeJS.ProcessEnv} options.environmentOf
 * @param {readonly string[]} options.watched names of the apps that have an inspector and may end
 * @param {import('./children.mjs').Child} [options.postgres] absent where the database is not ours
 * @param {(line: string) => void} options.say
 */
export function createAppRunner({ children, root, environmentOf, watched, postgres, say }) {
  /**
   * The app, its process, and what ends the watch of its log, by the app's name.
   * @type {Map<string, { app: App, child: LoggedChild, endLogWatch: () => void }>}
   */
  const running = new Map();
  /** @type {WeakSet<LoggedChild>} */
  const stopping = new WeakSet();
  let isClosed = false;

  /** @param {{ name: string }} options */
  const isWatched = ({ name }) => watched.includes(name);
  /** @param {App} app */
  const nodeOptions = (app) =>
    isWatched(app) ? ['--enable-source-maps', `--inspect=127.0.0.1:${app.inspectorPort}`] : [];

  /** @param {App[]} apps */
  async function start(apps) {
    const started = startApps({ children, root, apps, environment: environmentOf, nodeOptions });
    for (const app of started) {
      const { name, child } = app;
      running.get(name)?.endLogWatch();
      running.set(name, { app, child, endLogWatch: watchLog(name, child.logFile, say) });
      child.expected = isWatched(app);
    }
    // The database outlives the apps even when nobody is left to end them in order.
    const users = [...running.values()].flatMap(({ child }) => child.processes);
    if (postgres?.process.connected) postgres.process.send({ users });
    const mayEnd = started.filter(isWatched);
    await Promise.race([untilReady(started), ...mayEnd.map(rejectAtEnd)]);
    for (const app of mayEnd) sayEnd(app);
  }

  /** @param {string} name of an app that was started */
  function known(name) {
    const found = running.get(name);
    if (found === undefined) throw new Error(`${name} was not started`);
    return found;
  }

  /**
   * Says that an app which was ready has ended by itself.
   * @param {{ name: string, child: LoggedChild }} options
   */
  function sayEnd({ name, child }) {
    void child.ended.then((how) => {
      if (running.get(name)?.child === child && !stopping.has(child) && !isClosed)
        say(`[${name}] ended: ${how}. Its next change starts it again. (${child.logFile})`);
    });
  }

  return {
    start,

    /**
     * Ends an app and starts it from its bundle as that is now.
     * @param {string} name
     * @throws Error if it does not become ready
     */
    async restart(name) {
      const { app, child } = known(name);
      stopping.add(child);
      await children.stop(child);
      await start([app]);
    },

    /** @param {string} name @returns {boolean} whether the process of an app is there */
    isRunning: (name) => children.all().some((child) => child === running.get(name)?.child),

    /** The end of an app is nothing to be said from now on. */
    close: () => (isClosed = true),

    endLogWatches() {
      for (const { endLogWatch } of running.values()) endLogWatch();
    },
  };
}

/** @param {{ name: string, child: LoggedChild }} options @returns {Promise<never>} */
async function rejectAtEnd({ name, child }) {
  const how = await child.ended;
  throw new Error([`${name} ended: ${how}`, ...lastLines(child.logFile, SHOWN_LINES)].join('\n    '));
}
