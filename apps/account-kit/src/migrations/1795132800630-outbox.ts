import { addTraceparent, addUnsendableSince, createOutbox, dropOutbox } from '@app/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events of user operations and Solana transactions, until they are sent. */
export class Outbox1795132800630 implements MigrationInterface {
  readonly name = 'Outbox1795132800630';

  async up(runner: QueryRunner): Promise<void> {
    await createOutbox(runner, 'account_kit');
    await addUnsendableSince(runner, 'account_kit');
    await addTraceparent(runner, 'account_kit');
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropOutbox(runner, 'account_kit');
  }
}
