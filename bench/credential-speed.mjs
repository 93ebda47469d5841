import { startAsked } from './support/asks.mjs';
import { fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { Ask } from './support/asks.mjs' */
/** @typedef {Record<string, number>} Costs nanoseconds by what was done */

const TIMES = 100_000;
const ROUNDS = 5;

/**
 * What a credential that was seen before costs the gateway, beside one SHA-256 of 64 bytes in the same process.
 * @param {Children} children
 */
export async function credentialSpeed(children) {
  const guards = await startAsked(children, 'credential-guards.mjs');
  /** @type {string[]} */
  const kinds = await guards('kinds');
  /** @type {Costs[]} */
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await oneRound(guards, kinds));
  /** @param {string} name */
  const of = (name) => median(rounds.map((round) => round[name] ?? NaN));
  const sha256 = of('sha256');
  /** @param {string} name */
  const row = (name) => [name, fixed(of(name) / 1_000), fixed(of(name) / sha256, 1)];
  return table(
    'A credential that was seen before (wanted: API key at most 10, tokens at most 15; Ethereum at most 20 µs)',
    ['credential', 'CPU, µs', 'times a SHA-256 of 64 bytes'],
    [['SHA-256 of 64 bytes', fixed(sha256 / 1_000), fixed(1, 1)], ...kinds.map(row)],
  );
}

/**
 * Nanoseconds by what was done, without what making a request for it costs.
 * @param {Ask} guards
 * @param {string[]} kinds
 */
async function oneRound(guards, kinds) {
  /** @type {Costs} */
  const costs = { sha256: await guards('sha256', { times: TIMES }) };
  for (const kind of kinds) {
    const question = { kind, times: TIMES };
    /** @type {number} */
    const whole = await guards('look', question);
    /** @type {number} */
    const empty = await guards('empty', question);
    costs[kind] = whole - empty;
  }
  return costs;
}
