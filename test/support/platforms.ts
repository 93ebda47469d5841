import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Discord } from '../../scripts/demo/platforms/discord.mjs';
import { Telegram } from '../../scripts/demo/platforms/telegram.mjs';
import { createPlatformsServer, DEMO_CODEHOST_APP, toToken } from '../../scripts/demo/platforms/server.mjs';

/** Answers a request in place of the stand-in, or returns false. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A stand-in of the platforms on the loopback interface. Counts requests, revokes tokens, and can be made to fail. */
export class PlatformsStandIn {
  /** Paths, in order. */
  readonly requests: string[] = [];
  readonly revoked = new Set<string>();
  readonly telegram = new Telegram();
  readonly discord = new Discord();
  intercept: Intercept = () => false;
  private readonly server: Server;

  private constructor() {
    this.server = createPlatformsServer({
      revoked: this.revoked,
      telegram: this.telegram,
      discord: this.discord,
      intercept: (request, response) => {
        this.requests.push(request.url ?? '');
        return this.intercept(request, response);
      },
    });
  }

  static async start(): Promise<PlatformsStandIn> {
    const standIn = new PlatformsStandIn();
    standIn.server.listen(0, '127.0.0.1');
    await once(standIn.server, 'listening');
    return standIn;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Configuration of account-kit. */
  get environment(): Record<string, string> {
    const { url } = this;
    return {
      PLATFORM_CHAT_URL: url,
      PLATFORM_MICROBLOG_URL: url,
      PLATFORM_CODEHOST_URL: url,
      ACCEPT_UNBOUND_TOKENS: 'on',
    };
  }

  readonly botToken = (userId: string): string => toToken('chat', userId);

  readonly accessToken = (platform: 'microblog' | 'codehost', userId: string): string =>
    toToken(platform, userId);

  /** A token of a user of the code host who gave it to an OAuth application, by default to that of `codehostApp`. */
  readonly oauthToken = (userId: string, oauthClientId = DEMO_CODEHOST_APP.oauthClientId): string =>
    toToken('codehost', userId, oauthClientId);

  /** An OAuth application that the code host knows. */
  readonly codehostApp = DEMO_CODEHOST_APP;

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
