import { z } from 'zod';
import { RpcNodeError } from '../../shared/rpc-node-error.js';
import { encodeAddress } from '../codec/abi-encode.js';

/** Transfer(address,address,uint256). */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const word = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
const logs = z.array(
  z.object({
    address: z.string(),
    /** Those of ERC-20 transfers have the same first topic, and no fourth. */
    topics: z.array(word).max(4),
  }),
);

/** The distinct token ids of transfers of the contract to the receivers. Throws RpcNodeError on anything but logs. */
export function parseReceivedIds(
  result: unknown,
  { contract, receivers }: { readonly contract: string; readonly receivers: readonly string[] },
): bigint[] {
  const { success, data } = logs.safeParse(result);
  if (!success) throw new RpcNodeError('unavailable', 'the node answered without logs');
  const receiverTopics = new Set(receivers.map((receiver) => `0x${encodeAddress(receiver)}`));
  const ids = new Set<bigint>();
  for (const { address, topics } of data) {
    const [event, , receiver, id] = topics;
    const isOfContract = address.toLowerCase() === contract.toLowerCase();
    if (!isOfContract || event?.toLowerCase() !== TRANSFER_TOPIC || id === undefined) continue;
    if (receiver !== undefined && receiverTopics.has(receiver.toLowerCase())) ids.add(BigInt(id));
  }
  return [...ids];
}
