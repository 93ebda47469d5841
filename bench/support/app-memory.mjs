/** @typedef {{ name: string, minute: number, rss: number, heap: number }} Sample memory in MiB */

const MIB = 1_048_576;

/**
 * Writes down what every app says of its memory, again and again.
 * @param {{ name: string, managementPort: number }[]} apps
 * @param {number} everyMs
 */
export function watchMemory(apps, everyMs) {
  const started = performance.now();
  /** @type {Sample[]} */
  const samples = [];
  const sample = async () => {
    for (const { name, managementPort } of apps) {
      const text = await (await fetch(`http://127.0.0.1:${managementPort}/metrics`)).text();
      /** @param {string} metric */
      const read = (metric) =>
        Number(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]) / MIB;
      const minute = (performance.now() - started) / 60_000;
      samples.push({
        name,
        minute,
        rss: read('process_resident_memory_bytes'),
        heap: read('nodejs_heap_size_used_bytes'),
      });
    }
  };
  /** @type {unknown} */
  let failure;
  let busy = Promise.resolve();
  const timer = setInterval(() => {
    busy = busy.then(sample).catch((/** @type {unknown} */ error) => {
      failure ??= error;
    });
  }, everyMs);
  return {
    /** @returns the samples @throws when an app could not be asked */
    async end() {
      clearInterval(timer);
      await busy;
      if (failure !== undefined) throw new Error('An app could not be asked', { cause: failure });
      return samples;
    },
  };
}

/**
 * The lowest value in each window, which is what garbage collection leaves.
 * @param {Sample[]} samples
 * @param {'rss' | 'heap'} key
 * @param {number} windowMinutes
 * @returns {[number, number][]} minute and MiB
 */
export function floorOf(samples, key, windowMinutes) {
  /** @type {Map<number, Sample>} */
  const windows = new Map();
  for (const sample of samples) {
    const window = Math.floor(sample.minute / windowMinutes);
    const lowest = windows.get(window);
    if (!lowest || sample[key] < lowest[key]) windows.set(window, sample);
  }
  return [...windows.values()].map((sample) => [sample.minute, sample[key]]);
}

/** Least squares. @param {[number, number][]} points @returns {number} change of the second per unit of the first */
export function slopeOf(points) {
  /** @param {0 | 1} at */
  const mean = (at) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return over / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}
