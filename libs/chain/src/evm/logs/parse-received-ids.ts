import { z } from 'zod';
import { RpcNodeError } from '../../node/rpc-node-error.js';
import { encodeAddress, toLowerCaseAddress } from '../../reads/evm/abi-codec.js';

/** Transfer(address,address,uint256). */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** ConsecutiveTransfer(uint256,uint256,address,address) of ERC-2309, with which a contract mints a batch. */
export const CONSECUTIVE_TRANSFER_TOPIC =
  '0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d';

/** Token ids from the first to the last. A contract may emit a range of any size. */
export interface IdRange {
  readonly first: bigint;
  readonly last: bigint;
}

interface ReceivedQuery {
  readonly contract: string;
  readonly receivers: readonly string[];
}

const WORD = /^0x[0-9a-fA-F]{64}$/;
const word = z.string().regex(WORD);
const logs = z.array(
  z.object({
    address: z.string(),
    /** Topics of a log. Transfers of ERC-20 have the same first topic, and no fourth. */
    topics: z.array(word).max(4),
    /** A contract can emit data of any length with any topic. */
    data: z.string().default('0x'),
  }),
);

/** The topics of a request for transfers of single tokens to the receivers. */
export const createTransferTopics = (receivers: readonly string[]) => [
  TRANSFER_TOPIC,
  null,
  receivers.map(toTopic),
];

/** The topics of a request for transfers of ranges to the receivers: ERC-2309 has them at another place. */
export const createConsecutiveTransferTopics = (receivers: readonly string[]) => [
  CONSECUTIVE_TRANSFER_TOPIC,
  null,
  null,
  receivers.map(toTopic),
];

/** The distinct token ids of transfers of the contract to the receivers. Throws RpcNodeError on anything but logs. */
export function parseReceivedIds(result: unknown, { contract, receivers }: ReceivedQuery): bigint[] {
  const receiverTopics = new Set(receivers.map(toTopic));
  const ids = new Set<bigint>();
  for (const { topics } of parseLogs(result, contract, TRANSFER_TOPIC)) {
    const [, , receiver, id] = topics;
    if (id === undefined || receiver === undefined) continue;
    if (receiverTopics.has(receiver.toLowerCase())) ids.add(BigInt(id));
  }
  return [...ids];
}

/**
 * The ranges of token ids of the contract that the receivers got, in ascending order. They do not overlap, so that who counts their
 * ids does not meet one twice. Throws RpcNodeError on anything but logs.
 */
export function parseReceivedRanges(result: unknown, { contract, receivers }: ReceivedQuery): IdRange[] {
  const receiverTopics = new Set(receivers.map(toTopic));
  const ranges: IdRange[] = [];
  for (const { topics, data } of parseLogs(result, contract, CONSECUTIVE_TRANSFER_TOPIC)) {
    const [, first, , receiver] = topics;
    if (first === undefined || receiver === undefined || !WORD.test(data)) continue;
    const range = { first: BigInt(first), last: BigInt(data) };
    if (receiverTopics.has(receiver.toLowerCase()) && range.first <= range.last) ranges.push(range);
  }
  return mergeRanges(ranges);
}

function parseLogs(result: unknown, contract: string, event: string) {
  const { success, data } = logs.safeParse(result);
  if (!success) throw new RpcNodeError('unavailable', 'the node answered without logs');
  const address = toLowerCaseAddress(contract);
  return data.filter(
    (log) => log.address.toLowerCase() === address && log.topics[0]?.toLowerCase() === event,
  );
}

function mergeRanges(ranges: readonly IdRange[]): IdRange[] {
  const merged: IdRange[] = [];
  for (const range of ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const previous = merged.at(-1);
    if (previous && range.first <= previous.last) {
      if (range.last > previous.last) merged[merged.length - 1] = { first: previous.first, last: range.last };
    } else merged.push(range);
  }
  return merged;
}

const toTopic = (address: string): string => `0x${encodeAddress(address)}`;
