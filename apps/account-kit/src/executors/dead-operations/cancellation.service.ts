import { randomUUID } from 'node:crypto';
import { Database, lockTransaction, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { EvmClientService } from '../../evm/nodes/evm-client.service.js';
import { throwChainUnavailable } from '../../evm/nodes/throw-chain-unavailable.js';
import { SignerClient } from '../../key-vault/signer-client.js';
import { toAccountLock } from '../states/to-account-lock.js';
import { SignedOperationNotifier } from '../wake-ups/signed-operation-notifier.js';
import { OperationStateRepository } from '../states/operation-state.repository.js';
import { storedAddress as address } from '../stored-values.js';
import { operationConflict, operationNotFound } from './cancellation.errors.js';
import { hasNonce, type LaneGap } from './lane-gap.repository.js';

const CANCELLABLE: readonly string[] = ['signed', 'stuck', 'expired'];
/** Gas limits of an operation without a call. Its fees are 0: the executor pays. */
const VERIFICATION_GAS = 150_000;
const DEPLOYMENT_GAS = 600_000;

const originalRow = z.object({
  state: z.string(),
  kind: z.string(),
  chainId: z.coerce.number().int(),
  sender: address,
});
const idRows = z.array(z.object({ id: z.string() }));

/** @param sequence SQL @param condition SQL of when operation `o`, which is of the same lane, needs the cancellation */
const toInsert = (sequence: string, condition: string): string => `
  INSERT INTO account_kit.user_operations (id, account_id, client_id, kind, chain_id, account_version, sender,
    nonce_key, nonce_sequence, deploys_account, call_data, call_gas_limit, verification_gas_limit,
    pre_verification_gas, max_fee_per_gas, max_priority_fee_per_gas, state, state_seq, accepted_at, changed_at)
  SELECT $2, account_id, client_id, 'cancellation', chain_id, account_version, sender,
    nonce_key, ${sequence}, $3, '', 0, $4, 0, 0, 0, 'accepted', 1, clock_timestamp(), clock_timestamp()
  FROM account_kit.user_operations AS o WHERE o.id = $1 AND ${condition}
  ON CONFLICT DO NOTHING RETURNING id`;
const CANCEL = toInsert('nonce_sequence', 'true');
const FILL = toInsert(
  '$5::bigint',
  `o.state IN ('signed', 'stuck') AND NOT EXISTS (${hasNonce('o', '$5::bigint')})`,
);

const cancellationRows = z.array(z.object({ id: z.string(), state: z.string() }));

/** Replaces operations by ones at the same nonce that do nothing, so that their lanes can go on. */
@Injectable()
export class CancellationService {
  constructor(
    private readonly database: Database,
    private readonly clients: EvmClientService,
    private readonly signer: SignerClient,
    private readonly states: OperationStateRepository,
    private readonly notifier: SignedOperationNotifier,
  ) {}

  /**
   * Idempotent. The operation is `rejected` when its nonce is used at the confirmation depth.
   * @returns id of the cancellation, an operation of its own
   * @throws AppError 404, 409 `operation_conflict` if the operation is in a transaction or has ended, 503
   */
  async cancel(operationId: string): Promise<string> {
    const deploys = await this.mustDeploy(await this.findOriginal(operationId));
    const cancellation = await this.insert(operationId, deploys);
    if (cancellation.state === 'accepted') await this.sign(cancellation.id);
    return cancellation.id;
  }

  /** Takes a nonce that no operation has, unless a new one has taken it meanwhile. */
  async fill(gap: LaneGap): Promise<void> {
    const id = await this.insertAt(gap, await this.mustDeploy(gap));
    if (id !== undefined) await this.sign(id);
  }

  private async mustDeploy({ chainId, sender }: Pick<LaneGap, 'chainId' | 'sender'>): Promise<boolean> {
    const client = await this.clients.getClient(chainId);
    const code = await client.getCode({ address: sender }).catch(throwChainUnavailable);
    return code === undefined || code === '0x';
  }

  /** Under the lock under which new operations get their nonces. */
  private insertAt(
    { laterId, accountId, chainId, nonceSequence }: LaneGap,
    deploys: boolean,
  ): Promise<string | undefined> {
    return this.database.transaction(async (manager) => {
      await lockTransaction(manager, toAccountLock(accountId, chainId));
      const rows = await queryRows(manager, FILL, [
        ...[laterId, randomUUID(), deploys, deploys ? DEPLOYMENT_GAS : VERIFICATION_GAS],
        String(nonceSequence),
      ]);
      const [inserted] = idRows.parse(rows);
      if (inserted) await this.states.recordAccepted(manager, [inserted.id]);
      return inserted?.id;
    });
  }

  private async findOriginal(id: string): Promise<z.output<typeof originalRow>> {
    const [row] = await this.database.query(
      'SELECT state, kind, chain_id AS "chainId", sender FROM account_kit.user_operations WHERE id = $1',
      [id],
    );
    if (row === undefined) throw operationNotFound();
    return originalRow.parse(row);
  }

  /** Under a lock of the operation, which a bundle at the same time waits for. */
  private insert(operationId: string, deploys: boolean): Promise<{ id: string; state: string }> {
    const id = randomUUID();
    return this.database.transaction(async (manager) => {
      const [row] = await queryRows(
        manager,
        `SELECT state, kind, chain_id AS "chainId", sender FROM account_kit.user_operations
         WHERE id = $1 FOR UPDATE`,
        [operationId],
      );
      const original = originalRow.parse(row);
      if (original.kind === 'cancellation' || !CANCELLABLE.includes(original.state))
        throw operationConflict(original.state);
      const inserted = await queryRows(manager, CANCEL, [
        ...[operationId, id, deploys, deploys ? DEPLOYMENT_GAS : VERIFICATION_GAS],
      ]);
      if (inserted.length > 0) await this.states.recordAccepted(manager, [id]);
      const rows = await queryRows(
        manager,
        `SELECT c.id, c.state FROM account_kit.user_operations AS c
         JOIN account_kit.user_operations AS o ON o.account_id = c.account_id AND o.chain_id = c.chain_id
           AND o.nonce_key = c.nonce_key AND o.nonce_sequence = c.nonce_sequence
         WHERE o.id = $1 AND c.kind = 'cancellation' AND (c.state <> 'rejected' OR c.hash IS NOT NULL)`,
        [operationId],
      );
      const [cancellation] = cancellationRows.parse(rows);
      if (!cancellation) throw operationConflict(original.state);
      return cancellation;
    });
  }

  /** If this fails, the sweeper of unsigned operations repeats it. */
  private async sign(id: string): Promise<void> {
    await this.states.markSigned(id, await this.signer.signUserOperation(id));
    this.notifier.notify(id);
  }
}
