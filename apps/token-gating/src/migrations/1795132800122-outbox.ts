import { createOutbox, dropOutbox } from '@app/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events and jobs that committed together with what they tell. */
export class Outbox1795132800122 implements MigrationInterface {
  readonly name = 'Outbox1795132800122';

  up(runner: QueryRunner): Promise<void> {
    return createOutbox(runner, 'token_gating');
  }

  down(runner: QueryRunner): Promise<void> {
    return dropOutbox(runner, 'token_gating');
  }
}
