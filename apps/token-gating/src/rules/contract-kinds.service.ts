import { boundEntries, DAY_MS, MINUTE_MS } from '@app/common';
import {
  type ContractRead,
  createErc20DecimalsRead,
  createSupportsInterfaceRead,
  INTERFACE_IDS,
  type ReadResult,
} from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const MAX_CONTRACTS = 20_000;
/** The lifetime of what makes a rule an error: a single node that lies must not keep it one for a day. */
const REFUSAL_TTL_MS = 10 * MINUTE_MS;

/** What a contract says of itself. A read that failed says nothing, and is `undefined`. */
export interface ContractKind {
  /** Whether `decimals()` answers a number above 0, as tokens that can be divided do. */
  readonly hasDecimals: boolean | undefined;
  readonly claimsErc721: ReadResult<boolean>;
  readonly claimsErc1155: boolean | undefined;
}

/** What contracts that rules name are. Each contract is read once a day, one that does not fit its rule every ten minutes. */
@Injectable()
export class ContractKindsService {
  private readonly kinds = new LRUCache<string, ContractKind>({
    ...boundEntries(MAX_CONTRACTS),
    ttl: DAY_MS,
  });

  find(chainId: number, contract: EvmAddress): ContractKind | undefined {
    return this.kinds.get(toKey(chainId, contract));
  }

  createReads(
    contract: EvmAddress,
  ): readonly [ContractRead<number>, ContractRead<boolean>, ContractRead<boolean>] {
    return [
      createErc20DecimalsRead(contract),
      createSupportsInterfaceRead(contract, INTERFACE_IDS.erc721),
      createSupportsInterfaceRead(contract, INTERFACE_IDS.erc1155),
    ];
  }

  /** Keeps what the results of `createReads` say, unless the nodes or a missing contract made one of them fail. */
  record(
    chainId: number,
    contract: EvmAddress,
    [decimals, erc721, erc1155]: readonly [ReadResult<number>, ReadResult<boolean>, ReadResult<boolean>],
  ): ContractKind {
    const kind: ContractKind = {
      hasDecimals: readFact(decimals, (value) => value > 0),
      claimsErc721: isAbsent(erc721) ? { ok: true, value: false } : erc721,
      claimsErc1155: readFact(erc1155, (value) => value),
    };
    if (kind.hasDecimals !== undefined && kind.claimsErc721.ok && kind.claimsErc1155 !== undefined)
      this.kinds.set(toKey(chainId, contract), kind, {
        ttl: kind.hasDecimals || kind.claimsErc1155 ? REFUSAL_TTL_MS : DAY_MS,
      });
    return kind;
  }
}

const toKey = (chainId: number, contract: EvmAddress): string => `${chainId} ${contract}`;

/** Whether the contract answered that it does not have the function: by a revert, or by something else than the function returns. */
const isAbsent = (result: ReadResult<unknown>): boolean =>
  !result.ok && result.permanent && result.code !== 'no_contract';

function readFact<T>(result: ReadResult<T>, isTrue: (value: T) => boolean): boolean | undefined {
  if (result.ok) return isTrue(result.value);
  return isAbsent(result) ? false : undefined;
}
