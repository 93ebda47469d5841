import { startAsked } from './support/asks.mjs';
import { fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @typedef {keyof typeof TIMES} By who checks */

const ROUNDS = 5;
const TIMES = { viem: 400, login: 4_000, credential: 4_000 };
const NAMES = {
  viem: "viem's verifySiweMessage",
  login: 'a login at identity',
  credential: 'a new credential at the gateway',
};

const WAYS = /** @type {By[]} */ (Object.keys(NAMES));

/**
 * Messages of Sign-in with Ethereum that plain keys signed: what checking one costs, beside viem in the same process.
 * @param {Children} children
 */
export async function signInSpeed(children) {
  const verifiers = await startAsked(children, 'sign-in-verifiers.mjs');
  /** @type {Record<By, number[]>} */
  const rounds = { viem: [], login: [], credential: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const by of WAYS) rounds[by].push(await verifiers('check', { by, times: TIMES[by] }));
  }
  const reference = median(rounds.viem);
  return table(
    `A signed sign-in message, median of ${ROUNDS} rounds (wanted: at most 0.35 of viem)`,
    ['checked by', 'CPU, ms', 'ratio to viem'],
    WAYS.map((by) => [NAMES[by], fixed(median(rounds[by]), 3), fixed(median(rounds[by]) / reference)]),
  );
}
