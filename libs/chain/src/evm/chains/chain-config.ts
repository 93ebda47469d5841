import { envInteger, envJson, envSwitch, loadConfig } from '@app/config';
import { evmAddress } from '@app/dto';
import { z } from 'zod';
import { type CustomChain } from './chain-registry.js';

const RPC_URL = /^RPC_URL_([1-9]\d{0,15})$/;

const nodeUrl = z.url({ protocol: /^https?$/, error: 'must be http or https URLs, comma separated' });

const RPC_QUORUM = /^RPC_QUORUM_([1-9]\d{0,15})$/;

/** Such as `https://a.example,https://b.example`; the first one is preferred. */
const nodeUrls = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim()))
  .pipe(z.array(nodeUrl).min(1));

const customChain: z.ZodType<CustomChain> = z.strictObject({
  id: z.int().positive(),
  name: z.string().min(1).max(100).optional(),
  rpcUrls: z.array(nodeUrl).optional(),
  multicall3: evmAddress.optional(),
  nativeDecimals: z.int().min(0).max(255).optional(),
  nativeSymbol: z.string().min(1).max(32).optional(),
  blockTime: z.int().nonnegative().optional(),
});

export const chainConfigSchema = z.object({
  /** Whether chains without a configured RPC URL use the public ones that viem lists. */
  PUBLIC_RPC: envSwitch.default(false),
  /** Additional chains, and overrides for known ones. */
  CHAINS: envJson(z.array(customChain)).default([]),
  /** The local chain, whose state can change at any moment, so that results are not cached. */
  LOCAL_CHAIN_ID: envInteger(1, Number.MAX_SAFE_INTEGER).default(31_337),
  RPC_CONNECT_TIMEOUT_MS: envInteger(50, 10_000).default(2_000),
  /** Timeout of one request to one node: less than half of a check's budget, which leaves time for a second node. */
  RPC_TIMEOUT_MS: envInteger(50, 10_000).default(4_000),
  /** Whether results are cached for at most one block time. */
  RPC_CACHE: envSwitch.default(true),
  /** A node that lags more blocks behind the best one is skipped. */
  RPC_MAX_LAG_BLOCKS: envInteger(0, 1_000).default(3),
});

/** `RPC_URL_<chainId>`: every variable of that form, by chain id. */
const rpcUrls = z.record(z.string(), z.string()).transform((env, context) => {
  const urls = new Map<number, readonly string[]>();
  for (const [name, value] of Object.entries(env)) {
    const chainId = RPC_URL.exec(name)?.[1];
    if (chainId === undefined) continue;
    const { data, error } = nodeUrls.safeParse(value);
    if (data) urls.set(Number(chainId), data);
    for (const { message } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [name], message });
  }
  return urls;
});

const quorum = envInteger(1, 20);

/** `RPC_QUORUM_<chainId>`: how many nodes have to agree on a result, by chain id. */
const rpcQuorums = z.record(z.string(), z.string()).transform((env, context) => {
  const quorums = new Map<number, number>();
  for (const [name, value] of Object.entries(env)) {
    const chainId = RPC_QUORUM.exec(name)?.[1];
    if (chainId === undefined) continue;
    const { data, error } = quorum.safeParse(value);
    if (data !== undefined) quorums.set(Number(chainId), data);
    for (const { message } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [name], message });
  }
  return quorums;
});

/** Chain and RPC settings, read from the environment. */
export class ChainConfig {
  readonly settings = loadConfig(chainConfigSchema);
  readonly rpcUrls = loadConfig(rpcUrls);
  readonly rpcQuorums = loadConfig(rpcQuorums);
}
