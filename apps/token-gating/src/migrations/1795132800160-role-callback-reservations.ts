import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the last reserved time of a tenant begins, so that one statement reserves and returns it. */
export class RoleCallbackReservations1795132800160 implements MigrationInterface {
  readonly name = 'RoleCallbackReservations1795132800160';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.role_callback_schedules ADD COLUMN begins_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.role_callback_schedules DROP COLUMN begins_at');
  }
}
