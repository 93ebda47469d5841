import { SECOND_MS } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { concatHex, size } from 'viem/utils';
import { estimatePreVerificationGas } from '../../evm/estimation/estimate-pre-verification-gas.js';
import { encodePaymasterStub, MIN_SPONSORSHIP_SECONDS } from '../../evm/operations/paymaster-data.js';
import type { UserOperationFields } from '../../evm/operations/user-operation.js';
import { frozen } from '../../limits/freezes.errors.js';
import {
  loadOperationToSign,
  type OperationToSign,
  toUserOperationFields,
} from '../../custody/signer/load-operation-to-sign.js';
import { SignerClient } from '../../custody/signer-client.js';
import { type PaymasterData, PaymasterServicesService } from './paymaster-services.service.js';
import { storePaymasterData } from './sponsored-operations.queries.js';
import { operationUnavailable, sponsorUnavailable } from './sponsoring.errors.js';

/** Gets what sponsors sign for accepted operations, and stores it before the account signs. It is asked for once. */
@Injectable()
export class PaymasterDataService {
  constructor(
    private readonly database: Database,
    private readonly signer: SignerClient,
    private readonly services: PaymasterServicesService,
  ) {}

  /** @throws AppError 403 `frozen`, 503 `sponsor_unavailable` */
  async load(operationId: string, chainId: number): Promise<void> {
    if (!this.services.has(chainId)) {
      await storePaymasterData(this.database, operationId, await this.signer.signPaymasterData(operationId));
      return;
    }
    // The end of the data is a claim of the service, and no chain enforces the claim: without it, the operation never
    // counts as expired.
    const { validUntil: _claimed, ...data } = await this.askService(operationId);
    await storePaymasterData(this.database, operationId, data);
  }

  private async askService(operationId: string): Promise<PaymasterData> {
    const row = await loadOperationToSign(this.database, operationId);
    if (row?.state !== 'accepted') throw operationUnavailable();
    if (row.isFrozen) throw frozen();
    const operation = toUserOperationFields(row);
    const { chainId, version } = row;
    const data = await this.services.loadData({ chainId, version, operation });
    checkData(row, operation, data);
    return data;
  }
}

/** What was reserved and estimated for the operation must cover what the service has signed. */
function checkData(row: OperationToSign, operation: UserOperationFields, data: PaymasterData): void {
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit, paymasterData, validUntil } = data;
  const { factory, factoryData = '0x', callData } = operation;
  const preVerificationGas = estimatePreVerificationGas(row.version, [
    callData,
    factory ? concatHex([factory, factoryData]) : '0x',
    encodePaymasterStub(size(paymasterData)),
  ]);
  const fits =
    (paymasterVerificationGasLimit ?? 0n) <= (row.paymasterVerificationGasLimit ?? 0n) &&
    (paymasterPostOpGasLimit ?? 0n) <= (row.paymasterPostOpGasLimit ?? 0n) &&
    preVerificationGas <= row.preVerificationGas;
  if (!fits) throw sponsorUnavailable(new Error('the data of the service costs more than its stub'));
  if (validUntil != null && validUntil < Date.now() / SECOND_MS + MIN_SPONSORSHIP_SECONDS)
    throw sponsorUnavailable(new Error('the data of the service ends too soon'));
}
