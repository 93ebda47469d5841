import { ChainConfig } from '@app/chain/evm';
import { formatErrorReason } from '@app/common';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BaseError } from 'viem';
import { createBundlerClient, formatUserOperationRequest } from 'viem/account-abstraction';
import { numberToHex, getAddress, isAddress } from 'viem/utils';
import { z } from 'zod';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../../evm/accounts/account-contracts.js';
import { createNodeTransports, type NodeTransports } from '@app/chain/node-transports';
import type { UserOperationFields } from '../../evm/operations/user-operation.js';
import { PaymasterConfig, type PaymasterServiceSettings } from '../../evm/paymaster.config.js';
import { sponsorUnavailable } from './sponsoring.errors.js';

const MAX_DATA_BYTES = 4_096;
const MAX_GAS = 10_000_000n;

const data = z
  .templateLiteral(['0x', z.string().regex(/^(?:[0-9a-fA-F]{2})*$/)])
  .refine((hex) => hex.length <= 2 + 2 * MAX_DATA_BYTES, `must not exceed ${MAX_DATA_BYTES} bytes`);
const quantity = z
  .string()
  .regex(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/, 'must be a quantity in hex')
  .max(18)
  .transform(BigInt);
const gas = quantity.refine((amount) => amount <= MAX_GAS, `must not exceed ${MAX_GAS}`);

/** What a paymaster service answers for EntryPoint 0.7 and 0.8 (ERC-7677), as far as it is used. */
const paymasterStub = z.object({
  paymaster: z
    .string()
    .refine((text) => isAddress(text))
    .transform((text) => getAddress(text)),
  paymasterData: data,
  paymasterVerificationGasLimit: gas.nullish(),
  paymasterPostOpGasLimit: gas.nullish(),
});
type PaymasterStub = z.output<typeof paymasterStub>;

const paymasterData = paymasterStub.extend({
  /**
   * When the data expires, in seconds since 1970. The field is not part of ERC-7677 and is only used to refuse data
   * that expires too soon.
   */
  validUntil: z.union([z.int().nonnegative(), quantity.transform(Number)]).nullish(),
});
export type PaymasterData = z.output<typeof paymasterData>;

/** A user operation for which a service is asked; its gas limits may be missing. */
export interface SponsoredOperation {
  readonly chainId: number;
  readonly version: AccountVersion;
  readonly operation: Partial<UserOperationFields>;
}

/** Asks paymaster services (ERC-7677). Every method throws AppError 503 `sponsor_unavailable` for everything but a good answer. */
@Injectable()
export class PaymasterServicesService implements OnApplicationShutdown {
  private readonly transports: NodeTransports;

  constructor(
    private readonly paymasters: PaymasterConfig,
    { settings }: ChainConfig,
    private readonly context: ServiceContext,
  ) {
    this.transports = createNodeTransports({
      connectTimeoutMs: settings.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: settings.RPC_TIMEOUT_MS,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.transports.close();
  }

  /** Whether a service sponsors the chain, instead of the signer process. */
  has(chainId: number): boolean {
    return this.paymasters.findService(chainId) !== undefined;
  }

  /** Data as long and as expensive as what the paymaster will verify. */
  loadStub(sponsored: SponsoredOperation): Promise<PaymasterStub> {
    return this.request('pm_getPaymasterStubData', sponsored, paymasterStub);
  }

  /** What the paymaster verifies. */
  loadData(sponsored: SponsoredOperation): Promise<PaymasterData> {
    return this.request('pm_getPaymasterData', sponsored, paymasterData);
  }

  private async request<T extends PaymasterStub>(
    method: 'pm_getPaymasterStubData' | 'pm_getPaymasterData',
    { chainId, version, operation }: SponsoredOperation,
    schema: z.ZodType<T>,
  ): Promise<T> {
    const service = this.paymasters.findService(chainId);
    try {
      if (!service) throw new Error('the chain has no paymaster service');
      const response = schema.parse(await this.post(service, method, { chainId, version, operation }));
      if (response.paymaster !== this.paymasters.find(chainId, version))
        throw new Error(`the service names the paymaster ${response.paymaster}, which is not configured`);
      return response;
    } catch (error) {
      this.context.logger.warn({ chainId, method, reason: toReason(error) }, 'the paymaster service failed');
      throw sponsorUnavailable(error);
    }
  }

  private post(
    { url, context }: PaymasterServiceSettings,
    method: string,
    { chainId, version, operation }: SponsoredOperation,
  ): Promise<unknown> {
    const request = formatUserOperationRequest(operation);
    const params = [request, ACCOUNT_CONTRACTS[version].entryPoint, numberToHex(chainId), context];
    const client = createBundlerClient({ transport: this.transports.create(url) });
    // viem does not know the methods of ERC-7677 on this client.
    return client.request<{ Method: string; Parameters: unknown; ReturnType: unknown }>({ method, params });
  }
}

/** Without the URL, which may contain a key. */
const toReason = (error: unknown): string =>
  error instanceof BaseError ? error.details || error.shortMessage : formatErrorReason(error);
