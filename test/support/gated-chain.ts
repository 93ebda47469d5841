import type { ServerResponse } from 'node:http';
import { forwardTo, HostileNode, type NodeBehaviour } from './hostile-node.js';
import { LocalChain } from './local-chain.js';

/** A local chain behind a node that counts what it is asked, and whose answers to calls a test can hold back or replace. */
export class GatedChain {
  private held: (() => void)[] | undefined;
  /** Replaces the answer to an eth_call. */
  onCall: NodeBehaviour | undefined;

  private constructor(
    readonly chain: LocalChain,
    readonly node: HostileNode,
    private readonly forward: NodeBehaviour,
  ) {}

  static async start(): Promise<GatedChain> {
    const chain = await LocalChain.start();
    await chain.installMulticall3();
    const node = await HostileNode.start((request, response) => gated.answer(request, response));
    const gated: GatedChain = new GatedChain(chain, node, forwardTo(chain.rpcUrl));
    return gated;
  }

  /** From now on calls are not answered. */
  hold(): void {
    this.held ??= [];
  }

  /** Answers what was held back. */
  release(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const go of held) go();
  }

  get heldBack(): number {
    return this.held?.length ?? 0;
  }

  async stop(): Promise<void> {
    this.release();
    await this.node.stop();
    await this.chain.stop();
  }

  private async answer(...[request, response]: Parameters<NodeBehaviour>): Promise<void> {
    if (request.method !== 'eth_call') return this.forward(request, response);
    const { held } = this;
    if (held) await new Promise<void>((resolve) => held.push(resolve));
    if (isGone(response)) return;
    await (this.onCall ?? this.forward)(request, response);
  }
}

const isGone = ({ destroyed, socket }: ServerResponse): boolean => destroyed || socket?.destroyed === true;
