import { z } from 'zod';
import { RpcNodeError } from '../../node/rpc-node-error.js';
import type { BlockSpan } from './log-range.js';
import { CONSECUTIVE_TRANSFER_TOPIC, TRANSFER_TOPIC } from './parse-received-ids.js';

/** TransferSingle(address,address,address,uint256,uint256) of ERC-1155. */
const TRANSFER_SINGLE_TOPIC = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
/** TransferBatch(address,address,address,uint256[],uint256[]) of ERC-1155. */
const TRANSFER_BATCH_TOPIC = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';
/** AddedOwner(address) of a Safe. */
const ADDED_OWNER_TOPIC = '0x9465fa0c962cc76958e6373a993326400c1c94f8be2fe3a952adfa7f60b2ea26';
/** RemovedOwner(address) of a Safe. */
const REMOVED_OWNER_TOPIC = '0xf8d49fc529812e9a7c5c50e69c20f0dccc0db8fa95c98bc58cc9a4f1c1299eaf';

/**
 * The places of the accounts in the arguments of each event. A contract declares which arguments are topics; the others are the words of
 * the data, in order. Safes before 1.4 have the owner in the data, and ERC-721 contracts before the standard have all in the data.
 */
const ACCOUNT_POSITIONS: ReadonlyMap<string, readonly number[]> = new Map([
  [TRANSFER_TOPIC, [0, 1]],
  [CONSECUTIVE_TRANSFER_TOPIC, [2, 3]],
  [TRANSFER_SINGLE_TOPIC, [1, 2]],
  [TRANSFER_BATCH_TOPIC, [1, 2]],
  [ADDED_OWNER_TOPIC, [0]],
  [REMOVED_OWNER_TOPIC, [0]],
]);

/** The first topic of a request for all changes of owners. */
export const OWNER_CHANGE_TOPICS: readonly string[] = [...ACCOUNT_POSITIONS.keys()];

/** A log after which other accounts may hold a token or own a Safe. The contract chose its content: it is a hint, never evidence. */
export interface OwnerChange {
  /** The contract in lower case. */
  readonly contract: string;
  /** The accounts in lower case, without the zero address. */
  readonly accounts: readonly string[];
  readonly block: bigint;
  /** Differs for the same event after a reorganisation. */
  readonly id: string;
}

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,15})$/i;
const WORD = /^0x[0-9a-f]{64}$/i;
/** An indexed account is a word with twelve bytes of zeros. */
const ACCOUNT_WORD = /^0{24}([0-9a-f]{40})$/;
const NO_ACCOUNT = '0'.repeat(40);
/** Words of the data that hold arguments of an event with accounts. */
const MAX_DATA_WORDS = 4;
const WORD_DIGITS = 64;

const logs = z.array(
  z.object({
    address: z.string(),
    topics: z.array(z.string().regex(WORD)).min(1).max(4),
    data: z.string(),
    blockNumber: z.string().regex(QUANTITY),
    blockHash: z.string().regex(WORD),
    logIndex: z.string().regex(QUANTITY),
    removed: z.boolean().optional(),
  }),
);

/**
 * The changes of owners in the response of a node.
 * @param contracts the contracts of the request, in lower case
 * @throws RpcNodeError for anything but logs that the request asked for: nothing that such a node says counts
 */
export function parseOwnerChanges(
  result: unknown,
  contracts: ReadonlySet<string>,
  { fromBlock, toBlock }: BlockSpan,
): OwnerChange[] {
  const { success, data } = logs.safeParse(result);
  if (!success) throw new RpcNodeError('unavailable', 'the node answered without logs');
  return data.map((log) => {
    const contract = log.address.toLowerCase();
    const block = BigInt(log.blockNumber);
    const [event = '', ...indexed] = log.topics.map((topic) => topic.toLowerCase());
    const positions = ACCOUNT_POSITIONS.get(event);
    const isAsked = contracts.has(contract) && positions && block >= fromBlock && block <= toBlock;
    if (!isAsked || log.removed === true)
      throw new RpcNodeError('unavailable', 'the node answered with logs that were not asked for');
    const accounts = listAccounts(indexed, log.data.toLowerCase(), positions);
    return { contract, accounts, block, id: `${log.blockHash.toLowerCase()} ${log.logIndex.toLowerCase()}` };
  });
}

/** The arguments are the topics, then the data, unless the contract indexed none of them or others than the standard's. */
function listAccounts(indexed: readonly string[], data: string, positions: readonly number[]): string[] {
  const words = indexed.map((topic) => topic.slice(2));
  for (let index = 0; index < MAX_DATA_WORDS; index += 1)
    words.push(data.slice(2 + index * WORD_DIGITS, 2 + (index + 1) * WORD_DIGITS));
  // ERC-2309 does not index the last token id, which stands before the accounts in the arguments and after them in the log.
  const shift = positions[0] === 2 && indexed.length === 3 ? 1 : 0;
  const accounts = positions.flatMap((position) => {
    const account = ACCOUNT_WORD.exec(words[position - shift] ?? '')?.[1];
    return account === undefined || account === NO_ACCOUNT ? [] : [`0x${account}`];
  });
  return [...new Set(accounts)];
}
