import { hasFinishedWithin } from '@app/common';
import { type ChainHeadTracker } from '../../shared/chain-head-tracker.js';
import { FailoverClient } from '../../shared/failover-client.js';
import { type RpcNodeClient } from './rpc-node-client.js';
import { type RpcNodeRequest } from './rpc-node-request.js';

/** A result is not delayed longer to compare its block with that of a second node. */
const MAX_CONFIRMATION_WAIT_MS = 1_000;

/** Sends requests to the nodes of one chain with failover, and compares the block of the first result with a second node's. */
export class ConfirmingClient {
  private readonly failover: FailoverClient<RpcNodeClient>;
  private pendingConfirmation: Promise<unknown> | undefined;

  constructor(
    private readonly nodes: readonly RpcNodeClient[],
    chainName: string,
    private readonly headTracker: ChainHeadTracker,
  ) {
    this.failover = new FailoverClient(nodes, chainName);
  }

  /** Resolves with the first result that counts. Rejects with RpcNodeError. */
  request<T>(request: RpcNodeRequest<T>, signal: AbortSignal): Promise<T> {
    const confirmation = this.startConfirmation(request);
    return this.failover.request(
      (node) =>
        confirmation ? requestConfirmed(node, request, signal, confirmation) : node.request(request, signal),
      signal,
    );
  }

  /**
   * Requests the newest blocks of the nodes beside the request, because the first node may be far behind. Undefined if a block
   * was reported lately or its age shows it, or without a second usable node: then the first counts.
   */
  private startConfirmation<T>({ toHead }: RpcNodeRequest<T>): Promise<unknown> | undefined {
    const now = performance.now();
    if (!this.headTracker.needsSecondNode(now) || (toHead && this.headTracker.canDetectStuckNode))
      return undefined;
    const usable = this.nodes.filter((node) => node.getState(now) === 'up' && !node.isSlow(now));
    if (usable.length < 2) return undefined;
    this.pendingConfirmation ??= hasFinishedWithin(
      MAX_CONFIRMATION_WAIT_MS,
      Promise.all(usable.map((node) => node.probeBlock())),
    ).finally(() => {
      this.pendingConfirmation = undefined;
    });
    return this.pendingConfirmation;
  }
}

/** Discards what the node answers, errors of contracts included, if it turns out to lag. */
async function requestConfirmed<T>(
  node: RpcNodeClient,
  request: RpcNodeRequest<T>,
  signal: AbortSignal,
  confirmation: Promise<unknown>,
): Promise<T> {
  const response = node.request(request, signal);
  await Promise.allSettled([response, confirmation]);
  node.checkLag(performance.now());
  return response;
}
