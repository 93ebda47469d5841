import type { ServerResponse } from 'node:http';
import { forwardTo, HostileNode, type NodeBehaviour } from './hostile-node.js';
import { LocalChain } from './local-chain.js';

/** A local chain behind a node that counts requests, and whose responses to eth_call a test can delay or replace. */
export class GatedChain {
  private pendingReleases: (() => void)[] | undefined;
  /** Replaces the response to eth_call. */
  onCall: NodeBehaviour | undefined;

  private constructor(
    readonly chain: LocalChain,
    readonly node: HostileNode,
    private readonly forward: NodeBehaviour,
  ) {}

  static async start(): Promise<GatedChain> {
    const chain = await LocalChain.start();
    await chain.installMulticall3();
    const node = await HostileNode.start((request, response) => gated.respond(request, response));
    const gated: GatedChain = new GatedChain(chain, node, forwardTo(chain.rpcUrl));
    return gated;
  }

  /** Delays all further calls until `release`. */
  hold(): void {
    this.pendingReleases ??= [];
  }

  /** Responds to the delayed calls. */
  release(): void {
    const releases = this.pendingReleases ?? [];
    this.pendingReleases = undefined;
    for (const release of releases) release();
  }

  get heldBack(): number {
    return this.pendingReleases?.length ?? 0;
  }

  async stop(): Promise<void> {
    this.release();
    await this.node.stop();
    await this.chain.stop();
  }

  private async respond(...[request, response]: Parameters<NodeBehaviour>): Promise<void> {
    if (request.method !== 'eth_call') return this.forward(request, response);
    const { pendingReleases } = this;
    if (pendingReleases) await new Promise<void>((resolve) => pendingReleases.push(resolve));
    if (isDisconnected(response)) return;
    await (this.onCall ?? this.forward)(request, response);
  }
}

const isDisconnected = ({ destroyed, socket }: ServerResponse): boolean =>
  destroyed || socket?.destroyed === true;
