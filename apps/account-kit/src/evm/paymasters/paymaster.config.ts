import { readPerChain } from '@app/chain/evm';
import { loadConfig } from '@app/config';
import type { Address, Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { getAddress, isAddress } from 'viem/utils';
import { z } from 'zod';
import type { AccountVersion } from '../accounts/account-contracts.js';

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

const paymasterConfigSchema = z.object({
  PAYMASTER_SIGNER_KEY: privateKey.optional().meta({
    description:
      'Private key that signs what paymasters pay for, required with PAYMASTER_<chainId>: that of their `verifyingSigner()`.',
    format: '32 bytes in hex with 0x',
    secret: true,
  }),
});

const variablesPerChain = {
  'PAYMASTER_<chainId>': paymasters.optional().meta({
    description:
      'Paymasters of a chain, at most one an EntryPoint: `contracts/VerifyingPaymaster.sol`, or for EntryPoint 0.7 the VerifyingPaymaster of eth-infinitism. Policies say whose user operations they pay for.',
    format: 'addresses, comma separated; `0.7:` before one of EntryPoint 0.7',
  }),
};

export interface PaymasterKeys {
  readonly key: Hex | undefined;
  readonly byChain: ReadonlyMap<number, readonly Paymaster[]>;
}

/** Only the signer process keeps the key that this returns. */
export function loadPaymasters(): PaymasterKeys {
  const byChain = loadConfig(readPerChain('PAYMASTER', paymasters));
  const { PAYMASTER_SIGNER_KEY: key } = loadConfig(
    paymasterConfigSchema.refine(({ PAYMASTER_SIGNER_KEY }) => byChain.size === 0 || PAYMASTER_SIGNER_KEY, {
      path: ['PAYMASTER_SIGNER_KEY'],
      error: 'is required with PAYMASTER_<chainId>',
    }),
  );
  return { key, byChain };
}

/** The paymasters, and the address of the key that signs for them. The key is not kept: requests are served in this process. */
export class PaymasterConfig {
  static readonly configSchema = paymasterConfigSchema.extend(variablesPerChain);

  readonly signerAddress: Address | undefined;
  private readonly byChain: ReadonlyMap<number, readonly Paymaster[]>;

  constructor() {
    const { key, byChain } = loadPaymasters();
    this.signerAddress = key && privateKeyToAddress(key);
    this.byChain = byChain;
  }

  list(chainId: number): readonly Paymaster[] {
    return this.byChain.get(chainId) ?? [];
  }

  find(chainId: number, version: AccountVersion): Address | undefined {
    return this.list(chainId).find((one) => one.version === version)?.address;
  }
}
