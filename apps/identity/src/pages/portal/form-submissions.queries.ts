import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

const MAX_SWEPT_ROWS = 1_000;

const CLAIM = `
  INSERT INTO identity.form_submissions (id_hash, expires_at) VALUES ($1, now() + make_interval(secs => $2))
  ON CONFLICT (id_hash) DO NOTHING RETURNING 1`;

const KEEP = `
  UPDATE identity.form_submissions SET sealed = $2, sealed_until = now() + make_interval(secs => $3) WHERE id_hash = $1`;

/** Returns the value from before the update. The row lock lets one of several concurrent requests have it. */
const TAKE = `
  WITH kept AS (
    SELECT id_hash, sealed FROM identity.form_submissions WHERE id_hash = $1 AND sealed_until > now() FOR UPDATE
  )
  UPDATE identity.form_submissions AS submission SET sealed = NULL, sealed_until = NULL
  FROM kept WHERE submission.id_hash = kept.id_hash RETURNING kept.sealed`;

const DELETE_EXPIRED = `
  DELETE FROM identity.form_submissions WHERE id_hash IN (
    SELECT id_hash FROM identity.form_submissions WHERE expires_at < now()
    ORDER BY expires_at LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED)
  RETURNING 1`;

const FORGET_UNSHOWN = `
  UPDATE identity.form_submissions SET sealed = NULL, sealed_until = NULL WHERE id_hash IN (
    SELECT id_hash FROM identity.form_submissions WHERE sealed IS NOT NULL AND sealed_until <= now()
    ORDER BY sealed_until LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED)
  RETURNING 1`;

const KEEP_RESULT = `
  UPDATE identity.form_submissions SET sealed = $2, sealed_until = now() + make_interval(secs => $3) WHERE id_hash = $1
  RETURNING 1`;

const FIND_RESULT = `
  SELECT sealed FROM identity.form_submissions WHERE id_hash = $1 AND sealed IS NOT NULL AND sealed_until > now()`;

const RELEASE = 'DELETE FROM identity.form_submissions WHERE id_hash = $1 AND sealed IS NULL RETURNING 1';

const sealedRows = z.array(z.object({ sealed: z.instanceof(Buffer) })).max(1);

/** Statements on `form_submissions`. */
@Injectable()
export class FormSubmissionQueries {
  constructor(private readonly database: Database) {}

  /** Waits for a transaction that claims the same form. @returns false if one was committed before */
  async claim(manager: EntityManager, idHash: Buffer, lifetimeSeconds: number): Promise<boolean> {
    return (await queryRows(manager, CLAIM, [idHash, lifetimeSeconds])).length > 0;
  }

  async keep(manager: EntityManager, idHash: Buffer, sealed: Buffer, seconds: number): Promise<void> {
    await queryRows(manager, KEEP, [idHash, sealed, seconds]);
  }

  /** Returns the sealed secrets and removes them. Undefined if they were taken or have expired. */
  async take(idHash: Buffer): Promise<Buffer | undefined> {
    return sealedRows.parse(await this.database.query(TAKE, [idHash]))[0]?.sealed;
  }

  /** Keeps the path to which every submission of a form leads. It is no secret, and is stored as it is. */
  async keepResult(idHash: Buffer, path: string, seconds: number): Promise<void> {
    await this.database.query(KEEP_RESULT, [idHash, Buffer.from(path), seconds]);
  }

  /** Undefined while the first submission runs, and once the result has expired. */
  async findResult(idHash: Buffer): Promise<string | undefined> {
    return sealedRows.parse(await this.database.query(FIND_RESULT, [idHash]))[0]?.sealed.toString();
  }

  /** Lets a form without a result be submitted again. */
  async release(idHash: Buffer): Promise<void> {
    await this.database.query(RELEASE, [idHash]);
  }

  /** Deletes a batch of expired submissions. @returns whether more may exist */
  async deleteExpired(): Promise<boolean> {
    return (await this.database.query(DELETE_EXPIRED)).length === MAX_SWEPT_ROWS;
  }

  /** Removes a batch of secrets that no page has shown in time. @returns whether more may exist */
  async forgetUnshown(): Promise<boolean> {
    return (await this.database.query(FORGET_UNSHOWN)).length === MAX_SWEPT_ROWS;
  }
}
