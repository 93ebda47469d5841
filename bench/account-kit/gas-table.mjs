import { entryPoint08Address } from 'viem/account-abstraction';
import { rpc } from '../../scripts/local/json-rpc.mjs';
import { fixed, table } from '../support/table.mjs';
import { BUNDLE_SIZE } from './own-sides.mjs';

/** The bundle whose size is nearest to the wanted one, beside the same bytes from another account on the same state. */
export async function gasTable(rpcUrl, rounds, from) {
  const bundles = [];
  for (const hash of rounds.flatMap(({ transactions }) => transactions)) {
    const receipt = await rpc(rpcUrl, 'eth_getTransactionReceipt', [hash]);
    const operations = receipt.logs.filter(({ topics }) => topics.length === 4).length;
    if (Number(receipt.transactionIndex) === 0) bundles.push({ receipt, operations });
  }
  const distance = ({ operations }) => Math.abs(operations - BUNDLE_SIZE);
  const [{ receipt, operations }] = bundles.sort((one, other) => distance(one) - distance(other));
  const { input } = await rpc(rpcUrl, 'eth_getTransactionByHash', [receipt.transactionHash]);
  const before = `0x${(Number(receipt.blockNumber) - 1).toString(16)}`;
  const call = { from, to: entryPoint08Address, input };
  const [{ calls }] = await rpc(rpcUrl, 'eth_simulateV1', [{ blockStateCalls: [{ calls: [call] }] }, before]);
  const bare = Number(calls[0].gasUsed) / operations;
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
