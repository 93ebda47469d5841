import { randomBytes } from 'node:crypto';
import base58 from 'bs58';
import { startBaseline, startService } from './support/baseline.mjs';
import { startGatehouse } from './support/gatehouse.mjs';
import { load } from './support/load.mjs';
import { first, fixed, median, table } from './support/table.mjs';

/** @import { Children } from '../scripts/processes/children.mjs' */
/** @import { LoadResult } from './support/load.mjs' */
/** @typedef {LoadResult & { posts: number }} Round */
/** @typedef {{ name: string, url: string, rounds: Round[] }} Side */

const ROUNDS = 5;
const SECONDS = 6;
const WARM_UP_SECONDS = 4;
const CLIENTS = 64;
const DEVNET = 8_000_000_000_103;
const NODE_MS = 5;
const FAR_NODE_MS = 50 + NODE_MS;

/**
 * A SOLANA_FT rule and a new account for each check, beside Express with web3.js, over nodes with fixed answers.
 * @param {Children} children
 */
export async function solana(children) {
  const near = await measure(children, NODE_MS, ROUNDS);
  const far = await measure(children, FAR_NODE_MS, 1);
  return `${toTable(`node answers after ${NODE_MS} ms, wanted: ratio 5, at most 0.1 requests`, near)}\n\n${toTable(
    `node answers after ${FAR_NODE_MS} ms, wanted: p50 of Gatehouse at most 65 ms`,
    far,
  )}`;
}

/** @param {Children} children @param {number} nodeMs @param {number} rounds */
async function measure(children, nodeMs, rounds) {
  const { url: nodeUrl } = await startService(children, 'solana-node', { NODE_MS: String(nodeMs) });
  const { url: plainUrl } = await startService(children, 'solana-service', { NODE_URL: nodeUrl });
  const { gatewayUrl, apiKey, stop } = await startGatehouse(children, { [`RPC_URL_${DEVNET}`]: nodeUrl });
  const mint = newAddress();
  const rule = { type: 'SOLANA_FT', chainId: DEVNET, contractAddress: mint, minToken: '1', roleId: '001' };
  const request = {
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    freshBody: () => JSON.stringify({ account: newAddress(), rules: [rule] }),
    connections: CLIENTS,
  };
  /** @type {Side[]} */
  const sides = [
    { name: 'Express, web3.js', url: plainUrl, rounds: [] },
    // What any gateway could reach on this machine.
    { name: 'Express + undici in front of Express, no node', url: await startBaseline(children), rounds: [] },
    { name: 'Gatehouse', url: gatewayUrl, rounds: [] },
  ].map((side) => ({ ...side, url: `${side.url}/access-control/check-roles` }));
  const countPosts = async () => Number(await (await fetch(nodeUrl)).text());
  for (const { url } of sides) await load({ ...request, url, seconds: WARM_UP_SECONDS });
  for (let round = 0; round < rounds; round += 1)
    for (const side of sides) {
      const before = await countPosts();
      const result = await load({ ...request, url: side.url, seconds: SECONDS });
      const posts = ((await countPosts()) - before) / (result.perSecond * SECONDS);
      side.rounds.push({ ...result, posts });
    }
  await stop();
  return sides;
}

const newAddress = () => base58.encode(randomBytes(32));

/** @param {string} title @param {Side[]} sides */
function toTable(title, sides) {
  /** @param {Side} side @param {keyof Round} key */
  const of = ({ rounds }, key) => median(rounds.map((round) => round[key]));
  const plain = first(sides);
  return table(
    `One SOLANA_FT rule, a new account each, ${CLIENTS} clients (${title})`,
    ['', 'requests/s', 'p50 ms', 'p99 ms', 'requests to the node a check', 'ratio'],
    sides.map((side) => [
      side.name,
      fixed(of(side, 'perSecond'), 0),
      fixed(of(side, 'p50'), 1),
      fixed(of(side, 'p99'), 1),
      fixed(of(side, 'posts'), 3),
      fixed(of(side, 'perSecond') / of(plain, 'perSecond')),
    ]),
  );
}
