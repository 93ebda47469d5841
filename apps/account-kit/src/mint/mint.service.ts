import { Injectable } from '@nestjs/common';
import type { Hex } from 'viem';
import type { UserOperationDryRun } from '../user-operations/dry-run.dto.js';
import { PoliciesService } from '../policies/policies.service.js';
import { SponsoringService } from '../policies/sponsoring/sponsoring.service.js';
import { OperationSubmissionService } from '../user-operations/operation-submission.service.js';
import { type OperationTarget, UserOperationsService } from '../user-operations/user-operations.service.js';
import { encodeMint, getMintedTokenAddress, MINT_DECIMALS, type MintedToken } from './encode-mint.js';
import type { MintRequest, MintResponse } from './mint.dto.js';

/** Describes a token whose operation was accepted. Its address is known before it is deployed. */
function toMintResponse(
  token: MintedToken,
  metadata: MintRequest['metadata'],
  operation: { readonly userOperationHash: Hex; readonly chainId: number },
): MintResponse {
  const { name, symbol } = token;
  const fungible = {
    object: 'fungible' as const,
    name,
    symbol,
    // Existing clients send empty text for what a token does not have.
    media: [metadata.image, metadata.media].find((url) => url !== undefined && url !== '') ?? '',
    address: getMintedTokenAddress(token),
    decimals: MINT_DECIMALS,
    metadata,
  };
  return { response: { contract: { fungible }, ...operation } };
}

/** Mints tokens with a fixed supply, each by one operation of the account. */
@Injectable()
export class MintService {
  constructor(
    private readonly operations: UserOperationsService,
    private readonly submission: OperationSubmissionService,
    private readonly policies: PoliciesService,
    private readonly sponsoring: SponsoringService,
  ) {}

  /** @throws AppError as OperationSubmissionService.submit */
  async mint(
    target: OperationTarget & { readonly nonceKey: bigint },
    request: MintRequest,
  ): Promise<MintResponse | UserOperationDryRun> {
    const { clientId, chainId, nonceKey, idempotencyKey, deadline } = target;
    const account = await this.operations.loadAccount(target);
    const { name, symbol, metadata, recipient = account.evmAddress } = request;
    const token = { name, symbol, recipient };
    const operation = await this.submission.submit(
      {
        account,
        clientId,
        kind: 'mint',
        chainId,
        nonceKey,
        createCalls: (operationId) => [encodeMint({ ...token, operationId })],
        content: [name, symbol, recipient.toLowerCase(), metadata],
        details: { ...token, metadata },
        deadline,
      },
      target,
      async () => ({
        limits: await this.policies.checkMint({ clientId, chainId, idempotencyKey }),
        // A mint that the policy allows is sponsored wherever there is a paymaster.
        paymaster: await this.sponsoring.findPaymaster({ clientId, chainId, account }),
      }),
    );
    if ('dryRun' in operation) return operation;
    return toMintResponse({ ...token, operationId: operation.id }, metadata, {
      userOperationHash: operation.userOperationHash,
      chainId,
    });
  }
}
