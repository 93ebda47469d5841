import { entryPoint08Address } from 'viem/account-abstraction';
import { rpc } from '../../scripts/chain/json-rpc.mjs';
import { first, fixed, table } from '../support/table.mjs';
import { BUNDLE_SIZE } from './own-sides.mjs';

/** @import { Hex } from 'viem' */
/** @typedef {{ logs: { topics: Hex[] }[], transactionIndex: Hex, transactionHash: Hex, blockNumber: Hex, gasUsed: Hex }} Receipt */
/** @typedef {{ receipt: Receipt, operations: number }} Bundle */

/**
 * The bundle whose size is nearest to the wanted one, beside the same bytes from another account on the same state.
 * @param {string} rpcUrl
 * @param {{ transactions: string[] }[]} rounds
 * @param {string} from
 */
export async function gasTable(rpcUrl, rounds, from) {
  /** @type {Bundle[]} */
  const bundles = [];
  for (const hash of rounds.flatMap(({ transactions }) => transactions)) {
    /** @type {Receipt} */
    const receipt = await rpc(rpcUrl, 'eth_getTransactionReceipt', [hash]);
    const operations = receipt.logs.filter(({ topics }) => topics.length === 4).length;
    if (Number(receipt.transactionIndex) === 0) bundles.push({ receipt, operations });
  }
  /** @param {Bundle} bundle */
  const distance = ({ operations }) => Math.abs(operations - BUNDLE_SIZE);
  const { receipt, operations } = first(bundles.sort((one, other) => distance(one) - distance(other)));
  /** @type {{ input: Hex }} */
  const { input } = await rpc(rpcUrl, 'eth_getTransactionByHash', [receipt.transactionHash]);
  const before = `0x${(Number(receipt.blockNumber) - 1).toString(16)}`;
  const call = { from, to: entryPoint08Address, input };
  /** @type {{ calls: { gasUsed: Hex }[] }[]} */
  const blocks = await rpc(rpcUrl, 'eth_simulateV1', [{ blockStateCalls: [{ calls: [call] }] }, before]);
  const bare = Number(first(first(blocks).calls).gasUsed) / operations;
  const own = Number(receipt.gasUsed) / operations;
  return table(
    `Gas of a payment in a bundle of ${operations} (wanted: at most 1.03)`,
    ['', 'gas', 'ratio'],
    [
      ['bare handleOps of the same bytes', fixed(bare, 0), fixed(1)],
      ["the executor's transaction", fixed(own, 0), fixed(own / bare, 3)],
    ],
  );
}
