import { readPerChain } from '@app/chain/evm';
import { envJson, loadConfig } from '@app/config';
import type { Address, Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { getAddress, isAddress } from 'viem/utils';
import { z } from 'zod';
import type { AccountVersion } from './accounts/account-contracts.js';

/** A contract that pays for operations of one EntryPoint. */
export interface Paymaster {
  readonly version: AccountVersion;
  readonly address: Address;
}

const versions = z.enum(['0.7', '0.8']);
const paymaster = z.string().transform((text, context): Paymaster => {
  const [first = '', second] = text.trim().split(':');
  const version = versions.safeParse(second === undefined ? '0.8' : first);
  const address = second ?? first;
  if (version.success && isAddress(address)) return { version: version.data, address: getAddress(address) };
  context.addIssue({
    code: 'custom',
    message: 'must be addresses, each after `0.7:` or `0.8:` for its EntryPoint; without it `0.8:`',
  });
  return z.NEVER;
});
const paymasters = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(paymaster))
  .refine(
    (all) => new Set(all.map(({ version }) => version)).size === all.length,
    'must be one an EntryPoint',
  );

const privateKey = z.templateLiteral([
  '0x',
  z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 32 bytes in hex'),
]);

const serviceUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const serviceContext = envJson(z.record(z.string(), z.json()));

const paymasterConfigSchema = z.object({
  PAYMASTER_SIGNER_KEY: privateKey.optional().meta({
    description:
      'Private key that signs what paymasters pay for, required with PAYMASTER_<chainId> unless the chain has PAYMASTER_URL_<chainId>: that of their `verifyingSigner()`.',
    format: '32 bytes in hex with 0x',
    secret: true,
  }),
});

const variablesPerChain = {
  'PAYMASTER_<chainId>': paymasters.optional().meta({
    description:
      'Paymasters of a chain, at most one an EntryPoint: `contracts/VerifyingPaymaster.sol`, or for EntryPoint 0.7 the VerifyingPaymaster of eth-infinitism; with PAYMASTER_URL_<chainId> those that its service may name. Policies say whose user operations they pay for.',
    format: 'addresses, comma separated; `0.7:` before one of EntryPoint 0.7',
  }),
  'PAYMASTER_URL_<chainId>': serviceUrl.optional().meta({
    description:
      'A paymaster service (ERC-7677) that sponsors user operations of a chain with BUNDLER_URL_<chainId>, through its paymasters in PAYMASTER_<chainId>.',
    format: 'http(s) URL',
    secret: 'if it holds a key',
  }),
  'PAYMASTER_CONTEXT_<chainId>': serviceContext.optional().meta({
    description: 'The `context` of requests to the paymaster service of a chain, as the service defines it.',
    format: 'JSON object',
    fallback: '`{}`',
  }),
};

/** A service that decides and signs for paymasters (ERC-7677). */
export interface PaymasterServiceSettings {
  readonly url: string;
  readonly context: z.output<typeof serviceContext>;
}

export interface PaymasterKeys {
  readonly key: Hex | undefined;
  readonly byChain: ReadonlyMap<number, readonly Paymaster[]>;
  /** The paymaster services of chains on which the deployment has no paymaster of its own to sign for. */
  readonly services: ReadonlyMap<number, PaymasterServiceSettings>;
}

/** Loads the paymasters with their key, which only the signer process keeps. */
export function loadPaymasters(): PaymasterKeys {
  const byChain = loadConfig(readPerChain('PAYMASTER', paymasters));
  const services = loadServices(byChain);
  const needsKey = [...byChain.keys()].some((chainId) => !services.has(chainId));
  const { PAYMASTER_SIGNER_KEY: key } = loadConfig(
    paymasterConfigSchema.refine(({ PAYMASTER_SIGNER_KEY }) => !needsKey || PAYMASTER_SIGNER_KEY, {
      path: ['PAYMASTER_SIGNER_KEY'],
      error: 'is required with PAYMASTER_<chainId>',
    }),
  );
  return { key, byChain, services };
}

/** Own executors do not send what an unknown contract pays for: it may change its mind between simulation and inclusion. */
function loadServices(byChain: PaymasterKeys['byChain']): PaymasterKeys['services'] {
  const contexts = loadConfig(readPerChain('PAYMASTER_CONTEXT', serviceContext));
  const bundlers = loadConfig(readPerChain('BUNDLER_URL', z.string()));
  const urls = loadConfig(
    readPerChain('PAYMASTER_URL', serviceUrl).superRefine((found, context) => {
      const require = (chainId: number, message: string) => {
        context.addIssue({ code: 'custom', path: [`PAYMASTER_URL_${chainId}`], message });
      };
      for (const chainId of found.keys()) {
        if (!byChain.has(chainId)) require(chainId, `requires PAYMASTER_${chainId}`);
        if (!bundlers.has(chainId)) require(chainId, `requires BUNDLER_URL_${chainId}`);
      }
    }),
  );
  return new Map([...urls].map(([chainId, url]) => [chainId, { url, context: contexts.get(chainId) ?? {} }]));
}

/** The paymasters, and the address of the key that signs for them. The key is not kept: requests are served in this process. */
export class PaymasterConfig {
  static readonly configSchema = paymasterConfigSchema.extend(variablesPerChain);

  readonly signerAddress: Address | undefined;
  private readonly byChain: PaymasterKeys['byChain'];
  private readonly services: PaymasterKeys['services'];

  constructor() {
    const { key, byChain, services } = loadPaymasters();
    this.signerAddress = key && privateKeyToAddress(key);
    this.byChain = byChain;
    this.services = services;
  }

  list(chainId: number): readonly Paymaster[] {
    return this.byChain.get(chainId) ?? [];
  }

  find(chainId: number, version: AccountVersion): Address | undefined {
    return this.list(chainId).find((one) => one.version === version)?.address;
  }

  /** Undefined where the signer process signs for the paymasters. */
  findService(chainId: number): PaymasterServiceSettings | undefined {
    return this.services.get(chainId);
  }
}
