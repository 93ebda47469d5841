import type { Client } from './client.js';
import { request } from './request.js';

/** The keys of `GET /.well-known/jwks.json`. */
export interface KeySet {
  readonly keys: readonly PublicKey[];
}

/** What is read of a JSON Web Key. */
export interface PublicKey {
  readonly kty?: string | undefined;
  readonly crv?: string | undefined;
  readonly x?: string | undefined;
  readonly use?: string | undefined;
  readonly kid?: string | undefined;
}

/** `Headers`, or those of a request in Node, with names in lower case. */
export type HeaderSource = Pick<Headers, 'get'> | Readonly<Record<string, string | string[] | undefined>>;

export interface VerifyOptions {
  /** Default: the clock's. */
  readonly nowSeconds?: number | undefined;
}

/** How far the timestamp of a callback may be away, as Standard Webhooks has it. */
const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';
/** Endpoints that sign in both versions during a rotation need a handful. */
const MAX_SIGNATURES = 16;

/**
 * Verifies the signature of a callback (Standard Webhooks): `v1a` by a key set, `v1` by the secret `whsec_…` of a callback
 * endpoint. Keys are compared by Web Crypto, in constant time.
 * @param body exactly as it arrived, before any parsing
 * @returns whether it is genuine and not older than five minutes
 * @throws TypeError for a secret that is none
 */
export async function verifyCallback(
  headers: HeaderSource,
  body: string | Uint8Array,
  keys: KeySet | string,
  { nowSeconds = Date.now() / 1_000 }: VerifyOptions = {},
): Promise<boolean> {
  const isSecret = typeof keys === 'string';
  const secret = isSecret ? readSecret(keys) : undefined;
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const listed = readHeader(headers, 'webhook-signature');
  if (id === undefined || timestamp === undefined || listed === undefined) return false;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_SECONDS)
    return false;
  const content = join(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const prefix = isSecret ? 'v1,' : 'v1a,';
  const signatures = listed
    .split(' ')
    .slice(0, MAX_SIGNATURES)
    .filter((text) => text.startsWith(prefix))
    .flatMap((text) => decodeBase64(text.slice(prefix.length)) ?? []);
  if (signatures.length === 0) return false;
  if (secret) {
    const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    return anyOf(signatures, (signature) => crypto.subtle.verify('HMAC', key, signature, content));
  }
  return isSecret ? false : verifyByKeySet(keys, signatures, content);
}

type Bytes = Uint8Array<ArrayBuffer>;

async function verifyByKeySet(keySet: KeySet, signatures: Bytes[], content: Bytes): Promise<boolean> {
  const usable = keySet.keys.filter(({ crv, use }) => crv === 'Ed25519' && use === 'sig');
  return anyOf(usable, async ({ x = '' }) => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x };
    // A key that cannot be read signs nothing; the others still may.
    const key = await crypto.subtle
      .importKey('jwk', jwk, 'Ed25519', false, ['verify'])
      .catch(() => undefined);
    return (
      key !== undefined &&
      anyOf(signatures, (signature) => crypto.subtle.verify('Ed25519', key, signature, content))
    );
  });
}

/** The keys of a deployment, kept for a while. */
export interface KeySource {
  /** Verifies a callback, and looks for new keys where none of those that are known signed it. */
  readonly verify: (headers: HeaderSource, body: string | Uint8Array) => Promise<boolean>;
}

/** A new key is published a day before it signs. */
const KEYS_LIVE_MS = 5 * 60_000;
/** Forged callbacks must not make a receiver ask for keys with each of them. */
const MIN_RELOAD_MS = 30_000;

/** Verifies callbacks by the published keys of a deployment, which are loaded when the first callback comes. */
export function createKeySource(client: Client, now: () => number = Date.now): KeySource {
  let loaded: { keySet: KeySet; at: number } | undefined;
  let loading: Promise<KeySet> | undefined;
  const load = (): Promise<KeySet> => {
    loading ??= request(client, 'GET /.well-known/jwks.json')
      .then((answer) => {
        const keySet: KeySet = answer;
        loaded = { keySet, at: now() };
        return keySet;
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };
  return {
    verify: async (headers, body) => {
      const options = { nowSeconds: now() / 1_000 };
      const known = loaded !== undefined && now() - loaded.at < KEYS_LIVE_MS ? loaded : undefined;
      if (await verifyCallback(headers, body, known?.keySet ?? (await load()), options)) return true;
      if (known === undefined || now() - known.at < MIN_RELOAD_MS) return false;
      return verifyCallback(headers, body, await load(), options);
    },
  };
}

function readHeader(headers: HeaderSource, name: string): string | undefined {
  const value = isHeaders(headers) ? headers.get(name) : headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const isHeaders = (headers: HeaderSource): headers is Pick<Headers, 'get'> =>
  typeof headers.get === 'function';

function readSecret(text: string): Bytes {
  const secret = text.startsWith(SECRET_PREFIX) ? decodeBase64(text.slice(SECRET_PREFIX.length)) : undefined;
  if (secret === undefined || secret.length === 0)
    throw new TypeError('The secret of a callback endpoint is whsec_ and base64.');
  return secret;
}

function decodeBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function join(head: Uint8Array, body: string | Uint8Array): Bytes {
  const rest = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const all = new Uint8Array(head.length + rest.length);
  all.set(head);
  all.set(rest, head.length);
  return all;
}

async function anyOf<T>(list: readonly T[], isTrue: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of list) if (await isTrue(item)) return true;
  return false;
}
