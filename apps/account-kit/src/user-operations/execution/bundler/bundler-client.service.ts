import { ChainConfig } from '@app/chain/evm';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BaseError, type Hex, RpcRequestError } from 'viem';
import { createBundlerClient, formatUserOperationRequest } from 'viem/account-abstraction';
import { z } from 'zod';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../../../evm/accounts/account-contracts.js';
import { createNodeTransports, type NodeTransports } from '@app/chain/node-transports';
import { isMethodMissing } from '../../../evm/nodes/evm.errors.js';
import { STUB_SIGNATURE, type UserOperationFields } from '../../../evm/operations/user-operation.js';
import type { ClaimedOperation } from '../bundles/claimed-operation.js';

/**
 * - `sent`: the bundler has it
 * - `refused`: it does not take it, for instance because its simulation failed
 * - `unavailable`: it is not known whether the bundler has it
 */
type SubmissionResult =
  | { readonly outcome: 'sent' }
  /** `isStandard`: the code is one of ERC-7769, so it cannot mean that the bundler is in trouble. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly isStandard: boolean }
  | { readonly outcome: 'unavailable'; readonly reason: string };

/** Gas limits for which a bundler asks. */
export interface BundlerGas {
  readonly preVerificationGas: bigint;
  readonly verificationGasLimit: bigint;
  readonly callGasLimit: bigint;
}

/** A bundler estimates, does not serve the method, or gives no usable answer. */
export type EstimateResult =
  | { readonly outcome: 'estimated'; readonly gas: BundlerGas }
  | { readonly outcome: 'not_supported' }
  | { readonly outcome: 'failed' };

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,32}$/, 'must be a quantity in hex')
  .transform(BigInt);
const estimatedGas = z.object({
  preVerificationGas: quantity,
  verificationGasLimit: quantity,
  callGasLimit: quantity,
});

const MAX_REASON_LENGTH = 200;
const KNOWN_PATTERN = /already known|already in (?:the )?mempool|duplicate/i;
/** alto and Voltaire say of another operation with the nonce, or with a deployment, that it is in the mempool, and mostly that it has to be outbid. */
const OTHER_PATTERN = /conflict|bump|replac|fee|same nonce/i;
/** Digits of hashes and addresses that an answer quotes, which may spell a word of a pattern. */
const QUOTED_HEX = /\b(?:0x[0-9a-f]+|[0-9a-f]{16,})\b/gi;
/** Codes of ERC-7769 for operations that a bundler does not accept, and of invalid parameters. */
const isStandard = (code: number): boolean => code === -32_602 || (code <= -32_500 && code > -32_600);
/**
 * Codes that say nothing about the operation: -32603 is an internal error, -32005 a limit of requests (EIP-1474), and hosted bundlers repeat
 * the status of HTTP. Every other code is an answer: Rundler, for one, refuses fees that are too low with -32000.
 */
const isOutage = (code: number): boolean =>
  code === -32_603 || code === -32_005 || code === 429 || (code >= 500 && code <= 599);
const LIMIT_PATTERN = /rate limit|request limit|too many requests/i;

/** Whether the answer of a bundler says that it has these bytes, and not another operation in their place. */
export function saysHeld(answer: string): boolean {
  const text = answer.replaceAll(QUOTED_HEX, '');
  return KNOWN_PATTERN.test(text) && !OTHER_PATTERN.test(text);
}

/** Sends user operations to bundlers (ERC-7769). */
@Injectable()
export class BundlerClientService implements OnApplicationShutdown {
  private readonly transports: NodeTransports;

  constructor(
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

  /** Asks for the gas limits of an operation whose nonce is the next one of its lane. */
  async estimate(
    url: string,
    version: AccountVersion,
    operation: UserOperationFields,
  ): Promise<EstimateResult> {
    const client = createBundlerClient({ transport: this.transports.create(url) });
    const request = formatUserOperationRequest({ ...operation, ...UNKNOWN_GAS, signature: STUB_SIGNATURE });
    try {
      const answer = await client.request({
        method: 'eth_estimateUserOperationGas',
        params: [request, ACCOUNT_CONTRACTS[version].entryPoint],
      });
      return { outcome: 'estimated', gas: estimatedGas.parse(answer) };
    } catch (error) {
      if (isMethodMissing(error)) return { outcome: 'not_supported' };
      const reason = (error instanceof z.ZodError ? z.prettifyError(error) : explain(error).text).slice(
        0,
        MAX_REASON_LENGTH,
      );
      this.context.logger.warn({ sender: operation.sender, reason }, 'the bundler gave no estimate');
      return { outcome: 'failed' };
    }
  }

  /** Sending the same bytes again is harmless. */
  async send(url: string, { version, operation }: ClaimedOperation): Promise<SubmissionResult> {
    const client = createBundlerClient({ transport: this.transports.create(url) });
    try {
      const request = formatUserOperationRequest(operation);
      await client.request({
        method: 'eth_sendUserOperation',
        params: [request, ACCOUNT_CONTRACTS[version].entryPoint],
      });
      return { outcome: 'sent' };
    } catch (error) {
      const { text, code } = explain(error);
      if (saysHeld(text)) return { outcome: 'sent' };
      const reason = text.slice(0, MAX_REASON_LENGTH);
      // Without a code nothing was answered as JSON-RPC demands.
      if (code === undefined || isOutage(code) || (!isStandard(code) && LIMIT_PATTERN.test(text)))
        return { outcome: 'unavailable', reason };
      return { outcome: 'refused', reason, isStandard: isStandard(code) };
    }
  }

  /** Whether the bundler has the operation in its mempool, or found it in a block. A bundler that cannot tell counts as one without it. */
  async knows(url: string, hash: Hex): Promise<boolean> {
    const client = createBundlerClient({ transport: this.transports.create(url) });
    try {
      const answer: unknown = await client.request({ method: 'eth_getUserOperationByHash', params: [hash] });
      return typeof answer === 'object' && answer !== null;
    } catch (error) {
      if (!isMethodMissing(error)) {
        const reason = explain(error).text.slice(0, MAX_REASON_LENGTH);
        this.context.logger.warn(
          { hash, reason },
          'the bundler does not tell whether it has a user operation',
        );
      }
      return false;
    }
  }
}

/** Bundlers measure the gas limits, and some refuse an operation without them. */
const UNKNOWN_GAS = { preVerificationGas: 0n, verificationGasLimit: 0n, callGasLimit: 0n };

/** Without the URL, which may contain a key. */
function explain(error: unknown): { text: string; code: number | undefined } {
  if (!(error instanceof BaseError)) return { text: String(error), code: undefined };
  const answer = error.walk((cause) => cause instanceof RpcRequestError);
  const code = answer instanceof RpcRequestError ? answer.code : undefined;
  return { text: error.details || error.shortMessage, code };
}
