import { type Hex, parseTransaction } from 'viem';
import { size } from 'viem/utils';
import { forwardTo, HostileNode, type NodeRequest, reply } from './hostile-node.js';

/** geth, `txMaxSize` of core/txpool/legacypool: four slots of 32 KiB. Erigon and other forks have the same number. */
export const NODE_MAX_TRANSACTION_BYTES = 4 * 32 * 1024;
/** EIP-7825, in force on Ethereum since Fusaka; `params.MaxTxGas` in geth. */
export const NODE_MAX_TRANSACTION_GAS = 16_777_216n;

/** geth's `--rpc.txfeecap`, in wei: 1 coin by default. */
export const NODE_TX_FEE_CAP = 10n ** 18n;

/** Why a node of Ethereum refuses a transaction that anvil takes. */
type Refusal = string | undefined;

/**
 * anvil with the limits of a node of Ethereum: anvil alone takes transactions of any size and gas. The texts and the order are those of
 * geth's `ValidateTransaction` (core/txpool/validation.go).
 */
export function startStrictNode(rpcUrl: string): Promise<HostileNode> {
  const forward = forwardTo(rpcUrl);
  return HostileNode.start(async (request, response) => {
    try {
      const refusal = await findRefusal(rpcUrl, request);
      if (refusal === undefined) await forward(request, response);
      else reply(response, request.id, { error: { code: -32_000, message: refusal } });
    } catch {
      // A client of a node that has ended sees a closed connection.
      response.destroy();
    }
  });
}

async function findRefusal(rpcUrl: string, { method, params }: NodeRequest): Promise<Refusal> {
  if (method !== 'eth_sendRawTransaction') return undefined;
  const [raw] = params as [Hex];
  const { gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, type } = parseTransaction(raw);
  // geth: checkTxFee of internal/ethapi, which comes before the pool's checks
  const fee = gas * maxFeePerGas;
  if (fee > NODE_TX_FEE_CAP)
    return `tx fee (${toEther(fee)} ether) exceeds the configured cap (${toEther(NODE_TX_FEE_CAP)} ether)`;
  const bytes = size(raw);
  // geth: ErrOversizedData
  if (bytes > NODE_MAX_TRANSACTION_BYTES)
    return `oversized data: transaction size ${bytes}, limit ${NODE_MAX_TRANSACTION_BYTES}`;
  // geth: core.ErrGasLimitTooHigh
  if (gas > NODE_MAX_TRANSACTION_GAS)
    return `transaction gas limit too high (cap: ${NODE_MAX_TRANSACTION_GAS}, tx: ${gas})`;
  if (type !== 'eip1559') return undefined;
  // geth: core.ErrTipAboveFeeCap
  if (maxFeePerGas < maxPriorityFeePerGas) return 'max priority fee per gas higher than max fee per gas';
  const baseFee = await loadNextBaseFee(rpcUrl);
  // geth keeps such a transaction outside of its blocks, Nethermind and most providers refuse it. The text is core.ErrFeeCapTooLow.
  if (maxFeePerGas < baseFee)
    return `max fee per gas less than block base fee: maxFeePerGas: ${maxFeePerGas}, baseFee: ${baseFee}`;
  return undefined;
}

const toEther = (wei: bigint): string => (Number(wei) / 1e18).toFixed(2);

/** The base fee of the block that comes next. */
async function loadNextBaseFee(rpcUrl: string): Promise<bigint> {
  const body = { jsonrpc: '2.0', id: 1, method: 'eth_feeHistory', params: ['0x1', 'latest', []] };
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { result } = (await response.json()) as { result: { baseFeePerGas: Hex[] } };
  return BigInt(result.baseFeePerGas.at(-1) ?? 0);
}
