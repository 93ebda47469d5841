import { envInteger, envJson, envSwitch, loadConfig, InvalidConfigurationError } from '@app/config';
import { evmAddress } from '@app/dto';
import { z } from 'zod';
import { DEFAULT_NODE_CONNECT_TIMEOUT_MS, DEFAULT_NODE_TIMEOUT_MS } from './time-limits.js';
import { type CustomChain, type ChainRegistry, createChainRegistry } from '../evm/chains/chain-registry.js';

const nodeUrl = z.url({ protocol: /^https?$/, error: 'must be http or https URLs, comma separated' });

/** URLs, such as `https://a.example,https://b.example`; the first one is preferred. */
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

const chainConfigSchema = z.object({
  PUBLIC_RPC: envSwitch
    .default(false)
    .describe(
      'Whether rules and sign-in use the public nodes that viem knows for chains without a node URL. Smart accounts never use them.',
    ),
  CHAINS: envJson(z.array(customChain)).default([]).meta({
    description:
      'Further chains, and overrides for known ones. `blockTime` is in milliseconds; it is for chains that make blocks with or without transactions.',
    format:
      'JSON: `[{ "id", "name", "rpcUrls", "multicall3", "nativeDecimals", "nativeSymbol", "blockTime" }]`',
    secret: 'if it holds a key',
  }),
  LOCAL_CHAIN_ID: envInteger(1, Number.MAX_SAFE_INTEGER)
    .default(31_337)
    .describe('The local chain, whose state can change at any moment, so that its answers are never cached.'),
  RPC_CONNECT_TIMEOUT_MS: envInteger(50, 10_000)
    .default(DEFAULT_NODE_CONNECT_TIMEOUT_MS)
    .describe('Timeout of connecting to a node.'),
  RPC_TIMEOUT_MS: envInteger(50, 10_000)
    .default(DEFAULT_NODE_TIMEOUT_MS)
    .describe(
      'Timeout of one request to one node: less than half of the time that a check has, which leaves time for a second node.',
    ),
  RPC_CACHE: envSwitch
    .default(true)
    .describe('Whether reads for rules are answered from cache, for one block time at most.'),
  RPC_MAX_LAG_BLOCKS: envInteger(0, 1_000)
    .default(3)
    .describe(
      'Blocks that a node may be behind the best node of its chain before it is skipped. The blocks of two seconds are always allowed.',
    ),
});

const quorum = envInteger(1, 20);

/** Variables that exist once per chain, as the documentation names them. */
const variablesPerChain = {
  'RPC_URL_<chainId>': nodeUrls.optional().meta({
    description: 'Node URLs of a chain, tried in this order.',
    format: 'http(s) URLs, comma separated',
    secret: 'if it holds a key',
  }),
  'RPC_QUORUM_<chainId>': quorum
    .optional()
    .describe(
      'Number of nodes of a chain that must agree; otherwise the read is a transient failure. Without it one node is enough.',
    ),
};

/** Every variable `<prefix>_<chainId>`, by chain id. */
export function readPerChain<S extends z.ZodType>(prefix: string, schema: S) {
  const pattern = new RegExp(`^${prefix}_([1-9]\\d{0,15})$`);
  return z.record(z.string(), z.string()).transform((env, context) => {
    const values = new Map<number, z.output<S>>();
    for (const [name, value] of Object.entries(env)) {
      const chainId = pattern.exec(name)?.[1];
      if (chainId === undefined) continue;
      const { success, data, error } = schema.safeParse(value);
      if (success) values.set(Number(chainId), data);
      for (const { message } of error?.issues ?? [])
        context.addIssue({ code: 'custom', path: [name], message });
    }
    return values;
  });
}

const DEFAULT_CONFIRMATIONS = 12;

const confirmations = envInteger(1, 10_000);

export const confirmationsConfigSchema = z.object({
  'CONFIRMATIONS_<chainId>': confirmations.optional().meta({
    description:
      'Blocks, with its own, after which a user operation of a chain is final, and after which members are checked again whom a log of a transfer named.',
    fallback: `\`${DEFAULT_CONFIRMATIONS}\``,
  }),
});

/** Reads the confirmation depths from the environment. @returns the depth of a chain */
export function loadConfirmations(): (chainId: number) => number {
  const configured = loadConfig(readPerChain('CONFIRMATIONS', confirmations));
  return (chainId) => configured.get(chainId) ?? DEFAULT_CONFIRMATIONS;
}

/** Chain and RPC settings, read from the environment. */
export class ChainConfig {
  static readonly configSchema = chainConfigSchema.extend(variablesPerChain);

  readonly settings = loadConfig(chainConfigSchema);
  readonly rpcUrls = loadConfig(readPerChain('RPC_URL', nodeUrls));
  readonly rpcQuorums = loadConfig(readPerChain('RPC_QUORUM', quorum));
}

/**
 * @param options.publicRpc false for an app that uses only nodes which are configured
 * @throws InvalidConfigurationError if a quorum exceeds the number of its chain's nodes
 */
export function createConfiguredChainRegistry(
  { settings, rpcUrls, rpcQuorums }: ChainConfig,
  { publicRpc = settings.PUBLIC_RPC }: { readonly publicRpc?: boolean } = {},
): ChainRegistry {
  try {
    return createChainRegistry({
      custom: settings.CHAINS,
      rpcUrls,
      quorums: rpcQuorums,
      publicRpc,
      localChainId: settings.LOCAL_CHAIN_ID,
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new InvalidConfigurationError(`The environment is not usable:\n  ${error.message}`, {
      cause: error,
    });
  }
}
