import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';

/**
 * - `following`: the logs are read
 * - `idle`: no rule has a contract on the chain
 * - `standby`: another instance reads them
 * - `unreachable`: no node answers, or all serve another chain
 * - `no_logs`: nodes answer, and serve no logs
 */
const STATES = ['following', 'idle', 'standby', 'unreachable', 'no_logs'] as const;
export type WatcherState = (typeof STATES)[number];

/** What the transfer watcher of this process does. Labels are ids of configured chains. */
@Injectable()
export class TransferMetrics {
  private readonly state: Gauge<'chain' | 'state'>;
  private readonly behind: Gauge<'chain'>;
  private readonly contracts: Gauge<'chain' | 'state'>;
  private readonly requests: Counter<'chain' | 'method'>;
  private readonly members: Counter<'chain'>;

  constructor({ metrics }: ServiceContext) {
    const registers = [metrics.registry];
    this.state = new Gauge({
      name: 'transfer_watcher_state',
      help: 'State of the transfer watcher of a chain in this process (following, idle, standby, unreachable, no_logs): 1 for the current one.',
      labelNames: ['chain', 'state'] as const,
      registers,
    });
    this.behind = new Gauge({
      name: 'transfer_watcher_blocks_behind',
      help: 'Blocks whose logs have not been read, of a chain that this process follows.',
      labelNames: ['chain'] as const,
      registers,
    });
    this.contracts = new Gauge({
      name: 'transfer_watcher_contracts',
      help: 'Contracts of rules on a chain that this process follows, by whether their transfers are watched or their rules polled.',
      labelNames: ['chain', 'state'] as const,
      registers,
    });
    this.requests = new Counter({
      name: 'transfer_watcher_requests_total',
      help: 'Requests of the transfer watcher to nodes, by method.',
      labelNames: ['chain', 'method'] as const,
      registers,
    });
    this.members = new Counter({
      name: 'transfer_watcher_members_total',
      help: 'Checks of members whom logs of transfers named.',
      labelNames: ['chain'] as const,
      registers,
    });
  }

  setState(chainId: number, current: WatcherState): void {
    for (const state of STATES) this.state.set({ chain: chainId, state }, state === current ? 1 : 0);
    if (current !== 'standby' && current !== 'idle') return;
    this.behind.remove({ chain: chainId });
    for (const state of ['watched', 'polled']) this.contracts.remove({ chain: chainId, state });
  }

  setBlocksBehind(chainId: number, blocks: bigint): void {
    this.behind.set({ chain: chainId }, Number(blocks));
  }

  setContracts(chainId: number, counts: Readonly<Record<'watched' | 'polled', number>>): void {
    for (const [state, count] of Object.entries(counts)) this.contracts.set({ chain: chainId, state }, count);
  }

  recordRequest(chainId: number, method: string): void {
    this.requests.inc({ chain: chainId, method });
  }

  recordMember(chainId: number): void {
    this.members.inc({ chain: chainId });
  }
}
