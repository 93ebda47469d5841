import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/processes/ports.mjs';
import { LocalRedis, type RedisOptions } from './local-redis.js';

const SLOTS = 16_384;
const MASTERS = 3;
const START_MS = 20_000;

/** A Redis Cluster of three masters without replicas, for one test file. It is down while one of them is. */
export class LocalRedisCluster {
  private constructor(readonly nodes: readonly LocalRedis[]) {}

  static async start(options: RedisOptions = {}): Promise<LocalRedisCluster> {
    const cluster = await LocalRedisCluster.prepare(options);
    await cluster.start();
    return cluster;
  }

  /** Prepares a cluster that does not run yet. */
  static async prepare({ args = [] }: RedisOptions = {}): Promise<LocalRedisCluster> {
    const nodes: LocalRedis[] = [];
    for (let at = 0; at < MASTERS; at += 1) {
      const bus = ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())];
      nodes.push(await LocalRedis.prepare({ args: [...bus, '--cluster-node-timeout', '1500', ...args] }));
    }
    return new LocalRedisCluster(nodes);
  }

  /** The URL as REDIS_URL takes it. */
  get url(): string {
    return this.nodes.map(({ url }) => url).join(',');
  }

  /** Starts it, or starts it again with what it kept, and waits until it takes commands. */
  async start(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.start()));
    if (!(await this.node(0).command('CLUSTER INFO')).includes('cluster_slots_assigned:16384'))
      await this.join();
    await this.untilUp();
  }

  async untilUp(): Promise<void> {
    const deadline = Date.now() + START_MS;
    for (const node of this.nodes)
      while (!/cluster_state:ok[^]*cluster_known_nodes:3/.test(await node.command('CLUSTER INFO'))) {
        if (Date.now() > deadline) throw new Error('The Redis Cluster does not come up');
        await sleep(20);
      }
  }

  node(at: number): LocalRedis {
    const node = this.nodes[at];
    if (!node) throw new Error(`There is no node ${at}`);
    return node;
  }

  /** The node that has a key now. */
  async nodeOf(key: string): Promise<LocalRedis> {
    const slot = Number((await this.node(0).command(`CLUSTER KEYSLOT ${key}`)).slice(1));
    return this.node(this.ranges().findIndex(([, last]) => slot <= last));
  }

  /** Runs a command about one key at the node that has it. */
  async command(line: string): Promise<string> {
    const [, key = ''] = line.split(' ');
    return (await this.nodeOf(key)).command(line);
  }

  pause(): void {
    for (const node of this.nodes) node.pause();
  }

  resume(): void {
    for (const node of this.nodes) node.resume();
  }

  async kill(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  private ranges(): [first: number, last: number][] {
    const share = Math.ceil(SLOTS / MASTERS);
    return this.nodes.map((_, at) => [at * share, Math.min((at + 1) * share, SLOTS) - 1]);
  }

  private async join(): Promise<void> {
    const ranges = this.ranges();
    for (const [at, node] of this.nodes.entries()) {
      const [first = 0, last = 0] = ranges[at] ?? [];
      await node.command(`CLUSTER ADDSLOTSRANGE ${first} ${last}`);
      await node.command(`CLUSTER SET-CONFIG-EPOCH ${at + 1}`);
    }
    const bus = /,?(\d+)@(\d+)/;
    for (const node of this.nodes.slice(1)) {
      const [, , busPort] = bus.exec(await node.command('CLUSTER NODES')) ?? [];
      await this.node(0).command(`CLUSTER MEET 127.0.0.1 ${node.port} ${busPort ?? ''}`);
    }
  }
}
