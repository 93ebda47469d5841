import { HOUR_MS, SECOND_MS } from '@app/common';
import type { Hex, PublicClient } from 'viem';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../../evm/accounts/account-contracts.js';
import { USER_OPERATION_EVENT } from '../../evm/operations/parse-user-operation-events.js';
import type { InclusionEvent } from './to-inclusion-record.js';

/** Blocks in one search. */
const RANGE = 1_000n;
const MAX_SEARCHES = 200;
/** Clocks of chains differ from ours. */
const CLOCK_MARGIN_MS = HOUR_MS;

/**
 * The event of an operation, searched from `head` down to blocks that are older than the operation.
 * @returns undefined if there is none, `incomplete` if there are too many blocks
 */
export async function findEventBackwards(
  client: PublicClient,
  {
    hash,
    version,
    acceptedAt,
  }: { readonly hash: Hex; readonly version: AccountVersion; readonly acceptedAt: Date },
  head: bigint,
): Promise<InclusionEvent | undefined | 'incomplete'> {
  const since = BigInt(Math.floor((acceptedAt.getTime() - CLOCK_MARGIN_MS) / SECOND_MS));
  let toBlock = head;
  for (let searches = 0; searches < MAX_SEARCHES; searches += 1) {
    const fromBlock = toBlock > RANGE ? toBlock - RANGE + 1n : 0n;
    const [log] = await client.getLogs({
      address: ACCOUNT_CONTRACTS[version].entryPoint,
      event: USER_OPERATION_EVENT,
      args: { userOpHash: hash },
      fromBlock,
      toBlock,
      strict: true,
    });
    if (log) {
      const { args, transactionHash, blockNumber, blockHash } = log;
      return { ...args, transactionHash, blockNumber, blockHash };
    }
    if (fromBlock === 0n) return undefined;
    const { timestamp } = await client.getBlock({ blockNumber: fromBlock });
    if (timestamp < since) return undefined;
    toBlock = fromBlock - 1n;
  }
  return 'incomplete';
}
