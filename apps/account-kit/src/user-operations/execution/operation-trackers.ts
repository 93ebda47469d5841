import type { EvmClientService } from '../../evm/nodes/evm-client.service.js';
import type { DeadOperationTracker } from './dead-operations/dead-operation-tracker.js';
import type { LaneGapTracker } from './dead-operations/lane-gap-tracker.js';
import type { LaneRepairTracker } from './dead-operations/lane-repair-tracker.js';
import type { InclusionTracker } from './inclusion/inclusion-tracker.js';
import type { ExecutorLeases } from './executor-leases.js';

/** Follows the operations of one chain to their end, whoever sends them. */
export class OperationTrackers {
  constructor(
    private readonly chainId: number,
    private readonly clients: EvmClientService,
    private readonly leases: ExecutorLeases,
    private readonly inclusions: InclusionTracker,
    private readonly deadOperations: DeadOperationTracker,
    private readonly laneGaps: LaneGapTracker,
    private readonly laneRepairs: LaneRepairTracker,
  ) {}

  get inclusionLag(): bigint | undefined {
    return this.inclusions.lagBlocks;
  }

  /** A tracker that fails keeps none of the later ones from its work: a node that serves no logs, for example, still tells nonces. */
  async track(keepFailure: (error: unknown) => void): Promise<void> {
    const { chainId, clients, leases, inclusions, deadOperations, laneGaps, laneRepairs } = this;
    if (!(await leases.holdInclusions())) {
      inclusions.pause();
      return;
    }
    const pinNode = clients.pinNodeOnce(chainId);
    await inclusions.track(pinNode).catch(keepFailure);
    await deadOperations.track(pinNode).catch(keepFailure);
    await clients
      .getClient(chainId)
      .then((client) => laneGaps.track(client))
      .catch(keepFailure);
    await laneRepairs.track(pinNode).catch(keepFailure);
  }
}
