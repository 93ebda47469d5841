import type { Hex } from 'viem';
import { size } from 'viem/utils';
import {
  encodePaymasterData,
  encodePaymasterStub,
  PAYMASTER_DATA_BYTES,
  PAYMASTER_VERIFICATION_GAS,
} from '../../evm/operations/paymaster-data.js';
import { STUB_SIGNATURE } from '../../evm/operations/user-operation.js';
import type { PaymasterServicesService, SponsoredOperation } from './paymaster-services.service.js';

/** The paymaster fields of an operation before the paymaster has signed. */
interface PaymasterEstimate {
  /** Data as long as what the paymaster will sign, and as expensive as it can be. */
  readonly stub: Hex;
  /** `paymasterData` that a bundler can simulate: the stub's bytes would revert in the paymaster. */
  readonly simulatedData: Hex;
  readonly gas: { readonly paymasterVerificationGasLimit: bigint; readonly paymasterPostOpGasLimit: bigint };
}

/** The gas where a service does not say what its paymaster needs: a signature, and a few slots of storage. */
const DEFAULT_VERIFICATION_GAS = 150_000n;

/** The last time that the EntryPoint can compare (uint48). */
const LATEST_SECONDS = 2 ** 48 - 1;

/** @throws AppError 503 `sponsor_unavailable` */
export async function estimatePaymaster(
  services: PaymasterServicesService,
  sponsored: SponsoredOperation,
): Promise<PaymasterEstimate> {
  if (!services.has(sponsored.chainId))
    return {
      stub: encodePaymasterStub(PAYMASTER_DATA_BYTES),
      simulatedData: encodePaymasterData(LATEST_SECONDS, STUB_SIGNATURE),
      gas: { paymasterVerificationGasLimit: PAYMASTER_VERIFICATION_GAS, paymasterPostOpGasLimit: 0n },
    };
  const stub = await services.loadStub(sponsored);
  return {
    stub: encodePaymasterStub(size(stub.paymasterData)),
    simulatedData: stub.paymasterData,
    gas: {
      paymasterVerificationGasLimit: stub.paymasterVerificationGasLimit ?? DEFAULT_VERIFICATION_GAS,
      paymasterPostOpGasLimit: stub.paymasterPostOpGasLimit ?? 0n,
    },
  };
}
