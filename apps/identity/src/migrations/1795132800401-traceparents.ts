import { addTraceparent, dropTraceparent } from '@app/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the trace of a request continues in a job of the outbox. */
export class Traceparents1795132800401 implements MigrationInterface {
  readonly name = 'Traceparents1795132800401';

  up(runner: QueryRunner): Promise<void> {
    return addTraceparent(runner, 'identity');
  }

  down(runner: QueryRunner): Promise<void> {
    return dropTraceparent(runner, 'identity');
  }
}
