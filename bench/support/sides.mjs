import { load } from './load.mjs';
import { processorMs } from './processor-time.mjs';
import { first, fixed, median, table } from './table.mjs';

/** @import { LoadResult } from './load.mjs' */

/**
 * @typedef {object} Side one of the things that are compared
 * @property {string} name
 * @property {Parameters<typeof load>[0]} request without `seconds`, which the measurement sets
 * @property {Record<string, number | undefined>} processes ids of the processes that serve the requests, by the name of their column
 */

/** @typedef {LoadResult & { cpuMs: Record<string, number> }} Round processor time a request, by the name of the process */
/** @typedef {{ name: string, rounds: Round[] }} Measured */

/**
 * Measures sides turn by turn, so that whatever else the machine does hits all of them.
 * @param {(Omit<Side, 'request'> & { request: Omit<Side['request'], 'seconds'> })[]} sides
 * @param {{ rounds: number, seconds: number, warmUpSeconds: number }} options
 * @returns {Promise<Measured[]>} in the order of the sides
 */
export async function measureSides(sides, { rounds, seconds, warmUpSeconds }) {
  for (const { request } of sides) await load({ ...request, seconds: warmUpSeconds });
  const measured = sides.map(({ name }) => ({ name, rounds: /** @type {Round[]} */ ([]) }));
  for (let round = 0; round < rounds; round += 1)
    for (const [index, { request, processes }] of sides.entries()) {
      const before = readProcessors(processes);
      const result = await load({ ...request, seconds });
      const after = readProcessors(processes);
      const requests = result.perSecond * seconds;
      const cpuMs = Object.fromEntries(
        Object.keys(processes).map((name) => [
          name,
          ((after[name] ?? NaN) - (before[name] ?? NaN)) / requests,
        ]),
      );
      measured[index]?.rounds.push({ ...result, cpuMs });
    }
  return measured;
}

/** @param {Record<string, number | undefined>} processes */
function readProcessors(processes) {
  return Object.fromEntries(Object.entries(processes).map(([name, pid = NaN]) => [name, processorMs([pid])]));
}

/** @param {Measured} side @returns {number} the median of its rounds */
export const requestsPerSecond = ({ rounds }) => median(rounds.map(({ perSecond }) => perSecond));

/** @param {Measured} side @returns {number} processor time of all its processes a request, the median of its rounds, in ms */
export const processorTime = ({ rounds }) =>
  median(rounds.map(({ cpuMs }) => Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0)));

/**
 * A table of sides beside the first one.
 * @param {string} title
 * @param {Measured[]} sides
 */
export function sidesTable(title, sides) {
  const reference = first(sides);
  return table(
    title,
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms/request', 'of which', 'requests: ratio', 'CPU: ratio'],
    sides.map((side) => {
      const parts = Object.keys(side.rounds[0]?.cpuMs ?? {}).map(
        (name) => `${name} ${fixed(median(side.rounds.map(({ cpuMs }) => cpuMs[name] ?? NaN)), 3)}`,
      );
      return [
        side.name,
        fixed(requestsPerSecond(side), 0),
        fixed(median(side.rounds.map(({ p50 }) => p50)), 1),
        fixed(median(side.rounds.map(({ p99 }) => p99)), 1),
        fixed(processorTime(side), 3),
        parts.join(', '),
        fixed(requestsPerSecond(side) / requestsPerSecond(reference)),
        fixed(processorTime(side) / processorTime(reference)),
      ];
    }),
  );
}
