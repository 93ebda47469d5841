import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEventTopics } from 'viem';
import { entryPoint08Abi, entryPoint08Address } from 'viem/account-abstraction';
import { rpc } from '../../scripts/chain/json-rpc.mjs';

const POLL_MS = 50;
const DEADLINE_MS = 300_000;
const [TOPIC] = encodeEventTopics({ abi: entryPoint08Abi, eventName: 'UserOperationEvent' });

/** A chain that another side keeps busy takes its time. */
const PATIENT = { timeoutMs: 60_000 };

/** @param {number} number */
const toHex = (number) => `0x${number.toString(16)}`;

/** The events of user operations from the next block on. @param {string} rpcUrl */
export async function watchUserOperations(rpcUrl) {
  let next = Number(await rpc(rpcUrl, 'eth_blockNumber', [], PATIENT)) + 1;
  /** The transaction of each user operation. @type {Map<string, string>} */
  const found = new Map();
  let lastFoundAt = performance.now();
  const poll = async () => {
    const head = Number(await rpc(rpcUrl, 'eth_blockNumber', [], PATIENT));
    if (head < next) return;
    const before = found.size;
    const range = { fromBlock: toHex(next), toBlock: toHex(head) };
    const filter = { address: entryPoint08Address, topics: [TOPIC], ...range };
    /** @type {{ topics: string[], transactionHash: string }[]} */
    const logs = await rpc(rpcUrl, 'eth_getLogs', [filter], PATIENT);
    for (const { topics, transactionHash } of logs) found.set(topics[1] ?? '', transactionHash);
    if (found.size > before) lastFoundAt = performance.now();
    next = head + 1;
  };
  return {
    /**
     * Waits until so many are included.
     * @param {number} count
     * @param {{ quietMs?: number }} options `quietMs` ends the wait when nothing was included for this time: some may be lost
     * @returns {Promise<{ found: Map<string, string>, lastFoundAt: number }>} transactions by user operation
     */
    async until(count, { quietMs = Infinity } = {}) {
      const deadline = performance.now() + DEADLINE_MS;
      while (found.size < count && performance.now() - lastFoundAt < quietMs) {
        if (performance.now() > deadline) throw new Error(`Only ${found.size} of ${count} are included`);
        await sleep(POLL_MS);
        await poll();
      }
      return { found, lastFoundAt };
    },
  };
}
