import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '@app/common';

/** A node that failed or was outvoted is asked after the others for this time. */
const ASKED_LAST_MS = MINUTE_MS;
/** A vote waits this long for a node that was silent in its last vote: a node that hangs would hold up each decision by its time-out. */
const SILENT_VOTE_MS = SECOND_MS;

/**
 * The order in which nodes of one chain or network are asked. All nodes are asked in the configured order, the most trusted first, but a node
 * that did not answer, or that more nodes have contradicted than confirmed, is asked last for a minute. It is never left out: it may be
 * the only one that answers.
 */
export class NodeOrder<Node> {
  /** Times by `performance.now()`. */
  private readonly lastUntil = new Map<Node, number>();
  /** Nodes that failed in their last vote, after `SILENT_VOTE_MS` or later. */
  private readonly silent = new Set<Node>();

  putLast(node: Node): void {
    this.lastUntil.set(node, performance.now() + ASKED_LAST_MS);
  }

  isLast(node: Node): boolean {
    return (this.lastUntil.get(node) ?? 0) > performance.now();
  }

  /** Sorts by how recently nodes failed: the latest failure comes last. */
  sort<T>(items: readonly T[], toNode: (item: T) => Node): readonly T[] {
    const until = (item: T) => {
      const node = toNode(item);
      return this.isLast(node) ? (this.lastUntil.get(node) ?? 0) : 0;
    };
    return items.toSorted((a, b) => until(a) - until(b));
  }

  /**
   * What a node says about a decision that another one has made. A node that is asked last has the whole time of its requests, too: one that
   * is far away would else leave the decision to a node that lies.
   * @param ask resolves with undefined if the node cannot know, and rejects if it does not answer
   * @returns undefined also if a node that was silent in its last vote does not answer soon
   */
  async askVote<Vote>(node: Node, ask: () => Promise<Vote | undefined>): Promise<Vote | undefined> {
    const wasSilent = this.silent.has(node);
    const start = performance.now();
    const vote = ask().then(
      (answer) => {
        this.silent.delete(node);
        return answer;
      },
      (error: unknown) => {
        if (performance.now() - start >= SILENT_VOTE_MS) this.silent.add(node);
        throw error;
      },
    );
    return wasSilent ? Promise.race([vote, sleep(SILENT_VOTE_MS, undefined, { ref: false })]) : vote;
  }

  /** Puts the nodes last that were outvoted. @returns whether more nodes confirm than deny */
  count(votes: ReadonlyMap<Node, boolean | undefined>): boolean {
    const withVote = (wanted: boolean) => [...votes].filter(([, vote]) => vote === wanted);
    const [confirming, denying] = [withVote(true), withVote(false)];
    const outvoted = confirming.length > denying.length ? denying : confirming;
    if (confirming.length !== denying.length) for (const [node] of outvoted) this.putLast(node);
    return confirming.length > denying.length;
  }
}
