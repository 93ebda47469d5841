import type { ServerResponse } from 'node:http';
import type { Address, Hex } from 'viem';
import { getAddress, numberToHex } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import {
  encodeHandleOps,
  type SignedUserOperation,
} from '../../apps/account-kit/src/evm/operations/user-operation.js';
import {
  PAYMASTER_DATA_BYTES,
  PAYMASTER_VERIFICATION_GAS,
} from '../../apps/account-kit/src/evm/operations/paymaster-data.js';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { HostileNode, reply } from '../support/hostile-node.js';
import type { LocalChain } from '../support/local-chain.js';
import { signAsSponsor } from './sign-as-sponsor.js';

const HOUR_SECONDS = 60 * 60;
const QUANTITIES = [
  'nonce',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
] as const;

/** A user operation as JSON-RPC writes it. */
type RpcOperation = Record<string, Hex>;

function parseOperation(operation: RpcOperation): SignedUserOperation {
  const quantities = QUANTITIES.flatMap((name) =>
    operation[name] === undefined ? [] : [[name, BigInt(operation[name])] as const],
  );
  return { ...operation, ...Object.fromEntries(quantities) } as unknown as SignedUserOperation;
}

export interface PaymasterAnswer {
  readonly paymaster: string;
  readonly paymasterData: Hex;
  readonly paymasterVerificationGasLimit?: string;
  readonly paymasterPostOpGasLimit?: string;
  readonly validUntil?: number;
}

/** Answers, or returns what is to be answered instead. */
type Change = (answer: PaymasterAnswer, response: ServerResponse, id: number) => unknown;

/** A paymaster service (ERC-7677) that signs for the local paymaster, in the form of EntryPoint 0.8. */
export class PaymasterService {
  readonly requests: { readonly method: string; readonly params: readonly unknown[] }[] = [];
  /** Changes to the answers of the stub, and of the final data. Undefined: it has answered. */
  changeStub: Change = (answer) => answer;
  changeData: Change = (answer) => answer;
  paymaster: Address = '0x';
  private node: HostileNode | undefined;

  constructor(private readonly chainId: number) {}

  async start(): Promise<string> {
    const { paymasterSigner } = await demoAccounts();
    this.node = await HostileNode.start(async ({ id, method, params }, response) => {
      this.requests.push({ method, params });
      const isFinal = method === 'pm_getPaymasterData';
      const answer = isFinal
        ? await this.sign(params[0] as RpcOperation, paymasterSigner.privateKey)
        : this.createStub();
      const result = (isFinal ? this.changeData : this.changeStub)(answer, response, id);
      if (result !== undefined) reply(response, id, { result });
    });
    return this.node.url;
  }

  async stop(): Promise<void> {
    await this.node?.stop();
  }

  reset(): void {
    this.requests.splice(0);
    this.changeStub = (answer) => answer;
    this.changeData = (answer) => answer;
  }

  private createStub(): PaymasterAnswer {
    return {
      paymaster: this.paymaster,
      paymasterData: `0x${'ff'.repeat(PAYMASTER_DATA_BYTES)}`,
      paymasterVerificationGasLimit: numberToHex(PAYMASTER_VERIFICATION_GAS),
      paymasterPostOpGasLimit: '0x0',
    };
  }

  private async sign(operation: RpcOperation, key: Hex): Promise<PaymasterAnswer> {
    const validUntil = Math.floor(Date.now() / 1_000) + HOUR_SECONDS;
    const { fields } = await signAsSponsor(parseOperation(operation), {
      chainId: this.chainId,
      paymaster: getAddress(this.paymaster),
      validUntil,
      key,
    });
    return { paymaster: this.paymaster, paymasterData: fields.paymasterData };
  }
}

/** A bundler that executes each operation of EntryPoint 0.8 when it gets it. */
export class ExecutingBundler {
  readonly received: RpcOperation[] = [];
  chain: LocalChain | undefined;
  private node: HostileNode | undefined;

  async start(): Promise<string> {
    this.node = await HostileNode.start(async ({ id, method, params }, response) => {
      if (method !== 'eth_sendUserOperation') {
        reply(response, id, { error: { code: -32_601, message: `Method not supported: ${method}` } });
        return;
      }
      const [operation] = params as [RpcOperation];
      this.received.push(operation);
      const hash = await this.execute(parseOperation(operation)).catch(() => undefined);
      if (hash === undefined) reply(response, id, { error: { code: -32_500, message: 'AA33 reverted' } });
      else reply(response, id, { result: hash });
    });
    return this.node.url;
  }

  async stop(): Promise<void> {
    await this.node?.stop();
  }

  private async execute(operation: SignedUserOperation): Promise<Hex> {
    if (!this.chain) throw new Error('there is no chain');
    const { client } = this.chain;
    const { executor } = await demoAccounts();
    const hash = await client.sendTransaction({
      to: ACCOUNT_CONTRACTS['0.8'].entryPoint,
      data: encodeHandleOps('0.8', [operation], executor.address),
    });
    await client.waitForTransactionReceipt({ hash });
    return hash;
  }
}
