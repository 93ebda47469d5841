export interface BlockSpan {
  readonly fromBlock: bigint;
  /** The last block, which is part of the span. */
  readonly toBlock: bigint;
}

/** Answers after which a span that was once refused is tried again: the refusal may have been for the number of logs in it. */
const RETRY_AFTER_ANSWERS = 64;

/**
 * How many blocks a node serves in one `eth_getLogs`. The number is halved when the node refuses a span, and grows again with each answer
 * to just below what was refused. A node of 10 blocks costs seven refusals to find from 1,000.
 */
export class LogRange {
  private blocks: bigint;
  /** The least number of blocks that was refused. */
  private refused: bigint | undefined;
  private answers = 0;

  constructor(private readonly maxBlocks: bigint) {
    this.blocks = maxBlocks;
  }

  /**
   * Asks for as many blocks of a span as the node serves, from its first block or, `backwards`, from its last one.
   * @param ask rejects with what `isRefusal` recognises when the node wants fewer blocks
   * @returns what the node answered, and for which blocks
   */
  async read<T>(
    span: BlockSpan,
    ask: (span: BlockSpan) => Promise<T>,
    {
      isRefusal = isLogRangeRefusal,
      backwards = false,
    }: { readonly isRefusal?: (error: unknown) => boolean; readonly backwards?: boolean } = {},
  ): Promise<BlockSpan & { readonly answer: T }> {
    for (;;) {
      const asked = backwards ? this.cutNewest(span) : this.cutOldest(span);
      const count = asked.toBlock - asked.fromBlock + 1n;
      try {
        const answer = await ask(asked);
        this.grow(count);
        return { ...asked, answer };
      } catch (error) {
        if (count <= 1n || !isRefusal(error)) throw error;
        this.shrink(count);
      }
    }
  }

  private cutOldest({ fromBlock, toBlock }: BlockSpan): BlockSpan {
    const last = fromBlock + this.blocks - 1n;
    return { fromBlock, toBlock: last < toBlock ? last : toBlock };
  }

  private cutNewest({ fromBlock, toBlock }: BlockSpan): BlockSpan {
    const first = toBlock - this.blocks + 1n;
    return { fromBlock: first > fromBlock ? first : fromBlock, toBlock };
  }

  private shrink(count: bigint): void {
    this.refused = count;
    this.answers = 0;
    this.blocks = count / 2n;
  }

  /** A short span, such as the newest blocks, says nothing about longer ones. */
  private grow(count: bigint): void {
    if (count < this.blocks) return;
    this.answers += 1;
    if (this.answers >= RETRY_AFTER_ANSWERS) {
      this.refused = undefined;
      this.answers = 0;
    }
    const next = this.refused === undefined ? count * 2n : (count + this.refused) / 2n;
    this.blocks = next < this.maxBlocks ? next : this.maxBlocks;
  }
}

/** Limits of a provider's plan have the words of refused ranges, and fewer blocks do not help. */
const RATE_LIMITED_PATTERN =
  /rate.?limit|too many requests|requests? (count|limit|rate)|per (second|minute|day)|daily|quota|compute units|credits|capacity/i;
/** How providers and clients say that a range has too many blocks, or too many logs, or takes too long. */
const RANGE_REFUSED_PATTERN = new RegExp(
  [
    // "You can make eth_getLogs requests with up to a 10 block range", "exceed maximum block range: 5000", "ranges over 10000 blocks are not supported"
    'ranges?\\b.*\\b(large|wide|big|limit|limited|exceed\\w*|max\\w*|over|greater|allowed)\\b',
    '\\b(large|wide|limit|limited|exceed\\w*|max\\w*|up to|over|reduc\\w*|narrow\\w*|smaller)\\b.*\\b(block )?ranges?\\b',
    // "query returned more than 10000 results", "Too many logs requested", "query exceeds max results 20000"
    'more than [\\d,]+ (results|logs|blocks)|too many (results|logs|blocks)|max(imum)? (results|logs)',
    // "requested too many blocks from 1 to 9, maximum is set to 2048", "please limit the query to at most 1000 blocks"
    'at most [\\d,]+ blocks|limited to [\\d,]+ blocks|maximum is set to',
    // "Log response size exceeded", "backend response too large", HTTP 413
    'response (size|is|was)?\\s*(is |was )?(too (large|big)|exceed|should not)|too_heavy|too_large|body.* too large|status 413',
    // "query timeout exceeded", "limit exceeded" of BNB nodes
    'query time(out|d out)|^limit exceeded',
  ].join('|'),
  'i',
);
const LIMIT_EXCEEDED_CODE = -32_005;
/** The patterns take time that grows with the square of the text, which a node chooses. */
const MAX_MATCHED_LENGTH = 500;

/**
 * Whether a node refused an `eth_getLogs` because of its range: JSON-RPC has no code for it (-32000, -32005, -32600, -32602, -32614 and 35
 * are in use), so the texts of known providers are matched.
 */
export function isLogRangeRefusal(error: unknown): boolean {
  for (let cause = error; cause instanceof Error || isErrorLike(cause); cause = (cause as Error).cause) {
    const { code, message, details, kind } = cause as {
      readonly code?: unknown;
      readonly message?: unknown;
      readonly details?: unknown;
      readonly kind?: unknown;
    };
    const text = [details, message, kind]
      .filter((part) => typeof part === 'string')
      .map((part) => part.slice(0, MAX_MATCHED_LENGTH))
      .join('\n');
    if (RATE_LIMITED_PATTERN.test(text)) return false;
    if (code === LIMIT_EXCEEDED_CODE || RANGE_REFUSED_PATTERN.test(text)) return true;
  }
  return false;
}

const isErrorLike = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'message' in value;
