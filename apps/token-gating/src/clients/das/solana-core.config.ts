import { envInteger, loadConfig } from '@app/config';
import { readPerChain } from '@app/chain/evm';
import { isSolanaChain } from '@app/dto';
import { z } from 'zod';

const dasUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const coreMode = z.enum(['das', 'rpc', 'off'], 'must be das, rpc or off');

const solanaCoreConfigSchema = z.object({
  DAS_REQUESTS_PER_MINUTE: envInteger(1, 100_000)
    .default(600)
    .describe(
      'Requests of one instance to one indexer. The limit of the key, divided by the number of instances.',
    ),
});

/** Variables that exist once per cluster, as the documentation names them. */
const variablesPerCluster = {
  'DAS_URL_<chainId>': dasUrl.optional().meta({
    description:
      'Indexer of a Solana cluster with the Digital Asset Standard API, for Core and compressed assets. ' +
      'Needs `RPC_URL_<chainId>`. Must be https, unless its address is in `CALLBACK_ALLOW_CIDRS`.',
    format: 'http(s) URL',
    secret: 'if it holds a key',
  }),
  'SOLANA_CORE_<chainId>': coreMode.optional().meta({
    description:
      'How rules about NFTs of a Solana cluster find assets of Metaplex Core: `das` asks the indexer, which knows compressed assets, ' +
      'too (default where it is set); `rpc` asks the nodes (getProgramAccounts), without compressed assets; `off` does not count them ' +
      '(default otherwise).',
    format: '`das`, `rpc` or `off`',
  }),
};

export type CoreSource = { readonly mode: 'das'; readonly url: string } | { readonly mode: 'rpc' };

/**
 * Sources of Core assets by chain id. Rejects `das` without an indexer, and chains that are no Solana cluster or have
 * no nodes.
 */
const coreSources = z.record(z.string(), z.string()).transform((env, context) => {
  const reject = (name: string, message: string) => {
    context.addIssue({ code: 'custom', path: [name], message });
  };
  const urls = readPerChain('DAS_URL', dasUrl).safeParse(env);
  const modes = readPerChain('SOLANA_CORE', coreMode).safeParse(env);
  for (const { path, message } of [urls, modes].flatMap(({ error }) => error?.issues ?? []))
    reject(path.join('.'), message);
  if (!urls.success || !modes.success) return z.NEVER;

  const sources = new Map<number, CoreSource>();
  for (const [prefix, chainIds] of [
    ['DAS_URL', urls.data.keys()],
    ['SOLANA_CORE', modes.data.keys()],
  ] as const)
    for (const chainId of chainIds)
      if (!isSolanaChain(chainId)) reject(`${prefix}_${chainId}`, 'is of no Solana cluster');
      else if (env[`RPC_URL_${chainId}`] === undefined)
        reject(`${prefix}_${chainId}`, `needs RPC_URL_${chainId}`);
  for (const chainId of new Set([...urls.data.keys(), ...modes.data.keys()])) {
    const url = urls.data.get(chainId);
    const mode = modes.data.get(chainId) ?? 'das';
    if (mode === 'rpc') sources.set(chainId, { mode });
    else if (mode === 'das' && url !== undefined) sources.set(chainId, { mode, url });
    else if (mode === 'das') reject(`SOLANA_CORE_${chainId}`, `needs DAS_URL_${chainId}`);
  }
  return sources;
});

/** The source of Metaplex Core assets on each chain, read from the environment. */
export class SolanaCoreConfig {
  static readonly configSchema = solanaCoreConfigSchema.extend(variablesPerCluster);

  readonly settings = loadConfig(solanaCoreConfigSchema);
  readonly sources: ReadonlyMap<number, CoreSource> = loadConfig(coreSources);
}
