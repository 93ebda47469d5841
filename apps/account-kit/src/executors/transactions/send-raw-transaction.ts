import { BaseError, type EIP1193RequestFn, type Hex, type PublicClient, RpcRequestError } from 'viem';

/**
 * - `sent`: a node has it
 * - `underpriced`: its fees are too low by now
 * - `waiting`: a node did not answer, or takes it later, for instance when the executor has coins
 * - `refused`: every node refuses the transaction for what it is
 */
export type SendResult =
  | { readonly outcome: 'sent' | 'underpriced' }
  | { readonly outcome: 'waiting' | 'refused'; readonly reason: string };

/** Nodes have no codes for these. A nonce that is too low means that this or another variant was mined. */
const SENT_PATTERN =
  /already known|already imported|known transaction|alreadyknown|nonce too low|nonce.*lower than/i;
const UNDERPRICED_PATTERN =
  /underpriced|less than block base fee|fee too low|max fee per gas.*(?:base fee|too low)/i;
/**
 * Coins, other nonces, a full pool. Not geth's limit of the fee of one transaction (`--rpc.txfeecap`): it compares gas limit × maxFeePerGas,
 * so it refuses these bytes for good.
 */
const WAITING_PATTERN =
  /insufficient (?:funds|balance)|nonce|pool is full|rate limit|too many|time(?:d )?out|internal error|syncing/i;
/** EIP-1474: the node's limit of requests. */
const LIMIT_EXCEEDED = -32_005;

/** Sends stored bytes to the nodes of a chain until one has them. Sending them again is harmless. */
export async function sendRawTransaction(client: PublicClient, raw: Hex): Promise<SendResult> {
  const results: SendResult[] = [];
  for (const request of toRequests(client)) {
    const result = await sendTo(request, raw);
    if (result.outcome === 'sent') return result;
    results.push(result);
  }
  const find = (outcome: SendResult['outcome']) => results.find((result) => result.outcome === outcome);
  const result = find('underpriced') ?? find('waiting') ?? results[0];
  if (!result) throw new Error('the chain has no node');
  return result;
}

/** viem's `fallback` reports the last node's error only. */
function toRequests(client: PublicClient): readonly EIP1193RequestFn[] {
  const { transports } = client.transport as { transports?: readonly { request: EIP1193RequestFn }[] };
  return transports?.map(({ request }) => request) ?? [client.request];
}

async function sendTo(request: EIP1193RequestFn, raw: Hex): Promise<SendResult> {
  try {
    await request({ method: 'eth_sendRawTransaction', params: [raw] });
    return { outcome: 'sent' };
  } catch (error) {
    const text = toText(error);
    if (SENT_PATTERN.test(text)) return { outcome: 'sent' };
    if (UNDERPRICED_PATTERN.test(text)) return { outcome: 'underpriced' };
    const isRefused = isAnswer(error) && !WAITING_PATTERN.test(text);
    return { outcome: isRefused ? 'refused' : 'waiting', reason: text.slice(0, 200) };
  }
}

/** An error that the node answered with, other than that it answers nothing at the moment. */
function isAnswer(error: unknown): boolean {
  const answer = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : null;
  return answer instanceof RpcRequestError && answer.code !== LIMIT_EXCEEDED;
}

/** Without the URL and the request, which viem puts into `message`. */
const toText = (error: unknown): string =>
  error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error);
