import { freePort } from '../../scripts/processes/ports.mjs';
import type { RunningApp } from '../support/running-app.js';
import type { RunningSuite } from '../support/running-suite.js';

/** An instance of account-kit behind a gateway of its own. */
export interface Instance {
  readonly app: RunningApp;
  readonly gateway: RunningApp;
}

/** An instance whose gateway stays for the next instance, which comes to the same place. */
export interface StoppableInstance extends Instance {
  readonly stop: () => Promise<void>;
}

type Ports = Readonly<Record<'PORT' | 'MANAGEMENT_PORT', string>>;

/** The port at which a gateway expects account-kit. */
interface Place {
  readonly ports: Ports;
  readonly redisUrl: string | undefined;
  readonly gateway: RunningApp;
}

/** Starts instances of account-kit, with as many gateways as there are instances at a time. */
export class InstancePlaces {
  private readonly free: Place[];

  /** @param first that of the suite's gateway */
  constructor(
    private readonly suite: RunningSuite,
    first: Place,
  ) {
    this.free = [first];
  }

  async startInstance(env: Record<string, string>): Promise<StoppableInstance> {
    const at = this.free.findIndex(({ redisUrl }) => redisUrl === env.REDIS_URL);
    const [found] = at < 0 ? [] : this.free.splice(at, 1);
    const place = found ?? (await this.createPlace(env.REDIS_URL));
    const app = await this.suite.another('account-kit', { ...place.ports, ...env });
    const stop = async () => {
      await app.stop();
      this.free.push(place);
    };
    return { app, gateway: place.gateway, stop };
  }

  private async createPlace(redisUrl: string | undefined): Promise<Place> {
    const ports = await choosePorts();
    const gateway = await this.suite.another('gateway', {
      ACCOUNT_KIT_URL: urlAt(ports),
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    });
    return { ports, redisUrl, gateway };
  }
}

export const choosePorts = async (): Promise<Ports> => ({
  PORT: String(await freePort()),
  MANAGEMENT_PORT: String(await freePort()),
});

export const urlAt = ({ PORT }: Ports): string => `http://127.0.0.1:${PORT}`;
