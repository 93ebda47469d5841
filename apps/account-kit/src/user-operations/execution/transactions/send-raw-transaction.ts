import { BaseError, type EIP1193RequestFn, type Hex, type PublicClient, RpcRequestError } from 'viem';

/**
 * - `sent`: a node has it
 * - `underpriced`: its fees are too low by now
 * - `waiting`: a node takes it later, for instance when the executor has coins, or no node answered
 * - `refused`: every node that answered refuses the transaction for what it is, and at least one did
 */
export type SendResult =
  | { readonly outcome: 'sent' | 'underpriced' }
  | { readonly outcome: 'waiting' | 'refused'; readonly reason: string };

/** What one node answered. A `silent` node neither proves a refusal nor prevents its proof: it may be silent for days. */
type NodeResult = SendResult | { readonly outcome: 'silent'; readonly reason: string };

/** Nodes have no codes for these. A nonce that is too low means that this or another variant was mined. */
const SENT_PATTERN =
  /already ?(?:known|imported|exists|pending|submitted|in )|known transaction|duplicate|nonce too low|nonce.*lower than/i;
const UNDERPRICED_PATTERN =
  /underpriced|less than block base fee|fee too low|max fee per gas.*(?:base fee|too low)/i;
/**
 * Coins, other nonces, a full pool. Not geth's limit of the fee of one transaction (`--rpc.txfeecap`): it compares gas limit × maxFeePerGas,
 * so it refuses these bytes for good.
 */
const WAITING_PATTERN = /insufficient (?:funds|balance)|overshot|nonce|pool is full/i;
/** The node cannot answer at the moment, whatever the transaction is. */
const SILENT_PATTERN = /rate limit|too many|time(?:d )?out|internal error|syncing/i;
/** EIP-1474: the node's limit of requests. */
const LIMIT_EXCEEDED = -32_005;

/**
 * Sends stored bytes to all nodes behind a client at once, because a node that hangs would delay all transactions of the chain by its
 * time-out. Resolves when one has them, or none takes them. Sending them again is harmless.
 * @param sender a client of every node of the chain, or of its private relay
 */
export async function sendRawTransaction(sender: PublicClient, raw: Hex): Promise<SendResult> {
  const answers = toRequests(sender).map((request) => sendTo(request, raw));
  const sent = answers.map(async (answer) => {
    const result = await answer;
    if (result.outcome !== 'sent') throw new Error('this node does not have it');
    return result;
  });
  return Promise.any<SendResult>(sent).catch(async () => judge(await Promise.all(answers)));
}

function judge(results: readonly NodeResult[]): SendResult {
  const find = (outcome: NodeResult['outcome']) => results.find((result) => result.outcome === outcome);
  const result = find('underpriced') ?? find('waiting') ?? find('refused') ?? results[0];
  if (!result) throw new Error('the chain has no node');
  return result.outcome === 'silent' ? { ...result, outcome: 'waiting' } : result;
}

/** viem's `fallback` reports the last node's error only. */
function toRequests(client: PublicClient): readonly EIP1193RequestFn[] {
  const { transports } = client.transport as { transports?: readonly { request: EIP1193RequestFn }[] };
  return transports?.map(({ request }) => request) ?? [client.request];
}

async function sendTo(request: EIP1193RequestFn, raw: Hex): Promise<NodeResult> {
  try {
    await request({ method: 'eth_sendRawTransaction', params: [raw] });
    return { outcome: 'sent' };
  } catch (error) {
    const text = toText(error);
    const reason = toReason(error);
    if (!isAnswer(error)) return { outcome: 'silent', reason };
    if (SENT_PATTERN.test(text)) return { outcome: 'sent' };
    if (UNDERPRICED_PATTERN.test(text)) return { outcome: 'underpriced' };
    if (WAITING_PATTERN.test(text)) return { outcome: 'waiting', reason };
    return { outcome: SILENT_PATTERN.test(text) ? 'silent' : 'refused', reason };
  }
}

/** An error that the node answered with, other than that it answers nothing at the moment. */
function isAnswer(error: unknown): boolean {
  const answer = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : null;
  return answer instanceof RpcRequestError && answer.code !== LIMIT_EXCEEDED;
}

/** Without the words that viem adds. */
const toReason = (error: unknown): string =>
  (error instanceof BaseError ? error.details || error.shortMessage : String(error)).slice(0, 200);

/** Without the URL and the request, which viem puts into `message`. */
const toText = (error: unknown): string =>
  error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error);
