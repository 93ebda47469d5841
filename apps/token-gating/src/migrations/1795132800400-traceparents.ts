import { addTraceparent, dropTraceparent } from '@app/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the trace of a request continues: in a job of the outbox, and in the delivery of a check's result. */
export class Traceparents1795132800400 implements MigrationInterface {
  readonly name = 'Traceparents1795132800400';

  async up(runner: QueryRunner): Promise<void> {
    await addTraceparent(runner, 'token_gating');
    await runner.query('ALTER TABLE token_gating.deliveries ADD COLUMN traceparent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.deliveries DROP COLUMN traceparent');
    await dropTraceparent(runner, 'token_gating');
  }
}
