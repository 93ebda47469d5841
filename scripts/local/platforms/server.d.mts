import type { IncomingMessage, Server, ServerResponse } from 'node:http';

export declare const DEMO_CODEHOST_APP: { readonly oauthClientId: string; readonly secret: string };

export declare function createPlatformsServer(options?: {
  revoked?: Set<string>;
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}): Server;

export declare const toToken: (
  platform: 'chat' | 'microblog' | 'codehost',
  userId: string,
  oauthClientId?: string,
) => string;
