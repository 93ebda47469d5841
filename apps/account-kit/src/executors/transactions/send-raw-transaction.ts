import { BaseError, type Hex, type PublicClient } from 'viem';

/**
 * - `sent`: the node has it
 * - `underpriced`: its fees are too low by now
 * - `rejected`: for instance because the executor cannot pay
 */
type SendResult =
  | { readonly outcome: 'sent' | 'underpriced' }
  | { readonly outcome: 'rejected'; readonly reason: string };

/** Nodes have no codes for these. A nonce that is too low means that this or another variant was mined. */
const SENT_PATTERN =
  /already known|already imported|known transaction|alreadyknown|nonce too low|nonce.*lower than/i;
const UNDERPRICED_PATTERN =
  /underpriced|less than block base fee|fee too low|max fee per gas.*(?:base fee|too low)/i;

/** Sends stored bytes. Sending them again is harmless. */
export async function sendRawTransaction(client: PublicClient, raw: Hex): Promise<SendResult> {
  try {
    await client.sendRawTransaction({ serializedTransaction: raw });
    return { outcome: 'sent' };
  } catch (error) {
    const text = toText(error);
    if (SENT_PATTERN.test(text)) return { outcome: 'sent' };
    if (UNDERPRICED_PATTERN.test(text)) return { outcome: 'underpriced' };
    return { outcome: 'rejected', reason: text.slice(0, 200) };
  }
}

/** Without the URL and the request, which viem puts into `message`. */
const toText = (error: unknown): string =>
  error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error);
