import type { JsonWebKey } from 'node:crypto';

export interface Secrets {
  credentialPepper: string;
  callbackKeySecret: string;
  opaqueTokenSecret: string;
  tokenKeySecret: string;
  accountKeySecret: string;
  /** Private JWK by app. */
  signing: Record<string, JsonWebKey & { kid: string }>;
  /** The public halves. */
  keySet: { keys: (JsonWebKey & { kid: string })[] };
}

export declare function makeSecrets(names: string[]): Secrets;
