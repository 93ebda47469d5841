/** @typedef {ReturnType<typeof createProgress>} Progress */

const REDRAW_MS = 100;
const REMIND_MS = 10_000;

/**
 * Shows one line per step with its duration: redrawn in place on a terminal, plain lines elsewhere.
 * @param {Pick<NodeJS.WriteStream, 'isTTY' | 'write'>} [out]
 */
export function createProgress(out = process.stdout) {
  /** @type {{ label: string, since: number } | undefined} */
  let shown;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  const clear = () => shown !== undefined && out.isTTY && out.write('\r\x1b[2K');
  const draw = () => shown !== undefined && out.write(`\r\x1b[2K  … ${shown.label} ${seconds(shown.since)}`);

  /** Prints a line above the running step. @param {string} line */
  function say(line) {
    clear();
    out.write(`${line}\n`);
    if (shown !== undefined && out.isTTY) draw();
  }

  return {
    say,

    /**
     * @template T
     * @param {string} label
     * @param {() => Promise<T> | T} work
     * @returns {Promise<T>}
     */
    async step(label, work) {
      const since = Date.now();
      shown = { label, since };
      timer = out.isTTY
        ? setInterval(draw, REDRAW_MS)
        : setInterval(() => out.write(`  … ${label} (still at it after ${seconds(since)})\n`), REMIND_MS);
      try {
        const result = await work();
        finish('ok');
        return result;
      } catch (error) {
        finish('--');
        throw error;
      }
    },

    /** Ends the running step's line: its work is no longer waited for. */
    interrupt() {
      finish('--');
    },
  };

  /** @param {'ok' | '--'} mark */
  function finish(mark) {
    if (shown === undefined) return;
    const { label, since } = shown;
    clearInterval(timer);
    clear();
    shown = undefined;
    out.write(`  ${mark} ${label} (${seconds(since)})\n`);
  }
}

/** @param {number} since */
function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
