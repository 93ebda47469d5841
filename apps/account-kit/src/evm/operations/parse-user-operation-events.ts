import type { Address, Hex, Log } from 'viem';
import { isAddressEqual, parseAbi, parseEventLogs, toEventSelector } from 'viem/utils';

const EVENTS = parseAbi([
  'event BeforeExecution()',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'event UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
]);
/** `UserOperationEvent`, by which the inclusion of an operation is found. */
export const [, USER_OPERATION_EVENT] = EVENTS;
/**
 * The events of the EntryPoint by the first topic of their logs. viem would hash every signature again for each log.
 */
const EVENTS_BY_TOPIC = new Map(EVENTS.map((event) => [toEventSelector(event), event]));

/** What a transaction says about one operation that it executed. */
export interface UserOperationResult {
  readonly hash: Hex;
  readonly sender: Address;
  readonly paymaster: Address;
  readonly nonce: bigint;
  /** False if the call of the account reverted; the fees are paid nevertheless. */
  readonly success: boolean;
  readonly actualGasCost: bigint;
  readonly actualGasUsed: bigint;
  readonly revertReason: Hex | undefined;
  /** What the operation emitted: the logs between the previous operation's event and its own. */
  readonly logs: readonly Log[];
}

/** The operations that a transaction executed on one EntryPoint, from the logs of its receipt. */
export function parseUserOperationEvents(entryPoint: Address, logs: readonly Log[]): UserOperationResult[] {
  const results: UserOperationResult[] = [];
  let ownLogs: Log[] = [];
  let revertReason: Hex | undefined;
  for (const log of logs) {
    const event = isAddressEqual(log.address, entryPoint) ? decodeEvent(log) : undefined;
    // What was emitted before belongs to the validation of all operations.
    if (event?.eventName === 'BeforeExecution') ownLogs = [];
    else if (event?.eventName === 'UserOperationEvent') {
      const { userOpHash: hash, ...result } = event.args;
      results.push({ ...result, hash, revertReason, logs: ownLogs });
      ownLogs = [];
      revertReason = undefined;
    } else {
      if (event) revertReason = event.args.revertReason;
      ownLogs.push(log);
    }
  }
  return results;
}

function decodeEvent(log: Log) {
  const event = log.topics[0] && EVENTS_BY_TOPIC.get(log.topics[0]);
  return event && parseEventLogs({ abi: [event], logs: [log] })[0];
}
