import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEventTopics } from 'viem';
import { entryPoint08Abi, entryPoint08Address } from 'viem/account-abstraction';
import { rpc } from '../../scripts/local/json-rpc.mjs';

const POLL_MS = 50;
const DEADLINE_MS = 120_000;
const [TOPIC] = encodeEventTopics({ abi: entryPoint08Abi, eventName: 'UserOperationEvent' });

const toHex = (number) => `0x${number.toString(16)}`;

/** The events of user operations from the next block on. */
export async function watchUserOperations(rpcUrl) {
  let next = Number(await rpc(rpcUrl, 'eth_blockNumber')) + 1;
  /** The transaction of each user operation. */
  const found = new Map();
  const poll = async () => {
    const head = Number(await rpc(rpcUrl, 'eth_blockNumber'));
    if (head < next) return;
    const range = { fromBlock: toHex(next), toBlock: toHex(head) };
    for (const { topics, transactionHash } of await rpc(rpcUrl, 'eth_getLogs', [
      { address: entryPoint08Address, topics: [TOPIC], ...range },
    ]))
      found.set(topics[1], transactionHash);
    next = head + 1;
  };
  return {
    /** Waits until so many are included. @returns {Promise<Map<string, string>>} transactions by user operation */
    async until(count) {
      const deadline = performance.now() + DEADLINE_MS;
      while (found.size < count) {
        if (performance.now() > deadline) throw new Error(`Only ${found.size} of ${count} are included`);
        await sleep(POLL_MS);
        await poll();
      }
      return found;
    },
  };
}
