import { readFileSync } from 'node:fs';
import { askReady } from '../../scripts/processes/app-processes.mjs';
import type { RunningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import type { AccountKitWorld } from './account-kit-world.js';
import type { Instance } from './instance-places.js';

/** The only child of an instance of account-kit. @returns undefined before it is started */
export function findSigner({ process: { pid } }: RunningApp): number | undefined {
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8').trim();
  return /^\d+$/.test(children) ? Number(children) : undefined;
}

/** An instance of account-kit that is killed again and again, and started again at the same place, behind a gateway that stays. */
export class KilledReplica implements Instance {
  private constructor(
    private readonly world: AccountKitWorld,
    public app: RunningApp,
    readonly gateway: RunningApp,
    private readonly env: Record<string, string>,
  ) {}

  /** @param env further variables, also of the instances that follow at its place */
  static async start(world: AccountKitWorld, env: Record<string, string> = {}): Promise<KilledReplica> {
    const { app, gateway } = await world.startInstance(env);
    return new KilledReplica(world, app, gateway, env);
  }

  /** Kills the app, or the process that holds its keys, upon which the app ends. */
  async kill(victim: 'app' | 'signer'): Promise<void> {
    const { app } = this;
    const signer = victim === 'signer' ? findSigner(app) : undefined;
    if (signer === undefined) {
      await app.stop('SIGKILL');
      return;
    }
    process.kill(signer, 'SIGKILL');
    await until('the app has ended', () => app.process.exitCode !== null || app.process.signalCode !== null);
  }

  /** Without waiting until it is ready. */
  async startAgain(): Promise<void> {
    const [port = '', managementPort = ''] = [this.app.url, this.app.managementUrl].map(
      (url) => new URL(url).port,
    );
    const env = { ...this.env, PORT: port, MANAGEMENT_PORT: managementPort };
    this.app = await this.world.kit.suite.spawnAnother('account-kit', env);
  }

  async untilReady(): Promise<void> {
    const { port } = new URL(this.app.managementUrl);
    await until('the instance is ready', async () => (await askReady(port)) === undefined);
  }
}
