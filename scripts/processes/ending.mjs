const SAME_KEY_PRESS_MS = 400;
const LOOK_AT_PARENT_MS = 250;

/** The run was asked to end: not a failure. */
export class EndRequested extends Error {}

/**
 * Watches for everything that ends a run: Ctrl-C, SIGTERM, a closed terminal, a parent that is gone (killing npm
 * does not kill what it runs), and a failure that is reported with `fail`.
 * @param {{ onAsked: (why: string) => void, onHurry: () => void }} options
 */
export function watchForEnd({ onAsked, onHurry }) {
  const parent = process.ppid;
  /** @type {number | undefined} */
  let firstSignal;
  /** @type {(error: Error) => void} */
  let over = () => undefined;
  /** @type {Promise<never>} */
  const ended = new Promise((_, reject) => (over = reject));
  ended.catch(() => undefined); // whoever races against it hears of it; between two races nobody listens

  /** @param {string} why */
  const ask = (why) => {
    onAsked(why);
    over(new EndRequested(why));
  };
  /** @param {NodeJS.Signals} name */
  const onSignal = (name) => {
    firstSignal ??= Date.now();
    // npm passes Ctrl-C on, though the terminal has sent it to everybody already: the second one is an echo.
    if (Date.now() - firstSignal > SAME_KEY_PRESS_MS) onHurry();
    else ask(name);
  };
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(name, onSignal);
  // Nobody reads any more when the terminal is gone; there is no place to report that to.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  setInterval(() => {
    if (process.ppid !== parent) ask('the parent process is gone');
  }, LOOK_AT_PARENT_MS).unref();

  return {
    /** Ends the run with an error. @param {Error} error */
    fail: (error) => {
      over(error);
    },
    /**
     * The outcome of the work, unless the run is ended before.
     * @template T
     * @param {Promise<T>} work
     * @returns {Promise<T>}
     */
    orEnd: (work) => Promise.race([work, ended]),
    /** Never resolves: rejects with what ended the run. */
    ended,
  };
}
